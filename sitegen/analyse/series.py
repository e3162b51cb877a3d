"""A run's metrics as plain series along its lineage, for what compares runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.model.run import Run

LIMIT = 500
"""Most values of one series that are handed on; longer ones keep every n-th value, the first and the last."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """One metric of a run: its finite values along the lineage, and figures over all of them."""

    name: str
    """Logged name."""
    kind: str
    """train or eval: the records it was logged in."""
    step: NDArray[np.int64]
    """Steps, rising; at most `LIMIT`."""
    value: NDArray[np.float64]
    """The value at each; the last one is the newest there is."""
    best: float | None
    """Best value on the lineage in the metric's direction; None when it has none."""
    best_step: int | None
    """Its step; the first on a tie."""
    mean: float | None
    """Mean over all finite values, superseded ones included, as in the summary table."""
    at_checkpoint: float | None
    """Value at the selected checkpoint; None without one, or when that step did not log it."""


def run_series(run: Run, analysis: RunAnalysis, direction: Callable[[str], str]) -> Iterator[Series]:
    """Every metric with a finite value on the lineage: train records first, then evaluation records, in table order.

    Args:
        run: the run.
        analysis: its analyses.
        direction: which way a logged name is better: `up`, `down`, `near:<value>`; anything else has no best value.
    """
    known = _Known(
        direction=direction,
        means={(item.name, item.kind): item.mean for item in analysis.metrics},
        checkpoint=analysis.checkpoint.step,
    )
    for curve in analysis.curves:
        yield from _series(curve.metric, "train", (curve.step, curve.raw), known)
    steps = run.steps
    kept = (steps["kind"] == "eval") & (steps[f"superseded_{run.overlap_rule}"] == 0)
    rows = steps[kept.to_numpy()].sort_values("step", kind="stable").drop_duplicates("step", keep="last")
    at = rows["step"].to_numpy(dtype="int64")
    for name in (item.name for item in analysis.metrics if item.kind == "eval" and item.name in rows):
        yield from _series(name, "eval", (at, rows[name].to_numpy(dtype="float64")), known)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What all series of a run need."""

    direction: Callable[[str], str]
    """Logged name to its better direction."""
    means: Mapping[tuple[str, str], float | None]
    """(name, kind) to the mean over all rows."""
    checkpoint: int | None
    """Step of the selected checkpoint."""


def _series(
    name: str, kind: str, points: tuple[NDArray[np.int64], NDArray[np.float64]], known: _Known
) -> Iterator[Series]:
    finite = np.isfinite(points[1])
    if not finite.any():
        return
    at, value = points[0][finite], points[1][finite]
    best = _best(value, known.direction(name))
    held = at == known.checkpoint if known.checkpoint is not None else np.zeros(len(at), dtype="bool")
    kept = np.arange(len(at)) if len(at) <= LIMIT else np.linspace(0, len(at) - 1, LIMIT).round().astype("int64")
    yield Series(
        name=name,
        kind=kind,
        step=at[kept],
        value=value[kept],
        best=None if best is None else float(value[best]),
        best_step=None if best is None else int(at[best]),
        mean=known.means.get((name, kind)),
        at_checkpoint=float(value[held][-1]) if held.any() else None,
    )


def _best(values: NDArray[np.float64], direction: str) -> int | None:
    """Index of the best value, the first on a tie; None without a better direction."""
    if direction == "up":
        return int(values.argmax())
    if direction == "down":
        return int(values.argmin())
    if direction.startswith("near:"):
        return int(np.abs(values - float(direction.removeprefix("near:"))).argmin())
    return None
