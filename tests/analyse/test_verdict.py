import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.verdict import engine_verdict
from tests.factories import make_config, make_engines, make_run

nan = math.nan
SLOTS = {"generator.max_num_seqs": 24}


def verdict(rows, config=SLOTS, header=""):
    samples = make_engines([dict(zip(("running", "waiting", "kv_cache_pct"), row, strict=False)) for row in rows])
    return engine_verdict(make_run(engines=samples, config=make_config(config, header=header) if config else None))


def test_requests_wait_while_nearly_all_slots_run():
    found = verdict([(24, 5, 40), (22, 1, 50), (10, 0, 30)])
    assert (found.verdict, found.limit, found.full_share) == ("saturated", "slots", pytest.approx(2 / 3))


def test_21_of_24_slots_are_below_nine_tenths():
    assert verdict([(21, 5, 40)] * 4).verdict == "bursts"


def test_full_slots_without_a_queue_are_not_saturated():
    assert verdict([(24, 0, 40)] * 4).verdict == "balanced"


def test_full_cache_is_saturated_even_where_the_slots_are_unknown():
    found = verdict([(3, 0, 96), (3, 0, 99), (2, 0, 10)], config=None)
    assert (found.verdict, found.limit, found.full_cache_share) == ("saturated", "cache", pytest.approx(2 / 3))


def test_eleven_of_24_slots_with_a_queue_are_bursts():
    """The published report calls this saturated: a mean above 0 waiting proves no more than bursts."""
    found = verdict([(11.1, 7.4, 48)] * 10)
    assert (found.verdict, found.limit, found.full_share, found.waiting_share) == ("bursts", None, 0, 1)


def test_nothing_waits_and_few_run():
    found = verdict([(5, 0, 20), (6, 0, 20), (20, 0, 50), (0, 0, 0)])
    assert (found.verdict, found.limit, found.active) == ("starved", "arrivals", 3)
    assert found.starved_share == pytest.approx(2 / 3)


def test_unknown_limit_gives_no_verdict():
    found = verdict([(11, 3, 40)] * 3, config=None)
    assert (found.verdict, found.reason, found.starved_share, found.waiting_share) == (None, "unknown-limit", None, 1)
    assert verdict([(11, 3, 40)], config={"max_num_seqs": 0}).reason == "unknown-limit"


def test_idle_and_missing_intervals_are_no_active_ones():
    found = verdict([(0, 0, 0), (nan, 3, 40), (4, nan, 40)])
    assert (found.verdict, found.reason, found.active, found.full_share) == (None, "never-active", 0, None)


def test_missing_cache_is_not_full():
    assert verdict([(20, 0, nan)] * 3).full_cache_share == 0


def test_assumed_limit_and_means_over_engines_are_said():
    found = verdict([(5, 0, 1)], header="Assumed: settings of a sister run")
    assert found.limit_assumed
    assert found.means_over_engines
    named = make_engines([{"running": 1, "waiting": 0, "engine": "a"}])
    assert not engine_verdict(make_run(engines=named)).means_over_engines


def test_no_samples_no_verdict():
    assert engine_verdict(make_run()) is None
    assert engine_verdict(make_run(engines=make_engines([]))) is None


number = st.one_of(st.just(nan), st.just(math.inf), st.floats(0, 1000))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(number, number, number), min_size=1, max_size=30), st.sampled_from([None, SLOTS]))
def test_shares_are_shares_and_exactly_one_of_verdict_and_reason_is_given(rows, config):
    found = verdict(rows, config)
    assert (found.verdict is None) != (found.reason is None)
    for share in (found.full_share, found.full_cache_share, found.waiting_share, found.starved_share):
        assert share is None or 0 <= share <= 1
    active = [(r, w) for r, w, _ in rows if math.isfinite(r) and math.isfinite(w) and (r > 0 or w > 0)]
    assert found.active == len(active)
    if active:
        assert found.waiting_share == pytest.approx(sum(w > 0 for _, w in active) / len(active))
