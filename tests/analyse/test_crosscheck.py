"""The report cross-check: what agrees, what differs and why, and that planted errors are found."""

import math
import random
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.crosscheck import counts, cross_check
from sitegen.analyse.printed import parse
from sitegen.model.run import ModelCard, Run, SourceFile
from sitegen.model.tables import BATCHES, conform
from sitegen.readers.skyrl_report import READER as REPORT
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_engines, make_run, make_steps, make_trials

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "runs" / "a3-rl-laion_nemotron-gym-knowledge-web-search-mcqa-25-8B"
REPORT_FILE = "training_logs/20260604_042832_metrics_report.md"
GENERATED = ROOT.parent / "shared" / "samples" / "parse_skyrl_GENERATED"
SITE = SiteSettings()
nan = math.nan


@cache
def report_text() -> str:
    return (SAMPLE / REPORT_FILE).read_text(encoding="utf-8")


def published_of(folder: Path, text: str):
    """What the report reader makes of a text, as the report of a run."""
    path = folder / "20260101_000000_metrics_report.md"
    path.write_text(text, encoding="utf-8")
    content = path.read_bytes()
    source = SourceFile(path=f"run/{path.name}", location=path, size=len(content), head=content[:65536])
    return REPORT.read(source)


def run_of_report(folder: Path, text: str) -> Run:
    """A run of which only its report is known."""
    archive = folder / "archive"
    (archive / "run").mkdir(parents=True, exist_ok=True)
    (archive / "run" / "20260101_000000_metrics_report.md").write_text(text, encoding="utf-8")
    (task,) = find_runs(archive, SITE).tasks
    return read_run(task, SITE)


def found(checks, where, name):
    (check,) = [c for c in checks if c.where == where and c.name == name]
    return check


def report(*sections: str) -> str:
    return "\n\n".join(("# SkyRL Training Metrics Analysis", *sections)) + "\n"


def table(header: str, *rows: str) -> str:
    """A Markdown table of columns and rows, cells apart by ` | `."""
    rule = " | ".join("---" for _ in header.split("|"))
    return "\n".join(f"| {row} |" for row in (header, rule, *rows))


def with_report(folder: Path, text: str, **fields) -> Run:
    return make_run(published=published_of(folder, text).published, **fields)


# The published run ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    return cross_check(run_of_report(tmp_path_factory.mktemp("published"), report_text()), SITE)


PRINTED = [
    ("Overview/job_561773", "Total Steps", "47"),
    ("Overview/job_561773", "Metric Blocks", "47"),
    ("Overview/job_561773", "Final Reward (mean)", "0.4832"),
    ("Overview/job_561773", "Final Reward (max)", "0.6699"),
    ("Overview/job_561773", "Total Time (s)", "40348.4"),
    ("Overview/job_561774", "Total Steps", "80"),
    ("Overview/job_561774", "Metric Blocks", "34"),
    ("Overview/job_561774", "Final Reward (mean)", "0.4752"),
    ("Overview/job_561774", "Final Reward (max)", "0.6641"),
    ("Overview/job_561774", "Total Time (s)", "40570.1"),
    ("Reward Metrics/reward/avg_raw_reward", "Mean", "0.479843"),
    ("Reward Metrics/reward/avg_raw_reward", "Std", "0.0654987"),
    ("Reward Metrics/reward/avg_pass_at_8", "Mean", "0.742557"),
    ("Reward Metrics/reward/avg_pass_at_8", "Std", "0.0605992"),
    ("Reward Metrics/reward/avg_pass_at_8", "Count", "81"),
    ("Timing Metrics/timing/step", "Mean", "998.994"),
    ("Timing Metrics/timing/wait_for_generation_buffer", "Max", "2914.47"),
    ("Trainer Metrics/trainer/global_step", "Mean", "40.5802"),
    ("Cross-Log Comparison/job_561773", "Avg Reward", "0.4832"),
    ("Cross-Log Comparison/job_561773", "Pass@8", "0.7470"),
    ("Cross-Log Comparison/job_561773", "Step Time (s)", "858.4760"),
    ("Cross-Log Comparison/job_561774", "Gen Wait Time (s)", "1083.8262"),
    ("Cross-Log Comparison/job_561774", "Avg Tokens", "1629.2433"),
]


@pytest.mark.parametrize(("where", "name", "text"), PRINTED)
def test_what_the_progression_reproduces_agrees(published, where, name, text):
    check = found(published, where, name)
    assert (check.published, check.verdict) == (text, "agrees")
    assert check.tolerance is not None


