"""A plain drawing of a chart of lines, for readers without scripts and for paper: lines, first and last grid label.

The leading charts have a full drawing from `sitegen.charts`; this one stands in the box of the others until Vega
draws over it. Geometry and classes are those of `static/css/vega.css`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from sitegen import format as fmt
from sitegen.charts import theme
from sitegen.charts.base import Chart
from sitegen.charts.thin import thin

WIDTH = 500
"""Units of the drawing across; it stretches to its box."""


def plain_drawing(chart: Chart, limit: int) -> Markup | None:
    """The lines of a chart as SVG, thinned to `limit` positions per line; None for other forms and without values."""
    points, params = chart.datasets.get("points"), chart.params
    if chart.form != "lines" or not points or not points["step"]:
        return None
    height = chart.height - theme.TOP - theme.BOTTOM
    low, high = float(params["y0"]), float(params["y1"])
    left, right = float(params["x0"]), float(params["x1"])
    if not (high > low and right > left):
        return None
    paths = []
    for series in dict.fromkeys(points["series"]):
        rows = [at for at, name in enumerate(points["series"]) if name == series]
        color = "ink-60" if series == "0" else f"run-{series}"
        raw = [math.nan if points["raw"][at] is None else float(points["raw"][at]) for at in rows]
        for name, look in (("raw", 'stroke-width="1" opacity="0.38"'), ("ema", 'stroke-width="2.25"')):
            places = [
                (_x(points["step"][rows[at]], left, right), _y(points[name][rows[at]], low, high, height))
                for at in thin([raw], limit)
            ]
            d = "".join(_path(places))
            if d:
                paths.append(f'<path class="s-{color}" {look} d="{d}"/>')
    box = f'viewBox="0 0 {WIDTH} {height}" preserveAspectRatio="none" width="100%" height="{height}"'
    grid = "".join(_grid(params["yTicks"], low, high, height))
    body = f'{grid}<svg class="stretch" {box}>{"".join(paths)}</svg>'
    return Markup(f'<svg class="chart-svg" aria-hidden="true">{body}</svg>') if paths else None


def _x(step: float, left: float, right: float) -> float:
    return (step - left) / (right - left) * WIDTH


def _y(value: float | None, low: float, high: float, height: int) -> float | None:
    return None if value is None else (1 - (value - low) / (high - low)) * height


def _path(places: Sequence[tuple[float, float | None]]) -> Iterator[str]:
    """Path commands; a missing value lifts the pen."""
    command = "M"
    for x, y in places:
        if y is None:
            command = "M"
            continue
        yield f"{command}{round(x)} {fmt.svg(y)}"
        command = "L"


def _label(tick: float) -> str:
    """A grid value, short: `0.004`, `8e-6`, `12,000`."""
    if abs(tick) >= 1000:
        return fmt.count(tick)
    text = fmt.number(tick, 3)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _grid(ticks: Sequence[float], low: float, high: float, height: int) -> Iterator[str]:
    """The first and the last grid line with their values."""
    for tick in dict.fromkeys((*ticks[:1], *ticks[-1:])):
        y = fmt.svg((1 - (tick - low) / (high - low)) * height)
        yield f'<line class="s-ink-14" x2="100%" y1="{y}" y2="{y}"/>'
        yield f'<text class="f-ink-60" x="-8" y="{y}" dy=".32em" text-anchor="end">{_label(tick)}</text>'
