"""A plain drawing of a chart, for readers without scripts, for paper, and while Vega does not draw it.

The leading charts have a full drawing from `sitegen.charts`; this one stands in the box of the others. It shows what
the live one shows of the whole run: lines or areas, grid, axes, job boundaries, marks. Geometry, ticks and classes are
those of the live drawing, so that nothing moves when Vega draws over it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from markupsafe import Markup, escape

from sitegen import format as fmt
from sitegen.charts import theme
from sitegen.charts.base import Chart
from sitegen.charts.scales import step_ticks, tick_text
from sitegen.charts.thin import thin

WIDTH = 500
"""Units of the drawing across; it stretches to its box."""
MARKS = 40
"""Marks of one kind that are drawn; a run that did most steps twice would fill the page with crosses."""

_SPACE = "\u200b\u00a0"
"""Room beside a name that moves with its share of the width (`charts/forms.py`)."""
_CIRCLE = "M-{r},0A{r},{r} 0 1 1 {r},0A{r},{r} 0 1 1 -{r},0Z"
_SHAPES: Mapping[str, tuple[str, str]] = {
    "superseded": ('class="s-ink-60" stroke-width="1.75"', "M-3.500,-3.500L3.500,3.500M3.500,-3.500L-3.500,3.500"),
    "candidate": ('class="f-ink-4 s-run-1" stroke-width="1.5"', _CIRCLE.format(r=3)),
    "selected": ('class="f-bg s-run-1" stroke-width="2.5"', _CIRCLE.format(r=7)),
    "evaluation": ('class="f-ink-90 s-ink-4" stroke-width="1.25"', "M0,-6.500L4,0L0,6.500L-4,0Z"),
    "nonfinite": ('class="f-bad"', "M0,-4.500L4.500,3.600H-4.500Z"),
    "beyond": ('class="f-ink-90 s-ink-4" stroke-width="1"', "M0,-4.500L4.500,3.600H-4.500Z"),
    "nonpositive": ('class="f-ink-60"', "M0,3L3,-3H-3Z"),
}
"""Kind of mark to its look and its outline."""
_PARTS: Mapping[str, Mapping[str, str]] = {"time": dict(theme.TIME_PARTS), "errors": dict(theme.ERROR_PARTS)}
"""Fills of the forms of areas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plot:
    """Where values lie in the drawing."""

    x0: float
    x1: float
    y0: float
    y1: float
    height: int
    log: bool

    def x(self, step: float) -> float:
        """Units from the left."""
        return (step - self.x0) / (self.x1 - self.x0) * WIDTH

    def share(self, step: float) -> str:
        """The same as a percentage."""
        return f"{round(100 * (step - self.x0) / (self.x1 - self.x0), 2):g}%"

    def y(self, value: float | None) -> float | None:
        """Pixels from the top; None for a missing value."""
        if value is None or (self.log and value <= 0):
            return None
        low, high, at = (math.log10(v) if self.log else v for v in (self.y0, self.y1, value))
        return (1 - (at - low) / (high - low)) * self.height


@lru_cache(maxsize=512)
def plain_drawing(chart: Chart, limit: int) -> Markup | None:
    """The chart as SVG, thinned to `limit` positions per line; None for a form without steps and without values.

    The last ones are kept, because every language of a page shows the same drawing.
    """
    draw = _DRAWN.get(chart.form)
    plot = _plot(chart)
    if draw is None or plot is None:
        return None
    stretched = "".join(draw(chart, plot, limit))
    if not stretched:
        return None
    box = f'viewBox="0 0 {WIDTH} {plot.height}" preserveAspectRatio="none" width="100%" height="{plot.height}"'
    before, after = (
        "".join((*_grid(chart, plot), *_jobs(chart, plot), *_step_numbers(chart, plot))),
        "".join((*_marks(chart, plot), *_names(chart, plot))),
    )
    cut = " cut" if "yTop" in chart.params else ""
    body = f'{before}<svg class="stretch{cut}" {box}>{stretched}</svg>{after}'
    return Markup(f'<svg class="chart-svg" aria-hidden="true">{body}</svg>')