def test_every_statistic_of_a_metric_in_the_progression_agrees(published):
    names = ("reward/avg_raw_reward", "reward/avg_pass_at_8", "policy/final_loss", "timing/step", "timing/wait_for")
    rows = [c for c in published if any(f"Metrics/{name}" in c.where for name in names)]
    assert len(rows) == 25
    assert {c.verdict for c in rows} == {"agrees"}


def test_totals_of_rounded_seconds_agree_within_their_rounding(published):
    first = found(published, "Overview/job_561773", "Total Time (s)")
    assert first.computed == pytest.approx(40348.5)  # the printed rows; the report says 40348.4
    # 0.05 + 6 x 0.05 x sqrt(sum of squared group sizes / 3); two pairs of the 47 step times are printed alike
    assert 1.2 < first.tolerance < 0.05 + 47 * 0.05
    assert found(published, "Overview/job_561774", "Total Time (s)").computed == pytest.approx(40570.1)


def test_the_share_of_waiting_is_a_mean_of_shares_and_the_note_says_what_the_sums_give(published):
    where = "Timing Analysis/Average Time Breakdown (% of step time)/wait_for_generation_buffer"
    check = found(published, where, "Avg % of Step Time")
    assert (check.verdict, check.published) == ("agrees", "87.8%")
    assert check.computed == pytest.approx(87.794, abs=5e-4)
    assert "mean of the shares in 81 records" in check.how.en
    assert "89.1%" in check.reason.en


def test_a_label_that_says_final_is_named(published):
    check = found(published, "Overview/job_561774", "Final Reward (mean)")
    assert check.verdict == "agrees"
    assert "mean" in check.how.en
    assert "0.5898" in check.reason.en


def test_a_column_that_was_never_logged_differs_once_per_log(published):
    differing = [(c.where, c.name, c.computed) for c in published if c.verdict == "differs"]
    assert differing == [
        ("Training Progression by Log/job_561773", "KL", None),
        ("Training Progression by Log/job_561774", "KL", None),
    ]


def test_the_progression_is_not_held_against_itself(published):
    assert not [c for c in published if c.where.startswith("Training Progression") and c.name != "KL"]


def test_nothing_unbound_agrees(published):
    unbound = [c for c in published if "policy/raw_grad_norm" in c.where or "vLLM" in c.where]
    assert len(unbound) == 5 + 10 + 18
    assert {(c.verdict, c.computed, c.tolerance) for c in unbound} == {("unchecked", None, None)}
    assert counts(published) == {"differs": 2, "agrees": 69, "unchecked": 472}


def test_engines_called_saturated_are_not_believed(published):
    saturated = [c for c in published if c.name == "Well-utilized"]
    assert [c.verdict for c in saturated] == ["unchecked"] * 2
    assert "11.1 of 24 slots" in saturated[0].reason.en


def test_the_trial_section_is_held_against_its_own_counts(published):
    section = "Trial-Level Analysis (from result.json)"
    agreeing = [
        found(published, section, "Total trials parsed"),
        found(published, f"{section}/Exception Distribution/No exception", "%"),
        found(published, f"{section}/Reward Summary", "Success rate"),
        found(published, f"{section}/Turn Count Statistics/Count", "Value"),
    ]
    assert {c.verdict for c in agreeing} == {"agrees"}
    assert found(published, f"{section}/Reward Summary", "Mean reward").verdict == "unchecked"


# Planted errors ------------------------------------------------------------------------------------------------------


def planted(check, factor: float) -> str | None:
    """The printed number moved beyond its tolerance, printed in the same format; None where that cannot be printed."""
    half = parse(check.published)[1]
    away = max(check.tolerance, half) * abs(factor)
    moved = check.computed + math.copysign(away + half, factor)
    unit = check.published.lstrip("-0123456789.e+")
    if ("." in check.published and unit) or not is_summary(check):
        places = len(check.published.removesuffix(unit).partition(".")[2])
        text = f"{moved:.{places}f}"
    else:
        text = f"{moved:.6g}" if abs(moved) > 1 or "." in check.published else f"{round(moved)}"
    return None if text + unit == check.published else text + unit


def is_summary(check) -> bool:
    return " Metrics/" in check.where


