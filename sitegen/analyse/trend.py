"""Trend, noise and comparison of levels of a series of values; robust where a run is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ENDS = 10
"""Values taken at each end of a series when its beginning is set against its end."""
SIGMA_OF_MAD = 1.4826
"""Standard deviations per median absolute deviation of a normal distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A straight line through a series, and its two ends."""

    per_step: float
    """Slope of the least-squares line, units per step."""
    low: float
    """Lower end of the 95 % interval of the slope."""
    high: float
    """Upper end."""
    first: float
    """Mean of the first `ENDS` values (of a third of the series when it is shorter than three times that)."""
    last: float
    """Mean of the last ones, as many."""
    ends: int
    """How many values each mean is over."""
    noise: float
    """Noise of one value, see `noise`."""
    count: int
    """Values."""


def noise(values: Floats) -> float:
    """Standard deviation of one value around a level that changes slowly.

    From the differences of neighbours: 1.4826 x their median absolute deviation / sqrt(2), so that steps and trends
    hardly count. Where more than half of the differences are equal, their standard deviation / sqrt(2) instead. 0
    for fewer than three values, and for a constant series. Values must be finite.

    Source: Rousseeuw and Croux, Alternatives to the Median Absolute Deviation (1993); differencing as in
    Rice, Bandwidth choice for nonparametric regression (1984).
    """
    if len(values) < 3:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        change = np.diff(values)
        spread = float(np.median(np.abs(change - np.median(change)))) * SIGMA_OF_MAD
        found = (spread if spread > 0 else float(change.std())) / math.sqrt(2)
    return found if math.isfinite(found) else 0.0


def trend(step: Ints, values: Floats) -> Trend | None:
    """The line through the finite values over their steps; None below eight of them.

    The interval is slope +- t x standard error, widened by sqrt((1 + r) / (1 - r)) for a lag-1 correlation r > 0 of
    the residuals (at most 0.95), because neighbouring steps are not independent.

    Source: ordinary least squares; effective sample size of an AR(1) series, Bayley and Hammersley (1946).
    """
    kept = np.isfinite(values)
    x, y = step[kept].astype("float64"), values[kept]
    if len(y) < 8 or x[0] == x[-1]:
        return None
    size = float(np.abs(y).max()) or 1.0
    fitted = _line(x, y / size)
    if fitted is None:
        return None
    slope, margin = fitted
    ends = min(ENDS, len(y) // 3)
    found = Trend(
        per_step=slope * size,
        low=(slope - margin) * size,
        high=(slope + margin) * size,
        first=float((y[:ends] / size).mean()) * size,
        last=float((y[-ends:] / size).mean()) * size,
        ends=ends,
        noise=noise(y),
        count=len(y),
    )
    return found if all(math.isfinite(v) for v in (found.per_step, found.low, found.high)) else None


def _line(x: Floats, y: Floats) -> tuple[float, float] | None:
    """Slope of the least-squares line and half the width of its 95 % interval."""
    centred = x - x.mean()
    spread = float(centred @ centred)
    slope = float(centred @ y) / spread
    rest = y - y.mean() - slope * centred
    squares = float(rest @ rest)
    error = math.sqrt(squares / (len(x) - 2) / spread)
    lag = float(rest[:-1] @ rest[1:]) / squares if squares > 0 else 0.0
    lag = min(max(lag, 0.0), 0.95)
    return slope, student_95(len(x) - 2) * error * math.sqrt((1 + lag) / (1 - lag))


def student_95(freedom: int) -> float:
    """Two-sided 95 % point of Student's t, from its expansion around the normal one; within 0.01 from 4 on.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = 1.959964
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + math.fsum(term / float(freedom) ** (power + 1) for power, term in enumerate(terms))
