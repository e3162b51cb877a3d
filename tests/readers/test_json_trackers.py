"""JSON trackers of verl, XTuner, tinker, prime-rl, LLaMA-Factory, Transformers, others. Values worked out by hand."""

import math

import pytest

from sitegen.readers import llamafactory_log
from sitegen.readers.metric_records import as_number, as_step, as_time, kind_of, step_key
from tests.readers.sources import kinds, read_bytes, read_fixture


def rows(result, *columns):
    table = result.steps[list(columns)]
    return [
        tuple(None if isinstance(v, float) and math.isnan(v) else v for v in row)
        for row in table.itertuples(index=False, name=None)
    ]


def nonfinite(result):
    if result.nonfinite is None:
        return []
    return list(result.nonfinite[["step", "row", "metric", "value"]].itertuples(index=False, name=None))


# verl ----------------------------------------------------------------------------------------------------------------


def test_verl_null_may_have_been_nan():
    result = read_fixture("verl_jsonl", "null_for_nan")
    assert result.framework == "verl"
    assert result.facts["absent_or_nonfinite"] is True
    assert rows(result, "job", "kind", "step", "row", "critic/rewards/mean", "actor/kl_loss") == [
        ("exp", "eval", 0, 1, None, None),
        ("exp", "train", 1, 2, 0.5, None),
        ("exp", "train", 2, 3, 0.75, 0.125),
        ("exp", "eval", 2, 4, None, None),
    ]
    assert result.nonfinite is None
    assert result.problems == ()


def test_verl_file_that_begins_late_says_that_a_resume_erased_it():
    result = read_fixture("verl_jsonl", "resume_erased_the_past")
    (problem,) = result.problems
    assert (problem.kind, problem.line) == ("tracker.begins-late", 1)
    assert "41" in problem.what.en
    assert result.steps["step"].tolist() == [41]


# XTuner --------------------------------------------------------------------------------------------------------------


def test_xtuner_rows_of_two_clocks_are_kept_as_logged():
    result = read_fixture("xtuner_tracker", "two_clocks_ten_rows_a_step")
    assert result.framework == "xtuner"
    assert result.facts["two_clocks"] is True
    assert result.facts["second_clock"] == ("train_metrics/worker_0/grad_norm",)
    assert result.steps["step"].tolist() == [0, 1, 1, 0, 1, 1, 2, 2, 2, 3, 2]
    assert result.steps["kind"].tolist() == ["eval"] + ["train"] * 10
    assert nonfinite(result) == [
        (2, 8, "mismatch/mismatch_k3_kl", "nan"),
        (2, 11, "task_time/p99_p50_ratio", "inf"),
    ]
    assert kinds(result) == {"jsonl.incomplete-end": 12}
    assert "1 incomplete line at the end" in result.problems[0].what.en


def test_xtuner_null_since_may_2026_is_absent_or_not_finite():
    result = read_fixture("xtuner_tracker", "one_row_a_step_with_nulls")
    assert result.facts["absent_or_nonfinite"] is True
    assert result.facts["second_clock"] == ("train_metrics/worker_0/loss",)
    assert rows(result, "step", "kind", "response/rewards/mean", "timing/task_p99_p50_ratio")[2:] == [
        (1, "train", 0.5, None),
        (3, "train", None, None),
        (2, "train", 0.75, 4.0),
    ]


def test_xtuner_sft_has_one_clock():
    result = read_fixture("xtuner_tracker", "sft_of_rank_0")
    assert "two_clocks" not in result.facts
    assert rows(result, "step", "lr") == [(1, 1e-05), (2, 2e-05)]


# Transformers / TRL --------------------------------------------------------------------------------------------------


def test_closing_row_joins_the_train_row_of_the_last_step():
    result = read_fixture("trainer_state", "closing_row_shares_the_last_step")
    assert rows(result, "kind", "step", "epoch", "loss", "eval_loss", "train_runtime", "train_loss") == [
        ("train", 5, 0.5, 0.5, None, None, None),
        ("eval", 5, 1.0, None, 0.75, None, None),
        ("train", 10, 1.0, 0.25, None, 100.5, 0.375),
    ]
    assert result.facts == {"planned_steps": 10}
    (job,) = result.jobs
    assert (job.end.cause, job.end.text) == ("finished", '"train_runtime": 100.5')
    assert result.steps["row"].tolist() == [5, 11, 17]  # `{` of the first row on line 5, then six lines a row
    assert job.end.line == 23


def test_closing_row_before_the_planned_step_means_stopped_early():
    assert read_fixture("trainer_state", "ended_before_its_last_step").jobs[0].end.cause == "stopped_early"


def test_nan_in_a_trainer_state_is_not_finite_not_absent():
    result = read_fixture("trainer_state", "grad_norm_nan")
    assert [(step, metric, value) for step, _, metric, value in nonfinite(result)] == [(1, "grad_norm", "nan")]
    assert rows(result, "step", "grad_norm", "loss") == [(1, None, 0.0), (2, 0.5, 0.0)]


