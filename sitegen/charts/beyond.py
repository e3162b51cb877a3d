"""A value axis that a few extreme values do not flatten, and what is said of the values beyond it.

Where the greatest values are rare (a step that waited for a cold start), the axis ends a quarter above the 95th
percentile, rounded up to a tick. Values beyond it are triangles on the plot's top edge, superseded ones crosses there,
and the caption says them;
table and CSV hold them as they were logged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sitegen.analyse.progress import Curve
from sitegen.charts.payload import Columns, Line, add_mark
from sitegen.charts.scales import Axis, value_axis
from sitegen.charts.thin import LIMIT, thin
from sitegen.format import count, number
from sitegen.text import Text, same, ui

_FEWEST = 20
"""Values below which one of them is more than 5 %: nothing of so short a run is cut off."""
_SHARE = 0.95
"""The percentile that the axis is made for, by rank, without interpolation."""
_FAR = 4.0
"""The greatest value lies more than this many times beyond the percentile, or the axis holds all."""
_ROOM = 1.25
"""The axis ends this many times above the percentile, rounded up to a tick."""
_SAID = 3
"""Values beyond that the caption says, the greatest first."""


def robust_top(values: Iterable[float]) -> float | None:
    """1.25 times the 95th percentile where the greatest value lies more than 4 times above it; None elsewhere.

    Population: the finite ones among the values, at least 20, none below 0. At most 5 % of them lie above it.
    """
    known = sorted(value for value in values if math.isfinite(value))
    if len(known) < _FEWEST or known[0] < 0:
        return None
    usual = known[math.ceil(_SHARE * len(known)) - 1]
    return _ROOM * usual if usual > 0 and known[-1] / _FAR > usual else None


def fitting_axis(raw: Iterable[float], values: Sequence[float], *, stacked: bool = False) -> tuple[Axis, float | None]:
    """The axis for values, and where it ends when some of them lie beyond; None when it holds all.

    Args:
        raw: What was logged, which decides.
        values: Everything drawn, smoothed values included.
        stacked: As for `value_axis`.
    """
    top = robust_top(raw)
    if top is None:
        return value_axis(values, stacked=stacked), None
    axis = value_axis([*(value for value in values if value <= top), top], stacked=stacked)
    axis = replace(axis, high=axis.ticks[-1])
    return axis, axis.high


def add_beyond(marks: Columns, lines: Sequence[Line], top: float) -> None:
    """A `beyond` mark for every value of the lineage above the axis; superseded ones stay crosses, on its top edge."""
    for line in lines:
        found = _beyond(line.curve, top)
        for at in thin([[value for _, value in found]], LIMIT):
            add_mark(marks, "beyond", found[at][0], line.series, raw=found[at][1])


def beyond_words(curves: Sequence[Curve], top: float, unit: str = "") -> Text:
    """How many values lie beyond the axis and the greatest of them, superseded ones apart: more words of a caption."""
    kept = [pair for curve in curves for pair in _beyond(curve, top)]
    gone = [pair for curve in curves for pair in _superseded_beyond(curve, top)]
    said = [
        _listed(key, found, _round(top) + unit, unit)
        for key, found in (("charts.caption.beyond", kept), ("charts.caption.beyond-superseded", gone))
        if found
    ]
    return Text("".join(item.en for item in said), "".join(item.zh for item in said))


def _listed(key: str, found: Sequence[tuple[int, float]], top: str, unit: str) -> Text:
    said = [
        ui("charts.caption.beyond-at", value=number(value) + unit, step=step)
        for step, value in sorted(found, key=lambda pair: (-pair[1], pair[0]))[:_SAID]
    ]
    rest = ", …" if len(found) > _SAID else ""
    listed = Text(
        ", ".join(item.en for item in said) + rest, "、".join(item.zh for item in said) + ("…" if rest else "")
    )
    return ui(key, n=count(len(found)), top=same(top), listed=listed)


def _round(top: float) -> str:
    """The end of an axis as its tick says it: without the zeros that other numbers keep."""
    return f"{top:,.6f}".rstrip("0").rstrip(".") if 1e-4 <= top < 1e9 else number(top, 3)


def _beyond(curve: Curve, top: float) -> list[tuple[int, float]]:
    """Step and value of the lineage above the axis, in step order."""
    return _above(zip(curve.step.tolist(), curve.raw.tolist(), strict=True), top)


def _superseded_beyond(curve: Curve, top: float) -> list[tuple[int, float]]:
    return _above(zip(curve.superseded_step.tolist(), curve.superseded_raw.tolist(), strict=True), top)


def _above(pairs: Iterable[tuple[int, float]], top: float) -> list[tuple[int, float]]:
    return sorted((int(step), value) for step, value in pairs if math.isfinite(value) and value > top)
