import math
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.trials import summarise_trials, treatment_of
from sitegen.model import tables
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_run, make_trials

nan, inf = math.nan, math.inf


def summarise(rows, config=None, **site):
    return summarise_trials(make_run(trials=make_trials(rows), config=config), SiteSettings(**site))


ROWS = [
    {"task": "a", "turns": 2, "reward": 1.0},
    {"task": "a", "turns": 4, "reward": 0.0},
    {"task": "a", "turns": 12, "reward": 0.3, "exception": "AgentTimeoutError"},
    {"task": "b", "turns": 1, "reward": 0.0},
    {"task": "b", "exception": "DaytonaError"},
    {"task": "c", "turns": 6, "reward": 1.0},
    {"task": "d", "turns": 3, "exception": "DaytonaError"},
]


def test_by_hand():
    found = summarise(ROWS)
    assert (found.total, found.graded, found.successes) == (7, 5, 3)
    assert found.success_rate == pytest.approx(0.6)
    assert found.mean_reward == pytest.approx(2.3 / 5)
    assert (found.turns.mean, found.turns.median, found.turns.count) == (pytest.approx(28 / 6), 3.5, 6)
    assert found.turns.std == pytest.approx(statistics.stdev([2, 4, 12, 1, 6, 3]))
    assert found.long_tail == 1
    assert [(g.name, g.count, g.graded) for g in found.exceptions] == [
        ("none", 4, 4),
        ("DaytonaError", 2, 0),
        ("AgentTimeoutError", 1, 1),
    ]
    assert [(o.name, o.count, o.turns.mean) for o in found.outcomes] == [
        ("success", 3, pytest.approx(20 / 3)),
        ("failure", 2, 2.5),
    ]
    assert [(b.label, b.solved, b.unsolved) for b in found.turn_bins] == [
        ("1", 0, 1),
        ("2", 1, 0),
        ("3", 0, 0),
        ("4", 0, 1),
        ("5-9", 1, 0),
        ("10+", 1, 0),
    ]
    assert [(t.task, t.attempts, t.graded, t.solved, t.exceptions) for t in found.tasks] == [
        ("a", 3, 3, 2, 1),
        ("b", 2, 1, 0, 1),
        ("c", 1, 1, 1, 0),
        ("d", 1, 0, 0, 1),
    ]
    assert (found.never_solved, found.always_solved, found.sometimes_solved) == (1, 1, 1)
    assert (found.input_tokens, found.cache_tokens) == (None, None)


def test_success_is_strictly_above_the_threshold():
    assert summarise(ROWS, success_threshold=0.3).successes == 2
    assert summarise([{"reward": 0.0}, {"reward": -1.0}], success_threshold=-1.0).successes == 1


def test_reward_that_is_not_finite_is_not_graded():
    found = summarise([{"reward": inf}, {"reward": nan}, {"reward": 0.5}])
    assert (found.graded, found.mean_reward, found.exceptions[0].graded) == (1, 0.5, 1)


def test_trial_without_turns_has_a_bin_of_its_own():
    found = summarise([{"turns": 0, "reward": 1.0}])
    assert next((b.label, b.low, b.solved) for b in found.turn_bins) == ("0", 0, 1)


def test_tokens_are_summed_over_trials_that_report_them():
    found = summarise([{"input_tokens": 10.0}, {}, {"input_tokens": 5.0, "output_tokens": 1.0}])
    assert (found.input_tokens, found.output_tokens, found.cache_tokens) == (15.0, 1.0, None)


def test_no_table_and_an_empty_table_differ():
    assert summarise_trials(make_run(), SiteSettings()) is None
    found = summarise([])
    assert (found.total, found.success_rate, found.exceptions, found.tasks) == (0, None, (), ())


