"""Where the names of lines stand at their ends: beside the line, across no other line and no other name. Pure.

A name is tried over its line, under it, and then further off, at the width of a phone and of a wide card. Where one
of a chart's names has no free place (very short runs, whose lines are steep), none is drawn and the card's legend
names the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sitegen.charts import theme
from sitegen.charts.payload import Columns, label

ABOVE, BELOW, LINE = -14.0, 20.0, 13.0
"""Offsets of a name over and under its line, and the height of a line of text, in pixels."""
_WIDTHS = (250.0, float(theme.STATIC_WIDTH - theme.LEFT - theme.RIGHT))
"""Widths of the plot at which a name must be free: on a phone, and on the leading card."""
_LETTER = 6.4
"""Pixels of a letter, a little more than the average at 11 px bold."""
_CLEAR = 2.0
"""Pixels between a name and a line."""

Path = Sequence[tuple[float, float]]
"""Points of one unbroken stretch of a line: share of the plot's width, pixels from its top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a named line ends."""

    series: str
    """Its code."""
    name: str
    """Its direct label."""
    y: float
    """Pixels from the top of the plot to its last value."""
    below: float
    """Pixels under the line that something else takes (the selected checkpoint's label); 0 for none."""
    x: float = 1.0
    """Share of the plot's width at which it ends."""


def names(ends: Sequence[End], paths: Sequence[Path] = (), height: float = 0.0) -> Columns:
    """The `names` data set (series, name, dy); without rows where a name has no free place.

    Args:
        ends: The lines that want a name.
        paths: What a name must not cross.
        height: Pixels of the plot, which a name must not leave; 0 when it may.
    """
    columns: Columns = {"series": [], "name": [], "dy": []}
    taken: list[tuple[End, float]] = []
    for end in sorted(ends, key=lambda end: (end.y, end.series)):
        dy = next((dy for dy in _offsets(end) if _free(end, dy, taken, paths, height)), None)
        if dy is None:
            return {key: [] for key in columns}
        taken.append((end, dy))
        columns["series"].append(end.series)
        columns["name"].append(label(end.name))
        columns["dy"].append(dy)
    return columns


def _offsets(end: End) -> list[float]:
    under = BELOW + end.below
    return [ABOVE, under, *(side for n in range(1, 9) for side in (ABOVE - n * LINE, under + n * LINE))]


def _free(end: End, dy: float, taken: Sequence[tuple[End, float]], paths: Sequence[Path], height: float) -> bool:
    top, bottom = end.y + dy - LINE / 2, end.y + dy + LINE / 2
    if height and (top < -theme.TOP or bottom > height):
        return False
    if any(abs(end.y + dy - other.y - at) < LINE for other, at in taken):
        return False
    for width in _WIDTHS:
        left = end.x - (_LETTER * len(label(end.name)) + _CLEAR) / width
        if any(_crosses(path, (left, end.x), (top - _CLEAR, bottom + _CLEAR)) for path in paths):
            return False
    return True


def _crosses(path: Path, across: tuple[float, float], down: tuple[float, float]) -> bool:
    """Whether a stretch of a line passes through a rectangle."""
    left, right = across
    for (x0, y0), (x1, y1) in pairwise(path):
        if x1 < left or x0 > right:
            continue
        slope = (y1 - y0) / (x1 - x0) if x1 > x0 else 0.0
        ends = (y0 + slope * (max(x0, left) - x0), y0 + slope * (min(x1, right) - x0) if x1 > x0 else y1)
        if min(ends) <= down[1] and max(ends) >= down[0]:
            return True
    return False
