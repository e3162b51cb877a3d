"""Further x axes of a run's step charts: wall clock, and trials, each only where every record of the lineage has it.

A page may show its step charts over any of them. The positions are worked out here; the page only places what it
draws at them. Static drawings stay by step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sitegen.analyse.batch_exceptions import lineage_batches
from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.roles import role_curve
from sitegen.charts.step_frame import step_frame
from sitegen.model.run import Run
from sitegen.text import Text, ui

AXES_ID = "$axes"
"""Key of the axes among a page's charts; no chart's id holds a `$`."""

Floats = npt.NDArray[np.float64]

_UNITS = (("days", 86400.0, 5.0), ("hours", 3600.0, 5.0), ("minutes", 60.0, 5.0), ("seconds", 1.0, 0.0))
"""Unit of the clock, its seconds, and the least number of them for which it is used."""
_INSTANCES = "batch_errors/total_instances"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Axis:
    """One further axis."""

    key: str
    """`clock` or `trials`, as in the page's address."""
    name: Text
    """What it measures, with its unit."""
    at: Floats
    """Position of each step of the lineage, never falling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The clock of a run: when it began, and what a unit of its axis is."""

    start: float
    """Unix s of the first record."""
    unit: str
    """Name of the unit."""
    seconds: float
    """Seconds in one."""


def run_axes(run: Run, analysis: RunAnalysis) -> tuple[Axis, ...]:
    """The axes that a run knows, beside its steps."""
    return tuple(axis for axis in (_clock_axis(run), _trials_axis(run, analysis)) if axis is not None)


def axes_data(run: Run, analysis: RunAnalysis) -> dict[str, Any] | None:
    """What the page's script takes: steps, and per axis its key, its name and the position of each step.

    None for a run of one record or without a further axis.
    """
    axes = run_axes(run, analysis)
    if not axes:
        return None
    return {
        "step": step_frame(run).along["step"].tolist(),
        "axes": [
            {"key": axis.key, "en": axis.name.en, "zh": axis.name.zh, "at": [float(f"{x:.7g}") for x in axis.at]}
            for axis in axes
        ],
    }


def clock_of(run: Run) -> Clock | None:
    """The clock of the lineage; None where a record has no time, or one is earlier than the record before it."""
    time = step_frame(run).along["time"].to_numpy(dtype="float64")
    if len(time) < 2 or not np.isfinite(time).all() or (np.diff(time) < 0).any() or time[-1] <= time[0]:
        return None
    span = float(time[-1] - time[0])
    unit, seconds, _ = next(entry for entry in _UNITS if span >= entry[1] * entry[2])
    return Clock(start=float(time[0]), unit=unit, seconds=seconds)


def on_clock(run: Run, times: Sequence[float]) -> list[float | None]:
    """Positions of moments on the clock axis; None for a moment that is not known or a run without the axis."""
    clock = clock_of(run)
    if clock is None:
        return [None] * len(times)
    return [float(f"{(at - clock.start) / clock.seconds:.7g}") if np.isfinite(at) else None for at in times]


def _clock_axis(run: Run) -> Axis | None:
    clock = clock_of(run)
    if clock is None:
        return None
    time = step_frame(run).along["time"].to_numpy(dtype="float64")
    return Axis(key="clock", name=ui(f"charts.axis.{clock.unit}"), at=(time - clock.start) / clock.seconds)


def _trials_axis(run: Run, analysis: RunAnalysis) -> Axis | None:
    """Trials by the end of each step, from the first of these sources that knows every step."""
    steps = step_frame(run).along["step"].to_numpy(dtype="int64")
    if len(steps) < 2:
        return None
    sources: tuple[tuple[str, Callable[[], Floats | None]], ...] = (
        ("attempted", lambda: _from_batches(run, steps)),
        ("attempted", lambda: _cumulated(analysis.curve(_INSTANCES))),
        ("finished", lambda: _from_trials(run)),
        ("trained-on", lambda: _cumulated(role_curve(run, analysis, "effective_samples"))),
    )
    for name, count in sources:
        at = count()
        if at is not None and at[-1] > at[0]:
            return Axis(key="trials", name=ui(f"charts.axis.{name}"), at=at)
    return None


def _from_batches(run: Run, steps: npt.NDArray[np.int64]) -> Floats | None:
    """Trajectories attempted, as the batch lines before the records of the lineage count them."""
    batches = lineage_batches(run)
    if batches is None:
        return None
    counts = batches.groupby("step")["instances"].sum(min_count=1)
    return _summed(counts.reindex(steps).to_numpy(dtype="float64"))


def _from_trials(run: Run) -> Floats | None:
    """Trials that had ended when each step was logged, where both have times."""
    if clock_of(run) is None or run.trials is None:
        return None
    ends = run.trials["finished"].to_numpy(dtype="float64")
    if not len(ends) or not np.isfinite(ends).all():
        return None
    time = step_frame(run).along["time"].to_numpy(dtype="float64")
    return np.searchsorted(np.sort(ends), time, side="right").astype("float64")


def _cumulated(curve: Curve | None) -> Floats | None:
    return None if curve is None else _summed(curve.raw)


def _summed(counts: Floats) -> Floats | None:
    """Sums up to and with each step; None where a step has no count."""
    if not np.isfinite(counts).all() or (counts < 0).any():
        return None
    total: Floats = np.cumsum(counts)
    return total if np.isfinite(total).all() else None