def replaced(text: str, check, checks, new: str) -> str:
    """The report with one printed number changed."""
    lines = text.split("\n")
    line = lines[check.line - 1]
    if not line.startswith("|"):
        label, _, rest = line.partition(check.name)
        lines[check.line - 1] = f"{label}{check.name}{rest.replace(check.published, new, 1)}"
        return "\n".join(lines)
    cells = line.split("|")
    names = [cell.strip() for cell in header_above(lines, check.line - 1).split("|")]
    cells[names.index(check.name)] = f" {new} "
    lines[check.line - 1] = "|".join(cells)
    return "\n".join(lines)


def header_above(lines, at):
    while lines[at].startswith("|"):
        at -= 1
    return lines[at + 1]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_planted_error_beyond_the_tolerance_is_found(tmp_path_factory, seed):
    """One number of the published report, wrong by 1.5 to 2,000 tolerances in either direction."""
    rng = random.Random(seed)
    clean = cross_check(_clean(tmp_path_factory), SITE)
    check = rng.choice([c for c in clean if c.verdict == "agrees"])
    new = planted(check, rng.choice((-1, 1)) * 10 ** rng.uniform(0.2, 3.3))
    if new is None or parse(new) is None or parse(new)[0] < 0 <= parse(check.published)[0]:
        return
    text = replaced(report_text(), check, clean, new)
    after = cross_check(run_of_report(tmp_path_factory.mktemp("planted"), text), SITE)
    now = [c for c in after if (c.where, c.name, c.line) == (check.where, check.name, check.line)]
    assert [c.published for c in now] == [new]
    assert now[0].verdict != "agrees"


@cache
def _clean_text_run(folder: Path) -> Run:
    return run_of_report(folder, report_text())


def _clean(tmp_path_factory) -> Run:
    return _clean_text_run(tmp_path_factory.getbasetemp())


def test_a_wrong_progression_row_is_found_where_the_logs_are_there(tmp_path):
    steps = make_steps([{"step": s, "row": s + 1, "reward/avg_raw_reward": s / 10} for s in (1, 2, 3)])
    table = "## Training Progression by Log\n\n### job_1\n\n| Step | Reward |\n|---|---|\n"
    rows = "| 1 | 0.1000 |\n| 2 | 0.2100 |\n| 3 | 0.3000 |\n"
    checks = cross_check(with_report(tmp_path, report(table + rows), steps=steps), SITE)
    assert [c.verdict for c in checks] == ["agrees", "differs", "agrees"]
    assert checks[1].computed == 0.2
    assert "run/log.out, line 3" in checks[1].how.en


# What goes wrong in such reports -------------------------------------------------------------------------------------


def comparison(*rows: str) -> str:
    head = "## Cross-Log Comparison\n\n| Log | Avg Reward | Gen Wait Time (s) |\n|---|---|---|\n"
    return report(head + "\n".join(rows))


def test_missing_values_counted_as_0_are_named(tmp_path):
    steps = make_steps(
        [{"step": 1, "reward/avg_raw_reward": 0.4}, {"step": 2}, {"step": 3, "reward/avg_raw_reward": 0.8}]
    )
    run = with_report(tmp_path, comparison("| job_1 | 0.4000 | 0.0000 |"), steps=steps)
    reward, wait = cross_check(run, SITE)
    assert (reward.verdict, reward.computed) == ("differs", pytest.approx(0.6))
    assert "counted as 0" in reward.reason.en
    assert (wait.verdict, wait.computed) == ("differs", None)
    assert "0 printed for missing" in wait.reason.en


def test_final_that_is_another_aggregate_is_named(tmp_path):
    steps = make_steps([{"step": s, "reward/avg_raw_reward": v} for s, v in ((1, 0.2), (2, 0.9), (3, 0.4))])
    head = "## Overview\n\n| Log File | Max Step | Final Reward | Max Reward |\n|---|---|---|---|\n"
    checks = cross_check(with_report(tmp_path, report(head + "| job_1 | 3 | 0.5000 | 0.9000 |"), steps=steps), SITE)
    assert [c.verdict for c in checks] == ["agrees", "differs", "agrees"]
    assert checks[1].computed == 0.4
    assert "mean over the 3 records" in checks[1].reason.en


def summary_table(metric: str, *cells: str) -> str:
    return report("## Some Metrics", table(" | Mean | Std | Min | Max | Count", " | ".join((metric, *cells))))