def test_of_a_cut_trainer_state_the_whole_rows_are_used():
    result = read_fixture("trainer_state", "cut_in_the_last_row")
    assert result.steps["step"].tolist() == [5, 5]
    assert set(kinds(result)) == {"trainer-state.broken"}
    assert result.facts == {}


def test_a_trainer_state_on_one_line_has_distinct_rows():
    result = read_fixture("trainer_state", "written_on_one_line")
    assert result.steps["row"].tolist() == [1, 2, 3]
    assert result.facts == {"planned_steps": 10}


def test_a_trainer_state_without_history_says_so():
    assert "trainer-state.no-history" in kinds(read_fixture("trainer_state", "no_log_history"))


# LLaMA-Factory -------------------------------------------------------------------------------------------------------


def test_half_written_last_line_costs_that_line_only():
    result = read_fixture("llamafactory_log", "half_written_last_line")
    train = result.steps[result.steps["kind"] == "train"]
    assert train["step"].tolist() == [1, 2, 3, 4, 5, 6]
    assert train["loss"].tolist() == [1.0, 0.5, 1 / 3, 0.25, 0.2, 1 / 6]
    assert kinds(result) == {"jsonl.incomplete-end": 8}
    assert result.problems[0].severity == "info"
    assert result.facts == {"planned_steps": 100}
    assert rows(result, "kind", "step", "eval_loss")[3] == ("eval", 3, 0.5)


def test_durations_are_seconds():
    # 3 days, 17:51:32 = 3 * 86400 + 17 * 3600 + 51 * 60 + 32
    assert llamafactory_log.seconds("3 days, 17:51:32") == 323492.0
    assert llamafactory_log.seconds("1 day, 0:00:01") == 86401.0
    assert llamafactory_log.seconds("0:01:03") == 63.0
    assert llamafactory_log.seconds("soon") is None
    result = read_fixture("llamafactory_log", "half_written_last_line")
    assert result.steps["remaining_time"].iloc[0] == 323492.0
    assert result.steps["elapsed_time"].iloc[0] == 63.0


def test_rows_of_progress_are_no_steps():
    closing = read_fixture("llamafactory_log", "closing_row_has_only_progress")
    assert closing.steps["step"].tolist() == [1, 2]
    assert closing.problems == ()
    prediction = read_fixture("llamafactory_log", "prediction_has_only_progress")
    assert prediction.steps is None
    assert kinds(prediction) == {"llamafactory.progress-only": 1, "tracker.no-records": None}


def test_a_broken_line_in_the_middle_is_a_warning_with_its_number():
    result = read_fixture("llamafactory_log", "broken_line_in_the_middle")
    assert result.steps["step"].tolist() == [1, 2]
    (problem,) = result.problems
    assert (problem.kind, problem.severity, problem.line) == ("jsonl.broken-line", "warning", 2)


# tinker, prime-rl ----------------------------------------------------------------------------------------------------


def test_tinker_steps_repeated_after_preemption_stay_in_file_order():
    result = read_fixture("tinker_metrics", "steps_again_after_preemption")
    assert result.framework == "tinker"
    assert rows(result, "step", "row", "kind", "env/all/reward/total", "test/env/all/correct") == [
        (0, 1, "train", 0.125, 0.5),
        (1, 2, "train", 0.25, None),
        (2, 3, "train", 0.375, None),
        (1, 4, "train", 0.5, None),
        (2, 5, "train", 0.625, None),
        (3, 6, "train", 0.75, None),
    ]


def test_tinker_evaluation_alone_is_an_evaluation():
    assert read_fixture("tinker_metrics", "evaluation_alone").steps["kind"].tolist() == ["eval", "train"]


def test_prime_rl_rows_of_one_step_are_one_record_with_its_first_time():
    result = read_fixture("prime_rl_metrics", "several_rows_per_step")
    assert result.framework == "prime-rl"
    assert result.facts == {"absent_or_nonfinite": True}
    assert rows(result, "step", "row", "time", "reward/mean", "progress/tokens", "loss/mean") == [
        (0, 1, 1790000000.0, 0.5, 10.0, None),
        (1, 3, 1790000005.0, 0.75, 20.0, 0.25),
    ]


def test_prime_rl_different_values_of_one_step_are_not_merged():
    result = read_fixture("prime_rl_metrics", "one_metric_twice_in_a_step")
    assert rows(result, "step", "reward/mean") == [(0, 0.5), (0, 0.75)]


# unnamed -------------------------------------------------------------------------------------------------------------


def test_bom_crlf_and_blank_lines_change_nothing():
    result = read_fixture("generic_jsonl", "bom_and_crlf")
    assert rows(result, "step", "row", "loss") == [(1, 1, 0.5), (2, 3, None), (3, 4, 0.25)]
    assert nonfinite(result) == [(2, 3, "loss", "nan")]
    assert result.framework is None
    assert result.problems == ()


