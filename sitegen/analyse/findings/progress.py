"""Rules about the reward: did it rise, when, what stands out, and how sure the checkpoint is."""

from __future__ import annotations

import math

import numpy as np

from sitegen.analyse.checkpoint import CheckpointSelection
from sitegen.analyse.findings.boundary import boundary_dip
from sitegen.analyse.findings.finding import (
    Match,
    Rule,
    Subject,
    Value,
    count,
    fixed,
    name,
    number,
    seconds,
    signed,
    words,
)
from sitegen.analyse.findings.thresholds import (
    CHANGE_SIGMAS,
    EARLY_PART,
    FLAT_CEILING,
    FLAT_STEPS,
    PASS_LEAD_STEPS,
    PASS_LEVEL,
    RISE_PART,
    SLOW_BEFORE,
    START_STEPS,
    TREND_STEPS,
)
from sitegen.analyse.phases import Transient
from sitegen.analyse.progress import ema
from sitegen.analyse.timing import SlowStep
from sitegen.analyse.trend import Trend
from sitegen.model.run import Job
from sitegen.text import same, ui


def _trend(subject: Subject, least: float) -> Trend | None:
    progress = subject.analysis.progress
    found = progress.trend if progress else None
    return found if found is not None and found.count >= least else None


def _rewards(subject: Subject) -> np.ndarray:
    progress = subject.analysis.progress
    curve = subject.analysis.curve(progress.metric) if progress else None
    return curve.raw[np.isfinite(curve.raw)] if curve is not None else np.empty(0)


def _ends(trend: Trend) -> dict[str, Value]:
    return {"first": fixed(trend.first), "last": fixed(trend.last), "ends": count(trend.ends)}


def reward_flat(subject: Subject) -> Match | None:
    """No rise can be proven over a long run on one level, with room above."""
    trend, progress = _trend(subject, FLAT_STEPS.value), subject.analysis.progress
    if trend is None or progress is None or not trend.low <= 0 <= trend.high or len(progress.phases) != 1:
        return None
    rewards = _rewards(subject)
    within = rewards.min() >= 0 and rewards.max() <= 1
    if trend.low == trend.high or progress.zero_steps or (within and rewards.mean() >= FLAT_CEILING.value):
        return None
    slope = {
        "slope": signed(10 * trend.per_step),
        "low": signed(10 * trend.low),
        "high": signed(10 * trend.high),
        "steps": count(trend.count),
    }
    return Match(values=slope | _ends(trend), evidence=subject.reward_evidence)


def reward_fell(subject: Subject) -> Match | None:
    """The line falls, and the end lies well below the beginning."""
    trend = _trend(subject, TREND_STEPS.value)
    if trend is None or trend.high >= 0 or trend.first - trend.last <= CHANGE_SIGMAS.value * trend.noise:
        return None
    if subject.analysis.progress and subject.analysis.progress.zero_steps:
        return None
    return Match(values=_ends(trend), evidence=subject.reward_evidence)


def reward_rose(subject: Subject) -> Match | None:
    """The line rises, and the end lies well above the beginning; says when the EMA had made nine tenths of the way.

    The way is that between the two means of the sentence, so that its goal can be recomputed from them.
    """
    trend = _trend(subject, TREND_STEPS.value)
    if trend is None or trend.low <= 0 or trend.last - trend.first <= CHANGE_SIGMAS.value * trend.noise:
        return None
    curve = subject.analysis.curve(subject.analysis.facts.reward_metric)
    assert curve is not None
    goal = trend.first + RISE_PART.value * (trend.last - trend.first)
    reached = np.flatnonzero(curve.ema >= goal)
    if not len(reached):
        return None
    early = reached[0] <= EARLY_PART.value * (len(curve.step) - 1)
    values = _ends(trend) | {
        "goal": fixed(goal),
        "step": count(int(curve.step[reached[0]])),
        "of": count(int(curve.step[-1])),
    }
    return Match(values=values, evidence=subject.reward_evidence, form="early" if early else "late")


