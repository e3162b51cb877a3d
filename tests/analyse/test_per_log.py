import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.analyse.per_log import per_log
from tests.factories import make_run, make_steps


def test_each_log_with_all_it_wrote():
    steps = make_steps(
        [
            {"job": "a", "step": 1, "row": 1, "m": 1.0},
            {"job": "a", "step": 2, "row": 2, "m": 4.0},
            {"job": "a", "step": 3, "row": 3, "m": 2.0, "superseded_last": 1},
            {"job": "b", "step": 3, "row": 1, "m": math.nan, "n": 7.0},
        ]
    )
    first, second = per_log(make_run(steps=steps))
    assert (first.job, first.first_step, first.last_step, first.records, first.superseded) == ("a", 1, 3, 3, 1)
    m = first.metrics["m"]
    assert (m.mean, m.max, m.last, m.sum, m.count) == (pytest.approx(7 / 3), 4.0, 2.0, 7.0, 3)
    assert set(second.metrics) == {"n"}


def test_the_last_record_may_lack_a_metric():
    steps = make_steps([{"step": 1, "row": 1, "m": 1.0}, {"step": 2, "row": 2}])
    (log,) = per_log(make_run(steps=steps))
    assert (log.metrics["m"].last, log.metrics["m"].count) == (None, 1)


def test_no_records_no_logs():
    assert per_log(make_run()) == ()


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(math.nan), st.just(math.inf)), min_size=1, max_size=30))
def test_statistics_are_those_of_the_finite_values(values):
    steps = make_steps([{"step": i, "row": i, "m": v} for i, v in enumerate(values)])
    (log,) = per_log(make_run(steps=steps))
    kept = [v for v in values if math.isfinite(v)]
    if not kept:
        assert log.metrics == {}
        return
    assert log.metrics["m"].count == len(kept)
    assert log.metrics["m"].mean == pytest.approx(math.fsum(kept) / len(kept), abs=1e-6)
    assert log.metrics["m"].max == max(kept)
    assert log.metrics["m"].last == (values[-1] if math.isfinite(values[-1]) else None)
