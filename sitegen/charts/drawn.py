"""Curves as they are drawn: what is smoothed, what is not, and where a line breaks. Pure.

The EMA of a curve is a definition, which checkpoints are selected by; the bold line of a drawing differs from it
where it would mislead. Of fewer than ten values, and of a counter, the bold line is the values themselves. A value
that the axis does not hold is not averaged into the line, which breaks there. A step without a record is a break in
a metric that is otherwise logged at every step. And values at few steps, here and there, are stems and no line.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sitegen.analyse.progress import Curve, ema
from sitegen.analyse.smooth import trailing_mean

Floats = npt.NDArray[np.float64]

FEWEST = 10
"""Values from which a line is smoothed."""
_MOSTLY = 0.9
"""Share of the records from which a metric's line is drawn, whatever its gaps."""
_BROKEN = 5
"""Stretches from which a line is in crumbs."""
_CLOSE = 0.75
"""Share of neighbouring values one step apart from which a metric counts as logged at every step."""


def few(raw: Floats) -> bool:
    """Whether there are too few values to smooth."""
    return int(np.isfinite(raw).sum()) < FEWEST


def counter(raw: Floats) -> bool:
    """Whether the finite values are whole numbers that rise and never fall, as an epoch does."""
    known = raw[np.isfinite(raw)]
    if len(known) < 2 or known[0] == known[-1]:
        return False
    return bool((known == np.floor(known)).all() and (known[1:] >= known[:-1]).all())


def sparse(raw: Floats) -> bool:
    """Whether values of 0 or more come and go: missing at over a tenth of ten or more records, in many short stretches.

    Values at one regular distance are no such case. Below half of the records any number of stretches will do.
    """
    at = np.flatnonzero(np.isfinite(raw))
    if len(raw) < FEWEST or not len(at) or raw[at].min() < 0 or len(at) >= _MOSTLY * len(raw):
        return False
    apart = np.diff(at)
    usual = float(np.median(apart)) if len(apart) else 1.0
    if usual > 1 and (apart == usual).mean() >= _CLOSE:
        return False
    return 2 * len(at) < len(raw) or 1 + int((apart > 1).sum()) >= _BROKEN


def smoothed(raw: Floats, top: float | None = None) -> tuple[Floats, Floats]:
    """The bold line by either smoothing: EMA and mean of the last five, NaN where it breaks.

    Args:
        raw: Values along the lineage, NaN for missing.
        top: Where the axis ends, when some values lie beyond it.
    """
    if few(raw) or counter(raw) or sparse(raw):
        return raw, raw
    held = raw if top is None else np.where(raw > top, np.nan, raw)
    return ema(held), trailing_mean(held)


def gaps(step: npt.NDArray[np.int64], raw: Floats) -> list[int]:
    """Positions before which a step without a record breaks the line."""
    at = np.flatnonzero(np.isfinite(raw))
    if len(at) < 3 or (np.diff(step[at]) == 1).mean() < _CLOSE:
        return []
    return [int(place) + 1 for place in np.flatnonzero(np.diff(step) > 1)]


def drawn_curve(curve: Curve, top: float | None = None) -> Curve:
    """The curve with its `ema` as the bold line shows it, and a row without values where the line breaks.

    Args:
        curve: A curve.
        top: Where the axis ends, when some values lie beyond it.
    """
    smooth, _ = smoothed(curve.raw, top)
    before = gaps(curve.step, curve.raw)
    if not before:
        return replace(curve, ema=smooth)
    missing = curve.step[[at - 1 for at in before]] + 1
    return replace(
        curve,
        step=np.insert(curve.step, before, missing),
        raw=np.insert(curve.raw, before, np.nan),
        ema=np.insert(smooth, before, np.nan),
    )
