"""The rule about a dip of the reward where the job changed: what is known of it, none of which proves a cause."""

from __future__ import annotations

import numpy as np

from sitegen.analyse.batch_exceptions import exceptions_by_step
from sitegen.analyse.findings.finding import Evidence, Match, Subject, Value, count, fixed, name, number, seconds, words
from sitegen.analyse.findings.thresholds import START_STEPS
from sitegen.analyse.phases import BoundaryDip
from sitegen.model.run import train_rows
from sitegen.text import Text, ui

Values = dict[str, Value]


def boundary_dip(subject: Subject) -> Match | None:
    """The reward fell around the change from one job to the next, and came back.

    What is known besides: exceptions and waiting at the lowest step against the medians of the other steps, the
    reward of a discarded attempt at that step, and how many further changes of job show no such dip.
    """
    progress = subject.analysis.progress
    if progress is None or not progress.dips:
        return None
    dip = max(progress.dips, key=lambda item: item.before - item.value)
    values = {
        "job": name(dip.job),
        "step": count(dip.step),
        "value": fixed(dip.value),
        "before_step": count(dip.before_step),
        "before": fixed(dip.before),
        "after_step": count(dip.after_step),
        "after": fixed(dip.after),
    }
    parts = {
        "exceptions": _exceptions(subject, dip),
        "wait": _waiting(subject, dip),
        "discarded": _discarded(subject, dip),
        "others": _others(subject),
    }
    told = {part: found for part, found in parts.items() if found}
    known = [ui(f"finding.known.{part}", step=values["step"].text, **_shown(found)) for part, found in told.items()]
    values |= {key: value for found in told.values() for key, value in found.items()}
    if known:
        said = Text(" " + " ".join(text.en for text in known), "".join(text.zh for text in known))
        values["known"] = words(", ".join(told), said)
    else:
        values["known"] = words("nothing", ui("finding.known.nothing"))
    starts = _starts_low(subject, dip)
    return Match(values=values, evidence=_evidence(subject, told), form="start" if starts else "")


def _shown(values: Values) -> dict[str, Text]:
    return {key: value.text for key, value in values.items()}


def _starts_low(subject: Subject, dip: BoundaryDip) -> bool:
    """Whether the dip is among the first steps of the run."""
    curve = subject.analysis.curve(subject.analysis.facts.reward_metric)
    return curve is not None and int((curve.step < dip.step).sum()) < START_STEPS.value


def _evidence(subject: Subject, told: dict[str, Values]) -> Evidence:
    return subject.curve_evidence("reward", "wait_s") if "wait" in told else subject.reward_evidence


def _exceptions(subject: Subject, dip: BoundaryDip) -> Values:
    """Exceptions at the lowest step, and the median of the other steps that counted any or none."""
    found = exceptions_by_step(subject.run)
    others = [met for step, met in found.items() if step != dip.step]
    if dip.step not in found or not others or not any(found.values()):
        return {}
    return {"exceptions": count(found[dip.step]), "usual_exceptions": number(float(np.median(others)))}


def _waiting(subject: Subject, dip: BoundaryDip) -> Values:
    """Waiting at the lowest step, and the median of the other steps."""
    curve = subject.analysis.curve(subject.analysis.facts.wait_metric)
    if curve is None:
        return {}
    here, others = curve.raw[curve.step == dip.step], curve.raw[curve.step != dip.step]
    here, others = here[np.isfinite(here)], others[np.isfinite(others)]
    if not len(here) or not len(others):
        return {}
    return {"wait": seconds(float(here[0])), "usual_wait": seconds(float(np.median(others)))}


def _discarded(subject: Subject, dip: BoundaryDip) -> Values:
    """The reward that an attempt at the lowest step logged which is not part of the lineage; the last of several."""
    run, metric = subject.run, subject.analysis.facts.reward_metric
    records = train_rows(run)
    off = records[(records["step"] == dip.step) & (records[f"superseded_{run.overlap_rule}"] != 0)]
    values = off[metric].to_numpy(dtype="float64")
    values = values[np.isfinite(values)]
    return {"discarded": fixed(float(values[-1]))} if len(values) else {}


def _others(subject: Subject) -> Values:
    """How many other changes of job show no dip; nothing where there is no other."""
    progress = subject.analysis.progress
    dips = {dip.job for dip in progress.dips} if progress else set()
    jobs = [job for job in subject.run.jobs[1:] if job.first_step is not None]
    calm = sum(job.name not in dips for job in jobs)
    return {"calm": count(calm), "changes": count(len(jobs))} if len(jobs) > 1 else {}
