"""Phases of a run: stretches of steps on one level, found by change-point detection."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sitegen.analyse.numbers import mean
from sitegen.analyse.progress import Curve
from sitegen.analyse.trend import SIGMA_OF_MAD, Floats, Ints, Trend, noise, trend
from sitegen.model.run import Job, Run

PhaseKind = Literal["cold-start", "climb", "plateau", "dip", "recovery", "decline"]

MIN_VALUES = 12
"""Fewer finite values have no phases worth a name."""
GAIN = 4.0
"""A change point must improve the fit by GAIN x ln(n) x (1 + SHORT / n) squared noise units. On series of pure noise
of 12 to 2 000 values this finds a change in fewer than 3 of 100 (tests/analyse/test_phases.py)."""
SHORT = 12.0
"""Raises the bar for short series, whose noise is poorly known."""
LONG_SHARE = 0.25
"""A stretch at least this part of the run is a level of its own: a plateau."""
START_SHARE = 0.1
"""A first stretch up to this part of the run (or 3 values) below the next one is the cold start."""
NEAR_BOUNDARY = 2
"""Steps within which a phase's edge counts as lying at a job boundary."""
DIP_SIGMAS = 4.0
"""A fall at a job boundary counts when it is this many times the noise of one step."""
TRANSIENT_SIGMAS = 2.0
"""Each step of a transient lies further than this from the level."""
TRANSIENT_STEPS = 3
"""A transient has at least so many steps in a row: in noise of 80 steps that happens once in 500 runs."""
TRANSIENT_PART = 0.1
"""A transient is no longer than this part of its phase."""
LEVELS = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Levels of a reward between 0 and 1 at which pass@k and the mean are set against each other, highest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A stretch of steps."""

    kind: PhaseKind
    """What it is: below the rest at the start; rising; a level; below both neighbours; back from that; falling."""
    first_step: int
    """First step."""
    last_step: int
    """Last step."""
    mean: float
    """Mean of its values."""
    count: int
    """Finite values in it."""
    job: str | None
    """Job that begins within two steps of its first or after its last step; None for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryDip:
    """A fall around the change from one job to the next that the next job makes good."""

    job: str
    """The later job."""
    step: int
    """Lowest step at the boundary."""
    value: float
    """Its value."""
    before_step: int
    """Last step before the dip."""
    before: float
    """Its value."""
    after_step: int
    """First step that is back above the value before."""
    after: float
    """Its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transient:
    """A few steps that stand out from the level around them and are gone again."""

    first_step: int
    """First step."""
    last_step: int
    """Last step."""
    low: float
    """Smallest value in it."""
    high: float
    """Largest value in it."""
    sigmas: float
    """Largest distance from the level, in robust standard deviations."""
    level: float
    """Median of the phase around it."""
    above: bool
    """Whether it lies above the level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """When pass@k and when the mean reward reached one level for the first time."""

    level: float
    """The highest of `LEVELS` that both reached."""
    pass_step: int
    """Step of pass@k."""
    reward_step: int
    """Step of the mean reward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How one metric went, beyond its curve."""

    metric: str
    """Logged name (the reward)."""
    trend: Trend | None
    """None below eight finite values."""
    phases: tuple[Phase, ...]
    """In step order; empty below twelve finite values."""
    dips: tuple[BoundaryDip, ...]
    """At job boundaries."""
    transients: tuple[Transient, ...]
    """In step order."""
    reached: Reached | None
    """None without pass@k, or when no level was reached by both."""
    zero_steps: tuple[int, ...]
    """The steps at the end of the run whose value is exactly 0; empty when the last one is not."""


def progress(run: Run, reward: Curve | None, passes: Curve | None) -> Progress | None:
    """Phases, trend and events of the reward; None without a reward.

    Population: lineage rows with a finite reward. Stable success (all samples of a prompt) cannot be told from a
    table of trials, which says neither step nor group; pass@k and the mean stand for "at least one" and "how often".
    """
    if reward is None:
        return None
    kept = np.isfinite(reward.raw)
    step, values = reward.step[kept], reward.raw[kept]
    phases = find_phases(step, values, run.jobs)
    return Progress(
        metric=reward.metric,
        trend=trend(step, values),
        phases=phases,
        dips=_boundary_dips(step, values, run.jobs),
        transients=_transients(step, values, phases),
        reached=reached(reward, passes),
        zero_steps=_zeros_at_end(step, values),
    )


