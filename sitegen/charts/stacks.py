"""Data of stacked areas over steps: both edges of every unbroken stretch, so that no gap is bridged. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sitegen.charts.payload import Columns, number
from sitegen.charts.scales import drawable, summed
from sitegen.charts.thin import thin


def areas(steps: Sequence[int], parts: Mapping[str, Sequence[float]]) -> tuple[Columns, int]:
    """The `areas` data set and the number of steps drawn.

    A bar reaches half a step to either side; over thinned steps it reaches half-way to the next one drawn. A step at
    which a part is missing has no bar of any part (a gap).

    Args:
        steps: Rising steps.
        parts: Values per part, bottom first; NaN for missing.
    """
    totals = [summed(part[at] for part in parts.values()) for at in range(len(steps))]
    kept = thin([totals])
    thinned = len(kept) < len(steps)
    columns: Columns = {key: [] for key in ("x", "series", "y0", "y1", "step", "v")}
    base = [0.0] * len(steps)
    for name, values in parts.items():
        top = [low + value for low, value in zip(base, values, strict=True)]
        _part(columns, name, steps, kept, (base, top, values), reach=math.inf if thinned else 0.5)
        base = top
    return columns, len(kept)


def _part(
    columns: Columns,
    name: str,
    steps: Sequence[int],
    kept: Sequence[int],
    spans: tuple[Sequence[float], Sequence[float], Sequence[float]],
    *,
    reach: float,
) -> None:
    base, top, values = spans
    drawn = [drawable(low) and drawable(high) for low, high in zip(base, top, strict=True)]
    for place, at in enumerate(kept):
        if not drawn[at]:
            continue
        left = _edge(steps, kept, place, -1, reach)
        right = _edge(steps, kept, place, 1, reach)
        _add(columns, left, name, (base[at], top[at]), (steps[at], values[at]))
        after = kept[place + 1] if place + 1 < len(kept) else None
        if after is None or not drawn[after] or _edge(steps, kept, place + 1, -1, reach) > right:
            _add(columns, right, name, (base[at], top[at]), (None, None))
            _add(columns, right, name, (None, None), (None, None))


def _edge(steps: Sequence[int], kept: Sequence[int], place: int, side: int, reach: float) -> float:
    """Where the bar of a kept position ends on one side."""
    step, beside = steps[kept[place]], place + side
    if not 0 <= beside < len(kept):
        return step + side * 0.5
    return step + side * min(abs(steps[kept[beside]] - step) / 2, reach)


def _add(
    columns: Columns,
    x: float,
    series: str,
    span: tuple[float | None, float | None],
    read: tuple[int | None, float | None],
) -> None:
    columns["x"].append(number(x))
    columns["series"].append(series)
    columns["y0"].append(number(span[0]))
    columns["y1"].append(number(span[1]))
    columns["step"].append(read[0])
    columns["v"].append(number(read[1]))