def test_batch_errors_one_step_late_are_named(tmp_path):
    failed = [10.0, 20.0, 0.0, 6.0]
    batches = pd.DataFrame(
        {
            "job": "job_1",
            "step": [1, 2, 3, 4],
            "row": [1, 2, 3, 4],
            "source": "run/log.out",
            "batches": 1.0,
            "failed": failed,
        }
    )
    steps = make_steps([{"step": s, "reward/avg_raw_reward": 0.5} for s in (1, 2, 3, 4)])
    # late: step 1 has 10 + 20, step 2 has 0, step 3 has 6, step 4 nothing: mean 12, largest 30, 3 steps
    text = summary_table("batch_errors/total_failed", "12", "15.8745", "0", "30", "3")
    run = with_report(tmp_path, text, steps=steps, batches=conform(batches, BATCHES))
    checks = {c.name: c for c in cross_check(run, SITE)}
    assert {name: c.computed for name, c in checks.items() if name != "Std"} == {
        "Mean": 9.0,
        "Min": 0.0,
        "Max": 20.0,
        "Count": 4.0,
    }
    assert {n: c.verdict for n, c in checks.items()} == {
        "Mean": "differs",
        "Std": "differs",
        "Min": "agrees",
        "Max": "differs",
        "Count": "differs",
    }
    assert "two steps to the first" in checks["Max"].reason.en


def test_batch_errors_of_a_log_that_resumed_have_no_step_with_two(tmp_path):
    """The parser takes what comes before the first header for step 1's, which such a log does not have."""
    batches = pd.DataFrame(
        {
            "job": ["job_1"] * 3 + ["job_2"] * 3,
            "step": [1, 2, 3, 4, 5, 6],
            "row": [1, 2, 3, 1, 2, 3],
            "source": "run/log.out",
            "batches": 1.0,
            "failed": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
        }
    )
    steps = make_steps(
        [{"job": f"job_{1 + (s > 3)}", "step": s, "reward/avg_raw_reward": 0.5} for s in range(1, 7)],
    )
    # late: 1 + 2 and 4 of job 1, 16 and 32 of job 2: mean 13.75
    text = summary_table("batch_errors/total_failed", "13.75", "13.5247", "3", "32", "4")
    run = with_report(tmp_path, text, steps=steps, batches=conform(batches, BATCHES))
    checks = {c.name: c for c in cross_check(run, SITE)}
    assert all("two steps to the first" in checks[name].reason.en for name in ("Mean", "Std", "Min", "Count"))
    assert checks["Max"].verdict == "agrees"


def test_sums_over_engines_called_per_engine_are_named(tmp_path):
    engines = make_engines(
        [{"clock": f"01-01 00:00:0{i}", "running": 9.0, "waiting": 1.0, "engines_reporting": 3.0} for i in range(3)]
    )
    engine_table = table("Log | Avg Running/Engine | Avg Waiting/Engine", "job_1 | 27.0 | 1.0")
    text = report("## vLLM Inference Engine Analysis", "### Summary by Log", engine_table)
    run = with_report(tmp_path, text, engines=engines)
    running, waiting = cross_check(run, SITE)
    assert (running.verdict, running.computed) == ("differs", 9.0)
    assert "called per-engine" in running.reason.en
    assert waiting.verdict == "agrees"


def test_saturated_is_checked_by_the_share_of_full_intervals(tmp_path):
    rows = [{"running": 24.0 if i == 0 else 2.0, "waiting": 5.0 if i == 0 else 0.0} for i in range(10)]
    text = report(
        "## Overview",
        table("Log File | Max Step", "job_1 | 3"),
        "## vLLM Inference Engine Analysis",
        "#### job_1",
        "- **Running requests/engine**: avg=4.2, max=24",
        "- ✅ **Well-utilized**: Engines saturated (waiting > 0)",
    )
    run = with_report(tmp_path, text, engines=make_engines(rows), config=make_config({"engine.max_num_seqs": 24}))
    _, mean, most, saturated = cross_check(run, SITE)
    assert (mean.verdict, most.verdict) == ("agrees", "agrees")
    assert (saturated.verdict, saturated.computed) == ("differs", pytest.approx(10.0))
    assert "only whether any request ever waited" in saturated.reason.en


def test_shares_that_add_up_to_more_than_the_step_are_explained(tmp_path):
    steps = make_steps([{"step": s, "timing/step": 10.0, "timing/a": 8.0, "timing/b": 6.0} for s in (1, 2)])
    head = "## Timing Analysis\n\n| Component | Avg % of Step Time |\n|---|---|\n"
    first, second = cross_check(with_report(tmp_path, report(head + "| a | 80.0% |\n| b | 65.0% |"), steps=steps), SITE)
    assert (first.verdict, second.verdict, second.computed) == ("agrees", "differs", 60.0)


