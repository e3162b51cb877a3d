"""The pictures that link previews show, 1200 by 630: of a run its name, numbers and reward curve; of every other page
the site's name and its newest curves.

One picture serves both languages, so it holds names as logged and terms that both use. Colours are those of the light
theme, written out, because nothing of the site's style reaches a preview.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from sitegen import format as fmt
from sitegen.charts.raster import png
from sitegen.pages.row import RunRow, Spark
from sitegen.publish.feed import clean

WIDTH, HEIGHT = 1200, 630
LEFT, RIGHT, TOP, BOTTOM = 72, 1128, 300, 560
"""Sides of the plot."""
TITLE_WIDTH = 1056
COLUMNS, GAP = 4, 40
"""Curves side by side on the picture of the site, and what is between them."""
LINES = 2
"""Most lines of a title."""
_INK, _QUIET, _LINE, _RAW, _ACCENT = "#0b0e14", "#5a6170", "#dfe2e8", "#9dbdf0", "#1459c4"
_BOLD, _AT_END = ' font-weight="700"', ' text-anchor="end"'
_FONT = "Noto Sans, Noto Sans CJK SC, DejaVu Sans, Liberation Sans, Arial, sans-serif"


SITE_PICTURE = "social.png"
"""Site path of the picture of all pages that are no run's."""


def social_path(slug: str) -> str:
    """Site path of a run's picture."""
    return f"runs/{slug}/card/social.png"


def social_picture(row: RunRow, site_title: str) -> bytes:
    """The picture as PNG."""
    return png(social_svg(row, site_title))


def site_picture(rows: Sequence[RunRow], site_title: str) -> bytes:
    """The picture of the site as PNG; the rows are in the order in which the site shows them."""
    return png(site_svg(rows, site_title))


def site_svg(rows: Sequence[RunRow], site_title: str) -> str:
    """The picture of the site as SVG: its name, how many runs, and the curves of the first ones that have one."""
    names = sorted({row.framework for row in rows if row.framework})
    line = "  ·  ".join((f"{fmt.count(len(rows))} {'run' if len(rows) == 1 else 'runs'}", *names))
    drawn = [row for row in rows if row.spark is not None][: COLUMNS * 2]
    parts = [*_ground(), *_title(site_title), _text(_cut(line, 86), LEFT, 258, 26, _QUIET)]
    for number, row in enumerate(drawn):
        parts += _tile(row, number % COLUMNS, number // COLUMNS)
    return "".join([*parts, "</svg>"])


def _tile(row: RunRow, column: int, line: int) -> Iterator[str]:
    """A run's curve in a place of its own."""
    assert row.spark is not None
    wide, tall = (RIGHT - LEFT - (COLUMNS - 1) * GAP) / COLUMNS, 116.0
    left, top = LEFT + column * (wide + GAP), 296 + line * 156
    yield _text(fmt.middle(row.title, 25), left, top + 18, 18, _QUIET)
    plot = _Plot(left=left, right=left + wide, top=top + 34, bottom=top + tall)
    yield f'<path d="M{left:.1f} {plot.bottom}h{wide:.1f}" stroke="{_LINE}" stroke-width="2"/>'
    yield from _lines(row.spark, plot, thin=1.5, bold=4)


def _ground() -> tuple[str, ...]:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"',
        f' font-family="{_FONT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/><rect width="{WIDTH}" height="10" fill="{_ACCENT}"/>',
    )


def social_svg(row: RunRow, site_title: str) -> str:
    """The picture as SVG: no script, no style, no reference."""
    parts = [
        *_ground(),
        _text(_cut(site_title, 70), LEFT, 72, 26, _QUIET),
        *_title(row.title),
        *_numbers(row),
        *(_curve(row.spark) if row.spark else ()),
        "</svg>",
    ]
    return "".join(parts)


def _title(title: str) -> Iterator[str]:
    size = 50 if _ems(title) * 50 <= TITLE_WIDTH * 1.9 else 38
    for number, line in enumerate(_wrapped(title, TITLE_WIDTH / size)):
        yield _text(line, LEFT, 140 + number * (size + 6), size, _INK, _BOLD)


