"""Means and spreads of what is finite, None where there is nothing to say."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mean(values: Floats) -> float | None:
    """Mean of the finite values; None without any, or when their sum is beyond the largest float."""
    kept = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        return finite(float(kept.mean())) if len(kept) else None


def std(values: Floats) -> float | None:
    """Sample standard deviation (ddof 1) of the finite values; None below two, or beyond the largest float."""
    kept = values[np.isfinite(values)]
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(float(kept.std(ddof=1))) if len(kept) > 1 else None


def median(values: Floats) -> float:
    """Median of finite values, at least one; of the largest floats too, whose sum is no number."""
    largest = float(np.abs(values).max())
    return float(np.median(values)) if largest < 1e300 else 2 * float(np.median(values / 2))


def total(values: Floats) -> float | None:
    """Sum of the finite values; None without any: nothing reported is not a sum of 0."""
    kept = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        return finite(float(kept.sum())) if len(kept) else None


def finite(value: float) -> float | None:
    """The value, None when it is not finite."""
    return value if math.isfinite(value) else None
