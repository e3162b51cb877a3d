"""W&B's folders and histories. Values worked out by hand; the sample is a real run's."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.readers import wandb_history
from sitegen.readers.wandb_history import frames
from tests.readers.event_files import history_row, run_record
from tests.readers.event_files import wandb_history as history_file
from tests.readers.sources import BY_NAME, SAMPLES, fixture, kinds, read_fixture, source_of

JOB = "offline-run-20260101_120000-abcd1234"


def test_a_crashed_run_has_only_metadata_and_is_a_job_all_the_same():
    result = read_fixture("wandb_metadata", "crashed_run_has_nothing_else")
    (job,) = result.jobs
    assert job.name == "run-20260101_120000-abcd1234"
    assert job.started == 1767265200.5  # 2026-01-01T11:00:00.5Z
    assert job.number == 2029018
    assert result.steps is None
    assert result.problems == ()


def test_odd_metadata_says_nothing_it_does_not_know():
    (job,) = read_fixture("wandb_metadata", "no_time_and_no_scheduler").jobs
    assert (job.started, job.number) == (None, None)


@pytest.mark.parametrize(("oddity", "kind"), [("cut", "tracker.broken-json"), ("a_list", "jsonl.not-object")])
def test_broken_metadata_is_a_problem(oddity, kind):
    assert kinds(read_fixture("wandb_metadata", oddity)) == {kind: 1}


def test_the_summary_holds_last_values_at_the_training_step():
    result = read_fixture("wandb_summary", "own_step_is_not_the_training_step")
    (row,) = result.steps.to_dict("records")
    assert (row["step"], row["time"]) == (50, 1777138026.5)
    assert (row["train/loss"], row["train_loss"]) == (0.3589, 0.0695)  # both as logged
    assert row["nested.max"] == 2.0
    assert not {"_step", "_runtime", "_wandb.runtime"} & row.keys()
    assert result.nonfinite[["step", "metric", "value"]].values.tolist() == [[50, "kl", "nan"]]
    assert result.framework == "trl"
    assert kinds(result) == {"tracker.not-numbers": 1}


def test_a_summary_without_training_step_is_not_placed():
    result = read_fixture("wandb_summary", "no_training_step")
    assert result.steps is None
    assert len(result.jobs) == 1
    assert kinds(result) == {"wandb.summary-no-step": None}


def test_configuration_is_unwrapped_and_the_trackers_own_record_left_out():
    config = read_fixture("wandb_config", "wrapped_values").config
    assert config.values == {"learning_rate": 8e-06, "model.name": "Qwen3", "model.layers": [1, 2]}
    assert config.lines["learning_rate"] == 9  # where its value stands
    assert "n77" not in config.raw
    assert config.raw.split("\n")[6] == "learning_rate:"


def test_log_calls_are_not_training_steps():
    result = read_fixture("wandb_history", "calls_are_not_training_steps")
    columns = ["job", "kind", "step", "row", "train/reward", "profiling/step", "eval/reward"]
    rows = result.steps[columns].astype(object).where(result.steps[columns].notna(), None).values.tolist()
    assert rows == [
        [JOB, "train", 5, 5, 0.5, 4.0, None],
        [JOB, "eval", 5, 8, None, None, 0.25],
        [JOB, "train", 10, 10, 0.75, None, None],
    ]
    assert result.steps["time"].iloc[0] == 1777138030.5  # of the last call that has a time
    assert result.nonfinite[["step", "metric", "value"]].values.tolist() == [[5, "train/kl", "nan"]]
    assert result.facts == {"wandb_url": "https://wandb.ai/team/demo/runs/abcd1234"}
    (job,) = result.jobs
    assert (job.started, job.end.cause, job.end.text) == (1777138026.0, "crashed", "exit_code: 1")
    assert set(kinds(result)) == {
        "wandb.rows-without-step",
        "wandb.several-per-step",
        "wandb.profile-only",
        "tracker.not-numbers",
    }


def test_without_a_training_step_the_count_of_calls_is_a_guess():
    result = read_fixture("wandb_history", "no_training_step")
    assert result.steps[["step", "loss"]].values.tolist() == [[0.0, 0.5], [1.0, 0.25]]
    assert kinds(result) == {"tracker.step-guessed": None}
    assert result.jobs[0].end.cause == "finished"
    assert result.facts == {}


def test_a_torn_tail_costs_the_last_record():
    result = read_fixture("wandb_history", "torn_tail")
    assert result.steps["step"].tolist() == [0, 1, 2, 3]
    assert "1 (the first is record 6)" in result.problems[0].what.en


def test_another_file_of_that_name_is_a_problem():
    assert kinds(read_fixture("wandb_history", "not_a_history")) == {"wandb.not-a-history": None}


def test_without_the_extra_the_problem_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb.proto.wandb_internal_pb2", None)
    result = read_fixture("wandb_history", "calls_are_not_training_steps")
    (problem,) = result.problems
    assert "pip install 'sitegen[wandb]'" in problem.effect.en
    assert "pip install 'sitegen[wandb]'" in problem.effect.zh
    assert result.jobs[0].name == JOB


def test_records_longer_than_a_block_come_out_whole(tmp_path):
    records = [run_record(), *(history_row({"global_step": n, "note": "x" * 50_000, "loss": n / 8}) for n in range(4))]
    location = tmp_path / "run-abcd1234.wandb"
    location.write_bytes(history_file(records))
    result = BY_NAME["wandb_history"].read(source_of(location, f"wandb/{JOB}/run-abcd1234.wandb"))
    assert result.steps["loss"].tolist() == [0.0, 0.125, 0.25, 0.375]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_block_costs_only_itself(data):
    records = [history_row({"global_step": n, "note": "x" * 900}) for n in range(120)]  # four blocks
    content = bytearray(history_file(records))
    at = data.draw(st.integers(7, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    found = list(frames(bytes(content)))
    whole = {record.SerializeToString() for record in records}
    good = [item for item in found if item is not None]
    assert set(good) <= whole
    assert None in found
    assert len(good) >= 120 - 37  # a block of 32 768 bytes holds at most 36 of these, and a part of one more


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_the_sample_history_has_one_training_step_that_equals_its_summary():
    folder = SAMPLES / "wandb_online" / "run-20260425_172706-65zju5fx"
    history = BY_NAME["wandb_history"].read(source_of(folder / "run-65zju5fx.wandb"))
    summary = BY_NAME["wandb_summary"].read(source_of(folder / "files" / "wandb-summary.json"))
    assert history.steps["step"].tolist() == summary.steps["step"].tolist() == [5]
    assert history.steps["train/reward"].tolist() == [0.35943677425384524]
    shared = [name for name in summary.steps.columns if name.startswith(("train/", "profiling/"))]
    assert history.steps[shared].values.tolist() == summary.steps[shared].values.tolist()
    assert history.jobs[0].end.text == "exit_code: 255"


def test_the_name_of_the_folder_decides_the_job():
    assert fixture("wandb_history", "torn_tail").path.startswith("wandb/")
    assert wandb_history.wandb_job(fixture("wandb_history", "torn_tail")) == JOB