def test_a_share_of_sums_is_not_a_mean_of_shares(tmp_path):
    steps = make_steps(
        [{"step": 1, "timing/step": 10.0, "timing/a": 9.0}, {"step": 2, "timing/step": 90.0, "timing/a": 9.0}]
    )
    head = "## Timing Analysis\n\n| Component | Avg % of Step Time |\n|---|---|\n"
    (check,) = cross_check(with_report(tmp_path, report(head + "| a | 18.0% |"), steps=steps), SITE)
    assert (check.verdict, check.computed) == ("differs", 50.0)
    assert "share of the sums" in check.reason.en


def test_trials_against_their_table(tmp_path):
    rows = [
        {"turns": 1.0, "reward": 1.0},
        {"turns": 3.0, "reward": 0.0},
        {"turns": 5.0, "exception": "AgentTimeoutError", "reward": 0.0},
        {"exception": "DaytonaError"},
    ]
    text = report(
        "## Trial-Level Analysis (from result.json)",
        "Total trials parsed: 4",
        "### Turn Count Statistics",
        table("Metric | Value", "Mean | 3.0", "Std | 2.0", "Count | 4"),
        "### Exception Distribution",
        table("Exception Type | Count | %", "No exception | 2 | 50.0%", "DaytonaError | 2 | 25.0%"),
        "### Turn Count by Outcome",
        table("Outcome | Mean Turns | Median Turns | Count", "Failure | 4.0 | 4.0 | 2"),
        "### Reward Summary",
        "- **Mean reward**: 0.2500\n- **Success rate**: 33.3%\n- **Trials with reward data**: 3",
    )
    checks = cross_check(with_report(tmp_path, text, trials=make_trials(rows)), SITE)
    wrong = {(c.where.rpartition("/")[2], c.name): c for c in checks if c.verdict != "agrees"}
    assert set(wrong) == {("Count", "Value"), ("DaytonaError", "Count"), ("Reward Summary", "Mean reward")}
    assert [c.computed for c in wrong.values()] == [3.0, 1.0, pytest.approx(1 / 3)]
    assert "counted as 0" in wrong["Reward Summary", "Mean reward"].reason.en
    assert len(checks) == 14


def test_superseded_records_are_counted_and_said(tmp_path):
    steps = make_steps(
        [
            {"step": 1, "m": 0.1, "job": "a"},
            {"step": 2, "m": 0.9, "job": "a", "superseded_last": 1},
            {"step": 2, "m": 0.3, "job": "b", "superseded_first": 1},
        ]
    )
    text = summary_table("m", "0.433333", "0.416333", "0.1", "0.9", "3")
    mean, *_ = cross_check(with_report(tmp_path, text, steps=steps), SITE)
    assert mean.verdict == "agrees"
    assert "superseded records are counted too (1)" in mean.reason.en
    text = summary_table("m", "0.2", "0.141421", "0.1", "0.3", "2")
    along = cross_check(with_report(tmp_path, text, steps=steps), SITE)
    assert {c.verdict for c in along} == {"agrees"}
    assert "lineage" in along[0].how.en


def test_the_other_overlap_rule_is_named(tmp_path):
    rows = [("a", s, 0.1 * s) for s in range(1, 5)] + [("b", 4, 0.9)]
    steps = make_steps(
        [
            {"job": j, "step": s, "reward/avg_raw_reward": v}
            | {"superseded_last": int((j, s) == ("a", 4)), "superseded_first": int(j == "b")}
            for j, s, v in rows
        ]
    )
    # alpha 1/3: 0.1, 0.1333, 0.1889, then 0.2593 with 0.4 and 0.4259 with 0.9
    text = report(
        "## Best Checkpoint (trailing-5 EMA of reward/avg_raw_reward)",
        "**Chosen step: `3`** — highest",
        table("Step | Reward | EMA | Eligible", "3 | 0.3000 | 0.1889 | yes", "4 | 0.4000 | 0.2593 | yes"),
    )
    chosen, *cells = cross_check(with_report(tmp_path, text, steps=steps), SITE)
    assert (chosen.verdict, chosen.computed) == ("differs", 4.0)
    assert [c.verdict for c in cells] == ["agrees"] * 4
    assert "first log of a step wins" in cells[-1].how.en


