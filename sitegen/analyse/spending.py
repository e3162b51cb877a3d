"""What a run cost beyond its steps: idle gaps between jobs, time outside the step, GPU-hours, money."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from sitegen.analyse.facts import RunFacts
from sitegen.analyse.numbers import finite, total
from sitegen.analyse.timing import Timing
from sitegen.model.run import Run, train_rows
from sitegen.settings import SiteSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Time between the end of one job and the beginning of the next."""

    before: str
    """Earlier job."""
    after: str
    """Later job."""
    seconds: float
    """Idle time; never negative (jobs that overlap leave no gap)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Time and money of a run; None: not known."""

    gaps: tuple[Gap, ...]
    """Between neighbouring jobs whose clocks are both known, in lineage order."""
    gaps_unknown: int
    """Neighbouring jobs for which a clock is missing."""
    outside_s: float | None
    """Sum of the spans beside the step that no other one contains: saving, exporting, evaluation."""
    redone_s: float | None
    """Step time of superseded rows."""
    gpu_hours: float | None
    """GPUs x summed step time, superseded steps included; time outside the step is not in it."""
    cost: float | None
    """GPU-hours x the site's price; None without either."""
    currency: str | None
    """As given in `sitegen.toml`."""


def spending(run: Run, facts: RunFacts, timing: Timing | None, settings: SiteSettings) -> Spending:
    """Time and money of a run. Population: all train rows (superseded ones took time too)."""
    gaps, unknown = _gaps(run)
    price = settings.gpu_hour_price
    cost = None if price is None or facts.gpu_hours is None else finite(price * facts.gpu_hours)
    return Spending(
        gaps=gaps,
        gaps_unknown=unknown,
        outside_s=_outside(run, timing),
        redone_s=None if timing is None else timing.redone_s,
        gpu_hours=facts.gpu_hours,
        cost=cost,
        currency=None if cost is None else settings.currency,
    )


def _gaps(run: Run) -> tuple[tuple[Gap, ...], int]:
    found, unknown = [], 0
    for before, after in pairwise(run.jobs):
        if before.finished is None or after.started is None:
            unknown += 1
        else:
            seconds = max(0.0, after.started - before.finished)
            found.append(Gap(before=before.name, after=after.name, seconds=seconds))
    return tuple(found), unknown


def _outside(run: Run, timing: Timing | None) -> float | None:
    if timing is None:
        return None
    beside = [s.metric for s in timing.spans if s.metric and not s.inside and s.declared and s.parent is None]
    if not beside:
        return None
    return total(train_rows(run)[beside].to_numpy(dtype="float64").ravel())
