"""Pictures that stand alone: a run's leading chart, its error shares and its badge as SVG files, and as PNG.

They are put into model cards and other people's pages, where no style sheet of ours holds: every colour is written
out, one file per theme, and there is no script, no style, no id and no reference. The words on them are names as
logged and terms that both languages use, so that one picture serves both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from sitegen.charts import theme
from sitegen.charts.base import Chart
from sitegen.format import middle, svg
from sitegen.resources import static_bytes

Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
"""Both themes, each with pictures of its own."""

WIDTH: Final = theme.STATIC_WIDTH
"""Pixels across."""
HEAD: Final = 58
"""Pixels over the plot, for title and key."""
BARS_SHOWN: Final = 8
"""Bars at most; the rest is counted in one line."""

_FONT = 'font-family="system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Noto Sans CJK SC, sans-serif"'
_ROW = 30
_NAME_WIDTH = 250
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_COLOR = re.compile(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
_TINT = re.compile(r"--([a-z0-9-]+): color-mix\(in srgb, var\(--fg\) (\d+)%, var\(--bg\)\)")
_KEPT = ("stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-weight")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a picture of shares."""

    name: str
    """What it is: a name as given."""
    share: float
    """0-1."""
    value: str
    """What is written behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One entry of a picture's key."""

    name: str
    """What it is."""
    series: str
    """Code of its line (`theme.SERIES`); `ring` for the selected checkpoint, `evaluation` for a diamond."""


@cache
def palette(chosen: Theme) -> Mapping[str, str]:
    """Every colour of the style sheet by its name, as hexadecimal digits, in one theme."""
    text = static_bytes("css/tokens.css").decode()
    place = THEMES.index(chosen)
    found = {name: colors[place] for name, *colors in _COLOR.findall(text)}
    for name, part in _TINT.findall(text):
        found[name] = _mixed(found["fg"], found["bg"], int(part) / 100)
    return found


def _mixed(front: str, back: str, part: float) -> str:
    pairs = zip(*(bytes.fromhex(color[1:]) for color in (front, back)), strict=True)
    return "#" + bytes(round(a * part + b * (1 - part)) for a, b in pairs).hex()


def chart_picture(chart: Chart, title: str, chosen: Theme, keys: Sequence[Key]) -> str | None:
    """A chart that was drawn at build time as a file of its own; None where it was not.

    Args:
        chart: The chart.
        title: What stands over it: the run's title.
        chosen: The theme.
        keys: What its lines and marks are.
    """
    if chart.static_svg is None:
        return None
    colors = palette(chosen)
    drawn = ElementTree.fromstring(chart.static_svg)
    plot = "".join(_shapes(drawn, colors, WIDTH - theme.LEFT - theme.RIGHT))
    height = HEAD + chart.height
    foot = HEAD + theme.TOP + (chart.height - theme.TOP - theme.BOTTOM) + 19
    parts = [
        _text((16, 24), middle(title, 84), colors["ink-90"], size=15, weight=600),
        *_keys(keys, colors),
        f'<g transform="translate({theme.LEFT} {HEAD + theme.TOP})" font-size="11">{plot}</g>',
        _text((theme.LEFT - 8, foot), "step", colors["ink-60"], size=11, anchor="end"),
    ]
    return _picture(height, colors, _label(title, drawn.get("aria-label", "")), parts)


def bars_picture(bars: Sequence[Bar], title: str, caption: str, chosen: Theme) -> str:
    """Shares as bars from a common zero, the largest first.

    Args:
        bars: The shares, in order.
        title: What stands over them: the run's title.
        caption: What the shares are of.
        chosen: The theme.
    """
    colors = palette(chosen)
    shown = bars[:BARS_SHOWN]
    most = max(bar.share for bar in shown)
    room = WIDTH - _NAME_WIDTH - 16 - 150
    parts = [
        _text((16, 24), middle(title, 84), colors["ink-90"], size=15, weight=600),
        _text((16, 46), middle(caption, 110), colors["ink-60"]),
    ]
    for number, bar in enumerate(shown):
        y = HEAD + 8 + number * _ROW
        width = room * bar.share / most if most > 0 else 0.0
        parts.append(
            f'<rect x="{_NAME_WIDTH}" y="{y}" width="{svg(width)}" height="18" rx="2" fill="{colors["run-1"]}"/>'
        )
        parts.append(_text((_NAME_WIDTH - 10, y + 13), middle(bar.name, 34), colors["ink-90"], anchor="end"))
        parts.append(_text((_NAME_WIDTH + width + 10, y + 13), bar.value, colors["ink-90"]))
    rest = len(bars) - len(shown)
    height = HEAD + 8 + len(shown) * _ROW + (22 if rest else 2)
    if rest:
        parts.append(_text((_NAME_WIDTH, height - 10), f"+ {rest}", colors["ink-60"]))
    said = ", ".join(f"{bar.name} {bar.value}" for bar in shown)
    return _picture(height, colors, _label(title, f"{caption}. {said}"), parts)


def badge(label: str, value: str) -> str:
    """A badge of two fields as one SVG file that looks the same in both themes."""
    left, right = _width(label) + 16, _width(value) + 16
    whole = left + right
    colors = palette("light")
    fields = ((left / 2, label, left - 16), (left + right / 2, value, right - 16))
    words = "".join(
        f'<text x="{svg(x)}" y="14" text-anchor="middle" textLength="{svg(width)}" lengthAdjust="spacingAndGlyphs"'
        f' fill="#ffffff">{escape(_clean(text))}</text>'
        for x, text, width in fields
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{svg(whole)}" height="20" viewBox="0 0 {svg(whole)} 20"'
        f' role="img" aria-label={quoteattr(_clean(f"{label}: {value}"))}>'
        f'<rect width="{svg(whole)}" height="20" rx="4" fill="#3d434d"/>'
        f'<path d="M{svg(left)},0h{svg(right - 4)}a4,4 0 0 1 4,4v12a4,4 0 0 1 -4,4h-{svg(right - 4)}z"'
        f' fill="{colors["accent"]}"/>'
        f'<g {_FONT} font-size="11">{words}</g></svg>\n'
    )


