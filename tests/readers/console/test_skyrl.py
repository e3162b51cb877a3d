"""SkyRL's console: prefixes, both kinds of metric records, batches, resumes."""

import math

import pytest

from sitegen.readers.console.prefixes import strip
from tests.readers.console.logs import FIRST, logged, read, read_log, record
from tests.readers.sources import kinds


def column(result, name):
    return result.steps[name].tolist()


def test_prefixes_are_stripped_layer_by_layer():
    result = read("prefix-layers")
    assert result.framework == "skyrl"
    assert column(result, "step") == [1, 2, 3]
    assert column(result, "reward/avg_raw_reward") == [0.5, 0.25, 0.125]
    assert column(result, "time") == [FIRST + 0.25, FIRST + 600, FIRST + 1200]
    assert column(result, "job") == ["layers_1000001"] * 3
    assert result.jobs[0].number == 1000001
    assert (result.jobs[0].started, result.jobs[0].finished) == (FIRST + 0.25, FIRST + 1200)
    assert result.facts["clock_assumed_utc"] is True
    assert result.problems == ()


def test_a_line_taken_apart_says_who_printed_it():
    said = strip(
        b"task=/a/b attempt=2 | \x1b[36m(trainer pid=100, ip=10.0.0.1)\x1b[0m (EngineCore_DP0 pid=7) "
        b"2026-06-05 09:00:00.250 | WARNING  | a.b:c:12 - text\x1b[0m [repeated 3x across cluster]\r"
    )
    assert (said.actor, said.pid, said.ip, said.inner) == ("trainer", 100, "10.0.0.1", "EngineCore_DP0 pid=7")
    assert (said.level, said.place, said.text, said.repeats) == ("WARNING", "a.b:c:12", "text", 3)


@pytest.mark.parametrize(
    ("line", "level", "text"),
    [
        (b"(A pid=1) INFO 02-08 00:56:50 [loggers.py:248] Engine", "INFO", "Engine"),
        (b"[vllm-rbln] INFO 2026-10-07 22:01:17,796 Engine", "INFO", "Engine"),
        (b"2026-10-07 22:01:17,796 - root - ERROR - no", "ERROR", "no"),
        (b"[2026-10-07 22:01:17,796][a.b][WARNING] - slow", "WARNING", "slow"),
        (b"2026-01-28 12:40:25,893\tINFO worker.py:1234 -- up", "INFO", "up"),
        (b"ERROR:root:no", "ERROR", "no"),
        (b"wandb: WARNING late", "WARNING", "late"),
        (b"ERROR is what the user sees", None, "ERROR is what the user sees"),
        (b"the INFO 02-08 00:56:50 of others", None, "the INFO 02-08 00:56:50 of others"),
    ],
)
def test_stamps_of_other_loggers(line, level, text):
    said = strip(line)
    assert (said.level, said.text) == (level, text)


def test_values_that_are_not_finite_are_told_and_texts_are_not_numbers():
    result = read("nan-and-text-values")
    assert result.nonfinite[["step", "metric", "value"]].to_numpy().tolist() == [
        [1, "policy/kl", "nan"],
        [1, "policy/loss", "inf"],
        [1, "policy/gap", "-inf"],
    ]
    assert math.isnan(column(result, "policy/loss")[0])
    assert column(result, "flag")[0] == 1
    assert not {"note", "none"} & set(result.steps.columns)
    (problem,) = result.problems
    assert (problem.kind, problem.line) == ("console.text-values", 1)
    assert "note" in problem.what.en
    assert ": 2 (line 1, 2)" in problem.what.en


def test_a_record_that_could_not_be_serialised_is_counted_even_when_its_json_is_broken():
    result = read("serialize-error")
    assert column(result, "step") == [1, 4]
    (problem,) = result.problems
    assert problem.kind == "console.serialize-error"
    assert "2 records (line 2, 3)" in problem.what.en


def test_fused_records_are_both_read_and_a_broken_one_costs_only_itself():
    result = read("records-fused")
    assert list(zip(column(result, "step"), column(result, "row"), column(result, "a"), strict=True)) == [
        (1, 1, 1.0),
        (2, 2, 2.0),
        (3, 2, 3.0),
        (5, 4, 5.0),
    ]
    assert kinds(result) == {"console.record-broken": 3}


