"""Two sources of one thing: which counts, what the other adds, and what is said where they differ."""

import csv
import io
import json
import math

import pytest

from sitegen.model.run import lineage
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.assemble.test_assemble import kinds, notes, run_of, table
from tests.factories import make_nonfinite

SETTINGS = SiteSettings()
LOG = "r/a_1001.out"


def log_text(payloads):
    """A console log with one mirrored record per payload, steps from 1."""
    stamp = "(skyrl_entrypoint pid=100) 2026-06-05 09:{:02d}:00.000 | INFO     | skyrl_train.trainer:_log:1 - "
    return "".join(
        f"{stamp.format(step)}WANDB_MIRROR kind=train step={step} metrics={json.dumps(payload, sort_keys=True)}\n"
        for step, payload in enumerate(payloads, start=1)
    )


def table_text(rows):
    """The parser's table of one log."""
    out = io.StringIO()
    writer = csv.DictWriter(out, ["log_file", *rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"log_file": "a_1001", **row} for row in rows)
    return out.getvalue()


def run_with(folder, **files):
    for name, content in files.items():
        path = folder / "run" / name.replace("__", ".").replace("_in_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (task,) = find_runs(folder, SETTINGS).tasks
    return read_run(task, SETTINGS)


PAYLOADS = [{"reward/avg_raw_reward": 0.1 * step, "trainer/global_step": step} for step in (1, 2, 3)]
ROWS = [{"reward/avg_raw_reward": 0.1 * step, "trainer/global_step": step} for step in (1, 2, 3)]


# Log and table -------------------------------------------------------------------------------------------------------


def test_log_counts_before_the_table_made_of_it_and_equal_values_are_no_problem(tmp_path):
    run = run_with(tmp_path, a_1001__out=log_text(PAYLOADS), x_metrics_table__csv=table_text(ROWS))
    assert lineage(run)["reward/avg_raw_reward"].tolist() == [0.1, 0.2, 0.30000000000000004]
    assert set(run.steps["source"]) == {"run/a_1001.out"}
    assert kinds(run) == []
    assert {use.path: use.note for use in run.sources}["run/x_metrics_table.csv"] == "lower-precedence"


def test_table_that_differs_says_by_how_much_and_the_log_is_shown(tmp_path):
    rows = [dict(row) for row in ROWS]
    rows[1]["reward/avg_raw_reward"] = 0.9
    run = run_with(tmp_path, a_1001__out=log_text(PAYLOADS), x_metrics_table__csv=table_text(rows))
    assert lineage(run)["reward/avg_raw_reward"].tolist()[1] == 0.2
    (found,) = run.problems
    assert (found.kind, found.severity) == ("assemble.sources-disagree", "warning")
    assert "step 2 in reward/avg_raw_reward (0.9 here, 0.2 there)" in found.what.en


def test_metric_that_only_the_table_has_is_taken_from_it_at_the_steps_both_have(tmp_path):
    rows = [row | {"reward/avg_pass_at_8": 0.5 + row["trainer/global_step"]} for row in ROWS[1:]]
    run = run_with(tmp_path, a_1001__out=log_text(PAYLOADS), x_metrics_table__csv=table_text(rows))
    values = lineage(run)["reward/avg_pass_at_8"].tolist()
    assert math.isnan(values[0])
    assert values[1:] == [2.5, 3.5]
    (found,) = run.problems
    assert (found.kind, found.severity, found.path) == ("assemble.metrics-added", "info", "run/x_metrics_table.csv")
    use = {use.path: use for use in run.sources}["run/x_metrics_table.csv"]
    assert (use.used_for, use.rows, use.note) == (("steps", "jobs"), 2, None)


def test_counts_that_the_parser_attributes_one_step_late_are_not_taken(tmp_path):
    rows = [row | {"batch_errors/total_failed": 4.0} for row in ROWS]
    run = run_with(tmp_path, a_1001__out=log_text(PAYLOADS), x_metrics_table__csv=table_text(rows))
    assert "batch_errors/total_failed" not in run.steps.columns
    assert kinds(run) == []


def test_batch_counts_that_differ_are_said_to_be_one_step_late(tmp_path):
    batch = "Batch generation complete: {}/128 successful, {} failed instances, 0 masked (excluded from training)\n"
    records = log_text(PAYLOADS).splitlines(keepends=True)
    stamp = records[0].partition("WANDB")[0]
    lines = [part for i, record in enumerate(records) for part in (stamp + batch.format(120 + i, i), record)]
    rows = [row | {"batch_errors/total_failed": late} for row, late in zip(ROWS, (1, 2, ""), strict=True)]
    run = run_with(tmp_path, a_1001__out="".join(lines), x_metrics_table__csv=table_text(rows))
    assert run.batches["failed"].tolist() == [0.0, 1.0, 2.0]
    (found,) = [item for item in run.problems if item.kind == "assemble.batches-late"]
    assert "at 2 of 3 steps" in found.what.en


# Log and report ------------------------------------------------------------------------------------------------------

REPORT = """# SkyRL Training Metrics Analysis

## Overview

| Log | Steps | Final Reward (mean) | Final Reward (max) |
|---|---|---|---|
| a_1001 | 3 | 0.2000 | 0.3000 |

## Training Progression by Log

### a_1001

| Step | reward/avg_raw_reward | policy/policy_entropy |
|---|---|---|
| 1 | 0.1000 | 0.3000 |
| 2 | 0.2000 | 0.2000 |
| 3 | 0.3000 | 0.1000 |
"""


def test_report_gives_no_steps_where_a_log_has_them(tmp_path):
    run = run_with(tmp_path, a_1001__out=log_text(PAYLOADS), metrics_report__md="", x_metrics_report__md=REPORT)
    assert len(run.steps) == 3
    assert set(run.steps["source"]) == {"run/a_1001.out"}
    assert "policy/policy_entropy" not in run.steps.columns  # rounded: shown as published, never mixed in
    assert run.published is not None
    assert not run.steps_from_report


# Table and tracker ---------------------------------------------------------------------------------------------------


def test_tracker_of_the_same_job_adds_only_what_the_table_lacks():
    rows = [{"job": "a_1001", "step": step, "reward": 0.1 * step} for step in (1, 2, 3)]
    more = [{"job": "a_1001", "step": step, "reward": 0.1 * step, "gpu": 50.0 + step} for step in (1, 2, 3, 4)]
    run = run_of(table("m.csv", rows), table("wandb.jsonl", more, precedence=20, reader="wandb"))
    assert run.steps["step"].tolist() == [1, 2, 3]
    assert run.steps["gpu"].tolist() == [51.0, 52.0, 53.0]
    assert kinds(run) == ["assemble.metrics-added", "assemble.steps-only-here"]


def test_tracker_under_another_name_is_the_only_job_there_is():
    rows = [{"job": "a_1001", "step": step, "reward": 0.1} for step in (1, 2)]
    more = [{"job": "run-20260101_000000-abc", "step": step, "gpu": 1.0 * step} for step in (1, 2)]
    run = run_of(table("m.csv", rows), table("w.jsonl", more, precedence=20))
    assert run.steps["gpu"].tolist() == [1.0, 2.0]
    assert [job.name for job in run.jobs] == ["a_1001"]
    two = run_of(
        table("m.csv", [*rows, {"job": "b_1002", "step": 3, "reward": 0.1}]), table("w.jsonl", more, precedence=20)
    )
    assert "gpu" not in two.steps.columns  # which of two jobs it is cannot be told
    (said,) = [item for item in two.problems if item.kind == "assemble.metrics-left-out"]
    assert (said.severity, said.path) == ("warning", "r/w.jsonl")
    assert said.what.en == "Metrics that no source shown has: 1, for example gpu."
    assert "several jobs" in said.effect.en


def test_metrics_left_out_are_said_only_where_no_source_shown_has_them():
    rows = [{"job": "a_1001", "step": 1, "reward": 0.1}, {"job": "b_1002", "step": 2, "reward": 0.1}]
    same = [{"job": "t", "step": step, "reward": 0.1} for step in (1, 2)]
    assert kinds(run_of(table("m.csv", rows), table("w.jsonl", same, precedence=20))) == []
    clocks = table("t.jsonl", [row | {"grad": 0.5} for row in same], precedence=20, facts={"two_clocks": True})
    (said,) = run_of(table("m.csv", rows), clocks).problems
    assert (said.kind, said.what.en) == (
        "assemble.metrics-left-out",
        "Metrics that no source shown has: 1, for example grad.",
    )
    assert "counts two things" in said.effect.en


def test_summary_and_report_add_nothing():
    rows = [{"job": "a", "step": 1, "reward": 0.1}]
    more = [{"job": "a", "step": 1, "other": 7.0}]
    for precedence in (5, 10):
        run = run_of(table("m.csv", rows), table("s.json", more, precedence=precedence))
        assert "other" not in run.steps.columns
        assert notes(run)["s.json"] == "lower-precedence"


def test_step_that_a_source_logged_twice_takes_no_value():
    rows = [{"job": "a", "step": step, "reward": 0.1} for step in (1, 2, 2, 3)]
    more = [{"job": "a", "step": step, "gpu": 1.0 * step} for step in (1, 2, 3, 3)]
    run = run_of(table("a.out", rows, precedence=40), table("w.jsonl", more, precedence=20))
    assert run.steps["gpu"].dropna().tolist() == [1.0]


def test_metric_that_the_shown_source_logged_as_nan_is_not_replaced():
    rows = [{"job": "a", "step": 1, "reward": 0.1, "kl": math.nan}]
    bad = make_nonfinite([{"job": "a", "step": 1, "row": 2, "source": "r/a.out", "metric": "kl", "value": "nan"}])
    more = [{"job": "a", "step": 1, "kl": 0.5}]
    run = run_of(table("a.out", rows, precedence=40, nonfinite=bad), table("w.jsonl", more, precedence=20))
    assert run.steps["kl"].isna().all()
    assert len(run.nonfinite) == 1


def test_values_that_are_not_finite_move_with_the_metric():
    rows = [{"job": "a", "step": step, "reward": 0.1} for step in (1, 2)]
    more = [{"job": "a", "step": 1, "kl": math.nan}, {"job": "a", "step": 2, "kl": 0.5}]
    bad = make_nonfinite([{"job": "a", "step": 1, "row": 2, "source": "r/w.jsonl", "metric": "kl", "value": "nan"}])
    run = run_of(table("a.out", rows, precedence=40), table("w.jsonl", more, precedence=20, nonfinite=bad))
    assert run.nonfinite[["source", "row", "metric", "value"]].to_numpy().tolist() == [["r/a.out", 2, "kl", "nan"]]
    assert run.steps["kl"].tolist()[1] == 0.5
    assert "assemble.nonfinite-lost" not in kinds(run)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_three_sources_give_the_same_run_in_any_order(order):
    results = [
        table("a.out", [{"job": "a", "step": 1, "x": 1.0}, {"job": "a", "step": 2, "x": 2.0}], precedence=40),
        table("m.csv", [{"job": "a", "step": 1, "x": 1.0, "y": 5.0}, {"job": "a", "step": 2, "y": 6.0}]),
        table("w.jsonl", [{"job": "a", "step": 1, "y": 9.0, "z": 7.0}], precedence=20),
    ]
    run = run_of(*(results[i] for i in order))
    assert run.steps[["x", "y"]].to_numpy().tolist() == [[1.0, 5.0], [2.0, 6.0]]
    assert run.steps["z"].tolist()[0] == 7.0


# Log and W&B ---------------------------------------------------------------------------------------------------------


def test_summary_that_differs_from_the_log_says_by_how_much():
    rows = [{"job": "a", "step": step, "reward": 0.1 * step} for step in (1, 2, 3)]
    last = [{"job": "run-20260101_000000-abcd1234", "step": 3, "reward": 0.9, "other": 1.0}]
    summary = table("wandb-summary.json", last, precedence=5, reader="wandb_summary")
    run = run_of(table("a.out", rows, precedence=40), summary)
    (found,) = run.problems
    assert (found.kind, found.path) == ("assemble.sources-disagree", "r/wandb-summary.json")
    assert "1 of 1 values, most at step 3 in reward (0.9 here, 0.3 there)" in found.what.en
    assert notes(run)["wandb-summary.json"] == "lower-precedence"
    assert run.steps["reward"].tolist() == [0.1, 0.2, 0.30000000000000004]


def test_summary_that_agrees_or_ends_later_is_no_problem():
    rows = [{"job": "a", "step": step, "reward": 0.1 * step} for step in (1, 2, 3)]
    for step, value in ((3, 0.3), (4, 0.9)):
        last = [{"job": "a", "step": step, "reward": value}]
        run = run_of(table("a.out", rows, precedence=40), table("s.json", last, precedence=5, reader="wandb_summary"))
        assert run.problems == ()


# Rounding ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "printed", "exact", "differs"),
    [
        ({"rounded_decimals": 3}, 0.123, 0.12345, False),
        ({"rounded_decimals": 3}, 0.123, 0.12365, True),
        ({"rounded_digits": 4}, 26850.0, 26853.2, False),
        ({"rounded_digits": 4}, 26850.0, 26880.0, True),
        ({}, 0.123, 0.12345, True),
    ],
)
def test_what_a_log_rounds_is_no_disagreement(facts, printed, exact, differs):
    log = table("a.out", [{"job": "a", "step": 1, "x": printed}], precedence=40, facts=facts)
    run = run_of(log, table("t.jsonl", [{"job": "a", "step": 1, "x": exact}], precedence=20))
    assert kinds(run) == (["assemble.sources-disagree"] if differs else [])
