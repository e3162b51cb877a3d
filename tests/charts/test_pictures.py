"""Pictures that stand alone: what an SVG file for other people's pages may hold, its colours, its size."""

from __future__ import annotations

import re
import struct
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.run_analysis import analyse
from sitegen.charts.pictures import THEMES, Bar, badge, bars_picture, chart_keys, chart_picture, palette, png
from sitegen.charts.reward import REWARD
from sitegen.settings import RunSettings, SiteSettings
from tests.factories import make_run, make_steps, published_run

HOSTILE = '</svg><script>alert(1)</script>"\' onload="x" \x07 名字 & <foreignObject>'
NAMES = st.text(min_size=1, max_size=60)
DRAWN = {"svg", "g", "rect", "path", "line", "text", "circle"}


def checked(picture: str) -> ElementTree.Element:
    """The picture as XML, after holding it to the rules of pictures that others embed."""
    assert len(picture.encode()) <= 40_000
    root = ElementTree.fromstring(picture)
    for element in root.iter():
        assert element.tag.removeprefix("{http://www.w3.org/2000/svg}") in DRAWN
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on")
            assert name not in ("style", "class", "id", "href")
            assert "{" not in name  # no attribute of another name space: xlink:href
            assert "url(" not in value or name == "aria-label"
            assert "var(" not in value or name == "aria-label"
    return root


def reward_chart(run):
    analysis = analyse(run, SiteSettings())
    (chart,) = REWARD.build(run, analysis)
    return chart


def words(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("theme", THEMES)
def test_the_reward_with_its_checkpoint(theme):
    chart = reward_chart(published_run(settings=RunSettings(save_interval=5)))
    picture = chart_picture(chart, "A run", theme, chart_keys(chart, "25 · EMA 0.528"))
    root = checked(picture)
    said = words(root)
    assert said[0] == "A run"
    assert {"reward/avg_raw_reward", "reward/avg_pass_at_8", "25 · EMA 0.528", "step"} <= set(said)
    assert root.get("aria-label") == "A run: reward/avg_raw_reward, reward/avg_pass_at_8"
    assert root.get("width") == "720"


def test_both_themes_differ_in_colours_alone():
    chart = reward_chart(published_run())
    light, dark = (chart_picture(chart, "A run", theme, chart_keys(chart, "")) for theme in THEMES)
    color = re.compile(r"#[0-9a-f]{6}")
    assert color.sub("", light) == color.sub("", dark)
    assert not set(color.findall(light)) & set(color.findall(dark))


def test_the_longest_lines_stay_within_the_size():
    rows = [{"step": n, "reward/avg_raw_reward": (n * 37 % 101) / 101} for n in range(1, 5001)]
    checked(chart_picture(reward_chart(make_run(steps=make_steps(rows))), "A run", "light", []))


def test_colours_are_the_style_sheets():
    light, dark = palette("light"), palette("dark")
    assert (light["bg"], light["fg"], light["run-1"]) == ("#ffffff", "#0b0e14", "#146be6")
    assert (dark["bg"], dark["fg"], dark["run-1"]) == ("#0f1216", "#eceff4", "#8cb0ff")
    assert light["ink-50"] == "#85868a"  # halfway between #ffffff and #0b0e14: 133, 134.5 to even, 137.5 to even


def test_shares_are_drawn_from_zero_to_scale():
    bars = [Bar(name="TimeoutError", share=0.5, value="50 %"), Bar(name="OtherError", share=0.125, value="12.5 %")]
    root = checked(bars_picture(bars, "A run", "exceptions / 8 trials", "dark"))
    widths = [float(e.get("width")) for e in root.iter("{http://www.w3.org/2000/svg}rect")][1:]
    assert widths[0] == pytest.approx(4 * widths[1], abs=0.2)
    assert words(root) == ["A run", "exceptions / 8 trials", "TimeoutError", "50 %", "OtherError", "12.5 %"]


def test_more_bars_than_fit_are_counted():
    bars = [Bar(name=f"E{n}", share=0.1, value="10 %") for n in range(11)]
    assert words(checked(bars_picture(bars, "A run", "c", "light")))[-1] == "+ 3"


@settings(max_examples=30, deadline=None)
@given(NAMES, NAMES, NAMES)
def test_whatever_names_say_the_picture_is_harmless(title, name, value):
    checked(bars_picture([Bar(name=name, share=0.25, value=value)], title, name, "light"))
    checked(badge(name, value))


def test_hostile_names_stay_words():
    root = checked(bars_picture([Bar(name=HOSTILE, share=1.0, value="x")], HOSTILE, HOSTILE, "light"))
    assert "</svg><script>" in words(root)[0]


def test_a_badge_holds_both_fields_at_their_width():
    root = checked(badge("RL training", "reward 0.528 · step 25"))
    assert words(root) == ["RL training", "reward 0.528 · step 25"]
    assert root.get("height") == "20"
    assert 180 < float(root.get("width")) < 240


def test_png_is_twice_the_size():
    content = png(badge("RL training", "reward 0.528"))
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width = float(ElementTree.fromstring(badge("RL training", "reward 0.528")).get("width"))
    assert struct.unpack(">II", content[16:24]) == (pytest.approx(2 * width, abs=2), 40)