def test_a_record_cut_at_the_end_of_the_file_is_said_to_be_cut():
    result = read("record-cut")
    assert column(result, "step") == [1]
    assert kinds(result) == {"console.record-cut": 2}


def test_progress_bars_do_not_hide_records_and_tell_what_was_planned():
    result = read("progress-bar-glued")
    assert column(result, "step") == [1, 2]
    assert column(result, "time") == [FIRST, FIRST + 2400]
    assert result.facts["planned_steps"] == 7


def test_blocks_are_read_whatever_their_first_and_last_key_and_between_lines_of_others():
    result = read("legacy-blocks")
    first = result.steps.iloc[0]
    assert (first["step"], first["row"], first["time"]) == (1, 1, FIRST)
    assert first["generate/avg_num_tokens"] == 1500
    assert first["vllm/engine_0/running"] == 3.5
    assert first["policy/policy_lr"] == 0
    assert result.nonfinite[["step", "metric"]].to_numpy().tolist() == [[1, "policy/raw_grad_norm"]]
    assert result.facts["rounded_decimals"] == 4
    rounded = next(problem for problem in result.problems if problem.kind == "console.rounded")
    assert "1 of them as 0.0000" in rounded.what.en


def test_a_status_dict_of_the_same_moment_is_of_the_step_just_logged():
    status = read("legacy-blocks").steps.iloc[1]
    assert (status["step"], status["row"], status["policy_lr"]) == (1, 8, 8e-6)


def test_a_status_dict_before_a_record_is_of_the_step_it_precedes(tmp_path):
    text = logged("{'final_loss': 0.5}", "08:00:00.000") + record(3)
    steps = read_log(tmp_path, text).steps
    assert steps[["step", "final_loss"]].to_numpy().tolist() == [[3, 0.5]]


def test_steps_in_a_models_text_are_no_steps():
    result = read("legacy-blocks")
    assert set(column(result, "step")) == {1, 2}


def test_a_block_that_another_line_of_its_process_breaks_is_counted():
    assert kinds(read("legacy-blocks"))["console.record-broken"] == 15


def test_a_block_cut_at_the_end_of_the_file(tmp_path):
    result = read_log(tmp_path, logged("Step 1: ") + "(skyrl_entrypoint pid=100) {'a': '0.5000',\n")
    assert result.steps is None
    assert kinds(result) == {"console.record-cut": 1}


def test_batches_belong_to_the_step_whose_header_comes_after_them():
    batches = read("batches-before-header").batches
    assert batches["step"].tolist() == [1, 2]
    assert batches["row"].tolist() == [2, 6]
    first, second = (batches.iloc[at] for at in (0, 1))
    assert (first["batches"], first["instances"], first["successful"]) == (2, 128, 125)
    assert (first["failed"], first["masked"]) == (1, 2)
    assert (first["exception/AgentTimeoutError"], first["exception/DaytonaError"]) == (2, 1)
    assert (second["instances"], second["exception/AgentTimeoutError"], second["exception/DaytonaError"]) == (64, 5, 0)


def test_batches_after_the_last_header_are_said_to_be_in_no_table():
    assert kinds(read("batches-before-header")) == {"console.batches-without-step": 8}


def test_evaluations_before_training_are_records_of_their_own_and_later_ones_stay_in_theirs():
    result = read("evaluation-records")
    assert column(result, "kind") == ["eval", "train"]
    assert column(result, "eval/all/avg_score") == [0.25, 0.375]
    assert result.batches is None
    assert kinds(result) == {"console.batches-of-eval": 1}


def test_the_step_a_job_resumed_from_is_the_loggers_word_not_the_models():
    assert read("resumed").jobs[0].resumed_from == 20


def test_a_step_too_large_to_be_exact_is_refused(tmp_path):
    result = read_log(tmp_path, record(1) + record(2**60))
    assert column(result, "step") == [1]
    assert kinds(result) == {"console.bad-step": 2}


def test_a_metric_called_like_a_column_of_the_table_is_named(tmp_path):
    result = read_log(tmp_path, record(1, '{"step": 5, "a": 1}'))
    assert column(result, "step") == [1]
    assert kinds(result) == {"console.reserved-name": None}