def split_points(values: Floats) -> list[int]:
    """Where the level of a series changes: the index of the first value of each later stretch, rising.

    Values are divided by their noise and split by binary segmentation for changes in the mean; a constant series, or
    one below `MIN_VALUES` values, has none. Values must be finite.

    Source: Londschien, Buehlmann and Kovacs, Random Forests for Change Point Detection (2023), package changeforest.
    """
    from changeforest import Control, changeforest

    size = len(values)
    sigma = noise(values)
    if size < MIN_VALUES or sigma <= 0:
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = (values - np.median(values)) / sigma
    if not np.isfinite(scaled).all():
        return []
    control = Control(
        minimal_gain_to_split=GAIN * math.log(size) * (1 + SHORT / size), minimal_relative_segment_length=1 / size
    )
    found = changeforest(np.clip(scaled, -1e6, 1e6).reshape(-1, 1), "change_in_mean", "bs", control)
    return sorted(int(point) for point in found.split_points())


def find_phases(step: Ints, values: Floats, jobs: Sequence[Job]) -> tuple[Phase, ...]:
    """The phases of a series; empty below `MIN_VALUES` finite values."""
    if len(values) < MIN_VALUES:
        return ()
    edges = [0, *split_points(values), len(values)]
    parts = [slice(low, high) for low, high in pairwise(edges)]
    means = [_level(values[part]) for part in parts]
    counts = [part.stop - part.start for part in parts]
    kinds: list[PhaseKind] = []
    for index in range(len(parts)):
        kinds.append(_kind(index, means, counts, kinds))
    phases = [
        Phase(
            kind=kind,
            first_step=int(step[part.start]),
            last_step=int(step[part.stop - 1]),
            mean=mean,
            count=part.stop - part.start,
            job=_job_near(int(step[part.start]), int(step[part.stop - 1]), jobs),
        )
        for kind, part, mean in zip(kinds, parts, means, strict=True)
    ]
    return _merged(phases)


def _level(values: Floats) -> float:
    """Mean of finite values; summed up in parts where their sum would be beyond the largest float."""
    level = mean(values)
    return float((values / len(values)).sum()) if level is None else level


def _kind(index: int, means: list[float], counts: list[int], before: list[PhaseKind]) -> PhaseKind:
    total, here = sum(counts), means[index]
    earlier = means[index - 1] if index else None
    later = means[index + 1] if index + 1 < len(means) else None
    if earlier is None:
        short = counts[index] <= max(3, START_SHARE * total)
        return "cold-start" if short and later is not None and later > here else "plateau"
    if later is not None and here < earlier and here < later and counts[index] < LONG_SHARE * total:
        return "dip"
    if before[-1] == "dip" and later is not None and counts[index] < LONG_SHARE * total:
        return "recovery"
    if counts[index] >= LONG_SHARE * total:
        return "plateau"
    return "climb" if here > earlier else "decline"


def _merged(phases: list[Phase]) -> tuple[Phase, ...]:
    """Neighbouring climbs, and neighbouring declines, as one phase each."""
    found: list[Phase] = []
    for phase in phases:
        if found and found[-1].kind == phase.kind and phase.kind in ("climb", "decline"):
            before = found[-1]
            count = before.count + phase.count
            found[-1] = replace(
                before,
                last_step=phase.last_step,
                mean=before.mean * (before.count / count) + phase.mean * (phase.count / count),
                count=count,
                job=before.job or phase.job,
            )
        else:
            found.append(phase)
    return tuple(found)


def _job_near(first: int, last: int, jobs: Sequence[Job]) -> str | None:
    for job in jobs[1:]:
        if job.first_step is not None and any(
            abs(job.first_step - edge) <= NEAR_BOUNDARY for edge in (first, last + 1)
        ):
            return job.name
    return None


