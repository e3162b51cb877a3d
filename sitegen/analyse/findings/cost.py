"""Rules about time: waiting, cold start, slow and re-done steps, gaps between jobs, how the last job ended."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.analyse.findings.finding import (
    Evidence,
    Match,
    Rule,
    Severity,
    Subject,
    Value,
    count,
    name,
    seconds,
    share,
    words,
)
from sitegen.analyse.findings.progress import slow_before
from sitegen.analyse.findings.saves import state_interval
from sitegen.analyse.findings.thresholds import COLD_MEDIANS, COSTLY_SHARE, GAP_SECONDS, WAIT_SHARE
from sitegen.analyse.timing import Timing
from sitegen.model.run import train_rows
from sitegen.text import Text, same, ui


def _evidence(subject: Subject, timing: Timing, *spans: str) -> Evidence:
    metrics = {span.name: span.metric for span in timing.spans}
    return Evidence(table="steps", metrics=(timing.step_metric, *(metrics[span] for span in spans)), rows=timing.rows)


def generation_bound(subject: Subject) -> Match | None:
    """More than half of the step is waiting for generation."""
    timing = subject.analysis.timing
    if timing is None or timing.wait_span is None:
        return None
    waiting = next(span for span in timing.spans if span.name == timing.wait_span)
    root = timing.spans[0]
    if waiting.share_of_step is None or waiting.share_of_step < WAIT_SHARE.value:
        return None
    values = {
        "share": share(waiting.share_of_step),
        "total": share(waiting.mean_s / root.mean_s),
        "wait": seconds(waiting.mean_s),
        "step": seconds(root.mean_s),
        "span": name(waiting.metric),
        "top": name(timing.step_metric),
        "rows": count(waiting.count),
    }
    verdict = subject.analysis.verdict
    form = verdict.verdict if verdict and verdict.verdict in ("starved", "saturated") else ""
    return Match(values=values, evidence=_evidence(subject, timing, waiting.name), form=form)


def cold_start(subject: Subject) -> Match | None:
    """The first steps took several times as long as the median step.

    Counted over all records in the order in which they were logged: a cold step that a later job trained again took
    its time too.
    """
    timing = subject.analysis.timing
    if timing is None:
        return None
    records = train_rows(subject.run)
    taken = _finite(records, timing.step_metric)
    slow = taken > COLD_MEDIANS.value * timing.median_step_s
    steps = int(np.argmin(slow)) if not slow.all() else 0
    if not steps or np.isfinite(taken).sum() < 10:
        return None
    off = int((records[f"superseded_{subject.run.overlap_rule}"].to_numpy()[:steps] != 0).sum())
    lost = float(taken[:steps].sum()) - steps * timing.median_step_s
    part = lost / timing.total_step_s
    values = {
        "n": count(steps),
        "first": seconds(float(taken[0])),
        "median": seconds(timing.median_step_s),
        "lost": seconds(lost),
        "part": share(part),
    }
    wait = _first_wait(timing, records)
    form = "wait" if wait is not None else ""
    if wait is not None:
        values["wait"] = share(wait)
    if off:
        values["off"] = count(off)
        form = f"{form}-off".removeprefix("-")
    severity: Severity = "warn" if part >= COSTLY_SHARE.value else "info"
    spans = (timing.wait_span,) if wait is not None and timing.wait_span else ()
    return Match(values=values, evidence=_evidence(subject, timing, *spans), severity=severity, form=form)


def _finite(rows: pd.DataFrame, metric: str) -> NDArray[np.float64]:
    """A column as numbers, NaN for what is not finite."""
    values = rows[metric].to_numpy(dtype="float64")
    return np.where(np.isfinite(values), values, np.nan)


def _first_wait(timing: Timing, records: pd.DataFrame) -> float | None:
    """Share of the first record that was waiting for generation; None when not logged."""
    metric = next((span.metric for span in timing.spans if span.name == timing.wait_span), None)
    if metric is None:
        return None
    step, wait = float(records[timing.step_metric].iloc[0]), float(records[metric].iloc[0])
    return wait / step if math.isfinite(wait) and step > 0 else None


def slow_steps(subject: Subject) -> Match | None:
    """Single steps took several medians, beyond the cold start and what another finding names."""
    timing = subject.analysis.timing
    if timing is None:
        return None
    curve = subject.analysis.curve(timing.step_metric)
    if curve is None or len(curve.step) < 10:
        return None
    normal = np.flatnonzero(~(curve.raw > COLD_MEDIANS.value * timing.median_step_s))
    after = int(curve.step[normal[0]]) if len(normal) else 0
    progress = subject.analysis.progress
    named = {slow.step for item in (progress.transients if progress else ()) if (slow := slow_before(subject, item))}
    found = [
        slow
        for slow in timing.slowest
        if slow.seconds > COLD_MEDIANS.value * timing.median_step_s and slow.step > after and slow.step not in named
    ]
    if not found:
        return None
    top = found[0]
    values = {
        "n": count(len(found)),
        "step": count(top.step),
        "seconds": seconds(top.seconds),
        "median": seconds(timing.median_step_s),
    }
    if top.main_span is None:
        return Match(values=values, evidence=_evidence(subject, timing))
    values["span"] = name(top.main_span)
    return Match(values=values, evidence=_evidence(subject, timing, top.main_span), form="span")


MOST_OF_IT = 0.8
"""One record of several that holds at least this part of the re-done time is named."""
CLOSE_SAVES = 2
"""State saved at least every so many steps is saved about as often as it can be."""
STEPS_NAMED = 4
"""At most so many steps are listed by number."""


def redone_steps(subject: Subject) -> Match | None:
    """Steps were trained twice, because a job resumed from an earlier save."""
    rows = subject.run.steps
    off = rows[((rows["kind"] == "train") & (rows[f"superseded_{subject.run.overlap_rule}"] != 0)).to_numpy()]
    steps = sorted({int(step) for step in off["step"]})
    if not steps:
        return None
    values: dict[str, Value] = {
        "n": count(len(off)),
        "steps": words(",".join(map(str, steps)), _listed(steps)),
        "saving": _saving(subject, len(off)),
    }
    form = "one" if len(steps) == 1 else "many"
    timing = subject.analysis.timing
    evidence = Evidence(table="steps", metrics=("step",), first_step=steps[0], last_step=steps[-1], rows=len(off))
    if timing is None or not timing.redone_s:
        return Match(values=values, evidence=evidence, form=form)
    part = timing.redone_s / timing.total_step_s
    values |= {"lost": seconds(timing.redone_s), "part": share(part)}
    severity: Severity = "warn" if part >= COSTLY_SHARE.value else "info"
    form = f"{form}-time"
    taken = _finite(off, timing.step_metric)
    top = int(np.nanargmax(taken))
    if len(off) > 1 and timing.redone_s > 0 and taken[top] >= MOST_OF_IT * timing.redone_s:
        values |= {
            "top": count(int(off["step"].iloc[top])),
            "top_s": seconds(float(taken[top])),
            "top_part": share(float(taken[top]) / timing.redone_s),
        }
        form = f"{form}-top"
    return Match(values=values, evidence=evidence, form=form, severity=severity)


def _saving(subject: Subject, records: int) -> Value:
    """Whether saving state more often could have lost less: not where it is saved every step or every other one.

    A job that ends between two saves loses the steps since the last one: with a save every k steps, up to k a change.
    """
    interval = state_interval(subject.run)
    if interval is None:
        return words("unknown", ui("finding.saving.unknown"))
    kind = "close" if interval <= CLOSE_SAVES else "often"
    return words(f"{kind} {interval}", ui(f"finding.saving.{kind}", interval=same(f"{interval:,}")))


def _listed(steps: list[int]) -> Text:
    shown = [f"{step:,}" for step in steps[:STEPS_NAMED]]
    more = len(steps) - len(shown)
    english = ", ".join(shown) if more or len(shown) < 2 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return Text(
        english + (f" and {more} more" if more else ""), "、".join(shown) + (f" 等 {len(steps)}" if more else "")
    )


def job_gap(subject: Subject) -> Match | None:
    """GPUs may have stood idle between jobs."""
    spent = subject.analysis.spending
    if spent is None or not spent.gaps:
        return None
    gap = max(spent.gaps, key=lambda item: item.seconds)
    idle = sum(item.seconds for item in spent.gaps)
    if idle < GAP_SECONDS.value:
        return None
    values = {"idle": seconds(idle), "n": count(len(spent.gaps)), "gap": seconds(gap.seconds), "job": name(gap.after)}
    return Match(
        values=values, evidence=Evidence(table="jobs", metrics=("started", "finished"), rows=len(spent.gaps) + 1)
    )


def time_outside(subject: Subject) -> Match | None:
    """Saving, exporting and evaluating took a tenth of the step time or more."""
    spent, timing = subject.analysis.spending, subject.analysis.timing
    if spent is None or timing is None or spent.outside_s is None or timing.total_step_s <= 0:
        return None
    if spent.outside_s < COSTLY_SHARE.value * timing.total_step_s:
        return None
    beside = [span for span in timing.spans if span.metric and not span.inside and span.declared and not span.parent]
    top = max(beside, key=lambda span: span.mean_s * span.count)
    values = {
        "outside": seconds(spent.outside_s),
        "part": share(spent.outside_s / timing.total_step_s),
        "span": name(top.name),
    }
    return Match(values=values, evidence=_evidence(subject, timing, *(span.name for span in beside)))


def ended_early(subject: Subject) -> Match | None:
    """The run ended before its planned steps were done."""
    facts = subject.analysis.facts
    planned, last = facts.planned_steps, facts.last_step
    if facts.status not in ("failed", "stopped-early") or planned is None or last is None or last >= planned:
        return None
    end = subject.run.jobs[-1].end if subject.run.jobs else None
    values = {"done": count(facts.steps_done), "planned": count(planned)}
    evidence = Evidence(table="jobs", metrics=("end",), last_step=last, rows=len(subject.run.jobs))
    severity: Severity = "bad" if facts.status == "failed" else "warn"
    if end is None or end.cause == "unknown":
        return Match(values=values, evidence=evidence, severity=severity)
    cause = ui(f"finding.cause.{end.cause}")
    values["cause"] = words(end.cause, ui("finding.cause.guess", cause=cause) if end.guessed else cause)
    return Match(values=values, evidence=evidence, severity=severity, form="cause")


TIME_RULES: tuple[Rule, ...] = (
    Rule(id="ended-early", severity="warn", section="jobs", check=ended_early, forms=("", "cause")),
    Rule(
        id="generation-bound",
        severity="warn",
        section="time",
        check=generation_bound,
        thresholds=(WAIT_SHARE,),
        forms=("", "starved", "saturated"),
    ),
    Rule(
        id="cold-start",
        severity="info",
        section="time",
        check=cold_start,
        thresholds=(COLD_MEDIANS, COSTLY_SHARE),
        forms=("", "wait", "off", "wait-off"),
    ),
    Rule(
        id="redone-steps",
        severity="info",
        section="jobs",
        check=redone_steps,
        thresholds=(COSTLY_SHARE,),
        forms=("one", "many", "one-time", "many-time", "one-time-top", "many-time-top"),
    ),
    Rule(id="job-gap", severity="warn", section="jobs", check=job_gap, thresholds=(GAP_SECONDS,)),
    Rule(
        id="slow-steps",
        severity="info",
        section="time",
        check=slow_steps,
        thresholds=(COLD_MEDIANS,),
        forms=("", "span"),
    ),
    Rule(id="time-outside", severity="info", section="time", check=time_outside, thresholds=(COSTLY_SHARE,)),
)
