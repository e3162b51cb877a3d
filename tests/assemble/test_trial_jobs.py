"""Trials of a run: which source counts, which reward is the reward, and what batches say otherwise."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sitegen.assemble import assemble
from sitegen.model.run import ReadResult, Run, RunFolder, RunSettings, SourceFile, TrialJob
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.factories import make_trials

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
Rows = Sequence[Mapping[str, Any]]


def trials(source: str, rows: Rows, *, precedence: int = 35) -> ReadResult:
    table = make_trials([{"source": f"r/{source}", "row": 1} | dict(row) for row in rows])
    return ReadResult(reader="t", source=f"r/{source}", precedence=precedence, trials=table, rows=len(table))


def job(source: str, **fields: Any) -> ReadResult:
    given = {"total": None, "finished": None, "unfinished": None, "cancelled": None, "retries": None}
    said = TrialJob(**{**given, "ended": True, "rewards": {}, "exceptions": {}, **fields})
    return ReadResult(reader="harbor_job", source=f"r/{source}", precedence=0, trial_job=said, rows=1)


def run_of(*results: ReadResult, **site: Any) -> Run:
    files = tuple(SourceFile(path=result.source, location=Path(), size=1) for result in results)
    folder = RunFolder(path="r", name="r", location=Path(), files=files)
    return assemble(folder, results, SiteSettings(**site), RunSettings(), "r")


def said(run: Run) -> dict[str, str]:
    """What is said of trials, beside that only their results are read."""
    return {found.kind: found.what.en for found in run.problems if found.kind != "scan.trial-folders"}


TWO = [{"trial": "a__1", "reward": 1.0, "reward/reward": 1.0}, {"trial": "b__2", "reward": 0.0, "reward/reward": 0.0}]


def test_folders_and_the_table_made_from_them_are_merged_trial_by_trial() -> None:
    table = [{"trial": "a__1", "reward": 0.25}, {"trial": "b__2", "reward": 0.0}, {"trial": "c__3", "reward": 0.5}]
    run = run_of(trials("x_trial_results.csv", table, precedence=30), trials("trace_jobs/*/result.json", TWO))
    assert run.trials is not None
    rewards = dict(zip(run.trials["trial"], run.trials["reward"], strict=True))
    assert rewards == {"a__1": 1.0, "b__2": 0.0, "c__3": 0.5}
    assert said(run) == {
        "assemble.trials-disagree": "Trials with another reward than in r/trace_jobs/*/result.json: 1, "
        "the first is a__1 (0.25 here, 1 there)."
    }


def test_rows_without_a_trial_name_are_not_counted_beside_the_folders() -> None:
    table = [{"task": "task", "reward": 1.0}, {"task": "elsewhere", "reward": 1.0}]
    run = run_of(trials("trial_stats.csv", table, precedence=30), trials("trace_jobs/*/result.json", TWO))
    assert run.trials is not None
    assert sorted(run.trials["task"]) == ["elsewhere", "task", "task"]
    assert list(said(run)) == ["assemble.trials-nameless"]


def test_a_job_with_as_many_results_as_it_counts_says_nothing() -> None:
    run = run_of(job("j/result.json", total=2, finished=2), trials("j/*/result.json", TWO))
    assert run.problems == ()
    assert [use.used_for for use in run.sources] == [("trials",), ("trials",)]


def test_a_job_tells_by_how_much_its_folders_differ() -> None:
    exceptions = {"a__1": "E", "missing__9": "E"}
    rows = [{"trial": "a__1", "exception": "E"}, {"trial": "b__2", "exception": "CancelledError"}]
    run = run_of(
        job("j/result.json", total=10000, finished=64, exceptions=exceptions),
        trials("j/*/result.json", rows),
        trials("other/*/result.json", [{"trial": "z__1"}]),
    )
    assert said(run) == {
        "harbor.job-counts-others": "The job counts 64 finished trials of 10,000; results in its folder: 2. "
        "It names 1 trials that have no result here, and not 1 that have."
    }


def test_a_job_that_was_stopped_says_how_many_of_its_trials_have_a_result() -> None:
    run = run_of(job("j/result.json", total=5, finished=2), trials("j/*/result.json", TWO))
    assert said(run) == {"harbor.job-incomplete": "The job planned 5 trials, of which 2 have a result."}


def test_a_job_without_any_folder_is_counted_against_none() -> None:
    run = run_of(job("j/result.json", total=3, finished=3))
    assert run.trials is None
    assert "results in its folder: 0" in said(run)["harbor.job-counts-others"]


def test_rewards_and_exceptions_that_differ_from_the_job_are_named_once_per_trial() -> None:
    rewards = {"a__1": {"reward": 1.0}, "b__2": {"reward": 0.5}}
    run = run_of(
        job("j/result.json", total=2, finished=2, rewards=rewards, exceptions={"b__2": "E"}),
        trials("j/*/result.json", TWO),
    )
    assert said(run) == {
        "harbor.job-disagrees": "Trials of which the job and their own results say different things: 1, "
        "the first is b__2 (E here, – there)."
    }


SEVERAL = [
    {"trial": "a__1", "reward/accuracy": 0.75, "reward/style": 0.5},
    {"trial": "b__2", "reward/accuracy": math.nan, "reward/style": 0.25},
]


def test_several_keys_and_none_named_leave_trials_ungraded_and_say_so() -> None:
    run = run_of(trials("j/*/result.json", SEVERAL))
    assert run.trials is not None
    assert run.trials["reward"].isna().all()
    assert said(run) == {
        "harbor.no-primary-reward": "Trials with several reward keys and none that is the reward: 2 "
        "(keys: accuracy, style)."
    }


def test_the_sites_key_grades_trials_that_have_it() -> None:
    table = [{"trial": "c__3", "reward": 1.0}]
    run = run_of(trials("x.csv", table, precedence=30), trials("j/*/result.json", SEVERAL), reward_key="accuracy")
    assert run.trials is not None
    graded = dict(zip(run.trials["trial"], run.trials["reward"], strict=True))
    assert (graded["a__1"], graded["c__3"]) == (0.75, 1.0)
    assert math.isnan(graded["b__2"])
    assert list(said(run)) == ["harbor.no-primary-reward"]


def test_a_site_key_that_no_trial_has_changes_nothing() -> None:
    run = run_of(trials("j/*/result.json", TWO), reward_key="elsewhere")
    assert run.trials is not None
    assert (run.trials["reward"].tolist(), run.problems) == ([1.0, 0.0], ())


def test_rewards_from_different_keys_are_not_passed_over_in_silence() -> None:
    other = [{"trial": "c__3", "reward": 0.5, "reward/accuracy": 0.5}]
    run = run_of(trials("a/*/result.json", TWO), trials("b/*/result.json", other))
    assert said(run) == {"harbor.reward-keys-differ": "The reward is accuracy here and reward in r/a/*/result.json."}


def test_a_trial_that_is_still_running_is_counted_and_no_row(tmp_path: Path) -> None:
    for name in ("done__aaaaaaa", "runs__bbbbbbb"):
        (tmp_path / "run" / "trace_jobs" / name / "agent").mkdir(parents=True)
        (tmp_path / "run" / "trace_jobs" / name / "config.json").write_text("{}")
    record = json.dumps({"trial_name": "done__aaaaaaa", "verifier_result": {"rewards": {"reward": 1}}})
    (tmp_path / "run" / "trace_jobs" / "done__aaaaaaa" / "result.json").write_text(record)
    (task,) = find_runs(tmp_path, SiteSettings()).tasks
    run = read_run(task, SiteSettings())
    assert run.trials is not None
    assert run.trials["trial"].tolist() == ["done__aaaaaaa"]
    assert said(run) == {"harbor.unfinished": "Trial folders without a result: 1 (runs__bbbbbbb)."}
    assert [(use.path, use.rows) for use in run.sources] == [("run/trace_jobs/*/result.json", 1)]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_the_interrupted_sample_job_differs_from_its_folders_by_this_much() -> None:
    (task,) = find_runs(SAMPLES / "harbor", SiteSettings()).tasks
    found = [item.what.en for item in read_run(task, SiteSettings()).problems if item.kind.startswith("harbor.job")]
    assert found == [
        "The job planned 9 trials, of which 7 have a result.",
        "The job counts 64 finished trials of 10,000; results in its folder: 24. "
        "It names 52 trials that have no result here, and not 12 that have.",
    ]
