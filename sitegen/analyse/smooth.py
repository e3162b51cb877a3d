"""The second smoothing of what is logged per step; the first (EMA) comes with the curves. Pure."""

from __future__ import annotations

import numpy as np

from sitegen.analyse.progress import Floats

WINDOW = 5
"""Records in the trailing mean."""


def trailing_mean(raw: Floats, window: int = WINDOW) -> Floats:
    """Mean of the finite values among a record and the `window - 1` before it.

    NaN where the record itself has no finite value, so that a gap stays a gap. It never looks ahead; near the start
    it is the mean of fewer records.
    """
    if not len(raw):
        return raw
    padded = np.concatenate([np.full(window - 1, np.nan), raw])
    near = np.lib.stride_tricks.sliding_window_view(padded, window)
    finite = np.isfinite(near)
    counts = finite.sum(axis=1)
    parts = np.where(finite, near, 0.0) / np.maximum(counts, 1)[:, None]
    mean: Floats = np.where(np.isfinite(raw), parts.sum(axis=1), np.nan)
    return mean
