"""The published report as data: what was printed, what was not logged, and repairs."""

import math

import numpy as np
import pytest

from sitegen.model.run import PublishedMetric
from sitegen.readers import skyrl_metrics_table
from sitegen.readers.markdown_tables import cells, take_apart
from sitegen.readers.skyrl_report import READER
from tests.readers.sources import DATA, SAMPLES, SEEDS, fixture, kinds, read_bytes, read_fixture, source_of

NAME = "20260101_000000_metrics_report.md"


def read(oddity):
    return read_fixture("skyrl_report", oddity)


def measures(result):
    fixed = ("job", "step", "row", "source", "kind", "time", "segment", "superseded_last", "superseded_first")
    return {name: result.steps[name].tolist() for name in result.steps.columns if name not in fixed}


def test_progression_rows_are_steps():
    result = read("plain")
    assert result.steps["job"].tolist() == ["run_1001", "run_1001", "run_1002", "run_1002"]
    assert result.steps["step"].tolist() == [1, 2, 2, 3]
    got = measures(result)
    assert got["reward/avg_raw_reward"] == [0.2, 0.4, 0.5, 0.7]
    assert got["reward/avg_pass_at_4"] == [0.25, 0.5, 0.5, 0.75]
    assert got["policy/final_loss"] == [-0.004, 0, 0, 0]
    assert got["timing/step"] == [10, 20, 20, 30]
    assert result.problems == ()
    assert result.precedence == 10
    assert [(job.name, job.number) for job in result.jobs] == [("run_1001", 1001), ("run_1002", 1002)]


def test_a_column_whose_metric_is_in_no_summary_is_missing_not_zero():
    assert "policy/policy_kl" not in measures(read("plain"))


def test_zeros_that_a_summary_does_not_count_are_gaps():
    waits = measures(read("plain"))["timing/wait_for_generation_buffer"]
    assert [math.isnan(wait) for wait in waits] == [True, True, False, False]
    assert waits[2:] == [7, 17]


def test_zeros_that_may_be_gaps_are_named():
    result = read("zeros-that-may-be-gaps")
    assert np.isnan(result.steps["policy/policy_kl"]).tolist() == [True, True, False]
    assert kinds(result) == {"report.doubtful-zero": 21}


def test_nan_in_the_agentic_report_was_logged():
    result = read("logged-nan")
    assert result.nonfinite[["step", "metric", "value"]].values.tolist() == [[2, "policy/policy_kl", "nan"]]
    assert result.facts == {}


def test_nan_in_the_standard_report_is_absent_or_not_finite():
    result = read("standard-format")
    got = measures(result)
    assert set(got) == {"reward/avg_raw_reward", "policy/policy_entropy", "policy/raw_grad_norm"}
    assert np.isnan(got["policy/raw_grad_norm"]).tolist() == [True, False]
    assert result.nonfinite is None
    assert result.facts == {
        "absent_or_nonfinite": True,
        "reported_exports": (10, 20),
        "reported_latest_checkpoint": 25,
    }
    assert result.published.checkpoint_step == 20


def test_summaries_are_published_as_printed():
    metrics = read("plain").published.metrics
    assert metrics["policy/raw_grad_norm"] == PublishedMetric(mean=0.5, std=None, min=0.5, max=0.5, count=1)
    assert metrics["reward/avg_raw_reward"].mean == 0.45
    assert list(metrics) == [
        "policy/final_loss",
        "policy/raw_grad_norm",
        "reward/avg_pass_at_4",
        "reward/avg_raw_reward",
        "timing/step",
        "timing/wait_for_generation_buffer",
    ]


