"""Charts in Chromium on a page of their own, from disk, under the strict policy."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from sitegen.charts.assets import charts_script, vega_script
from sitegen.pages.assets import site_assets
from sitegen.pages.run_cards import charts_data
from sitegen.pages.run_spark import plain_drawing
from sitegen.render import environment
from sitegen.text import ui
from tests.browser.conftest import Watched
from tests.charts.runs import HOSTILE, full_run, on_the_clock
from tests.pages.run_fixture import given

pytestmark = pytest.mark.browser

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'"
CONTROLS = """<select data-chart-smooth aria-label="smoothing"><option value="ema">ema</option>
<option value="mean5">mean5</option><option value="off">off</option></select>
<label><select data-chart-axis><option value="step">steps</option></select></label>
<button type="button" data-chart-reset hidden>all</button>"""
MINUTES = (0, 60, 100, 110, 120, 130, 140, 150, 160, 170, 180, 190)
"""When each of the twelve steps was logged."""


@pytest.fixture(scope="session")
def chart_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with one page of charts; its address."""
    folder = tmp_path_factory.mktemp("charts")
    run = on_the_clock(full_run(), [60.0 * minute for minute in MINUTES])
    made = given(run)
    charts = list(made.charts)
    assets = {**site_assets(), "vega.js": vega_script(), "charts.js": charts_script()}
    payload = charts_data(made, charts)
    assets["data.js"] = f"sitegen.register('charts', {json.dumps(payload)});".encode()
    for name, content in assets.items():
        (folder / name).write_bytes(content)
    boxes = "".join(
        f'<h2>{html.escape(chart.title.en)}</h2><div class="chart" data-chart="{chart.id}" data-form="{chart.form}" '
        f'data-height="{chart.height}" role="img" aria-label="{html.escape(chart.summary.en)}">'
        f"{chart.static_svg or plain_drawing(chart, 90) or ''}</div>"
        for chart in charts
    )
    bar = environment().get_template("partials/_chart_readout.html").render(t=lambda key: ui(key).en)
    scripts = "".join(f'<script defer src="{name}"></script>' for name in ("app.js", "vega.js", "charts.js", "data.js"))
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en" data-lang="en" class="has-js"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><title>charts</title>'
        f'<link rel="stylesheet" href="sitegen.css">{scripts}</head><body>{CONTROLS}{boxes}{bar}</body></html>',
        encoding="utf-8",
    )
    return Path(folder).as_uri() + "/"


def drawn(page: Page, chart: str) -> None:
    box = page.locator(f'[data-chart="{chart}"]')
    box.scroll_into_view_if_needed()
    page.wait_for_selector(f'[data-chart="{chart}"][data-drawn="true"] svg.marks')


def test_every_chart_draws_and_only_twelve_are_kept(chart_page: str, watch: Callable[..., Watched]) -> None:
    seen = watch(chart_page)
    page = seen.open("index.html")
    ids = page.eval_on_selector_all("[data-chart]", "boxes => boxes.map(box => box.dataset.chart)")

    assert len(ids) > 14
    for chart in ids:
        drawn(page, chart)
        assert page.locator('[data-drawn="true"]').count() <= 12
    seen.expect_clean()


def test_the_runtime_leaves_one_global_name(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page).open("index.html")

    found = page.evaluate("['vega', 'vegaLite', 'vegaEmbed', 'VEGA_DEBUG'].filter(name => name in window)")
    assert found == []
    assert page.evaluate("Object.keys(sitegen).filter(name => name.startsWith('vega'))") == ["vegaView"]


def test_nothing_moves_when_vega_draws_over_the_static_drawing(chart_page: str, watch: Callable[..., Watched]) -> None:
    def ticks(page: Page, svg: str) -> dict[str, list[float]]:
        places = page.eval_on_selector_all(
            f'[data-chart="reward"] {svg} text',
            "all => all.map(t => [t.textContent, t.getBoundingClientRect()]).map(([s, r]) => [s, r.x, r.y])",
        )
        return {text: [x, y] for text, x, y in places if re.fullmatch(r"[\d.]+", text)}

    still = ticks(watch(chart_page, java_script_enabled=False).open("index.html"), ".chart-svg")
    page = watch(chart_page).open("index.html")
    drawn(page, "reward")
    live = ticks(page, "svg.marks")

    assert len(still) >= 8
    assert still.keys() == live.keys()
    for text, (x, y) in still.items():
        assert live[text] == [pytest.approx(x, abs=3), pytest.approx(y, abs=3)], text


