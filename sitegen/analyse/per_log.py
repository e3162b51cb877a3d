"""Statistics per log: what each job logged, superseded records included, so that jobs can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sitegen.analyse.numbers import mean, total
from sitegen.model import tables
from sitegen.model.run import Run, train_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMetric:
    """One metric in one log."""

    mean: float
    """Mean of the finite values."""
    max: float
    """Largest."""
    last: float | None
    """Value of the last record; None when that one has no finite value."""
    sum: float
    """Sum of the finite values."""
    count: int
    """Finite values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSummary:
    """One job's records."""

    job: str
    """Job."""
    first_step: int
    """Lowest step it logged."""
    last_step: int
    """Highest step it logged."""
    records: int
    """Train records, superseded ones included."""
    superseded: int
    """Records that another job's replace."""
    metrics: Mapping[str, LogMetric]
    """By logged name, for the metrics with a finite value in this log."""


def per_log(run: Run) -> tuple[LogSummary, ...]:
    """One summary per job with train records, in lineage order.

    Population: all train records of the job, in the order in which it wrote them.
    """
    rows = train_rows(run).sort_values(["source", "row"], kind="stable")
    names = tables.STEPS.measures(rows)
    parts = {str(job): part for job, part in rows.groupby("job", sort=False)}
    found = []
    for job in run.jobs:
        part = parts.get(job.name)
        if part is None:
            continue
        steps = part["step"].to_numpy(dtype="int64")
        found.append(
            LogSummary(
                job=job.name,
                first_step=int(steps.min()),
                last_step=int(steps.max()),
                records=len(part),
                superseded=int((part[f"superseded_{run.overlap_rule}"] != 0).sum()),
                metrics=_metrics(part[names].to_numpy(dtype="float64"), names),
            )
        )
    return tuple(found)


def _metrics(values: np.ndarray, names: list[str]) -> dict[str, LogMetric]:
    found = {}
    for index, name in enumerate(names):
        column = values[:, index]
        kept = column[np.isfinite(column)]
        average, together = mean(kept), total(kept)
        if average is not None and together is not None:
            found[name] = LogMetric(
                mean=average,
                max=float(kept.max()),
                last=float(column[-1]) if np.isfinite(column[-1]) else None,
                sum=together,
                count=len(kept),
            )
    return found