def reward_declined(subject: Subject) -> Match | None:
    """The last phase lies well below an earlier one."""
    progress, trend = subject.analysis.progress, _trend(subject, TREND_STEPS.value)
    if progress is None or trend is None or len(progress.phases) < 2 or progress.zero_steps:
        return None
    last = progress.phases[-1]
    best = max(progress.phases[:-1], key=lambda phase: phase.mean if phase.count >= 5 else -math.inf)
    if best.count < 5 or best.mean - last.mean <= CHANGE_SIGMAS.value * trend.noise:
        return None
    values = {
        "best": fixed(best.mean),
        "best_first": count(best.first_step),
        "best_last": count(best.last_step),
        "last": fixed(last.mean),
        "last_first": count(last.first_step),
    }
    return Match(values=values, evidence=subject.reward_evidence)


def pass_before_mean(subject: Subject) -> Match | None:
    """pass@k reached a level long before the mean reward did, in a run that rose."""
    progress = subject.analysis.progress
    if progress is None or progress.reached is None or reward_rose(subject) is None:
        return None
    reached = progress.reached
    if reached.level < PASS_LEVEL.value or reached.reward_step - reached.pass_step < PASS_LEAD_STEPS.value:
        return None
    values = {
        "level": Value(raw=reached.level, text=same(f"{reached.level:g}")),
        "pass_step": count(reached.pass_step),
        "reward_step": count(reached.reward_step),
    }
    return Match(values=values, evidence=subject.curve_evidence("reward", "pass_k"))


def transient(subject: Subject) -> Match | None:
    """A few steps stand out from a level and are gone again; a slow step just before is named."""
    progress = subject.analysis.progress
    if progress is None or not progress.transients:
        return None
    item = max(progress.transients, key=lambda found: found.sigmas)
    values = {
        "first_step": count(item.first_step),
        "last_step": count(item.last_step),
        "low": fixed(item.low),
        "high": fixed(item.high),
        "sigmas": fixed(item.sigmas, 1),
        "level": fixed(item.level),
        "side": words("above" if item.above else "below", ui(f"finding.side.{'above' if item.above else 'below'}")),
    }
    forms, evidence = [], subject.reward_evidence
    if (slow := slow_before(subject, item)) is not None:
        values |= {"slow_step": count(slow.step), "slow": seconds(slow.seconds)}
        forms.append("slow")
        evidence = subject.curve_evidence("reward", "step_s")
    if (job := _job_within(subject, item)) is not None and job.first_step is not None:
        values |= {"job": name(job.name), "job_step": count(job.first_step)}
        forms.append("job")
    return Match(values=values, evidence=evidence, form="-".join(forms))


def _job_within(subject: Subject, item: Transient) -> Job | None:
    """The first job but the run's first that begins with one of these steps or with the one after them."""
    later = (job for job in subject.run.jobs[1:] if job.first_step is not None)
    return next((job for job in later if item.first_step <= (job.first_step or 0) <= item.last_step + 1), None)


def slow_before(subject: Subject, item: Transient) -> SlowStep | None:
    """The slowest step, when it lies within three steps before a transient or at its first step."""
    timing = subject.analysis.timing
    if timing is None or not timing.slowest:
        return None
    slow = timing.slowest[0]
    return slow if 0 <= item.first_step - slow.step <= SLOW_BEFORE.value else None


ROBUST_RULES = ("alpha-0.2", "window-5", "other-overlap")
"""Other ways of smoothing and of stitching: what they select should be the same step."""


