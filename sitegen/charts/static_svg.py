"""Static drawings: what Vega draws, turned into SVG that stretches with its box and follows the theme.

Vega writes fixed pixels, colours, clip paths with process-wide numbers and style-like attributes. Here lines and
areas go into nested `svg`s that stretch sideways, text and marks keep their size and move with percentages, colours
become classes, and nothing carries an id. The plot lies inside the paddings that the style sheet gives `.chart-svg`
(the same as the live drawing's), so nothing moves when Vega takes over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from sitegen.charts import theme
from sitegen.charts.compiled import draw

_TRANSLATE = re.compile(r"translate\(([-\d.e]+),([-\d.e]+)\)")
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
_COLOR = re.compile(r"(?:var\(--([a-z0-9-]+)\)|url\(#([a-z-]+)\))")
_KEPT = ("stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-weight")
_SHAPES = ("path", "line", "text")


@dataclass(frozen=True, slots=True)
class _Shape:
    """One drawn element with its place in the plot."""

    tag: str
    role: str
    x: float
    y: float
    element: ElementTree.Element


def static_svg(
    form: str,
    datasets: Mapping[str, Mapping[str, Sequence[Any]]],
    params: Mapping[str, Any],
    *,
    height: int,
    label: str,
) -> str:
    """An `svg` element for a page.

    Args:
        form: Key of the form.
        datasets: Named columns.
        params: Parameter values.
        height: Height of the drawing box.
        label: What a screen reader says; logged names only, since one drawing serves both languages.
    """
    width = theme.STATIC_WIDTH - theme.LEFT - theme.RIGHT
    inner = height - theme.TOP - theme.BOTTOM
    drawn = draw(form, datasets, params, width=width, height=inner)
    made = fluid(drawn, width=width, height=inner, label=label)
    return made.replace('class="stretch"', 'class="stretch cut"') if "yTop" in params else made


def fluid(drawn: str, *, width: int, height: int, label: str) -> str:
    """Vega's SVG as a fluid drawing with classes instead of colours; see the module's first lines."""
    parts: list[str] = []
    stretched: list[str] = []
    for shape in _shapes(ElementTree.fromstring(drawn), 0.0, 0.0, ""):
        if _stretches(shape):
            stretched.append(_path(shape))
            continue
        parts += _stretch(stretched, width, height)
        stretched = []
        parts.append(_placed(shape, width))
    parts += _stretch(stretched, width, height)
    body = "".join(parts)
    return f'<svg class="chart-svg" role="img" aria-label={quoteattr(label)}>{body}</svg>'


def _shapes(element: ElementTree.Element, x: float, y: float, role: str) -> Iterator[_Shape]:
    """Every visible shape in painting order, its position relative to the plot's corner."""
    for child in element:
        tag = child.tag.rpartition("}")[2]
        kind = child.get("class", "")
        if tag == "defs" or "background" in kind or "foreground" in kind:
            continue
        dx, dy = _offset(child)
        inside = role if not kind.startswith("mark-") else kind
        if "root" in kind:
            x, y, dx, dy = 0.0, 0.0, 0.0, 0.0
        if tag in _SHAPES and _visible(child, tag):
            yield _Shape(tag, inside, x + dx, y + dy, child)
        elif tag == "g":
            yield from _shapes(child, x + dx, y + dy, inside)


def _offset(element: ElementTree.Element) -> tuple[float, float]:
    found = _TRANSLATE.search(element.get("transform", ""))
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _visible(element: ElementTree.Element, tag: str) -> bool:
    if tag == "path":
        return bool(element.get("d")) and element.get("display") != "none"
    return tag == "line" or bool((element.text or "").strip())


def _stretches(shape: _Shape) -> bool:
    return shape.tag == "path" and "mark-symbol" not in shape.role


def _stretch(paths: list[str], width: int, height: int) -> list[str]:
    if not paths:
        return []
    box = f'viewBox="0 0 {width} {height}" preserveAspectRatio="none" width="100%" height="{height}"'
    return [f'<svg class="stretch" {box}>{"".join(paths)}</svg>']


def _path(shape: _Shape) -> str:
    path = _NUMBER.sub(_one_decimal, shape.element.get("d", ""))
    place = f' transform="translate({_text(shape.x)} {_text(shape.y)})"' if shape.x or shape.y else ""
    return f'<path{_look(shape)} d="{path}"{place}/>'


def _placed(shape: _Shape, width: int) -> str:
    if shape.tag == "line":
        x2, y2 = (shape.x + float(shape.element.get("x2", 0)), shape.y + float(shape.element.get("y2", 0)))
        ends = f'x1="{_percent(shape.x, width)}" y1="{_text(shape.y)}" x2="{_percent(x2, width)}" y2="{_text(y2)}"'
        return f"<line{_look(shape)} {ends}/>"
    if shape.tag == "text":
        return _label(shape, width)
    path = _NUMBER.sub(_one_decimal, shape.element.get("d", ""))
    place = f'x="{_percent(shape.x, width)}" y="{_text(shape.y)}"'
    return f'<svg class="mk" {place}><path{_look(shape)} d="{path}"/></svg>'


def _label(shape: _Shape, width: int) -> str:
    """Text outside of the plot keeps its distance from the plot's edge, text inside moves with it."""
    edge = min(max(shape.x, 0.0), float(width))
    anchor = shape.element.get("text-anchor", "start")
    shift = f' dx="{_text(shape.x - edge)}"' if shape.x != edge else ""
    place = f'x="{_percent(edge, width)}" y="{_text(shape.y)}"{shift} text-anchor="{anchor}"'
    return f"<text{_look(shape)} {place}>{escape(shape.element.text or '')}</text>"


def _look(shape: _Shape) -> str:
    """Classes for colours; widths, dashes and opacity stay attributes."""
    classes = []
    for attribute, letter in (("fill", "f"), ("stroke", "s")):
        found = _COLOR.fullmatch(shape.element.get(attribute, ""))
        if found:
            classes.append(f"{letter}-{found[1] or found[2]}")
    kept = [
        f"{name}={quoteattr(shape.element.get(name, ''))}"
        for name in _KEPT
        if shape.element.get(name) not in (None, "1" if name in ("opacity", "stroke-width") else "")
    ]
    attributes = ([f'class="{" ".join(classes)}"'] if classes else []) + kept
    return "".join(f" {attribute}" for attribute in attributes)


def _one_decimal(found: re.Match[str]) -> str:
    return _text(float(found[0]))


def _text(value: float) -> str:
    short = f"{value:.1f}".removesuffix(".0")
    return "0" if short == "-0" else short


def _percent(x: float, width: int) -> str:
    return f"{round(100 * x / width, 2):g}%"
