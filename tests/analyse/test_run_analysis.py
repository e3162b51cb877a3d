import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import RunSettings
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_engines, make_run, make_series, make_steps, make_trials, published_run

nan, inf = math.nan, math.inf
REWARD = "reward/avg_raw_reward"


def test_published_run():
    found = analyse(published_run(settings=RunSettings(save_interval=5)), SiteSettings())
    assert found.checkpoint.step == 25
    assert found.metric(REWARD).count == 81
    assert len(found.curve(REWARD).step) == 80
    assert found.roles["pass_k"] == "reward/avg_pass_at_8"
    assert found.trials is None
    assert found.engines is None
    assert found.metric("absent") is None
    assert found.metric(None) is None


@pytest.mark.parametrize(
    "steps",
    [
        make_steps([]),
        make_series(REWARD, [0.5]),
        make_series(REWARD, [nan, nan]),
        make_steps([{"step": 0, "kind": "eval", "eval/all/avg_score": 0.1}]),
        make_steps([{"step": 1, REWARD: 0.4, "superseded_last": 1, "superseded_first": 1}]),
    ],
    ids=["empty", "one-row", "all-nan", "evaluation-only", "all-superseded"],
)
def test_edges_give_an_analysis(steps):
    found = analyse(make_run(steps=steps), SiteSettings())
    assert found.checkpoint.step is None
    assert found.checkpoint.reason in {"no-reward", "no-interval"}


value = st.one_of(st.just(nan), st.just(inf), st.floats(-1e3, 1e3))
row = st.fixed_dictionaries(
    {
        "job": st.sampled_from(["a", "b"]),
        "step": st.integers(0, 20),
        "kind": st.sampled_from(["train", "train", "eval"]),
        "superseded_last": st.integers(0, 1),
        "superseded_first": st.integers(0, 1),
        REWARD: value,
        "timing/step": value,
        "timing/generate": value,
        'a.b[0]:c "<b>': value,
    }
)
config = st.one_of(
    st.none(),
    st.dictionaries(
        st.sampled_from(["trainer.hf_save_interval", "max_steps", "enable_error_classification", "mask_exceptions"]),
        st.one_of(st.none(), st.booleans(), st.integers(-3, 10), st.text(max_size=3), st.lists(st.text(max_size=3))),
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(row, max_size=10), config, st.sampled_from(["last", "first"]), st.one_of(st.none(), st.integers(0, 20)))
def test_any_run_has_a_consistent_analysis(rows, values, rule, latest):
    run = make_run(
        steps=make_steps(rows),
        config=None if values is None else make_config(values),
        overlap_rule=rule,
        latest_checkpoint=latest,
        trials=make_trials([{"reward": r[REWARD], "exception": "E"} for r in rows]),
        engines=make_engines([{"job": r["job"], "running": r["timing/step"]} for r in rows]),
    )
    found = analyse(run, SiteSettings())
    chosen = found.checkpoint
    assert (chosen.step is None) == (chosen.reason is not None)
    if chosen.step is not None:
        assert chosen.step >= 2 * chosen.save_interval
        assert latest is None or chosen.step <= latest
        best = next(c for c in chosen.candidates if c.step == chosen.step)
        assert best.eligible
        assert best.ema == chosen.ema == max(c.ema for c in chosen.candidates if c.eligible)
    assert [c.metric for c in found.curves] == [m.name for m in found.metrics if m.kind == "train"]
    for metric in found.metrics:
        assert metric.count <= len(rows)
        if metric.count:
            assert metric.min <= metric.mean + 1e-9
            assert metric.mean <= metric.max + 1e-9
    assert found.facts.rows == sum(r["kind"] == "train" for r in rows)