def checkpoint_close(subject: Subject) -> Match | None:
    """Runner-up within the noise of the smoothed reward, and another smoothing selects another step."""
    chosen = subject.analysis.checkpoint
    if chosen.step is None or chosen.margin is None or chosen.noise is None or chosen.ema_noise is None:
        return None
    others = {item.step for item in chosen.alternatives if item.rule in ROBUST_RULES and item.changes}
    if not others - {None} or chosen.margin >= chosen.ema_noise:
        return None
    values = {
        "step": count(chosen.step),
        "runner_up": count(chosen.runner_up),
        "margin": number(chosen.margin, 2),
        "noise": number(chosen.noise, 2),
        "ema_noise": number(chosen.ema_noise, 2),
    }
    forms = []
    if (bump := _bump_within(subject, chosen, chosen.ema_noise)) is not None:
        values |= bump
        forms.append("bump")
    first = max(
        (c for c in chosen.candidates if c.exclusion == "first-save"), key=lambda c: c.ema or -math.inf, default=None
    )
    if first is not None and first.ema is not None and chosen.ema is not None and first.ema > chosen.ema:
        values |= {"first": count(first.step), "first_ema": fixed(first.ema, 4)}
        forms.append("first")
    return Match(values=values, evidence=subject.reward_evidence, form="-".join(forms))


def _bump_within(subject: Subject, chosen: CheckpointSelection, least: float) -> dict[str, Value] | None:
    """The steps that stand out and lift the selected step or the runner-up, and its EMA without them.

    Without: with the level around them in their place. None when it moves neither EMA by more than `least`.
    """
    progress = subject.analysis.progress
    curve = subject.analysis.curve(chosen.reward_metric)
    for item in progress.transients if progress and curve is not None else ():
        assert curve is not None
        inside = (curve.step >= item.first_step) & (curve.step <= item.last_step)
        calm = ema(np.where(inside & np.isfinite(curve.raw), item.level, curve.raw), chosen.alpha)
        here = ema(curve.raw, chosen.alpha)
        for step in (chosen.runner_up, chosen.step):
            place = np.flatnonzero(curve.step == step)
            if len(place) and here[place[0]] - calm[place[0]] > least:
                return {
                    "bumped": count(step),
                    "bump_first": count(item.first_step),
                    "bump_last": count(item.last_step),
                    "bumped_ema": fixed(float(here[place[0]]), 4),
                    "calm": fixed(float(calm[place[0]]), 4),
                }
    return None


PROGRESS_RULES: tuple[Rule, ...] = (
    Rule(
        id="reward-flat",
        severity="bad",
        section="reward",
        check=reward_flat,
        thresholds=(FLAT_STEPS, FLAT_CEILING),
    ),
    Rule(
        id="reward-fell",
        severity="bad",
        section="reward",
        check=reward_fell,
        thresholds=(TREND_STEPS, CHANGE_SIGMAS),
        hides=("reward-declined",),
    ),
    Rule(
        id="reward-declined",
        severity="warn",
        section="reward",
        check=reward_declined,
        thresholds=(TREND_STEPS, CHANGE_SIGMAS),
    ),
    Rule(
        id="reward-rose",
        severity="good",
        section="reward",
        check=reward_rose,
        thresholds=(TREND_STEPS, CHANGE_SIGMAS, RISE_PART, EARLY_PART),
        forms=("early", "late"),
    ),
    Rule(
        id="pass-before-mean",
        severity="info",
        section="reward",
        check=pass_before_mean,
        thresholds=(PASS_LEVEL, PASS_LEAD_STEPS),
    ),
    Rule(
        id="transient",
        severity="info",
        section="reward",
        check=transient,
        thresholds=(SLOW_BEFORE,),
        forms=("", "slow", "job", "slow-job"),
    ),
    Rule(
        id="boundary-dip",
        severity="info",
        section="reward",
        check=boundary_dip,
        thresholds=(START_STEPS,),
        forms=("", "start"),
    ),
)
CHECKPOINT_RULES: tuple[Rule, ...] = (
    Rule(
        id="checkpoint-close",
        severity="warn",
        section="checkpoint",
        check=checkpoint_close,
        forms=("", "bump", "first", "bump-first"),
    ),
)
