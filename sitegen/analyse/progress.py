"""Curves over the lineage: raw values, EMA, the reward and pass@k of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.analyse.summary import MetricSummary, summarise
from sitegen.model.roles import direction_of
from sitegen.model.run import Run, lineage

Floats = NDArray[np.float64]

EMA_ALPHA = 1 / 3
"""Smoothing of reward curves and checkpoint selection: EMA_1 = r_1, EMA_t = a r_t + (1 - a) EMA_(t-1)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """One metric along the lineage of a run."""

    metric: str
    """Logged name."""
    step: NDArray[np.int64]
    """Lineage steps that carry a record, rising."""
    raw: Floats
    """Value at each step, NaN where the record has none."""
    ema: Floats
    """EMA over the finite values, NaN before the first; at a step without a finite value NaN (a gap stays a gap)."""
    superseded_step: NDArray[np.int64]
    """Steps of superseded rows."""
    superseded_raw: Floats
    """Their values."""
    nonfinite_step: NDArray[np.int64]
    """Steps at which the value was logged as NaN or infinite."""
    best: float | None
    """Best value on the lineage in the metric's direction (None when it has no better direction)."""
    best_step: int | None
    """Its step; the first on a tie."""


def ema(values: Floats, alpha: float = EMA_ALPHA) -> Floats:
    """Exponential moving average along the first axis: EMA_1 = r_1, EMA_t = alpha r_t + (1 - alpha) EMA_(t-1).

    Only finite values count: the first one starts the average, a gap neither moves nor ages it, and at a gap the
    result is NaN. A constant series stays exactly constant. `alpha` lies in (0, 1].
    """
    finite = np.isfinite(values)
    table = pd.DataFrame(np.where(finite, values, np.nan))
    smooth = table.ewm(alpha=alpha, adjust=False, ignore_na=True).mean().to_numpy(dtype="float64")
    result: Floats = np.where(finite, smooth.reshape(values.shape), np.nan)
    return result


def curves(run: Run, metrics: tuple[MetricSummary, ...] | None = None) -> tuple[Curve, ...]:
    """One curve per metric of the train records, in the order of `summarise`.

    Args:
        run: The run.
        metrics: What `summarise(run)` gave, when the caller has it already.
    """
    wanted = [m.name for m in (summarise(run) if metrics is None else metrics) if m.kind == "train"]
    along = lineage(run)
    rows = run.steps
    off = rows[((rows["kind"] == "train") & (rows[f"superseded_{run.overlap_rule}"] != 0)).to_numpy()]
    raw = _block(along, wanted)
    smooth = ema(raw)
    superseded = _block(off, wanted)
    step = along["step"].to_numpy(dtype="int64")
    off_step = off["step"].to_numpy(dtype="int64")
    bad = _nonfinite_steps(run)
    empty: NDArray[np.int64] = np.empty(0, dtype="int64")
    found: list[Curve] = []
    for index, name in enumerate(wanted):
        kept = np.isfinite(superseded[:, index])
        best = _best(raw[:, index], direction_of(name))
        found.append(
            Curve(
                metric=name,
                step=step,
                raw=raw[:, index],
                ema=smooth[:, index],
                superseded_step=off_step[kept],
                superseded_raw=superseded[kept, index],
                nonfinite_step=bad.get(name, empty),
                best=None if best is None else float(raw[best, index]),
                best_step=None if best is None else int(step[best]),
            )
        )
    return tuple(found)


def _block(rows: pd.DataFrame, names: list[str]) -> Floats:
    """The named columns as one array, NaN for what is not finite and for a name without a column."""
    values = rows.reindex(columns=names).to_numpy(dtype="float64").reshape(len(rows), len(names))
    block: Floats = np.where(np.isfinite(values), values, np.nan)
    return block


def _nonfinite_steps(run: Run) -> dict[str, NDArray[np.int64]]:
    table = run.nonfinite[(run.nonfinite["kind"] == "train").to_numpy()]
    return {str(name): np.sort(steps.to_numpy(dtype="int64")) for name, steps in table.groupby("metric")["step"]}


def _best(values: Floats, direction: str) -> int | None:
    """Index of the best finite value, the first on a tie; None without one or without a better direction."""
    if direction == "none" or not np.isfinite(values).any():
        return None
    return int(np.nanargmax(values) if direction == "up" else np.nanargmin(values))
