"""Thinning of long series: least and greatest value of each bucket, first and last, and every gap. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

LIMIT = 500
"""Points of one line that are drawn; a line is about 300 to 800 pixels wide, and more would only cost."""


def thin(series: Sequence[Sequence[float] | npt.NDArray[np.float64]], limit: int = LIMIT) -> list[int]:
    """Positions to draw, rising: all of them up to `limit`, otherwise at most `limit`.

    Of each bucket of neighbouring positions the least and the greatest finite value of every series stay, and the
    first position without one, so that a gap remains a gap. The first and the last position and the first and last
    finite value always stay. Hence the extremes of the whole series stay too.

    Args:
        series: One or more series of equal length that share their positions; NaN is a missing value.
        limit: Most positions to keep.
    """
    size = len(series[0]) if series else 0
    if size <= limit:
        return list(range(size))
    buckets = max(1, (limit - 2 - 2 * len(series)) // (3 * len(series)))
    kept = {0, size - 1}
    for values in series:
        kept.update(_extremes(np.asarray(values, dtype="float64"), buckets))
    return sorted(kept)


def _extremes(values: npt.NDArray[np.float64], buckets: int) -> set[int]:
    """Positions of the first and last finite value, and of each bucket's least, greatest and first missing one."""
    finite = np.isfinite(values)
    at = np.flatnonzero(finite)
    kept = {int(at[0]), int(at[-1])} if len(at) else set()
    for bucket in range(buckets):
        start, end = bucket * len(values) // buckets, (bucket + 1) * len(values) // buckets
        mine, there = values[start:end], finite[start:end]
        if not there.all():
            kept.add(start + int(np.argmin(there)))
        if there.any():
            kept.add(start + int(np.where(there, mine, np.inf).argmin()))
            kept.add(start + int(np.where(there, mine, -np.inf).argmax()))
    return kept
