"""The colours of charts: contrast by WCAG 2.2, and distance for sight with each colour-vision deficiency.

Sight without one kind of cones: Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB. Distance: CIEDE2000.
"""

from __future__ import annotations

import itertools
import math
import re

import pytest

from sitegen.charts import theme
from sitegen.charts.forms import chart_forms
from sitegen.resources import static_bytes

Color = tuple[float, float, float]
Matrix = tuple[Color, Color, Color]

SIGHTS: dict[str, Matrix] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
THEMES = ("light", "dark")


def token(name: str, scheme: str) -> Color:
    """A colour of the style sheet as sRGB parts from 0 to 1."""
    css = static_bytes("css/tokens.css").decode()
    mixed = re.search(rf"--{name}: color-mix\(in srgb, var\(--fg\) (\d+)%, var\(--bg\)\)", css)
    if mixed:
        share = int(mixed[1]) / 100
        front, back = token("fg", scheme), token("bg", scheme)
        return tuple(share * f + (1 - share) * b for f, b in zip(front, back, strict=True))  # type: ignore[return-value]
    found = re.search(rf"--{name}: light-dark\(#([0-9a-f]{{6}}), #([0-9a-f]{{6}})\)", css)
    assert found is not None, name
    text = found[1 + THEMES.index(scheme)]
    return tuple(int(text[at : at + 2], 16) / 255 for at in (0, 2, 4))  # type: ignore[return-value]


def linear(color: Color) -> Color:
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color)  # type: ignore[return-value]


def contrast(one: Color, other: Color) -> float:
    light, dark = sorted(
        (sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(color), strict=True)) for color in (one, other)),
        reverse=True,
    )
    return (light + 0.05) / (dark + 0.05)


def seen(color: Color, sight: str) -> Color:
    """Linear RGB of what is seen."""
    parts = linear(color)
    rows = (sum(w * c for w, c in zip(row, parts, strict=True)) for row in SIGHTS[sight])
    return tuple(min(1.0, max(0.0, part)) for part in rows)  # type: ignore[return-value]


def lab(color: Color) -> Color:
    """CIE L*a*b* of linear sRGB, white D65."""
    r, g, b = color
    xyz = (
        (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047,
        0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
        (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: Color, other: Color) -> float:
    """CIEDE2000 between two L*a*b* colours, as Sharma, Wu and Dalal 2005 write it."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_c = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean_c**7 / (mean_c**7 + 25**7)))
    c1, c2 = math.hypot(a1 * (1 + g), b1), math.hypot(a2 * (1 + g), b2)
    h1, h2 = (math.degrees(math.atan2(b, a * (1 + g))) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = h2 - h1 if abs(h2 - h1) <= 180 else h2 - h1 - math.copysign(360, h2 - h1)
    turn = 0 if c1 * c2 == 0 else turn
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn) / 2)
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    far = abs(h1 - h2) > 180
    mean_h = h1 + h2 if c1 * c2 == 0 else (h1 + h2 + (360 if h1 + h2 < 360 else -360) * far) / 2
    angles = ((1, -30, -0.17), (2, 0, 0.24), (3, 6, 0.32), (4, -63, -0.2))
    t = 1 + sum(weight * math.cos(math.radians(times * mean_h + shift)) for times, shift, weight in angles)
    sl = 1 + 0.015 * (mean_l - 50) ** 2 / math.sqrt(20 + (mean_l - 50) ** 2)
    sc, sh = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    spin = 60 * math.exp(-(((mean_h - 275) / 25) ** 2))
    rt = -2 * math.sqrt(mean_c**7 / (mean_c**7 + 25**7)) * math.sin(math.radians(spin))
    dl, dc, dh = (l2 - l1) / sl, (c2 - c1) / sc, dh / sh
    return math.sqrt(dl**2 + dc**2 + dh**2 + rt * dc * dh)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [  # from the table of Sharma, Wu and Dalal
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1, 2), (50, 0, 0), 2.3669),
        ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (56, -27, -3), 31.9030),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ],
)
def test_the_distance_is_ciede2000(one: Color, other: Color, expected: float) -> None:
    assert distance(one, other) == pytest.approx(expected, abs=1e-4)
    assert distance(other, one) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHTS)
def test_grey_is_grey_for_every_sight(sight: str) -> None:
    for row in SIGHTS[sight]:
        assert sum(row) == pytest.approx(1, abs=2e-6)


def test_red_and_green_are_near_for_deuteranopia_and_far_otherwise() -> None:
    red, green = (0.75, 0.37, 0.12), (0.5, 0.5, 0.1)
    apart = {sight: distance(lab(seen(red, sight)), lab(seen(green, sight))) for sight in SIGHTS}

    assert apart["normal"] > 2 * apart["deuteranopia"]


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("ground", ["bg", "ink-4"])
@pytest.mark.parametrize("name", [*(f"run-{n}" for n in range(1, 9)), "ink-90", "ink-60", "ink-50", "bad"])
def test_every_line_mark_and_edge_has_three_to_one(scheme: str, ground: str, name: str) -> None:
    assert contrast(token(name, scheme), token(ground, scheme)) >= 3


@pytest.mark.parametrize("scheme", THEMES)
def test_text_on_charts_has_four_and_a_half_to_one(scheme: str) -> None:
    for name in ("ink-60", "ink-90"):
        assert contrast(token(name, scheme), token("ink-4", scheme)) >= 4.5


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("sight", SIGHTS)
def test_runs_are_told_apart_by_every_sight(scheme: str, sight: str) -> None:
    colors = [lab(seen(token(f"run-{n}", scheme), sight)) for n in range(1, 9)]
    least = {count: min(distance(*pair) for pair in itertools.combinations(colors[:count], 2)) for count in (5, 8)}

    assert least[5] >= 12
    assert least[8] >= 10


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("sight", SIGHTS)
def test_neighbours_of_a_stack_are_told_apart_by_every_sight(scheme: str, sight: str) -> None:
    for parts in (theme.TIME_PARTS, theme.OUTCOME_PARTS):
        names = [color.removeprefix("var(--").removesuffix(")") for _, color in parts]
        seen_colors = [lab(seen(token(name, scheme), sight)) for name in names]
        for one, other in itertools.pairwise(seen_colors):
            assert distance(one, other) >= 12


@pytest.mark.parametrize(("form", "parts"), [("time", ("wait", "whole")), ("outcome", ("unsolved",))])
def test_pale_areas_have_an_edge_that_is_seen(form: str, parts: tuple[str, ...]) -> None:
    area = next(layer["encoding"] for layer in chart_forms()[form]["layer"] if "stroke" in layer.get("encoding", {}))
    edges = dict(zip(area["stroke"]["scale"]["domain"], area["stroke"]["scale"]["range"], strict=True))

    assert {edges.pop(part) for part in parts} == {theme.EDGE}
    assert set(edges.values()) == {"transparent"}
