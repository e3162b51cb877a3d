"""Geometry and colours that the live drawing, the static drawing and the style sheet share.

Colours are custom properties of the style sheet, named here and never given: a drawing follows the theme without
being drawn again. In static SVG each becomes a class (`f-run-1` fills, `s-run-1` strokes; `static/css/vega.css`).
"""

from __future__ import annotations

from typing import Final

LEFT: Final = 54
"""Pixels left of the plot, for the labels of the value axis."""
RIGHT: Final = 14
"""Pixels right of the plot."""
TOP: Final = 16
"""Pixels above the plot: the rug of values that are not finite."""
BOTTOM: Final = 24
"""Pixels below the plot, for the labels of the step axis."""

SMALL: Final = 180
"""Height of a small card's drawing box in pixels; `data-height` in the markup, a rule in the style sheet."""
MEDIUM: Final = 260
"""Height of a medium drawing box."""
LARGE: Final = 400
"""Height of the leading drawing box."""
HEIGHTS: Final = (SMALL, MEDIUM, LARGE)
"""All heights a chart may have."""

STATIC_WIDTH: Final = 720
"""Width at which static drawings are made; they stretch to their box afterwards."""

TICK: Final = 4
"""Pixels from the top of the plot up that mark the end of a training step."""
RUG_Y: Final = -8
"""Pixels from the top of the plot to the marks of values that are not finite."""
BEYOND_Y: Final = 4
"""Pixels from the top of the plot down to the marks of values that its axis does not hold."""
UNDER_BEYOND: Final = 11
"""Pixels from the top of the plot down to what stands clear of these marks."""

SERIES: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "0", "a", "b", "c", "d", "e", "f", "g", "h")
"""Codes of lines: 1-8 are the run colours, even ones dashed; 0 is the grey dashed companion; a-h are the run colours
again, odd ones dashed, for the ninth run and on where runs are compared."""


def color(name: str) -> str:
    """The value a mark carries for a colour of the style sheet."""
    return f"var(--{name})"


INK: Final = color("ink-90")
LABEL: Final = color("ink-60")
EDGE: Final = color("ink-50")
IDLE: Final = color("ink-30")
GRID: Final = color("ink-14")
CARD: Final = color("ink-4")
PAGE: Final = color("bg")
BAD: Final = color("bad")

SERIES_COLORS: Final = tuple(
    LABEL if code == "0" else color(f"run-{code if code.isdigit() else 'abcdefgh'.index(code) + 1}") for code in SERIES
)
"""Stroke of each line code."""
SERIES_DASHES: Final = tuple([6, 4] if code in "02468aceg" else [1, 0] for code in SERIES)
"""Dash of each line code."""

TIME_PARTS: Final = (
    ("wait", IDLE),
    ("train", color("run-1")),
    ("sync", color("run-2")),
    ("other", color("run-3")),
    ("whole", IDLE),
)
"""Parts of a step's time and their fills, bottom first; waiting, the largest, is the palest, as is a step that no
logged part divides."""

ERROR_PARTS: Final = (
    ("passthrough", color("run-2")),
    ("zero", color("run-7")),
    ("mask", "url(#p-mask)"),
    ("not-classified", "url(#p-retry)"),
    ("not-stated", "url(#p-none)"),
)
"""What the configuration does with an exception, and the fills, bottom first; texture where no reward is given."""

OUTCOME_PARTS: Final = (("solved", color("run-1")), ("unsolved", IDLE))
"""Outcomes of graded trials and their fills, bottom first."""