def drag(page: Page, chart: str, start: float, end: float) -> None:
    """Press the pointer at one share of a chart's width, and let go at another."""
    box = page.locator(f'[data-chart="{chart}"]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * start, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * end, box["y"] + 60, steps=4)
    page.mouse.up()


def ticks(page: Page, chart: str) -> list[str]:
    """Labels of a live chart's step axis."""
    axis = page.locator(f'[data-chart="{chart}"] svg.marks .role-axis-label').first
    return sorted(axis.locator("text").all_text_contents(), key=float)


def levels(page: Page, chart: str) -> list[str]:
    """Labels of a live chart's value axis, from its foot."""
    axis = page.locator(f'[data-chart="{chart}"] svg.marks .role-axis-label').nth(1)
    return sorted(axis.locator("text").all_text_contents(), key=float)


def hash_of(page: Page, expected: str) -> str:
    """The address's hash, once it is as expected: it is written a moment after the last change."""
    page.wait_for_function("wanted => new RegExp(wanted).test(decodeURIComponent(location.hash))", arg=expected)
    return str(page.evaluate("location.hash"))


def test_range_smoothing_and_marked_step_are_shared_and_in_the_address(
    chart_page: str, watch: Callable[..., Watched]
) -> None:
    seen = watch(chart_page)
    page = seen.open("index.html")
    for chart in ("reward", "entropy", "reward"):
        drawn(page, chart)
    box = page.locator('[data-chart="reward"]').bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
    page.wait_for_selector("#chart-readout:not([hidden])")
    assert page.locator('[data-chart="entropy"] .chart-rule').is_visible()
    assert page.locator(".chart-rule:visible").count() > 2
    kept = "['#chart-readout li', '[data-chart=entropy] .chart-dots i'].map((path) => document.querySelector(path))"
    page.evaluate(f"window.kept = {kept}")
    said = page.inner_text('[data-readout="at"]')
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 60)
    page.wait_for_function("said => document.querySelector('[data-readout=at]').innerText !== said", arg=said)
    assert page.evaluate(f"{kept}.every((node, at) => node !== null && node === window.kept[at])"), "made anew"

    whole = levels(page, "reward")
    assert whole == ["0", "0.25", "0.50", "0.75", "1.00"]
    drag(page, "reward", 0.5, 0.9)
    page.select_option("select[data-chart-smooth]", "mean5")
    found = re.fullmatch(r"#smooth=mean5&x=(\d+)-(\d+)", hash_of(page, "^#smooth=mean5&x=.*-"))
    assert found is not None
    assert 4 < int(found[1]) < int(found[2]) < 13
    assert levels(page, "reward") != whole  # the value axis fits what is in view
    assert page.locator("[data-chart-reset]").first.is_visible()
    drawn(page, "entropy")
    assert ticks(page, "entropy") == ticks(page, "reward")

    again = watch(chart_page).open("index.html" + page.evaluate("location.hash") + "&step=9")
    drawn(again, "reward")
    assert again.input_value("select[data-chart-smooth]") == "mean5"
    again.wait_for_selector("#chart-readout:not([hidden])")
    assert again.inner_text('[data-readout="at"]') == "step 9"
    assert ticks(again, "reward") == ticks(page, "reward")
    assert "2" not in ticks(again, "reward")

    page.locator("[data-chart-reset]").first.click()
    assert hash_of(page, "^#smooth=mean5$") == "#smooth=mean5"
    assert levels(page, "reward") == whole
    seen.expect_clean()


def test_a_double_click_shows_everything_again(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page).open("index.html#x=4-8")
    drawn(page, "reward")
    page.locator('[data-chart="reward"]').dblclick(position={"x": 200, "y": 80})
    hash_of(page, "^$")


def test_the_wheel_only_scrolls(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page).open("index.html")
    drawn(page, "reward")
    box = page.locator('[data-chart="reward"]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 60)
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, 300)
    page.wait_for_function(f"() => scrollY > {before} + 100")
    assert page.evaluate("location.hash") == ""


def test_the_readout_moves_to_the_top_where_it_would_cover_the_axis_that_is_read(
    chart_page: str, watch: Callable[..., Watched]
) -> None:
    page = watch(chart_page, viewport={"width": 1200, "height": 700}).open("index.html")
    drawn(page, "grad-norm")
    box = page.locator('[data-chart="grad-norm"]')
    for foot, x, place in ((700, 300, ".at-top"), (400, 600, ":not(.at-top)"), (700, 900, ".at-top")):
        box.evaluate(
            "(box, foot) => scrollBy({top: box.getBoundingClientRect().bottom - foot, behavior: 'instant'})", foot
        )
        page.mouse.move(x, foot - 80)
        page.wait_for_selector(f"#chart-readout{place}:not([hidden])")
    bar = page.locator("#chart-readout").bounding_box()
    assert bar is not None
    assert bar["y"] == 0