def test_a_card_is_checked_where_its_labels_are_bound():
    steps = make_steps([{"step": s, "acc": v} for s, v in ((1, 0.2), (2, 0.4), (3, 0.3))])
    tables = (
        table("Metric | Mean | Best | Final", "acc | 0.30 | 0.5 | 0.3", "MMLU | 71.2 | 1 | 2"),
        table("Step | acc", "2 | 0.40", "9 | 0.1"),
        table(" | ", "Steps | 3", "Seeds | 5"),
    )
    body = "\n\n".join(("## Results", *tables))
    card = ModelCard(
        path="run/README.md", front_matter={}, body=body, base_models=(), datasets=(), license=None, tags=()
    )
    checks = cross_check(make_run(steps=steps, card=card), SITE)
    assert [(c.name, c.published, c.verdict) for c in checks] == [
        ("Mean", "0.30", "agrees"),
        ("Best", "0.5", "differs"),
        ("Final", "0.3", "agrees"),
        ("acc", "0.40", "agrees"),
        ("Steps", "3", "agrees"),
    ]


def test_no_report_and_no_card_give_nothing():
    assert cross_check(make_run(), SITE) == ()


# Statistics of any run are found in the parser's format ---------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_a_true_report_agrees_in_every_number_and_a_false_one_does_not(tmp_path_factory, seed, size):
    rng = np.random.default_rng(seed)
    values = np.round(rng.gamma(2.0, 0.2, size), 4)
    steps = make_steps([{"step": i + 1, "row": i + 2, "reward/avg_raw_reward": v} for i, v in enumerate(values)])
    std = np.std(values, ddof=1) if size > 1 else nan
    cells = [f"{v:g}" for v in (values.mean(), std, values.min(), values.max())] + [str(size)]
    text = summary_table("reward/avg_raw_reward", *cells)
    folder = tmp_path_factory.mktemp("true")
    checks = cross_check(with_report(folder, text, steps=steps), SITE)
    assert {c.verdict for c in checks} == {"agrees"}
    wrong = [f"{float(cell) * 1.01 + 0.01:g}" for cell in cells[:4]] + [str(size + 1)]
    for index in range(5):
        changed = [wrong[i] if i == index else cell for i, cell in enumerate(cells)]
        after = cross_check(with_report(folder, summary_table("reward/avg_raw_reward", *changed), steps=steps), SITE)
        expected = "agrees" if changed[index] == "nan" else "differs"
        assert after[index].verdict == expected, (changed, after[index])


# The parser's own reports ---------------------------------------------------------------------------------------------

GENERATED_COUNTS = {"agentic": (12, 229, 0), "standard": (1, 416, 1)}


@pytest.mark.parametrize("kind", sorted(GENERATED_COUNTS) if GENERATED.is_dir() else [])
def test_the_parsers_reports_agree_with_its_tables(kind):
    (task,) = [t for t in find_runs(GENERATED, SITE).tasks if t.folder.path == kind]
    checks = cross_check(read_run(task, SITE), SITE)
    assert tuple(counts(checks).values()) == GENERATED_COUNTS[kind]
    names = {c.name for c in checks if c.verdict == "differs"}
    # never logged and printed as 0; and the step that the first-seen rule chooses
    expected = {"agentic": {"Loss", "Gen Wait (s)", "Gen Wait Time (s)", "Avg Tokens"}, "standard": {"Chosen step"}}
    assert names == expected[kind]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_damaged_report_never_breaks_the_check(tmp_path_factory, seed):
    """Lines lost, doubled or cut, cells replaced by odd text: every number still gets one of the three verdicts."""
    rng = random.Random(seed)
    lines = report_text().split("\n")
    for _ in range(rng.randint(1, 40)):
        at = rng.randrange(len(lines))
        odd = rng.choice(["", "²", "1e999", "nan", "-", "|", "9" * 30, "١", "#", "avg=x, max=", "[1, 2]"])
        what = rng.randrange(4)
        if what == 0:
            lines[at] = ""
        elif what == 1:
            lines.insert(at, lines[at])
        elif what == 2:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
        else:
            cells = lines[at].split("|")
            cells[rng.randrange(len(cells))] = f" {odd} "
            lines[at] = "|".join(cells)
    checks = cross_check(run_of_report(tmp_path_factory.mktemp("damaged"), "\n".join(lines)), SITE)
    assert {check.verdict for check in checks} <= {"agrees", "differs", "unchecked"}
    assert all(
        check.tolerance is not None for check in checks if check.verdict == "agrees" and check.computed is not None
    )
