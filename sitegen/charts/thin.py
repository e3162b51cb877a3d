"""Thinning of long series: least and greatest value of each bucket, first and last, and every gap. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

LIMIT = 500
"""Points of one line that are drawn; a line is about 300 to 800 pixels wide, and more would only cost."""


def thin(series: Sequence[Sequence[float]], limit: int = LIMIT) -> list[int]:
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
        finite = [at for at in range(size) if math.isfinite(values[at])]
        kept.update(finite[:1] + finite[-1:])
        for bucket in range(buckets):
            kept.update(_bucket(values, bucket * size // buckets, (bucket + 1) * size // buckets))
    return sorted(kept)


def _bucket(values: Sequence[float], start: int, end: int) -> set[int]:
    finite = [at for at in range(start, end) if math.isfinite(values[at])]
    missing = [at for at in range(start, end) if not math.isfinite(values[at])]
    kept = set(missing[:1])
    if finite:
        kept.add(min(finite, key=lambda at: values[at]))
        kept.add(max(finite, key=lambda at: values[at]))
    return kept