def test_the_readout_has_every_chart_at_full_precision(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page).open("index.html#step=7")
    page.wait_for_selector("#chart-readout:not([hidden])")
    page.click('[data-readout="open"]')
    page.wait_for_selector("#chart-readout-all li")
    said = page.inner_text("#chart-readout-all")

    assert page.locator("#chart-readout-all li").count() > 12
    assert "0.1428571" in said  # 1 / 7, of a chart far down the page
    assert "reward/avg_raw_reward" in said
    assert "80" in said  # seconds waited


def test_a_chart_is_walked_along_with_the_keyboard(chart_page: str, watch: Callable[..., Watched]) -> None:
    seen = watch(chart_page)
    page = seen.open("index.html")
    drawn(page, "reward")
    page.locator('[data-chart="reward"]').focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    hash_of(page, "step=3$")
    page.wait_for_function("() => document.querySelector('[data-readout-live]').textContent.includes('0.43')")
    page.keyboard.press("[")
    hash_of(page, "x=3-")
    page.keyboard.press("ArrowLeft")  # the range follows
    hash_of(page, "step=2&x=[01]")
    page.keyboard.press("+")
    page.keyboard.press("0")
    hash_of(page, "^#step=2$")
    page.keyboard.press("Escape")
    hash_of(page, "^$")
    page.wait_for_selector("#chart-readout", state="hidden")
    seen.expect_clean()


def test_a_finger_marks_a_step(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page, has_touch=True, viewport={"width": 390, "height": 844}).open("index.html")
    drawn(page, "reward")
    page.locator('[data-chart="reward"]').tap(position={"x": 200, "y": 80})
    hash_of(page, "^#step=")
    assert page.locator("#chart-readout").is_visible()
    page.click('[data-readout="on"]')
    page.click('[data-readout="from"]')
    hash_of(page, "step=.*x=")
    page.click('[data-readout="close"]')
    page.wait_for_selector("#chart-readout", state="hidden")


def test_charts_move_to_the_axis_that_is_asked_for(chart_page: str, watch: Callable[..., Watched]) -> None:
    seen = watch(chart_page)
    page = seen.open("index.html")
    drawn(page, "entropy")
    drawn(page, "reward")
    offered = page.locator("select[data-chart-axis] option").all_text_contents()
    assert offered == ["steps", "minutes since the first record"]
    boundary = "[data-chart=reward] svg.marks .role-mark.mark-rule line"
    place = f"document.querySelector('{boundary}').getBoundingClientRect().x"
    by_step = page.evaluate(place)

    page.select_option("select[data-chart-axis]", "clock")
    hash_of(page, "^#axis=clock$")
    page.wait_for_function(f"() => Math.abs({place} - {by_step}) > 20")  # the first steps are the slowest
    assert ticks(page, "reward") == ticks(page, "entropy") == ["0", "50", "100", "150"]

    page.select_option("select[data-chart-axis]", "step")
    page.wait_for_function(f"() => Math.abs({place} - {by_step}) < 1")
    seen.expect_clean()


def test_a_chart_far_away_keeps_a_picture(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page).open("index.html")
    ids = page.eval_on_selector_all("[data-chart]", "boxes => boxes.map(box => box.dataset.chart)")
    for chart in ids:
        drawn(page, chart)
    empty = page.eval_on_selector_all(
        "[data-chart]",
        "boxes => boxes.filter(box => !box.dataset.drawn && !box.querySelector('svg')).map(box => box.dataset.chart)",
    )
    assert page.locator("[data-chart]:not([data-drawn])").count() == len(ids) - 12
    assert empty == []


def test_a_saved_drawing_has_its_colours_in_it(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page).open("index.html")
    svg = page.evaluate("sitegen.charts.svg('reward')")

    assert svg.startswith("<svg")
    assert "var(" not in svg
    assert page.evaluate("sitegen.charts.svg('no such chart')") is None


def test_colours_follow_the_theme_without_another_drawing(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page, color_scheme="light").open("index.html")
    drawn(page, "reward")
    color = "getComputedStyle(document.querySelector('[data-chart=reward] svg.marks .mark-line path')).stroke"
    light = page.evaluate(color)
    page.emulate_media(color_scheme="dark")

    assert light == "rgb(20, 107, 230)"
    assert page.evaluate(color) == "rgb(140, 176, 255)"


def test_a_hostile_name_is_text(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page).open("index.html")
    headings = page.locator("h2").all_text_contents()

    assert HOSTILE in headings
    assert page.locator("b").count() == page.locator("#chart-readout b").count()