def test_nested_values_are_flat_and_what_is_no_number_is_counted():
    result = read_fixture("generic_jsonl", "nested_texts_and_truth_values")
    assert rows(result, "step", "train/loss", "train/lr") == [(1, 0.5, 1e-05), (2, 0.25, 2e-05)]
    (problem,) = result.problems
    assert problem.kind == "tracker.not-numbers"
    assert problem.what.en == "Values that are not numbers: 5 (done, list, note; line 1, 2)."


def test_fused_and_torn_records_on_one_line_are_told_apart():
    result = read_fixture("generic_jsonl", "records_fused_on_one_line")
    assert rows(result, "step", "row", "loss") == [
        (1, 1, 0.5),
        (2, 2, 0.25),
        (3, 3, 0.125),
        (4, 3, 0.0625),
        (5, 4, 0.03125),
    ]
    (problem,) = result.problems
    assert problem.kind == "jsonl.fused-line"
    assert "2 (line 2, 3)" in problem.what.en


def test_lines_that_are_no_objects_are_named():
    result = read_fixture("generic_jsonl", "numbers_in_place_of_objects")
    assert result.steps["step"].tolist() == [1, 2]
    assert kinds(result) == {"jsonl.not-object": 2}


def test_a_guessed_step_is_said_to_be_one():
    result = read_fixture("generic_jsonl", "step_is_a_guess")
    assert rows(result, "step", "loss") == [(1, 0.5), (2, 0.25)]
    assert kinds(result) == {"tracker.bad-step": 3, "tracker.step-guessed": None}
    assert "iteration" in result.problems[-1].what.en
    assert "3 (line 3, 4, 5)" in result.problems[0].what.en


def test_huge_integers_are_infinite_or_no_step():
    result = read_fixture("generic_jsonl", "integer_of_400_digits")
    assert nonfinite(result) == [(1, 1, "tokens", "inf")]
    assert result.steps["step"].tolist() == [1, 2]
    assert kinds(result) == {"tracker.bad-step": 3}


def test_metrics_named_like_our_own_columns_do_not_replace_them():
    result = read_fixture("generic_jsonl", "named_like_our_own_columns")
    assert rows(result, "step", "row", "kind", "time", "loss") == [(1, 1, "train", None, 0.5)]
    assert [problem.kind for problem in result.problems] == ["table.reserved-column"] * 3


def test_rollouts_and_data_sets_are_not_metrics(tmp_path):
    from sitegen.readers import READERS
    from tests.readers.sources import source_of

    for name, content in (
        ("train.jsonl", '{"step": 1, "loss": 0.5}\n'),
        ("rollout_metrics.jsonl", '{"step": 1, "prompt": "a", "response": "b", "reward": 0.5}\n'),
        ("metrics.jsonl", '{"prompt": "a"}\n'),
    ):
        location = tmp_path / name
        location.write_text(content)
        assert [reader.name for reader in READERS if reader.claims(source_of(location))] == []


def test_too_many_different_names_are_counted_not_kept(tmp_path):
    content = "".join(f'{{"step": {n}, "loss": 0.5, "sample_{n}": 1}}\n' for n in range(6000)).encode()
    result = read_bytes(tmp_path, "metrics.jsonl", content)
    assert len(result.steps) == 6000
    assert len(result.steps.columns) < 5020
    assert kinds(result) == {"tracker.too-many-metrics": None}


# values --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1.0), (-0.5, -0.5), (True, None), ("0.5", None), (None, None), ([1], None), ("Infinity", math.inf)],
)
def test_what_is_a_number(value, number):
    assert as_number(value) == number


@pytest.mark.parametrize(
    ("value", "step"), [(0, 0), (3.0, 3), (3.5, None), (-1, None), (True, None), ("3", None), (2**53, None)]
)
def test_what_is_a_step(value, step):
    assert as_step(value) == step


def test_what_is_a_moment():
    assert as_time("2026-01-01T00:00:00Z") == 1767225600.0
    assert as_time(1777138026.5) == 1777138026.5
    for value in ("2026-01-01T00:00:00", 12.5, None, "noon", float("nan"), 10**400):
        assert math.isnan(as_time(value))


def test_the_training_step_goes_before_counters_that_may_be_something_else():
    assert step_key(["_step", "epoch", "train/global_step"]) == ("train/global_step", False)
    assert step_key(["_step", "epoch"]) == ("_step", True)
    assert step_key(["loss"]) == (None, False)


def test_a_record_with_training_values_is_no_evaluation():
    assert kind_of(["eval/loss", "train/epoch", "train/global_step"]) == "eval"
    assert kind_of(["eval/loss", "train/loss"]) == "train"
    assert kind_of(["evaluation_count"]) == "train"