def _plot(chart: Chart) -> _Plot | None:
    params = chart.params
    if "x0" not in params:
        return None
    ends = {name: float(params[name]) for name in ("x0", "x1", "y0", "y1")}
    plot = _Plot(**ends, height=chart.height - theme.TOP - theme.BOTTOM, log=chart.form == "lines-log")
    return plot if plot.y1 > plot.y0 and plot.x1 > plot.x0 else None


def _lines(chart: Chart, plot: _Plot, limit: int) -> Iterator[str]:
    points = chart.datasets["points"]
    yield from _band(chart, plot)
    for color, dash, rows in _series(points["series"]):
        raw = [math.nan if points["raw"][at] is None else float(points["raw"][at]) for at in rows]
        kept = [rows[at] for at in thin([raw], limit)]
        if any(points["lone"][at] == 2 for at in rows):
            foot = fmt.svg(plot.y(0) or 0.0)
            stems = [(plot.x(points["step"][at]), plot.y(points["raw"][at])) for at in kept]
            d = "".join(f"M{fmt.svg(x)} {foot}V{fmt.svg(y)}" for x, y in stems if y is not None)
            yield f'<path class="s-{color}" stroke-width="1.5" d="{d}"/>'
            continue
        for name, look in (("raw", 'stroke-width="1" opacity="0.38"'), ("ema", f'stroke-width="2.25"{dash}')):
            d = "".join(_path([(plot.x(points["step"][at]), plot.y(points[name][at])) for at in kept]))
            if d:
                yield f'<path class="s-{color}" {look} d="{d}"/>'


def _means(chart: Chart, plot: _Plot, limit: int) -> Iterator[str]:
    means = chart.datasets["means"]
    ends = "".join(f"M{fmt.svg(plot.x(x))} 0v-{theme.TICK}" for x in chart.datasets["steps"]["x"])
    if ends:
        yield f'<path class="s-ink-50" d="{ends}"/>'
    for color, dash, rows in _series(means["series"]):
        d = "".join(_path([(plot.x(means["x"][at]), plot.y(means["v"][at])) for at in rows]))
        if d:
            yield f'<path class="s-{color}" stroke-width="2.25"{dash} d="{d}"/>'


def _series(codes: Sequence[str]) -> Iterator[tuple[str, str, list[int]]]:
    """Colour, dash attribute and rows of each line."""
    for code in dict.fromkeys(codes):
        color = "ink-60" if code == "0" else f"run-{code}"
        dash = ' stroke-dasharray="6,4"' if code in "02468" else ""
        yield color, dash, [at for at, name in enumerate(codes) if name == code]


def _band(chart: Chart, plot: _Plot) -> Iterator[str]:
    band = chart.datasets["band"]
    top: list[str] = []
    foot: list[str] = []
    for step, low, high in zip(band["step"], band["low"], band["high"], strict=True):
        below, above = plot.y(low), plot.y(high)
        if below is None or above is None:
            yield from _closed(top, foot)
            top, foot = [], []
            continue
        top.append(f"{round(plot.x(step))} {fmt.svg(above)}")
        foot.append(f"{round(plot.x(step))} {fmt.svg(below)}")
    yield from _closed(top, foot)


def _closed(top: Sequence[str], foot: Sequence[str]) -> Iterator[str]:
    if top:
        yield f'<path class="f-run-1" opacity="0.13" d="M{"L".join((*top, *reversed(foot)))}Z"/>'


def _areas(chart: Chart, plot: _Plot, limit: int) -> Iterator[str]:
    areas = chart.datasets["areas"]
    fills = _PARTS[chart.form]
    for code in dict.fromkeys(areas["series"]):
        look = f'class="f-{_name(fills[code])}"'
        if fills[code] == theme.IDLE:
            look = f'class="f-{_name(theme.IDLE)} s-{_name(theme.EDGE)}" stroke-width="0.75"'
        rows = [at for at, name in enumerate(areas["series"]) if name == code]
        d = "".join(_steps([(areas["x"][at], plot.y(areas["y0"][at]), plot.y(areas["y1"][at])) for at in rows], plot))
        if d:
            yield f'<path {look} d="{d}"/>'