def _boundary_dips(step: Ints, values: Floats, jobs: Sequence[Job]) -> tuple[BoundaryDip, ...]:
    """Dips within two steps of a job's first step, deeper than four times the noise on both sides."""
    found: list[BoundaryDip] = []
    sigma = noise(values)
    for job in jobs[1:]:
        if job.first_step is None or sigma <= 0:
            continue
        around = np.flatnonzero(np.abs(step - job.first_step) <= NEAR_BOUNDARY)
        around = around[(around > 0) & (around < len(values) - 1)]
        if not len(around):
            continue
        low = int(around[np.argmin(values[around])])
        before = float(values[max(0, low - NEAR_BOUNDARY) : low].max())
        later = np.flatnonzero(values[low + 1 : low + 1 + 2 * NEAR_BOUNDARY] >= before)
        if len(later) and before - values[low] > DIP_SIGMAS * sigma:
            back = low + 1 + int(later[0])
            top = max(0, low - NEAR_BOUNDARY) + int(np.argmax(values[max(0, low - NEAR_BOUNDARY) : low]))
            found.append(
                BoundaryDip(
                    job=job.name,
                    step=int(step[low]),
                    value=float(values[low]),
                    before_step=int(step[top]),
                    before=before,
                    after_step=int(step[back]),
                    after=float(values[back]),
                )
            )
    return tuple(found)


def _transients(step: Ints, values: Floats, phases: tuple[Phase, ...]) -> tuple[Transient, ...]:
    """Within each plateau of 30 values or more: runs of steps on one side, far out; its two ends are no transient."""
    found: list[Transient] = []
    for phase in phases:
        inside = np.flatnonzero((step >= phase.first_step) & (step <= phase.last_step))
        if phase.kind != "plateau" or len(inside) < 30:
            continue
        level = float(np.median(values[inside]))
        sigma = float(np.median(np.abs(values[inside] - level))) * SIGMA_OF_MAD
        if sigma <= 0:
            continue
        distance = (values[inside] - level) / sigma
        for above in (True, False):
            for low, high in _runs(distance > TRANSIENT_SIGMAS if above else distance < -TRANSIENT_SIGMAS):
                if TRANSIENT_STEPS <= high - low <= TRANSIENT_PART * len(inside) and low > 0 and high < len(inside):
                    rows = inside[low:high]
                    found.append(
                        Transient(
                            first_step=int(step[rows[0]]),
                            last_step=int(step[rows[-1]]),
                            low=float(values[rows].min()),
                            high=float(values[rows].max()),
                            sigmas=float(np.abs(distance[low:high]).max()),
                            level=level,
                            above=above,
                        )
                    )
    return tuple(sorted(found, key=lambda item: item.first_step))


def _runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Half-open ranges in which the mask holds."""
    padded = np.concatenate(([False], mask, [False])).astype("int8")
    edges = np.flatnonzero(np.diff(padded))
    return [(int(low), int(high)) for low, high in edges.reshape(-1, 2)]


def reached(reward: Curve, passes: Curve | None) -> Reached | None:
    """The highest level that pass@k and the mean reward both reached, and their first steps there.

    Only for values between 0 and 1: a reward on another scale has no level in common with pass@k.
    """
    if passes is None:
        return None
    both = [curve.raw[np.isfinite(curve.raw)] for curve in (reward, passes)]
    if any(not len(values) or values.min() < 0 or values.max() > 1 for values in both):
        return None
    for level in LEVELS:
        first = [np.flatnonzero(curve.raw >= level) for curve in (reward, passes)]
        if all(len(places) for places in first):
            return Reached(
                level=level,
                reward_step=int(reward.step[first[0][0]]),
                pass_step=int(passes.step[first[1][0]]),
            )
    return None


def _zeros_at_end(step: Ints, values: Floats) -> tuple[int, ...]:
    others = np.flatnonzero(values != 0)
    start = int(others[-1]) + 1 if len(others) else 0
    return tuple(int(s) for s in step[start:])