def test_timing_engines_and_trials_are_published():
    published = read("plain").published
    assert published.timing == {"wait_for_generation_buffer": 0.615}
    assert published.engines == {
        "run_1001": {
            "running": 11.5,
            "waiting": 2.5,
            "generation_tps": 400.5,
            "kv_cache_pct": 48.5,
            "prefix_hit_pct": 84.5,
            "running_max": 24,
            "waiting_max": 30,
        }
    }
    trials = published.trials
    assert (trials.total, trials.graded, trials.mean_reward, trials.success_rate) == (10, 9, 0.55, 0.556)
    assert trials.turns == {"mean": 2.5, "median": 2, "std": 0.5, "min": 1, "max": 6, "count": 9}
    assert trials.exceptions == {"none": 8, "AgentTimeoutError": 2}
    assert trials.by_exception == {"none": {"mean": 2.2, "median": 2, "count": 8}}
    assert trials.by_outcome["failure"] == {"mean": 2.8, "median": 2, "count": 4}


def test_every_printed_number_is_kept_with_its_place():
    published = read("plain").published
    by_place = {(value.where, value.name): value for value in published.values}
    overview = by_place["Overview/run_1001", "Final Reward (mean)"]
    assert (overview.text, overview.value, overview.line) == ("0.3000", 0.3, 9)
    speed = by_place[
        "vLLM Inference Engine Analysis/Summary by Log (Per-Engine Stats)/run_1001", "Avg Gen Throughput/Engine"
    ]
    assert (speed.text, speed.value) == ("400.5 tok/s", 400.5)
    share = by_place["Trial-Level Analysis (from result.json)/Exception Distribution/No exception", "%"]
    assert (share.text, share.value) == ("80.0%", 80)
    assert by_place["Trial-Level Analysis (from result.json)", "Total trials parsed"].value == 10
    assert [value.line for value in published.values] == sorted(value.line for value in published.values)


def test_a_printed_zero_of_a_metric_that_was_not_logged_is_no_value():
    by_place = {(value.where, value.name): value for value in read("plain").published.values}
    tokens = by_place["Cross-Log Comparison/run_1001", "Avg Tokens"]
    assert (tokens.text, tokens.value) == ("0.0000", None)
    assert by_place["Cross-Log Comparison/run_1001", "Avg Reward"].value == 0.3


def comparable(result):
    published = result.published
    return (
        result.steps.drop(columns=["row", "source"]).to_dict("list"),
        published.metrics,
        published.timing,
        published.engines,
        published.trials,
        [(value.where, value.name, value.text, value.value) for value in published.values],
    )


def test_a_report_on_one_line_is_repaired():
    plain, odd = read("plain"), read("on-one-line")
    assert repr(comparable(odd)) == repr(comparable(plain))  # repr: NaN equals NaN
    assert kinds(odd) == {"report.repaired": None}
    assert len(odd.document.markdown.split("\n")) > 100
    assert "\n### run_1002\n" in odd.document.markdown
    assert odd.steps["row"].is_unique


def test_a_copy_of_a_web_page_is_restored():
    result = read("web-page-copy")
    assert kinds(result) == {"report.page-copy": None}
    assert result.document.markdown.startswith("# SkyRL Training Metrics Analysis\n")
    assert result.steps["job"].tolist() == ["run_1001", "run_1001", "run_1002", "run_1002"]
    assert measures(result)["reward/avg_raw_reward"] == [0.2, 0.4, 0.5, 0.7]
    plain = read("plain").published
    assert result.published.trials == plain.trials
    assert result.published.engines == plain.engines
    assert result.published.timing == plain.timing


def test_a_row_of_a_copy_that_does_not_come_out_is_a_problem(tmp_path):
    text = "SkyRL Training Metrics Analysis\n\nComponent Avg % of Step Time\nstep 87.8%\nno number here\n"
    result = read_bytes(tmp_path, NAME, text.encode())
    assert result.published.timing == {"step": 0.878}
    assert "report.misfit-row" in kinds(result)


def test_a_report_cut_in_a_row_keeps_the_rows_before():
    result = read("cut-in-a-row")
    assert result.steps["step"].tolist() == [1, 2, 2]
    assert list(kinds(result)) == ["report.misfit-row", "report.rows-missing"]
    assert result.published.trials is None


