"""The second smoothing of step charts; the first (EMA) comes with the curves. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

WINDOW = 5
"""Records in the trailing mean."""


def trailing_mean(raw: Sequence[float], window: int = WINDOW) -> list[float]:
    """Mean of the finite values among a record and the `window - 1` before it.

    NaN where the record itself has no finite value, so that a gap stays a gap. It never looks ahead; near the start
    it is the mean of fewer records.
    """
    means: list[float] = []
    for at, value in enumerate(raw):
        if not math.isfinite(value):
            means.append(math.nan)
            continue
        near = [v for v in raw[max(0, at - window + 1) : at + 1] if math.isfinite(v)]
        means.append(math.fsum(v / len(near) for v in near))
    return means
