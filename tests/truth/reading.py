"""Reads a story back through the whole pipeline, and holds every analysis against the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitegen.analyse.per_log import per_log
from sitegen.analyse.run_analysis import RunAnalysis, analyse
from sitegen.model.roles import direction_of
from sitegen.model.run import Run
from sitegen.run_work import find_runs, read_run
from sitegen.settings import SiteSettings
from tests.truth import engine_truth, lineage_truth, step_truth, time_truth, trial_truth
from tests.truth.agree import agree
from tests.truth.folder import Places, write
from tests.truth.story import Story

TREND_WITHIN = 2e-3
"""Student's t is an expansion on one side and an integral on the other."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """A story as it was read back."""

    story: Story
    run: Run
    found: RunAnalysis
    places: Places


def read_back(story: Story, archive: Path) -> Reading:
    """Writes the story and runs scan, readers, assembly and analysis on it."""
    places = write(story, archive)
    site = SiteSettings(
        overlap_rule=story.overlap_rule,
        ema_alpha=story.alpha,
        success_threshold=story.threshold,
        gpu_hour_price=story.price,
        currency=story.currency,
        save_interval=story.site_interval,
    )
    (task,) = find_runs(archive, site).tasks
    run = read_run(task, site)
    return Reading(story=story, run=run, found=analyse(run, site), places=places)


def hold(reading: Reading) -> None:
    """Every analysis of the story against the truth."""
    for check in (_rows, _metrics, _curves, _checkpoint, _progress, _course, _time, _jobs, _trials, _engines, _batches):
        check(reading)


def _rows(reading: Reading) -> None:
    """Each record at its line, kept or superseded under both rules."""
    names = ["job", "kind", "step", "row", "superseded_last", "superseded_first"]
    found = sorted(reading.run.steps[names].itertuples(index=False, name=None))
    true = sorted(
        (row.job, row.record.kind, row.step, reading.places[id(row.record)], *map(int, row.superseded))
        for row in lineage_truth.rows(reading.story)
    )
    agree(found, true, "rows")


def _metrics(reading: Reading) -> None:
    found = {(metric.kind, metric.name): metric for metric in reading.found.metrics}
    true = step_truth.metric_table(reading.story)
    assert sorted(found) == sorted(true)
    for key, values in true.items():
        agree(found[key], values, str(key), apart=("name", "kind"))
    logs = {log.job: log for log in per_log(reading.run)}
    assert list(logs) == list(step_truth.per_log(reading.story))
    for job, log in step_truth.per_log(reading.story).items():
        agree(logs[job], log, job, apart=("job",))


def _curves(reading: Reading) -> None:
    names = lineage_truth.metrics(lineage_truth.train(reading.story))
    assert sorted(curve.metric for curve in reading.found.curves) == sorted(names)
    for curve in reading.found.curves:
        true = step_truth.curve(reading.story, curve.metric, direction_of(curve.metric))
        off = sorted(zip(curve.superseded_step.tolist(), curve.superseded_raw.tolist(), strict=True))
        agree(off, true.pop("superseded"), f"{curve.metric} superseded")
        agree(curve, true, curve.metric, apart=("metric", "superseded_step", "superseded_raw"))


def _checkpoint(reading: Reading) -> None:
    agree(reading.found.checkpoint, step_truth.checkpoint(reading.story), "checkpoint")


def _progress(reading: Reading) -> None:
    """Phases, dips and transients are told by the named stories."""
    found, true = reading.found.progress, step_truth.progress(reading.story)
    if found is None or true is None:
        assert (found, true) == (None, None)
        return
    trend = true.pop("trend")
    agree(found, true, "progress", apart=("phases", "dips", "transients", "trend"))
    if trend is None or found.trend is None:
        assert (found.trend, trend) == (None, None)
        return
    low, high = trend.pop("low"), trend.pop("high")
    agree(found.trend, trend, "trend", apart=("low", "high"))
    allowed = TREND_WITHIN * (high - low) / 2 + 1e-12
    assert abs(found.trend.low - low) <= allowed
    assert abs(found.trend.high - high) <= allowed


def _course(reading: Reading) -> None:
    story, found = reading.story, reading.found
    agree(found.stability, step_truth.stability(story), "stability")
    agree(found.freshness, step_truth.freshness(story), "freshness")
    sets = {each.name: {metric.metric: metric for metric in each.metrics} for each in found.evaluations}
    agree(sets, step_truth.evaluations(story), "evaluations")


def _time(reading: Reading) -> None:
    agree(reading.found.timing, time_truth.timing(reading.story), "timing")
    agree(reading.found.spending, time_truth.spending(reading.story), "spending")


def _jobs(reading: Reading) -> None:
    true = time_truth.jobs(reading.story)
    ends = [job.pop("end") for job in true]
    assert [job.end.cause for job in reading.run.jobs] == ends
    for job, values in zip(reading.run.jobs, true, strict=True):
        agree(job, values, job.name, apart=("end", "sources"))
    agree(reading.found.facts, time_truth.facts(reading.story), "facts")


def _trials(reading: Reading) -> None:
    story, found = reading.story, reading.found
    agree(found.trials, trial_truth.summary(story), "trials")
    agree(found.funnel, trial_truth.funnel(story), "funnel")
    agree(found.halves, trial_truth.halves(story), "halves")
    agree(found.trial_phases, trial_truth.phases(story), "phases")


def _engines(reading: Reading) -> None:
    agree(reading.found.engines, engine_truth.summary(reading.story), "engines")
    agree(reading.found.verdict, engine_truth.verdict(reading.story), "verdict")


def _batches(reading: Reading) -> None:
    """Counts by job and step; of an exception that a job never had there is no number."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    table = reading.run.batches
    for row in [] if table is None else table.to_dict("records"):
        sums = found.setdefault((row["job"], row["step"]), {})
        for name, count in _counts(row).items():
            sums[name] = sums.get(name, 0) + count
    agree(found, step_truth.batches(reading.story), "batches")
    agree(reading.found.batch_exceptions, step_truth.batch_exceptions(reading.story), "exceptions of batches")


def _counts(row: Mapping[Any, Any]) -> dict[str, float]:
    fixed = ("batches", "instances", "successful", "failed", "masked")
    return {name: row[name] for name in row if name in fixed or (name.startswith("exception/") and row[name] > 0)}
