"""From a raw log and trial folders whose truth is known, every analysis returns the truth."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.model.run import lineage
from tests.truth import engine_truth, step_truth, stories, time_truth, trial_truth
from tests.truth.draw import REWARD, drawn
from tests.truth.folder import ENDS
from tests.truth.reading import Reading, hold, read_back
from tests.truth.stories import job, launch
from tests.truth.story import End, Record, Story

Read = Callable[[Story], Reading]
TOLD = {
    "empty-run": stories.EMPTY,
    "empty-log": stories.EMPTY_LOG,
    "one-row": stories.ONE_ROW,
    "all-nan": stories.ALL_NAN,
    "one-job": stories.ONE_JOB,
    "no-config": stories.NO_CONFIG,
    "overlap": stories.OVERLAP,
    "overlap-first-seen": replace(stories.OVERLAP, overlap_rule="first"),
    "older-branch": stories.OLDER_BRANCH,
    "started-over": stories.STARTED_OVER,
    "restarted-in-one-log": stories.RESTARTED_IN_ONE_LOG,
    "missing-parent-spans": stories.TREE,
    "batches-before-header": stories.BATCHES_FIRST,
    "phases": stories.PHASES,
    "trials": stories.TRIALS,
    "engines": stories.engines([0, 24, 24, 3], [0, 5, 0, 0], 24),
    "engines-of-unknown-size": stories.engines([0, 24, 24, 3], [0, 5, 0, 0], None),
}


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """A story, read back."""
    return lambda story: read_back(story, tmp_path)


def kept(reading: Reading, rule: Literal["last", "first"]) -> list[tuple[str, int]]:
    rows = lineage(reading.run, rule)
    return [(job[-1], step) for job, step in zip(rows["job"], rows["step"], strict=True)]


@pytest.mark.parametrize("name", TOLD)
def test_a_story_is_read_back_as_it_was_told(name: str, read: Read) -> None:
    hold(read(TOLD[name]))


@pytest.mark.timeout(400)  # 12 s where nothing else runs
@pytest.mark.parametrize("jobs", [(0, 1), (2, 2), (3, 3)], ids=["at-most-one-job", "two-jobs", "three-jobs"])
@settings(max_examples=100, deadline=None)  # 300 in all
@given(
    seed=st.integers(0, 10**6),
    further=st.integers(0, 1),
    steps=st.integers(0, 10),
    trials=st.sampled_from((0, 1, 7)),
    samples=st.sampled_from((0, 1, 6)),
)
def test_whatever_happened_every_analysis_returns_the_truth(
    jobs: tuple[int, int], seed: int, further: int, steps: int, trials: int, samples: int
) -> None:
    with tempfile.TemporaryDirectory() as archive:
        hold(read_back(drawn(seed, jobs=jobs[further], steps=steps, trials=trials, samples=samples), Path(archive)))


# Stories told by hand, their numbers worked out on paper


def test_the_final_weights_come_from_the_job_that_went_on(read: Read) -> None:
    found = read(stories.OVERLAP)
    assert kept(found, "last") == [("0", 1), ("0", 2), ("1", 3), ("1", 4), ("1", 5), ("1", 6)]
    assert kept(found, "first") == [("0", 1), ("0", 2), ("0", 3), ("0", 4), ("1", 5), ("1", 6)]
    chosen = found.found.checkpoint
    assert [(one.step, one.exclusion) for one in chosen.candidates] == [(2, "first-save"), (4, None), (6, None)]
    assert [one.ema for one in chosen.candidates] == pytest.approx([0.4 / 3, 0.2925926, 0.4855967])
    assert [(rule, step) for rule, step, _ in chosen.by_rule] == [("last", 6), ("first", 6)]
    assert [level for _, _, level in chosen.by_rule] == pytest.approx([0.4855967, 0.5300412])
    (gap,) = found.found.spending.gaps
    assert (gap.before, gap.after, gap.seconds) == ("truth-run_554400", "truth-run_554401", 3600)
    assert [item.end.cause for item in found.run.jobs] == ["time_limit", "finished"]


def test_a_branch_that_led_nowhere_is_superseded_whole(read: Read) -> None:
    assert kept(read(stories.OLDER_BRANCH), "last") == [*(("0", n) for n in range(1, 9)), ("2", 9), ("2", 10)]


def test_a_run_that_starts_over_keeps_nothing_of_before(read: Read) -> None:
    assert kept(read(stories.STARTED_OVER), "last") == [("1", 1), ("1", 2)]


def test_a_restart_within_one_log_supersedes_its_own_steps(read: Read) -> None:
    found = read(stories.RESTARTED_IN_ONE_LOG)
    assert [value for _, value in sorted(zip(*_lineage(found), strict=True))] == [0.1, 0.1, 0.2, 0.2, 0.2]


def _lineage(found: Reading) -> tuple[list[int], list[float]]:
    rows = lineage(found.run)
    return rows["step"].tolist(), rows[REWARD].tolist()


def test_steps_whose_lines_are_lost_leave_a_gap_that_is_said(read: Read) -> None:
    whole = launch(1, [0.1] * 6)
    cut = replace(whole, records=tuple(replace(one, lost=one.step > 4) for one in whole.records))
    found = read(Story(logs=(job(0, cut), job(1, launch(7, [0.2] * 2, at=7200), begun=7200))))
    assert _lineage(found)[0] == [1, 2, 3, 4, 7, 8]
    hold(found)
    assert "assemble.gap" in {problem.kind for problem in found.run.problems}


def test_what_lies_in_a_span_that_was_not_recorded_lies_in_the_next_one(read: Read) -> None:
    time = read(stories.TREE).found.timing
    spans = {span.name: span for span in time.spans}
    assert [span.name for span in time.spans] == [
        *("step", "wait_for_generation_buffer", "policy_train", "unattributed", "eval", "cleanup_old_checkpoints")
    ]
    assert (spans["policy_train"].parent, spans["policy_train"].depth) == ("step", 1)
    wait = spans["wait_for_generation_buffer"]
    assert (wait.share_of_step, wait.total_share) == pytest.approx(((0.75 + 0.5 + 0.6) / 3, 410 / 600))
    rest = spans["unattributed"]
    assert (rest.mean_s, rest.share_of_step, rest.total_share) == pytest.approx((40, 0.2875, 160 / 700))
    assert (time.total_step_s, time.median_step_s, time.cold_start_s) == (700, 100, 300)
    (slow,) = time.slowest
    assert (slow.step, slow.main_span) == (1, "wait_for_generation_buffer")


def test_what_a_run_cost(read: Read) -> None:
    spent = read(stories.TREE).found.spending
    assert (spent.outside_s, spent.gpu_hours, spent.cost, spent.currency) == (10, 7, 70, None)


def test_batches_before_a_header_are_of_its_step(read: Read) -> None:
    told = read(stories.BATCHES_FIRST)
    table = told.run.batches
    columns = ["step", "batches", "instances", "successful", "failed", "masked"]
    assert table[columns].to_numpy().tolist() == [[1, 1, 8, 7, 1, 0], [2, 2, 16, 11, 1, 4]]
    assert table["exception/DaytonaError"].tolist() == [0, 4]
    assert table["exception/AgentTimeoutError"].tolist() == [1, 1]
    met = told.found.batch_exceptions
    assert (met.steps, met.attempted, met.exceptions) == (2, 24, 6)
    assert met.by_type == {"AgentTimeoutError": 2, "DaytonaError": 4}


def test_an_evaluation_before_training_is_no_step_in_the_old_logs_either(read: Read) -> None:
    before = stories.record(0, {"eval/all/avg_score": 0.25}, 1, kind="eval")
    steps = launch(1, [0.5, 0.75], at=60)
    after = stories.record(2, {"eval/all/avg_score": 0.375}, 200, kind="eval")
    chain = replace(steps, records=(before, *steps.records, after))
    found = read(Story(logs=(job(0, chain, form="legacy", end="finished"),)))
    hold(found)
    assert (found.found.facts.steps_done, found.found.facts.rows) == (2, 2)
    (held_out,) = found.found.evaluations
    (score,) = held_out.metrics
    assert (held_out.name, score.first_step, score.last_step, score.count) == ("all", 0, 2, 2)


def test_phases_are_where_the_level_changes(read: Read) -> None:
    told = read(stories.PHASES).found.progress
    assert [(phase.kind, phase.first_step, phase.last_step) for phase in told.phases] == [
        ("cold-start", 1, 3),
        ("plateau", 4, 23),
        ("dip", 24, 26),
        ("plateau", 27, 46),
        ("climb", 47, 60),
    ]
    assert [phase.mean for phase in told.phases] == pytest.approx(
        [0.2 + 0.002 / 3, 0.5, 0.3 + 0.002 / 3, 0.5, 0.8], abs=1e-3
    )
    (dip,) = told.dips
    assert (dip.job, dip.before_step, dip.step, dip.after_step) == ("truth-run_554401", 23, 24, 28)


def test_trials_by_exception_task_half_and_phase(read: Read) -> None:
    found = read(stories.TRIALS).found
    told = found.trials
    assert (told.total, told.graded, told.successes, told.success_rate, told.long_tail) == (6, 4, 2, 0.5, 1)
    assert (told.turns.mean, told.turns.median, told.turns.count) == (4, 2, 5)
    assert [(one.name, one.count, one.treatment, one.listed_twice) for one in told.exceptions] == [
        ("none", 3, None, False),
        ("AgentTimeoutError", 1, "passthrough", True),
        ("DaytonaError", 1, "mask", False),
        ("Odd{}Error", 1, "zero", False),
    ]
    assert [(task.task, task.attempts, task.graded, task.solved) for task in told.tasks] == [
        *(("a", 3, 3, 2), ("b", 2, 1, 0), ("c", 1, 0, 0))
    ]
    assert (told.never_solved, told.always_solved, told.sometimes_solved) == (1, 0, 1)
    assert (told.input_tokens, told.token_counts.input, told.cost_usd) == (400, 2, None)
    passed = found.funnel
    assert (passed.attempted, passed.finished, passed.graded, passed.solved) == (6, 4, 4, 2)
    assert dict(passed.missing) == {"trained_on": "not-logged"}
    assert found.halves.split == stories.BEGIN + 510
    assert [(task.task, task.early_graded, task.early_solved, task.late_graded) for task in found.halves.tasks] == [
        *(("a", 3, 2, 0), ("b", 0, 0, 1))
    ]
    rest = found.trial_phases.phases[-1]
    assert (rest.name, rest.share, found.trial_phases.compared) == ("unattributed", pytest.approx(0.2), 2)


def test_engines_are_judged_by_intervals(read: Read) -> None:
    found = read(stories.engines([0, 24, 24, 3], [0, 5, 0, 0], 24)).found
    running = found.engines.overall.fields[0]
    assert (running.mean, running.active_mean, running.max) == (12.75, 17, 24)
    assert (found.engines.engines, found.engines.hidden_repeats, found.engines.overall.idle_share) == (2, 2, 0.25)
    verdict = found.verdict
    assert (verdict.verdict, verdict.active, verdict.full_share) == ("bursts", 3, pytest.approx(1 / 3))


@pytest.mark.parametrize(
    ("running", "waiting", "slots", "verdict", "reason"),
    [
        ([24, 23, 2], [1, 4, 0], 24, "saturated", None),
        ([24, 24, 2], [1, 0, 0], 24, "bursts", None),
        ([3, 4, 24], [0, 0, 0], 24, "starved", None),
        ([13, 14, 24], [0, 0, 0], 24, "balanced", None),
        ([0, 0], [0, 0], 24, None, "never-active"),
        ([24, 24], [9, 9], None, None, "unknown-limit"),
    ],
)
def test_a_verdict_has_its_rule(
    running: list[int], waiting: list[int], slots: int | None, verdict: str | None, reason: str | None, read: Read
) -> None:
    told = read(stories.engines(running, waiting, slots)).found.verdict
    assert (told.verdict, told.reason) == (verdict, reason)


@pytest.mark.parametrize("end", [*ENDS, "unknown"])
def test_what_ended_a_job(end: End, read: Read) -> None:
    whole = launch(1, [0.5, 0.5])
    if end == "sandbox_failure":
        outage = stories.batch(0, masked=8, DaytonaError=8)
        whole = replace(whole, records=(whole.records[0], replace(whole.records[1], batches=(outage,))))
    found = read(Story(logs=(job(0, whole, end=end, survived=True),)))
    (told,) = found.run.jobs
    assert told.end.cause == end
    hold(found)


# The checks themselves


def _with_log(story: Story, **changes: Any) -> Story:
    return replace(story, logs=(replace(story.logs[0], **changes), *story.logs[1:]))


def _with_trial(story: Story, **changes: Any) -> Story:
    return replace(story, trials=(replace(story.trials[0], **changes), *story.trials[1:]))


def _with_record(story: Story, **changes: Any) -> Story:
    """The last step of the last job told otherwise; the record is another one, so its line is not known."""
    last = story.logs[-1].launches[-1]
    record: Record = replace(last.records[-1], **changes)
    return replace(
        story,
        logs=(
            *story.logs[:-1],
            replace(story.logs[-1], launches=(replace(last, records=(*last.records[:-1], record)),)),
        ),
    )


WRONG: dict[str, tuple[Story, Callable[[Story], Story]]] = {
    "rule": (stories.OVERLAP, lambda story: replace(story, overlap_rule="first")),
    "reward": (stories.OVERLAP, lambda story: _with_record(story, values={REWARD: 0.61, "trainer/global_step": 6})),
    "alpha": (stories.OVERLAP, lambda story: replace(story, alpha=0.5)),
    "interval": (stories.OVERLAP, lambda story: replace(story, run_interval=3)),
    "exports": (stories.OVERLAP, lambda story: replace(story, exports=(6,))),
    "latest": (stories.OVERLAP, lambda story: replace(story, latest_checkpoint=5)),
    "end": (stories.OVERLAP, lambda story: _with_log(story, end="cancelled")),
    "clock": (stories.OVERLAP, lambda story: _with_log(story, finished=stories.BEGIN + 1)),
    "price": (stories.TREE, lambda story: replace(story, price=11.0)),
    "gpus": (stories.TREE, lambda story: replace(story, gpus=35)),
    "spans": (stories.TREE, lambda story: _with_record(story, values={"timing/step": 100.0, REWARD: 0.5})),
    "batches": (stories.BATCHES_FIRST, lambda story: _with_record(story, batches=(stories.batch(8),))),
    "threshold": (stories.TRIALS, lambda story: replace(story, threshold=1.0)),
    "treatment": (stories.TRIALS, lambda story: replace(story, config=None)),
    "trial": (stories.TRIALS, lambda story: replace(story, trials=story.trials[1:])),
    "phase": (stories.TRIALS, lambda story: _with_trial(story, phases={})),
    "sample": (TOLD["engines"], lambda story: _with_log(story, samples=story.logs[0].samples[1:])),
    "slots": (TOLD["engines"], lambda story: replace(story, config={"generator.max_num_seqs": 25})),
}  # fmt: skip
"""A story, and the same with one thing told wrongly."""


@pytest.mark.parametrize("name", WRONG)
def test_a_story_told_wrongly_is_noticed(name: str, read: Read) -> None:
    story, wrongly = WRONG[name]
    found = read(story)
    hold(found)
    told = wrongly(story)
    places = dict(found.places)
    old, new = ([record for log in one.logs for record in log.records] for one in (story, told))
    places |= {id(record): places[id(before)] for before, record in zip(old, new, strict=True)}
    with pytest.raises(AssertionError):
        hold(replace(found, story=told, places=places))


def test_seeds_tell_of_everything() -> None:
    told = [drawn(seed, jobs=3, steps=10, trials=7, samples=6) for seed in range(150)]
    logs = [log for story in told for log in story.logs]
    assert {log.end for log in logs} == {*ENDS, "unknown"}
    assert {log.form for log in logs} == {"mirror", "legacy"}
    records = [record for log in logs for chain in log.launches for record in chain.records]
    assert {(record.kind, record.lost, record.parts) for record in records} >= {("eval", False, 1), ("train", True, 1)}
    chosen = [step_truth.checkpoint(story) for story in told]
    assert {one["reason"] for one in chosen} == {None, "no-reward", "no-interval", "no-candidate"}
    assert {one["interval_source"] for one in chosen} >= {"config", "exports", "export times", "run.toml", None}
    reasons = {row["exclusion"] for one in chosen for row in one["candidates"]}
    assert reasons == {None, "first-save", "after-latest-checkpoint", "not-exported", "no-reward", "not-a-multiple"}
    assert any(one["by_rule"][0][1:] != one["by_rule"][1][1:] for one in chosen)
    spans = {span["name"] for story in told for span in (time_truth.timing(story) or {"spans": []})["spans"]}
    assert spans >= {"unattributed", "overlap", "polish_the_brass"}
    status = {time_truth.facts(story)["status"] for story in told}
    assert status == {"finished", "failed", "stopped-early", "no-steps"}
    verdicts = [engine_truth.verdict(story) or {"verdict": ""} for story in told]
    assert {one["verdict"] for one in verdicts} >= {None, "saturated", "bursts", "starved", "balanced"}
    assert any(step_truth.stability(story)["spikes"] for story in told)
    assert {(trial_truth.halves(story))["reason"] for story in told} >= {None, "no-times"}


def imported(module: Path) -> set[str]:
    """Top-level packages that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
    return names


def test_the_truth_is_worked_out_without_the_code_that_it_judges() -> None:
    modules = {path.stem: imported(path) for path in Path(__file__).parent.glob("*.py")}
    assert {name for name, found in modules.items() if "sitegen" in found} == {"reading", "test_truth"}
    assert not any({"numpy", "pandas"} & found for found in modules.values())