def _numbers(row: RunRow) -> Iterator[str]:
    parts = [f"{fmt.count(row.facts.steps_done)} steps"]
    if row.checkpoint_step is not None and row.checkpoint_ema is not None:
        parts.append(f"reward EMA {fmt.fixed(row.checkpoint_ema, 3)} @ step {fmt.count(row.checkpoint_step)}")
    if row.best_pass is not None:
        parts.append(f"pass@{row.pass_k or 'k'} {fmt.fixed(row.best_pass, 3)}")
    if row.facts.base_model:
        parts.append(row.facts.base_model.rstrip("/").rpartition("/")[2])
    yield _text(_cut("  ·  ".join(parts), 86), LEFT, 258, 26, _QUIET)


def _curve(spark: Spark) -> Iterator[str]:
    """Raw values thin, smoothed ones bold; a gap stays a gap."""
    known = [value for value in (*spark.raw, *spark.ema) if value is not None]
    low, high = min(known), max(known)
    for value, y in ((high, TOP), (low, BOTTOM)) if high > low else ((high, (TOP + BOTTOM) / 2),):
        yield f'<path d="M{LEFT} {y}H{RIGHT}" stroke="{_LINE}" stroke-width="2"/>'
        yield _text(fmt.number(value, 3), RIGHT, y + (26 if y == BOTTOM else -8), 20, _QUIET, _AT_END)
    yield from _lines(spark, _Plot(left=LEFT, right=RIGHT, top=TOP, bottom=BOTTOM), thin=2.5, bold=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plot:
    """Sides of a place that curves are drawn in."""

    left: float
    right: float
    top: float
    bottom: float


def _lines(spark: Spark, plot: _Plot, *, thin: float, bold: float) -> Iterator[str]:
    known = [value for value in (*spark.raw, *spark.ema) if value is not None]
    low, high = min(known), max(known)
    for values, color, width in ((spark.raw, _RAW, thin), (spark.ema, _ACCENT, bold)):
        for path in _paths(spark.step, values, (low, high), plot):
            yield (
                f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width}"'
                ' stroke-linejoin="round" stroke-linecap="round"/>'
            )


def _paths(
    steps: Sequence[int], values: Sequence[float | None], bounds: tuple[float, float], plot: _Plot
) -> Iterator[str]:
    (low, high), span = bounds, max(steps[-1] - steps[0], 1)
    tall = high - low
    points: list[str] = []
    for step, value in [*zip(steps, values, strict=True), (0, None)]:
        if value is None:
            if points:
                yield f"M{points[0]}L{' '.join(points[1:] or points)}"
            points = []
            continue
        x = plot.left + (plot.right - plot.left) * (step - steps[0]) / span
        middle, height = (plot.top + plot.bottom) / 2, plot.bottom - plot.top
        y = middle if not tall else plot.bottom - height * ((value - low) / tall)
        points.append(f"{x:.1f},{y:.1f}")


def _text(text: str, x: float, y: float, size: int, color: str, look: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}"{look}>{escape(clean(text))}</text>'


def _ems(text: str) -> float:
    """About how wide a text is, in font sizes."""
    return sum(1.0 if ord(char) > 0x2E80 else 0.62 for char in text)


def _wrapped(text: str, ems: float) -> list[str]:
    """At most two lines, broken behind a separator where there is one near; what is left over becomes `…`."""
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest and len(lines) < LINES:
        fits = next((n for n in range(len(rest), 0, -1) if _ems(rest[:n]) <= ems), 1)
        if fits < len(rest):
            cut = max(rest.rfind(mark, fits // 2, fits) for mark in " -_/.")
            fits = cut + 1 if cut > 0 else fits
            if len(lines) == LINES - 1:
                lines.append(f"{rest[: fits - 1]}…")
                break
        lines.append(rest[:fits].strip())
        rest = rest[fits:]
    return lines


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
