"""The trial table in both column generations."""

import numpy as np
import pytest

from sitegen.readers.trial_table import READER
from tests.readers.sources import SAMPLES, kinds, read_fixture, source_of


def read(oddity):
    return read_fixture("trial_table", oddity)


def test_older_columns():
    result = read("older-columns")
    trials = result.trials
    assert trials["task"].tolist() == ["a", "a", "b"]
    assert trials["trial"].tolist() == ["a__1111111", "a__2222222", "b__3333333"]
    assert trials["exception"].tolist() == [None, "AgentTimeoutError", "DaytonaError"]
    assert trials["turns"].tolist()[:2] == [3, 2]
    assert trials["input_tokens"].tolist()[:2] == [1000, 900]
    assert trials["output_tokens"].tolist()[:2] == [200, 100]
    assert trials["agent_s"].tolist()[:2] == [60.5, 900]
    assert trials["reward"].isna().tolist() == [False, True, True]
    assert trials["row"].tolist() == [2, 3, 4]
    assert trials["wall_s"].isna().all()
    assert result.problems == ()


def test_newer_columns():
    trial = read("newer-columns").trials.iloc[0]
    spans = ["wall_s", "environment_setup_s", "agent_setup_s", "agent_s", "verifier_s"]
    assert [trial[name] for name in spans] == [100, 10, 5, 80, 4]
    assert trial["reward"] == 0.5


def test_both_generations_in_one_file():
    result = read("generations-joined")
    assert result.trials["agent_s"].tolist() == [60.5, 80]
    assert result.trials["reward"].tolist() == [1, 0]
    assert kinds(result) == {"table.changed-header": 3}


def test_quoted_names():
    result = read("quoted-names")
    assert result.trials["task"].tolist() == ['a, with "quotes"', "b\nsecond line", "c"]
    assert result.trials["row"].tolist() == [2, 3, 5]
    assert kinds(result) == {"table.text-ignored": 5}


def test_a_missing_task_comes_from_the_trial_or_is_said():
    result = read("task-name-missing")
    assert result.trials["task"].tolist() == ["django__bug", None]
    assert kinds(result) == {"table.trial-unnamed": 3}


def test_a_reward_that_is_not_finite_is_no_grade():
    result = read("reward-not-finite")
    assert result.trials["reward"].isna().tolist() == [True, True, False]
    assert kinds(result) == {"table.not-finite": 2}


def test_further_reward_keys_are_kept_and_unknown_columns_named():
    result = read("more-rewards")
    assert result.trials["reward/style"].tolist() == [0.25]
    assert kinds(result) == {"table.unknown-columns": None}


def test_forty_five_thousand_trials_are_read(tmp_path):
    header = "task_name,trial_name,n_episodes,n_input_tokens,n_output_tokens,exception_type,reward,agent_duration_sec"
    lines = [f"t-{i % 900},t-{i % 900}__{i:07d},{i % 9},{i},{i},,{i % 2}.0,{i / 7}" for i in range(45_000)]
    location = tmp_path / "trial_stats.csv"
    location.write_text("\n".join([header, *lines]) + "\n")
    result = READER.read(source_of(location))
    assert result.rows == 45_000
    assert result.trials["reward"].mean() == 0.5


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_both_generations_of_the_parser():
    folder = SAMPLES / "parse_skyrl_GENERATED"
    (older,) = (folder / "agentic").glob("*_trial_results.csv")
    (newer,) = (folder / "newer_columns").glob("*_trial_results.csv")
    trials = READER.read(source_of(older)).trials
    assert trials["exception"].value_counts().to_dict() == {"CancelledError": 12, "AgentTimeoutError": 12}
    assert trials["reward"].isna().all()
    first = READER.read(source_of(newer)).trials.iloc[0]
    assert first["wall_s"] == 1082.648696
    assert first["agent_s"] == 899.993952
    assert np.isnan(first["verifier_s"])
