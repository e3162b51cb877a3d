"""From read results to a run: which sources count, what is set aside and why, what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sitegen.assemble import assemble
from sitegen.assemble.jobs import natural
from sitegen.assemble.sources import same_job
from sitegen.model.problems import problem
from sitegen.model.run import (
    UNKNOWN_END,
    Document,
    JobEnd,
    JobRecord,
    LogEvent,
    ModelCard,
    Published,
    ReadResult,
    Run,
    RunConfig,
    RunFolder,
    RunSettings,
    SourceFile,
    lineage,
)
from sitegen.scan import claimant, scan_archive, with_heads
from sitegen.settings import SiteSettings
from tests.factories import make_engines, make_nonfinite, make_steps, make_trials

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
Rows = Sequence[Mapping[str, Any]]


def table(source: str, rows: Rows, *, precedence: int = 30, reader: str = "table", **fields: Any) -> ReadResult:
    steps = make_steps([{"source": f"r/{source}", "row": i + 2} | dict(row) for i, row in enumerate(rows)])
    return ReadResult(
        reader=reader, source=f"r/{source}", precedence=precedence, steps=steps, rows=len(steps), **fields
    )


def other(source: str, *, precedence: int = 0, reader: str = "other", **fields: Any) -> ReadResult:
    return ReadResult(reader=reader, source=f"r/{source}", precedence=precedence, **fields)


def run_of(*results: ReadResult, extra: Sequence[str] = (), settings: RunSettings | None = None) -> Run:
    paths = sorted({result.source for result in results} | {f"r/{path}" for path in extra})
    files = tuple(SourceFile(path=path, location=Path(), size=1) for path in paths)
    folder = RunFolder(path="r", name="r", location=Path(), files=files)
    return assemble(folder, results, SiteSettings(), settings or RunSettings(), "r")


def notes(run: Run) -> dict[str, str | None]:
    return {use.path.removeprefix("r/"): use.note for use in run.sources}


def kinds(run: Run) -> list[str]:
    return [found.kind for found in run.problems]


TWO_JOBS = [{"job": "a_1001", "step": s, "m": 0.5 + s} for s in (1, 2, 3)] + [
    {"job": "a_1002", "step": s, "m": 0.7 + s} for s in (3, 4)
]


def test_an_empty_folder_is_a_run_without_anything() -> None:
    run = run_of(extra=["notes.txt"])
    assert (len(run.steps), run.jobs, run.framework, run.exports, run.engines) == (0, (), None, None, None)
    assert notes(run) == {"notes.txt": "unclaimed"}


def test_a_copy_and_per_log_parts_of_a_table_are_never_added() -> None:
    run = run_of(
        table("metrics.csv", TWO_JOBS),
        table("20250101_000000_metrics_table.csv", TWO_JOBS),
        table("20250101_000000_metrics_a_1002.csv", TWO_JOBS[3:]),
        table("copy_under_another_job_name_metrics.csv", [row | {"job": "metrics"} for row in TWO_JOBS[:3]]),
    )
    assert len(run.steps) == 5
    assert [(j.name, j.first_step, j.last_step, j.rows, j.redone) for j in run.jobs] == [
        ("a_1001", 1, 3, 3, 0),
        ("a_1002", 3, 4, 2, 1),
    ]
    assert sorted(str(note) for note in notes(run).values()) == ["None", "duplicate", "duplicate", "duplicate"]
    assert run.problems == ()


def test_of_several_generations_the_newest_counts() -> None:
    old = [row | {"m": 9.0} for row in TWO_JOBS]
    run = run_of(
        table("20250102_000000_metrics_table.csv", TWO_JOBS),
        table("20250101_000000_metrics_table.csv", old),
        table("20241231_000000_metrics_table.csv", old),
    )
    assert run.steps["m"].max() == 4.7
    assert notes(run) == {
        "20241231_000000_metrics_table.csv": "older",
        "20250101_000000_metrics_table.csv": "older",
        "20250102_000000_metrics_table.csv": None,
    }


def test_the_log_wins_over_the_table_and_a_difference_is_measured() -> None:
    log = [
        table("logs/a_1001.out", TWO_JOBS[:3], precedence=40, reader="log"),
        table("logs/a_1002.out", TWO_JOBS[3:], precedence=40, reader="log"),
    ]
    changed = [row | {"m": row["m"] + (1.0 if row["step"] == 4 else 0.00001)} for row in TWO_JOBS]
    run = run_of(*log, table("metrics.csv", changed))
    assert len(run.steps) == 5
    assert run.steps["m"].max() == 4.7
    assert notes(run)["metrics.csv"] == "lower-precedence"
    (found,) = run.problems
    assert found.kind == "assemble.sources-disagree"
    assert found.what.en == (
        "This source and r/logs/a_1002.out differ for job a_1002: 1 of 2 values, most at step 4 in m"
        " (5.7 here, 4.7 there)."
    )


def test_a_table_fills_in_a_job_whose_log_is_gone() -> None:
    run = run_of(table("logs/a_1002.out", TWO_JOBS[3:], precedence=40), table("metrics.csv", TWO_JOBS))
    assert [(job.name, job.rows) for job in run.jobs] == [("a_1001", 3), ("a_1002", 2)]
    assert notes(run) == {"logs/a_1002.out": None, "metrics.csv": None}
    assert {use.path: use.rows for use in run.sources} == {"r/logs/a_1002.out": 2, "r/metrics.csv": 3}


def test_a_tracker_that_names_its_jobs_otherwise_is_not_added_to_the_log() -> None:
    tracker = [{"job": "tracker", "step": s, "m": 0.5 + s} for s in (2, 3, 4, 5)]
    run = run_of(table("logs/a_1001.out", TWO_JOBS[:3], precedence=40), table("tracker.jsonl", tracker, precedence=20))
    assert [job.name for job in run.jobs] == ["a_1001"]
    (found,) = run.problems
    assert (found.kind, found.path) == ("assemble.steps-only-here", "r/tracker.jsonl")
    assert "Steps of job tracker that r/logs/a_1001.out lacks: 2, the first is step 4." in found.what.en


def test_shortened_job_names_of_the_parser_are_recognised() -> None:
    full = "a-run-with-a-name-of-more-than-thirty-characters_1394836"
    assert same_job("job_139483", [full, "other_1400000"]) == full
    assert same_job("v2_x_139483", [full]) == full
    assert same_job(full[-30:], [full]) == full
    assert same_job("job_139483", [full, "again_1394839"]) == "job_139483"  # two could be meant
    assert same_job("plain", [full]) == "plain"


def test_a_report_gives_steps_only_when_nothing_else_does() -> None:
    published = Published(
        path="r/report.md", metrics={}, timing={}, engines={}, trials=None, checkpoint_step=None, values=()
    )
    report = table("report.md", TWO_JOBS, precedence=10, reader="report", published=published)
    alone = run_of(report)
    assert (alone.steps_from_report, len(alone.steps), alone.published) == (True, 5, published)
    both = run_of(report, table("metrics.csv", TWO_JOBS[:3]))
    assert (both.steps_from_report, len(both.steps)) == (False, 3)
    assert [(use.path, use.used_for, use.note) for use in both.sources] == [
        ("r/metrics.csv", ("steps",), None),
        ("r/report.md", ("published",), None),
    ]


def test_records_of_one_step_with_disjoint_keys_are_one_row() -> None:
    rows = [
        {"job": "a", "step": 1, "x": 1.0},
        {"job": "a", "step": 1, "y": 2.0, "time": 5.0},
        {"job": "a", "step": 2, "x": 3.0},
        {"job": "a", "step": 2, "x": 4.0},
        {"job": "a", "step": 2, "kind": "eval", "e": 1.0},
    ]
    run = run_of(table("a.log", rows))
    train = run.steps[run.steps["kind"] == "train"].sort_values("row")
    assert train["row"].tolist() == [2, 4, 5]
    assert train["x"].tolist() == [1.0, 3.0, 4.0]
    assert np.array_equal(train["y"], [2.0, np.nan, np.nan], equal_nan=True)
    assert train["superseded_last"].tolist() == [0, 1, 0]
    assert len(run.steps) == 4


def test_a_value_logged_as_nan_keeps_records_apart_and_moves_with_a_merge() -> None:
    rows = [{"job": "a", "step": 1, "x": np.nan, "y": 1.0}, {"job": "a", "step": 1, "x": 2.0}]
    bad = make_nonfinite([{"job": "a", "step": 1, "row": 2, "source": "r/a.log", "metric": "x", "value": "nan"}])
    assert len(run_of(table("a.log", rows, nonfinite=bad)).steps) == 2
    assert len(run_of(table("a.log", rows)).steps) == 1
    later = make_nonfinite([{"job": "a", "step": 1, "row": 3, "source": "r/a.log", "metric": "z", "value": "inf"}])
    merged = run_of(table("a.log", rows, nonfinite=later))
    assert merged.nonfinite[["row", "metric", "value"]].to_numpy().tolist() == [[2, "z", "inf"]]


def test_two_clocks_under_one_step_are_no_resume() -> None:
    rows = [{"job": "t", "step": s, "grad": 1.0 * s} for s in (1, 2)] + [{"job": "t", "step": 1, "reward": 0.5}]
    rows += [{"job": "t", "step": s, "grad": 1.0 * s} for s in (3, 4)] + [{"job": "t", "step": 2, "reward": 0.6}]
    run = run_of(table("tracker.jsonl", rows, facts={"two_clocks": True}))
    assert run.steps["step"].tolist() == [1, 2, 3, 4]
    assert run.steps["superseded_last"].sum() == 0
    assert run.steps["reward"].tolist()[:2] == [0.5, 0.6]
    plain = run_of(table("tracker.jsonl", rows))
    assert plain.steps["superseded_last"].sum() > 0


def test_infinite_values_are_listed_and_entries_without_a_record_are_named() -> None:
    rows = [{"job": "a", "step": 1, "m": np.inf}, {"job": "a", "step": 2, "m": 1.0}]
    lost = make_nonfinite([{"job": "a", "step": 9, "row": 99, "source": "r/a.log", "metric": "m", "value": "nan"}])
    run = run_of(table("a.log", rows, nonfinite=lost))
    assert run.nonfinite[["step", "metric", "value"]].to_numpy().tolist() == [[1, "m", "inf"]]
    assert kinds(run) == ["assemble.nonfinite-lost"]


def test_nonfinite_values_of_sources_set_aside_do_not_count() -> None:
    bad = [
        make_nonfinite([{"job": "a_1001", "step": 1, "row": 2, "source": f"r/{name}", "metric": "n", "value": "nan"}])
        for name in ("metrics.csv", "20250101_000000_metrics_table.csv")
    ]
    run = run_of(
        table("metrics.csv", TWO_JOBS, nonfinite=bad[0]),
        table("20250101_000000_metrics_table.csv", TWO_JOBS, nonfinite=bad[1]),
    )
    assert len(run.nonfinite) == 1


def test_jobs_are_ordered_by_start_then_number_then_first_step_then_name() -> None:
    rows = [{"job": "b_2001", "step": 1, "m": 1.0}, {"job": "a_2002", "step": 2, "m": 1.0}]
    assert [job.name for job in run_of(table("m.csv", rows)).jobs] == ["b_2001", "a_2002"]
    clock = [JobRecord(name="b_2001", started=20.0), JobRecord(name="a_2002", started=10.0)]
    assert [job.name for job in run_of(table("m.csv", rows), other("o", jobs=tuple(clock))).jobs] == [
        "a_2002",
        "b_2001",
    ]
    half = run_of(table("m.csv", rows), other("o", jobs=(clock[0],)))
    assert [job.name for job in half.jobs] == ["b_2001", "a_2002"]  # not all have a clock: by number
    steps = [{"job": "late", "step": 5, "m": 1.0}, {"job": "early", "step": 1, "m": 1.0}]
    assert [job.name for job in run_of(table("m.csv", steps)).jobs] == ["early", "late"]
    same = [{"job": name, "step": 1, "m": 1.0} for name in ("v10", "v9")]
    assert [job.name for job in run_of(table("m.csv", same)).jobs] == ["v9", "v10"]
    assert sorted(["r10", "r9", "R1", "r"], key=natural) == ["r", "R1", "r9", "r10"]


def test_ties_and_parallel_jobs_are_problems() -> None:
    rows = [{"job": "x", "step": 1, "m": 1.0}, {"job": "y", "step": 2, "m": 2.0}]
    tied = (JobRecord(name="x", started=1.0), JobRecord(name="y", started=1.0))
    assert kinds(run_of(table("m.csv", rows), other("o", jobs=tied))) == ["assemble.same-start"]
    over = (JobRecord(name="x", started=1.0, finished=9.0), JobRecord(name="y", started=5.0))
    assert kinds(run_of(table("m.csv", rows), other("o", jobs=over))) == ["assemble.parallel-jobs"]
    apart = (JobRecord(name="x", started=1.0, finished=4.0), JobRecord(name="y", started=5.0))
    assert kinds(run_of(table("m.csv", rows), other("o", jobs=apart))) == []


def test_job_records_of_several_sources_complete_each_other() -> None:
    end = JobEnd(cause="crashed", path="r/a.out", line=9, text="boom")
    run = run_of(
        table("a.out", [{"job": "a", "step": 6, "m": 1.0}], precedence=40, jobs=(JobRecord(name="a", end=end),)),
        other("wandb.json", precedence=20, jobs=(JobRecord(name="a", started=5.0, resumed_from=5),)),
        table("c.out", [{"job": "b", "step": 1, "m": 1.0}], precedence=40, jobs=(JobRecord(name="b", started=1.0),)),
    )
    (first, second) = run.jobs
    assert (first.name, second.name, second.started, second.resumed_from) == ("b", "a", 5.0, 5)
    assert second.end == end
    assert second.sources == ("r/a.out", "r/wandb.json")
    assert kinds(run) == ["assemble.gap"]  # steps 2-5 are nowhere


def test_an_end_that_another_source_tells_comes_before_a_guess() -> None:
    guess = JobEnd(cause="crashed", path="r/a.out", line=9, text="ActorDiedError", guessed=True)
    told = JobEnd(cause="cancelled", path="r/wandb.json", line=None, text="exit_code: 255")

    def end(mine: JobEnd, more: JobEnd) -> JobEnd:
        log = table("a.out", [{"job": "a", "step": 1, "m": 1.0}], precedence=40, jobs=(JobRecord(name="a", end=mine),))
        return run_of(log, other("wandb.json", precedence=20, jobs=(JobRecord(name="a", end=more),))).jobs[0].end

    assert end(guess, told) == told
    assert end(told, guess) == told
    assert end(guess, UNKNOWN_END) == guess


def test_jobs_without_steps_are_kept() -> None:
    run = run_of(
        table("a_1001.out", [{"job": "a_1001", "step": 1, "m": 1.0}]),
        other("a_1002.out", jobs=(JobRecord(name="a_1002"),)),
    )
    assert [(job.name, job.rows, job.first_step) for job in run.jobs] == [("a_1001", 1, 1), ("a_1002", 0, None)]


def test_a_run_that_begins_in_the_middle_says_so() -> None:
    rows = [{"job": "a", "step": 23, "m": 1.0}]
    run = run_of(table("a.out", rows, jobs=(JobRecord(name="a", resumed_from=20),)))
    assert kinds(run) == ["assemble.start-missing"]


def test_engine_tables_are_not_added_up_and_follow_the_jobs_names() -> None:
    samples = [{"job": "job_139483", "row": i, "source": "r/v.csv", "time": 1.0 * i, "running": 2.0} for i in (2, 3)]
    engines = make_engines(samples)
    run = run_of(
        table("a.out", [{"job": "name_1394836", "step": 1, "m": 1.0}], precedence=40),
        other("vllm_metrics.csv", precedence=30, engines=engines),
        other("20250101_000000_vllm_metrics_table.csv", precedence=30, engines=engines),
    )
    assert run.engines is not None
    assert run.engines["job"].tolist() == ["name_1394836"] * 2
    assert sorted(str(note) for note in notes(run).values()) == ["None", "None", "duplicate"]


def test_idle_engines_without_a_clock_are_not_copies_of_each_other() -> None:
    idle = [make_engines([{"job": job, "running": 0.0, "waiting": 0.0}] * 2) for job in ("a", "b")]
    run = run_of(
        other("a.log", precedence=40, engines=idle[0]),
        other("b.log", precedence=40, engines=idle[1]),
    )
    assert run.engines is not None
    assert run.engines["job"].tolist() == ["a", "a", "b", "b"]


def test_each_trial_counts_once_and_other_rewards_are_named() -> None:
    best = make_trials([{"trial": "t1", "reward": 1.0}, {"trial": "t2", "reward": np.nan}])
    more = make_trials([{"trial": "t2", "reward": 0.5}, {"trial": "t3", "reward": 0.0}, {"trial": "t1", "reward": 1.0}])
    run = run_of(
        other("result.json", precedence=40, trials=best),
        other("trial_stats.csv", precedence=30, trials=more),
        other("20250101_000000_trial_results.csv", precedence=30, trials=more),
    )
    assert run.trials is not None
    assert sorted(run.trials["trial"]) == ["t1", "t2", "t3"]
    assert run.trials["reward"].isna().sum() == 1
    assert sorted(str(note) for note in notes(run).values()) == ["None", "None", "lower-precedence"]
    assert set(kinds(run)) == {"assemble.trials-disagree"}
    assert "Trials with another reward than in r/result.json: 1, the first is t2 (0.5 here, – there)." in (
        run.problems[0].what.en
    )


def config(path: str, values: Mapping[str, Any], header: str = "") -> RunConfig:
    return RunConfig(path=f"r/{path}", values=values, lines=dict.fromkeys(values, 7), raw="", header=header)


def test_the_configuration_named_for_the_run_counts_and_secrets_do_not_leak_through_the_problem() -> None:
    run = run_of(
        other("rl_config.yaml", precedence=5, config=config("rl_config.yaml", {"hf_token": "aaa", "lr": 1e-6})),
        other("x/config.yaml", precedence=3, config=config("x/config.yaml", {"hf_token": "bbb", "lr": 8e-6})),
        other("y/config.yaml", precedence=3, config=config("y/config.yaml", {"hf_token": "bbb"})),
        other("z/config.yaml", precedence=3, config=config("z/config.yaml", {"hf_token": "aaa", "lr": 1e-6})),
    )
    assert run.config is not None
    assert run.config.path == "r/rl_config.yaml"
    assert notes(run) == {
        "rl_config.yaml": None,
        "x/config.yaml": "lower-precedence",
        "y/config.yaml": "lower-precedence",
        "z/config.yaml": "duplicate",
    }
    assert [found.what.en for found in run.problems] == [
        "Settings that differ from r/rl_config.yaml: 2, for example lr (8e-06 here, 1e-06 there).",
        "Settings that differ from r/rl_config.yaml: 1, for example hf_token (•••• here, •••• there).",
    ]


def test_framework_from_the_reader_from_names_and_from_the_configuration() -> None:
    said = run_of(table("a.csv", [{"job": "a", "step": 1, "m": 1.0}], framework="verl"))
    assert (said.framework, said.framework_guessed) == ("verl", False)
    names = run_of(table("a.csv", [{"job": "a", "step": 1, "actor/pg_loss": 1.0, "critic/score/mean": 0.1}]))
    assert (names.framework, names.framework_guessed) == ("verl", True)
    by_config = run_of(other("c.yaml", config=config("c.yaml", {"terminal_bench.x": 1})))
    assert (by_config.framework, by_config.framework_guessed) == ("skyrl", True)
    unknown = run_of(table("a.csv", [{"job": "a", "step": 1, "m": 1.0}]))
    assert (unknown.framework, unknown.framework_guessed) == (None, False)


def test_exports_and_the_latest_checkpoint() -> None:
    run = run_of(
        other("latest_ckpt_global_step.txt", latest_checkpoint=20),
        other("old/latest_ckpt_global_step.txt", latest_checkpoint=10),
        extra=[
            "exports/global_step_5/policy/model.safetensors",
            "exports/global_step_10/policy/x",
            "x_global_step_9/y",
        ],
    )
    assert (run.exports, run.latest_checkpoint) == ((5, 10), 20)
    assert kinds(run) == ["assemble.latest-checkpoint-disagrees", "scan.unread", "scan.unread"]
    assert run_of(extra=["exports/dumped_evals/x.jsonl"]).exports is None  # every run may have these
    assert run_of(extra=["exports/dumped_evals/x.jsonl", "exports/notes.txt"]).exports == ()
    assert run_of(other("x", export_step=15)).exports == (15,)


def test_documents_card_facts_events_and_problems_are_gathered() -> None:
    card = ModelCard(path="r/README.md", front_matter={}, body="", base_models=(), datasets=(), license=None, tags=())
    inner = replace(card, path="r/x/README.md")
    report = Document(path="r/report.md", kind="report", markdown="# R")
    event = LogEvent(job="b", level="error", shape="s", example="e", count=1, first_line=5, last_line=5, path="r/b.out")
    found = problem("scan.unreadable-file", "r/b.out", None, reason="x")
    run = run_of(
        other("x/README.md", card=inner),
        other("README.md", card=card),
        other("report.md", document=report),
        other("20250101_000000_report.md", document=replace(report, path="r/20250101_000000_report.md")),
        other("b.out", precedence=40, facts={"planned_steps": 80}, events=(event,), problems=(found, found)),
        other("w.json", precedence=20, facts={"planned_steps": 70, "wandb_url": "u"}),
        settings=RunSettings(title="T"),
    )
    assert (run.card, run.title, run.events) == (card, "T", (event,))
    assert len(run.documents) == 1
    assert run.facts == {"planned_steps": 80, "wandb_url": "u"}
    assert run.problems == (found,)


@pytest.mark.parametrize("swap", [False, True])
def test_the_order_of_results_does_not_matter(swap: bool) -> None:
    results = [
        table("logs/a_1001.out", TWO_JOBS[:3], precedence=40),
        table("logs/a_1002.out", TWO_JOBS[3:], precedence=40),
        table("metrics.csv", TWO_JOBS),
    ]
    run = run_of(*(reversed(results) if swap else results))
    assert lineage(run)[["job", "step"]].to_numpy().tolist() == [
        ["a_1001", 1],
        ["a_1001", 2],
        ["a_1002", 3],
        ["a_1002", 4],
    ]
    assert run.steps["superseded_first"].tolist() == [0, 0, 0, 1, 0]


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not beside this repository")
def test_the_parsers_own_output_folder_counts_each_record_once() -> None:
    from sitegen.readers import READERS

    archive = SAMPLES / "parse_skyrl_GENERATED"
    found = scan_archive(archive, SiteSettings()).runs
    folders = {folder.path: with_heads(folder, READERS) for folder in found}
    rows = {}
    for path, folder in folders.items():
        read = [reader.read(file) for file in folder.files if (reader := claimant(file, READERS))]
        run = assemble(folder, read, SiteSettings(), RunSettings(), path)
        engines = 0 if run.engines is None else len(run.engines)
        rows[path] = (len(run.steps), len(lineage(run)), engines, len(run.jobs))
    assert rows == {"agentic": (12, 10, 0, 3), "newer_columns": (0, 0, 0, 0), "standard": (27, 25, 54, 7)}


def test_a_name_that_only_another_frameworks_log_holds_is_told_with_that_framework() -> None:
    own = [{"job": "a", "step": step, "reward/avg_raw_reward": 0.1, "entropy": 0.5} for step in (1, 2, 3)]
    foreign = [{"job": "b", "step": 4, "mismatch/mismatch_kl": 0.2, "entropy": 0.4}]
    run = run_of(table("a.csv", own, framework="skyrl"), table("b.csv", foreign, framework="xtuner"))
    assert run.framework == "skyrl"
    assert run.frameworks == {"mismatch/mismatch_kl": "xtuner"}
    assert (run.framework_of("mismatch/mismatch_kl"), run.framework_of("entropy")) == ("xtuner", "skyrl")
    assert run_of(table("a.csv", own, framework="skyrl")).frameworks == {}