def png(picture: str) -> bytes:
    """An SVG picture as PNG at twice its size."""
    import vl_convert

    content: bytes = vl_convert.svg_to_png(picture, scale=2)
    return content


def chart_keys(chart: Chart, selected: str) -> list[Key]:
    """What the lines and marks of a chart are.

    Args:
        chart: A chart of lines.
        selected: What the ring at the selected checkpoint says; empty where none is selected.
    """
    keys = [Key(name=str(item["en"]), series=str(item["key"])) for item in chart.params.get("names", ())]
    return keys + ([Key(name=selected, series="ring")] if selected else [])


def _picture(height: int, colors: Mapping[str, str], label: str, parts: Sequence[str]) -> str:
    box = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    ground = (
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10" fill="{colors["ink-4"]}"'
        f' stroke="{colors["ink-14"]}"/>'
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label={quoteattr(label)} {_FONT}>'
    return f"{head}{ground}{''.join(parts)}</svg>\n"


def _label(title: str, text: str) -> str:
    return _clean(f"{title}: {text}" if text else title)


def _clean(text: str) -> str:
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def _text(
    at: tuple[float, float], text: str, color: str, *, size: int = 12, weight: int = 400, anchor: str = ""
) -> str:
    look = f' font-weight="{weight}"' if weight != 400 else ""
    look += f' text-anchor="{anchor}"' if anchor else ""
    place = f'x="{svg(at[0])}" y="{svg(at[1])}" font-size="{size}" fill="{color}"'
    return f"<text {place}{look}>{escape(_clean(text))}</text>"


def _width(text: str) -> float:
    """About how wide a text is at 11 pixels: what is not Latin is square."""
    return sum(11.0 if ord(char) > 0x2E80 else 3.4 if char in "il.,:;|' " else 6.4 for char in text)


def _keys(keys: Sequence[Key], colors: Mapping[str, str]) -> Iterator[str]:
    x = 16.0
    for key in keys:
        name = middle(_clean(key.name), 40)
        yield _swatch(key.series, x, colors)
        yield _text((x + 26, 46), name, colors["ink-60"])
        x += 26 + _width(name) * 12 / 11 + 20


def _swatch(series: str, x: float, colors: Mapping[str, str]) -> str:
    if series == "ring":
        return (
            f'<circle cx="{svg(x + 10)}" cy="42" r="5" fill="{colors["ink-4"]}" stroke="{colors["run-1"]}"'
            ' stroke-width="2"/>'
        )
    if series not in theme.SERIES:
        return f'<path d="M{svg(x + 10)},37l5,5l-5,5l-5,-5z" fill="{colors["ink-90"]}"/>'
    place = theme.SERIES.index(series)
    stroke = colors[theme.SERIES_COLORS[place].removeprefix("var(--").removesuffix(")")]
    dash = ' stroke-dasharray="6,4"' if theme.SERIES_DASHES[place] == [6, 4] else ""
    return f'<path d="M{svg(x)},42h20" stroke="{stroke}" stroke-width="2.25"{dash}/>'


def _shapes(element: ElementTree.Element, colors: Mapping[str, str], width: int) -> Iterator[str]:
    """The shapes of a fluid drawing at a fixed width."""
    for child in element:
        if child.tag == "svg":
            inner = "".join(_shapes(child, colors, width))
            x, y = _across(child.get("x", "0"), width), child.get("y", "0")
            moved = f' transform="translate({x} {y})"' if child.get("class") == "mk" else ""
            yield f"<g{moved}>{inner}</g>" if moved else inner
        elif child.tag == "line":
            ends = " ".join(f'{name}="{_across(child.get(name, "0"), width)}"' for name in ("x1", "x2"))
            yield f'<line {ends} y1="{child.get("y1", "0")}" y2="{child.get("y2", "0")}"{_look(child, colors)}/>'
        elif child.tag == "text":
            yield _words(child, colors, width)
        elif child.tag == "path":
            place = f' transform="{child.get("transform")}"' if child.get("transform") else ""
            yield f'<path d="{child.get("d", "")}"{place}{_look(child, colors)}/>'


def _words(element: ElementTree.Element, colors: Mapping[str, str], width: int) -> str:
    place = f'x="{_across(element.get("x", "0"), width)}" y="{element.get("y", "0")}"'
    shift = f' dx="{element.get("dx")}"' if element.get("dx") else ""
    anchor = element.get("text-anchor", "start")
    said = escape(_clean(element.text or ""))
    return f'<text {place}{shift} text-anchor="{anchor}"{_look(element, colors)}>{said}</text>'


def _across(value: str, width: int) -> str:
    return svg(float(value[:-1]) * width / 100) if value.endswith("%") else value


def _look(element: ElementTree.Element, colors: Mapping[str, str]) -> str:
    given: dict[str, str] = {}
    for name in element.get("class", "").split():
        letter, _, color = name.partition("-")
        if letter in ("f", "s") and color in colors:
            given["fill" if letter == "f" else "stroke"] = colors[color]
    if element.tag == "path":
        given.setdefault("fill", "none")
    given |= {name: value for name in _KEPT if (value := element.get(name)) is not None}
    return "".join(f" {name}={quoteattr(value)}" for name, value in given.items())
