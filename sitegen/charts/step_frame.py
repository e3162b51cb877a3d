"""What all step charts of a run share, worked out once per run: its train records, job boundaries, step axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd

from sitegen.analyse.progress import Curve
from sitegen.analyse.smooth import trailing_mean
from sitegen.charts.scales import step_domain
from sitegen.model.run import Run, lineage

Place = tuple[str, int]
"""Source and line of a record."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepFrame:
    """The train records of a run in step order, and what charts need of them."""

    rows: pd.DataFrame
    """All train records, superseded ones included."""
    along: pd.DataFrame
    """The records of the lineage."""
    off: pd.DataFrame
    """The superseded records, in the order in which curves list their values."""
    fixed: tuple[list[Any], list[Any], list[Any]]
    """Columns job, step, superseded (0 or 1) of `rows`."""
    places: list[Place]
    """Source and line of each row."""
    on_line: list[int | None]
    """Step of each row on the lineage; None for superseded rows."""
    nonfinite: Mapping[str, Mapping[Place, float]]
    """Metric to the values logged as NaN or infinite."""
    changes: tuple[tuple[float, str], ...]
    """Half a step before each step at which the lineage passes to another job, and that job."""
    domain: tuple[float, float]
    """Step axis of every step chart of the run."""


@lru_cache(maxsize=1)
def step_frame(run: Run) -> StepFrame:
    """The frame of a run; the last one is kept, because all charts of a run are built together."""
    rows = run.steps[(run.steps["kind"] == "train").to_numpy()].sort_values("step", kind="stable")
    off_name = f"superseded_{run.overlap_rule}"
    off = rows[off_name].tolist()
    steps = rows["step"].tolist()
    along = lineage(run)
    jobs = along["job"].tolist()
    changes = [
        (step - 0.5, str(job))
        for step, job, before in zip(along["step"].tolist()[1:], jobs[1:], jobs, strict=False)
        if job != before
    ]
    superseded = run.steps[((run.steps["kind"] == "train") & (run.steps[off_name] != 0)).to_numpy()]
    return StepFrame(
        rows=rows,
        along=along,
        off=superseded,
        fixed=(rows["job"].tolist(), steps, off),
        places=list(zip(rows["source"].tolist(), rows["row"].tolist(), strict=True)),
        on_line=[None if gone else step for gone, step in zip(off, steps, strict=True)],
        nonfinite=_nonfinite(run),
        changes=tuple(changes),
        domain=step_domain(steps),
    )


def step_table(run: Run, curves: Sequence[Curve]) -> tuple[tuple[Any, ...], ...]:
    """Rows (job, step, superseded, then value, EMA and mean of 5 per curve) of every train record, in step order.

    A missing value is None; one logged as NaN or infinite is that float. Smoothed values exist on the lineage only.
    """
    frame = step_frame(run)
    columns: list[list[Any]] = list(frame.fixed)
    for curve in curves:
        columns += _curve_columns(frame, curve)
    return tuple(zip(*columns, strict=True))


def _curve_columns(frame: StepFrame, curve: Curve) -> list[list[Any]]:
    bad = frame.nonfinite.get(curve.metric, {})
    values = frame.rows[curve.metric].tolist() if curve.metric in frame.rows else [math.nan] * len(frame.rows)
    raw = [value if math.isfinite(value) else bad.get(place) for place, value in zip(frame.places, values, strict=True)]
    steps = curve.step.tolist()
    ema = dict(zip(steps, curve.ema.tolist(), strict=True))
    mean = dict(zip(steps, trailing_mean(curve.raw).tolist(), strict=True))
    return [raw, *([_finite(smooth.get(step)) for step in frame.on_line] for smooth in (ema, mean))]


def _nonfinite(run: Run) -> dict[str, dict[Place, float]]:
    table = run.nonfinite[(run.nonfinite["kind"] == "train").to_numpy()]
    found: dict[str, dict[Place, float]] = {}
    for metric, source, row, value in zip(*(table[name] for name in ("metric", "source", "row", "value")), strict=True):
        found.setdefault(metric, {})[(source, row)] = float(value)
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