def _steps(edges: Sequence[tuple[float, float | None, float | None]], plot: _Plot) -> Iterator[str]:
    """Outlines of unbroken stretches: a bar reaches from its edge to the next one, along the tops and back by the feet.

    Both corners of a bar are written, so that top and foot of a part change at the same places as its neighbours'.
    """
    stretch: list[tuple[str, str, str]] = []
    for x, low, high in edges:
        if low is None or high is None:
            yield from _bars(stretch)
            stretch = []
        else:
            stretch.append((fmt.svg(plot.x(x)), fmt.svg(low), fmt.svg(high)))
    yield from _bars(stretch)


def _bars(stretch: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    top: list[str] = []
    foot: list[str] = []
    for (x, low, high), (end, _, _) in pairwise(stretch):
        top += [f"{x} {high}", f"{end} {high}"]
        foot += [f"{x} {low}", f"{end} {low}"]
    if top:
        yield f"M{'L'.join((*top, *reversed(foot)))}Z"


def _name(color: str) -> str:
    """The style sheet's name of a colour or a pattern."""
    return color.removeprefix("var(--").removeprefix("url(#").removesuffix(")")


_DRAWN: Mapping[str, Callable[[Chart, _Plot, int], Iterator[str]]] = {
    "lines": _lines,
    "lines-log": _lines,
    "time": _areas,
    "errors": _areas,
    "engine": _means,
}


def _path(places: Sequence[tuple[float, float | None]]) -> Iterator[str]:
    """Path commands; a missing value lifts the pen."""
    command = "M"
    for x, y in places:
        if y is None:
            command = "M"
            continue
        yield f"{command}{round(x)} {fmt.svg(y)}"
        command = "L"


def _grid(chart: Chart, plot: _Plot) -> Iterator[str]:
    """Grid lines and both axes, ticks where the live drawing has them."""
    params, foot = chart.params, plot.height
    for tick in params["yTicks"]:
        y = plot.y(tick)
        if y is None:
            continue
        at = fmt.svg(y)
        text = escape(tick_text(tick, params["yDiv"], params["ySuffix"], params["yFormat"]))
        yield f'<line class="s-ink-14" x2="100%" y1="{at}" y2="{at}"/>'
        yield f'<text class="f-ink-60" x="-8" y="{at}" dy=".32em" text-anchor="end">{text}</text>'
    yield f'<line class="s-ink-30" x2="100%" y1="{foot}" y2="{foot}"/>'
    ticks = step_ticks(plot.x0, plot.x1) if params.get("xStep", 1) else _hours(plot)
    for tick in ticks:
        at, text = plot.share(tick), Markup(fmt.count(tick) if tick % 1 == 0 else f"{tick:g}")
        yield f'<line class="s-ink-30" x1="{at}" x2="{at}" y1="{foot}" y2="{foot + 4}"/>'
        yield f'<text class="f-ink-60" x="{at}" y="{foot + 19}" text-anchor="middle">{text}</text>'


def _hours(plot: _Plot) -> list[float]:
    """Ticks of an axis that may be finer than whole numbers."""
    return [tick / 1000 for tick in step_ticks(plot.x0 * 1000, plot.x1 * 1000)]


def _jobs(chart: Chart, plot: _Plot) -> Iterator[str]:
    """Rules between jobs, named where the live drawing names them."""
    jobs = chart.datasets["jobs"]
    top = 2 if chart.form == "engine" else theme.UNDER_BEYOND
    place = f'y="{plot.height - 6}"' if chart.form.startswith("lines") else f'y="{top}" dy=".75em"'
    for step, label in list(zip(jobs["step"], jobs["label"], strict=True))[:MARKS]:
        at = plot.share(step)
        yield f'<line class="s-ink-50" stroke-dasharray="3,3" x1="{at}" x2="{at}" y2="{plot.height}"/>'
        if label:
            anchor = "end" if step > plot.x1 - (plot.x1 - plot.x0) / 6 else "start"
            said = escape(f"{_SPACE}{label}{_SPACE[::-1]}")
            yield f'<text class="f-ink-60" x="{at}" {place} text-anchor="{anchor}">{said}</text>'


def _step_numbers(chart: Chart, plot: _Plot) -> Iterator[str]:
    """Numbers over the ticks at which training steps ended."""
    steps: Mapping[str, Sequence[Any]] = chart.datasets.get("steps", {"x": (), "label": ()})
    for x, label in zip(steps["x"], steps["label"], strict=True):
        if label:
            place = f'x="{plot.share(x)}" y="{-theme.TICK - 2}" text-anchor="middle"'
            yield f'<text class="f-ink-60" {place}>{escape(label)}</text>'


def _marks(chart: Chart, plot: _Plot) -> Iterator[str]:
    yield from _lone(chart, plot)
    marks: Mapping[str, Sequence[Any]] = chart.datasets.get("marks", {"kind": ()})
    drawn: dict[str, int] = {}
    for at, kind in enumerate(marks["kind"]):
        drawn[kind] = drawn.get(kind, 0) + 1
        y = _mark_y(kind, marks["ema" if kind in ("candidate", "selected") else "raw"][at], plot)
        if y is not None and drawn[kind] <= MARKS:
            look, d = _SHAPES[kind]
            yield f'<svg class="mk" x="{plot.share(marks["step"][at])}" y="{fmt.svg(y)}"><path {look} d="{d}"/></svg>'


def _mark_y(kind: str, value: float | None, plot: _Plot) -> float | None:
    if kind == "nonfinite":
        return float(theme.RUG_Y)
    if kind == "beyond":
        return float(theme.BEYOND_Y)
    if kind == "superseded" and value is not None:
        return plot.y(min(value, plot.y1))
    return plot.height - 4.0 if kind == "nonpositive" else plot.y(value)


def _lone(chart: Chart, plot: _Plot) -> Iterator[str]:
    """Values without a neighbour, which no line shows."""
    points: Mapping[str, Sequence[Any]] = chart.datasets.get("points", {"lone": ()})
    alone = [at for at, lone in enumerate(points["lone"]) if lone]
    for at in alone[: 2 * MARKS]:
        color, x = points["series"][at], plot.share(points["step"][at])
        name = "ink-60" if color == "0" else f"run-{color}"
        for kind, look, r in (("raw", ' opacity="0.6"', 2), ("ema", "", 3)):
            y = plot.y(points[kind][at])
            if y is not None:
                dot = f'<path class="f-{name}"{look} d="{_CIRCLE.format(r=r)}"/>'
                yield f'<svg class="mk" x="{x}" y="{fmt.svg(y)}">{dot}</svg>'


def _names(chart: Chart, plot: _Plot) -> Iterator[str]:
    """The names at the ends of lines."""
    names: Mapping[str, Sequence[Any]] = chart.datasets.get("names", {"series": ()})
    for at, code in enumerate(names["series"]):
        end = _end(chart, code)
        y = plot.y(end[1]) if end else None
        if end is not None and y is not None:
            color = "ink-60" if code == "0" else f"run-{code}"
            place = f'x="{plot.share(end[0])}" y="{fmt.svg(y + names["dy"][at])}" dy=".32em" text-anchor="end"'
            yield f'<text class="f-{color}" font-weight="600" {place}>{escape(names["name"][at])}</text>'


def _end(chart: Chart, code: str) -> tuple[float, float] | None:
    """Last value of a line."""
    data = chart.datasets.get("points") or chart.datasets["means"]
    place, value = ("step", "ema") if "ema" in data else ("x", "v")
    ends = [
        (data[place][at], data[value][at])
        for at, series in enumerate(data["series"])
        if series == code and data[value][at] is not None
    ]
    return ends[-1] if ends else None
