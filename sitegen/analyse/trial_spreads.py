"""How turns, tokens and durations of trials are distributed, by outcome and by exception.

Population: trials that report the quantity (finite, not negative). Percentiles are linear between order statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sitegen.analyse.numbers import mean
from sitegen.model.run import Run

Floats = NDArray[np.float64]
MeasureName = Literal["turns", "input_tokens", "output_tokens", "wall_s"]
GroupKind = Literal["all", "outcome", "exception"]

MEASURES: tuple[MeasureName, ...] = ("turns", "input_tokens", "output_tokens", "wall_s")
"""Columns of the trial table, in page order."""
MOST_EXCEPTIONS = 12
"""Exception types that are groups of their own, the most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadGroup:
    """One group of trials under one measure."""

    kind: GroupKind
    """What groups them."""
    name: str
    """`all`; `success`, `failure` or `ungraded`; an exception type, or `none` without one."""
    count: int
    """Trials that report the measure."""
    mean: float
    """Mean."""
    p10: float
    """10th percentile."""
    median: float
    """Median."""
    p90: float
    """90th percentile."""
    max: float
    """Largest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSpread:
    """One measure over all groups that report it."""

    measure: MeasureName
    """Column of the trial table."""
    groups: tuple[SpreadGroup, ...]
    """All trials, then outcomes, then no exception and exceptions by frequency; groups that report none left out."""


def trial_spreads(run: Run, threshold: float) -> tuple[TrialSpread, ...]:
    """A distribution per measure that some trial reports; none without trials."""
    table = run.trials
    if table is None or table.empty:
        return ()
    masks = list(_masks(run, threshold))
    found = []
    for measure in MEASURES:
        values = table[measure].to_numpy(dtype="float64")
        told = np.isfinite(values) & (values >= 0)
        groups = [_group(kind, name, values[mask & told]) for kind, name, mask in masks if (mask & told).any()]
        if groups:
            found.append(TrialSpread(measure=measure, groups=tuple(groups)))
    return tuple(found)


def _masks(run: Run, threshold: float) -> Iterator[tuple[GroupKind, str, NDArray[np.bool_]]]:
    assert run.trials is not None
    reward = run.trials["reward"].to_numpy(dtype="float64")
    graded = np.isfinite(reward)
    yield "all", "all", np.ones(len(reward), dtype=bool)
    yield "outcome", "success", graded & (reward > threshold)
    yield "outcome", "failure", graded & ~(reward > threshold)
    yield "outcome", "ungraded", ~graded
    exception = run.trials["exception"]
    names = exception.where(exception.notna() & (exception != ""), "none").to_numpy(dtype=object)
    counts = Counter(names.tolist())
    raised = sorted((name for name in counts if name != "none"), key=lambda name: (-counts[name], name))
    for name in (*(["none"] if "none" in counts and raised else []), *raised[:MOST_EXCEPTIONS]):
        yield "exception", name, names == name


def _group(kind: GroupKind, name: str, values: Floats) -> SpreadGroup:
    low, middle, high = (float(value) for value in np.percentile(values, (10, 50, 90)))
    return SpreadGroup(
        kind=kind,
        name=name,
        count=len(values),
        mean=mean(values) or 0.0,
        p10=low,
        median=middle,
        p90=high,
        max=float(values.max()),
    )