@pytest.mark.parametrize("prefix", ["", "terminal_bench.harbor.", "terminal_bench_config.harbor."])
@pytest.mark.parametrize(
    ("exception", "expected"),
    [
        ("AgentTimeoutError", ("passthrough", False)),
        ("ContextLengthExceededError", ("passthrough", True)),
        ("DaytonaError", ("mask", False)),
        ("ParseError", ("zero", False)),
        ("SomethingElse", ("mask", False)),
        ("VerifierTimeoutError", ("mask", False)),
    ],
)
def test_treatment_follows_the_configuration(prefix, exception, expected):
    values = {
        "enable_error_classification": True,
        "passthrough_exceptions": ["AgentTimeoutError", "ContextLengthExceededError"],
        "mask_exceptions": ["DaytonaError", "ContextLengthExceededError"],
        "zero_exceptions": ["ParseError"],
        "exclude_exceptions": ["VerifierTimeoutError"],
        "default_error_treatment": "mask",
    }
    assert treatment_of(exception, make_config({prefix + key: value for key, value in values.items()})) == expected


def test_treatment_without_classification_or_configuration():
    listed = {"mask_exceptions": ["E"], "default_error_treatment": "mask"}
    assert treatment_of("E", make_config({**listed, "enable_error_classification": False})) == ("not-classified", False)
    assert treatment_of("E", make_config(listed)) == ("not-stated", False)
    assert treatment_of("E", None) == ("not-stated", False)
    enabled = {"enable_error_classification": True}
    assert treatment_of("E", make_config(enabled)) == ("zero", False)
    assert treatment_of("E", make_config({**enabled, "default_error_treatment": "${x}"})) == ("zero", False)
    assert treatment_of("E", make_config({**enabled, "default_error_treatment": "retry"})) == ("not-stated", False)
    found = summarise([{}, {"exception": "E"}], make_config({**enabled, "zero_exceptions": []}))
    assert [(g.name, g.treatment) for g in found.exceptions] == [("none", None), ("E", "zero")]


def test_forty_five_thousand_trials_are_fast():
    rng = np.random.default_rng(3)
    size = 45_000
    table = pd.DataFrame(
        {
            "task": [f"task-{i}" for i in rng.integers(0, 5000, size)],
            "source": "t.csv",
            "row": range(size),
            "turns": rng.integers(1, 20, size).astype(float),
            "exception": rng.choice(np.array([None, "A", "B"], dtype=object), size),
            "reward": rng.random(size),
        }
    )
    run = make_run(trials=tables.conform(table, tables.TRIALS))
    found = summarise_trials(run, SiteSettings())
    assert found.total == size
    assert sum(task.attempts for task in found.tasks) == size


trial = st.fixed_dictionaries(
    {
        "task": st.sampled_from(["a", "b", "运行"]),
        "turns": st.one_of(st.just(nan), st.integers(0, 15).map(float)),
        "exception": st.sampled_from([None, "E", "</script>"]),
        "reward": st.one_of(st.just(nan), st.just(inf), st.floats(-2, 2)),
    }
)


@settings(max_examples=300, deadline=None)
@given(st.lists(trial, max_size=15), st.floats(-1, 1))
def test_counts_are_consistent(rows, threshold):
    found = summarise(rows, success_threshold=threshold)
    rewards = [row["reward"] for row in rows if math.isfinite(row["reward"])]
    assert found.graded == len(rewards)
    assert found.successes == sum(reward > threshold for reward in rewards)
    assert sum(group.count for group in found.exceptions) == found.total == len(rows)
    assert sum(group.graded for group in found.exceptions) == found.graded
    assert sum(task.attempts for task in found.tasks) == found.total
    assert sum(task.solved for task in found.tasks) == found.successes
    assert sum(outcome.count for outcome in found.outcomes) == found.graded
    binned = sum(1 for row in rows if math.isfinite(row["reward"]) and math.isfinite(row["turns"]))
    assert sum(b.solved + b.unsolved for b in found.turn_bins) == binned
    judged = sum(1 for task in found.tasks if task.graded)
    assert found.never_solved + found.always_solved + found.sometimes_solved == judged
    if rewards:
        assert found.mean_reward == pytest.approx(statistics.fmean(rewards))
