import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import analyse
from sitegen.model.run import Published, PublishedTrials, Run
from sitegen.pages.row import RunRow, pass_k, run_row, spark, thinned, timing_name
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_run, make_steps, make_trials
from tests.pages.rows import many, row


def test_a_row_survives_json_text() -> None:
    for item in many():
        assert RunRow.from_json(json.loads(json.dumps(item.to_json(), allow_nan=False))) == item


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=400))
def test_thinning_keeps_ends_and_extremes(values: list[float | None]) -> None:
    kept = thinned(values, 40)
    finite = [value for value in values if value is not None]
    assert kept == sorted(set(kept))
    assert len(kept) <= 40
    assert kept[0] == 0
    assert kept[-1] == len(values) - 1
    if finite:
        shown = [values[index] for index in kept]
        assert max(finite) in shown
        assert min(finite) in shown


def test_a_short_series_is_whole() -> None:
    assert thinned([1.0, None, 3.0], 120) == [0, 1, 2]


def curve(raw: list[float]) -> Curve:
    values = np.array(raw, dtype=float)
    return Curve(
        metric="reward",
        step=np.arange(1, len(raw) + 1),
        raw=values,
        ema=values,
        superseded_step=np.array([], dtype=np.int64),
        superseded_raw=np.array([]),
        nonfinite_step=np.array([], dtype=np.int64),
        best=None,
        best_step=None,
    )


def test_a_gap_and_an_infinity_are_missing_in_the_sparkline() -> None:
    made = spark(curve([0.1, float("nan"), float("inf"), 0.4]))
    assert made is not None
    assert made.raw == (0.1, None, None, 0.4)


def test_no_finite_reward_is_no_sparkline() -> None:
    assert spark(curve([float("nan"), float("nan")])) is None
    assert spark(None) is None


def test_the_k_of_pass_at_k_is_read_from_its_name() -> None:
    names = {
        "reward/avg_pass_at_8": 8,
        "eval/aime/pass@16": 16,
        "pass_4": 4,
        "reward/pass_rate": None,
        None: None,
    }
    assert {name: pass_k(name) for name in names} == names


def test_reward_means_the_same_only_with_framework_and_name() -> None:
    assert row().reward_meaning == row("other").reward_meaning
    assert row().reward_meaning != row(framework="verl").reward_meaning
    assert row().reward_meaning != row(fact_reward_metric="reward/final").reward_meaning


def row_of(run: Run) -> RunRow:
    made = run_row(run, analyse(run, SiteSettings()))
    assert RunRow.from_json(json.loads(json.dumps(made.to_json(), allow_nan=False))) == made
    return made


REWARD = "reward/avg_raw_reward"


def test_a_row_of_a_run_holds_its_figures() -> None:
    rewards = [0.1, 0.2, 0.3, 0.6, 0.5, 0.4]
    steps = make_steps(
        [
            {
                "step": i + 1,
                REWARD: reward,
                "reward/avg_pass_at_8": reward + 0.2,
                "timing/step": 100.0,
                "timing/wait_for_generation_buffer": 75.0,
            }
            for i, reward in enumerate(rewards)
        ]
    )
    trials = make_trials(
        [{"task": "t", "reward": 1.0}, {"task": "t", "reward": 0.0}, {"task": "t", "exception": "Timeout"}]
    )
    made = row_of(make_run(steps=steps, trials=trials, config=make_config({"trainer.hf_save_interval": 2})))
    assert made.spark is not None
    assert made.spark.raw == tuple(rewards)
    assert made.checkpoint_step == 6, "EMA with weight 1/3 rises to the end among steps 4 and 6"
    assert made.best_pass == pytest.approx(0.8)
    assert (made.best_pass_step, made.pass_k) == (4, 8)
    assert (made.trials, made.graded, made.success_rate) == (3, 2, 0.5)
    assert made.exception_rate == pytest.approx(1 / 3)
    assert (made.step_s, made.waiting_share) == (100.0, 0.75)
    assert made.published == ()
    assert made.exceptions == ("Timeout",)
    assert made.names == ()


def test_an_empty_run_is_a_row_of_dashes() -> None:
    made = row_of(make_run())
    assert made.facts.status == "no-steps"
    assert (made.spark, made.trials, made.waiting_share, made.step_s, made.best_pass) == (None,) * 5
    assert made.metrics == ()


def report(**fields: object) -> Published:
    values: dict[str, object] = {
        "path": "run/report.md",
        "metrics": {},
        "timing": {"wait_for_generation_buffer": 0.878, "sync_weights": 0.02},
        "engines": {},
        "trials": PublishedTrials(
            total=100,
            graded=90,
            mean_reward=0.4,
            success_rate=0.45,
            turns={},
            exceptions={"none": 80, "AgentTimeoutError": 20},
            by_exception={},
            by_outcome={},
        ),
        "checkpoint_step": None,
        "values": (),
    }
    return Published(**(values | fields))  # type: ignore[arg-type]


def test_what_only_a_report_knows_is_named_as_published() -> None:
    made = row_of(make_run(published=report()))
    assert (made.trials, made.graded, made.success_rate, made.exception_rate) == (100, 90, 0.45, 0.2)
    assert made.waiting_share == 0.878
    assert set(made.published) == {"trials", "graded", "success_rate", "exception_rate", "waiting_share"}
    assert "timing/sync_weights" in made.names
    assert made.exceptions == ("AgentTimeoutError",)


def test_own_figures_win_over_the_report() -> None:
    made = row_of(make_run(published=report(), trials=make_trials([{"task": "t", "reward": 1.0}])))
    assert (made.trials, made.success_rate) == (1, 1.0)
    assert made.published == ("waiting_share",)


def test_an_infinite_setting_does_not_break_the_archive_file() -> None:
    made = row_of(make_run(config=make_config({"a": float("inf"), "b": [1, None], "c": 8e-6})))
    assert dict(made.config) == {"a": "inf", "b": [1, None], "c": 8e-6}


def test_a_span_printed_bare_gets_its_logged_name() -> None:
    assert timing_name("sync_weights") == "timing/sync_weights"
    assert timing_name("timing/step") == "timing/step"