def test_a_report_cut_between_rows_is_noticed_by_its_summaries(tmp_path):
    text = fixture("skyrl_report", "plain").location.read_text("utf-8")
    result = read_bytes(tmp_path, NAME, text[: text.index("| 3 | 0.7000")].encode())
    (problem,) = result.problems
    assert problem.kind == "report.rows-missing"
    assert "count 4 records, the progression prints 3" in problem.what.en


def test_a_report_without_progression_says_so():
    result = read("only-overview")
    assert result.steps is None
    assert kinds(result) == {"report.no-progression": None}


def test_without_summaries_zeros_only_are_missing():
    result = read("no-summaries")
    assert measures(result) == {"reward/avg_raw_reward": [0.1]}
    assert kinds(result) == {"table.bad-step": 10, "table.unknown-columns": None, "report.no-summaries": None}


def test_a_report_without_tables_is_a_document():
    result = read("no-tables")
    assert result.published is None
    assert result.steps is None
    assert "Nothing was logged." in result.document.markdown


def test_a_report_by_hand_is_shown_and_gives_no_numbers():
    result = read_fixture("written_report", "prose")
    assert result.document.kind == "report"
    assert result.steps is None
    assert not READER.claims(source_of(DATA / "written_report" / "prose" / "report.md"))


def test_tables_know_escaped_bars_and_fences():
    assert cells(r"| a \| b | c |") == ["a | b", "c"]
    content = take_apart("```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n# H\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |\n")
    (table,) = content.tables
    assert (table.headings, table.rows, table.misfits) == (("H",), [(9, ["1", "2"])], [10])


SEED = SEEDS / "metrics_report_markdown.txt"
PAGE = SEEDS / "metrics_report_page.txt"


@pytest.mark.skipif(not SEED.is_file(), reason="the sample folder is not beside the repository")
@pytest.mark.parametrize("seed", [SEED, PAGE], ids=["one-line", "page"])
def test_the_published_report(seed, tmp_path):
    result = read_bytes(tmp_path, NAME, seed.read_bytes())
    steps = result.steps
    assert steps.groupby("job", sort=False).size().to_dict() == {"job_561773": 47, "job_561774": 34}
    assert steps["step"].nunique() == 80
    assert steps["step"].duplicated().sum() == 1
    assert round(steps["reward/avg_raw_reward"].mean(), 4) == 0.4798
    assert round(steps["reward/avg_pass_at_8"].mean(), 4) == 0.7426
    assert "policy/policy_kl" not in steps.columns
    assert "policy/final_loss" in steps.columns
    published = result.published
    assert published.metrics["reward/avg_raw_reward"].mean == 0.479843
    assert published.metrics["timing/save_hf_model"].count == 16
    assert len(published.metrics) == 85
    assert published.timing["wait_for_generation_buffer"] == 0.878
    assert published.trials.total == 43795
    assert sum(published.trials.exceptions.values()) == 43795
    assert round(published.trials.exceptions["none"] / 43795, 3) == 0.882
    assert published.trials.graded == 43482 == 21100 + 22382
    assert published.engines["job_561774"]["generation_tps"] == 493.2
    for name, metric in published.metrics.items():
        if name in steps.columns:
            assert steps[name].mean() == pytest.approx(metric.mean, rel=1e-3, abs=1e-6)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_reports_of_the_parser_agree_with_its_tables():
    for folder, report, rows in (("agentic", "*_metrics_report.md", 12), ("standard", "report.md", 27)):
        (location,) = (SAMPLES / "parse_skyrl_GENERATED" / folder).glob(report)
        (table,) = (SAMPLES / "parse_skyrl_GENERATED" / folder).glob("*[0-9]_metrics_table.csv")
        printed = READER.read(source_of(location)).steps
        logged = skyrl_metrics_table.READER.read(source_of(table)).steps
        assert len(printed) == len(logged) == rows
        for name in set(printed.columns) & set(logged.columns):
            if "/" in name:
                assert printed[name].isna().tolist() == logged[name].isna().tolist(), name
                assert np.allclose(printed[name], logged[name], atol=0.051, equal_nan=True)
