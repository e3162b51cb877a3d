"""Curves over the lineage: raw values, EMA, the reward and pass@k of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    """Best value in the metric's direction (None when it has no better direction)."""
    best_step: int | None
    """Its step; the first on a tie."""
