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
from tests.browser.conftest import Watched
from tests.charts.runs import HOSTILE, charts_of, full_run

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'"
CONTROLS = """<select data-chart-smooth aria-label="smoothing"><option value="ema">ema</option>
<option value="mean5">mean5</option><option value="off">off</option></select>
<button type="button" data-chart-reset hidden>all</button>"""


@pytest.fixture(scope="session")
def chart_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with one page of charts; its address."""
    folder = tmp_path_factory.mktemp("charts")
    charts = list(charts_of(full_run()).values())
    assets = {**site_assets(), "vega.js": vega_script(), "charts.js": charts_script()}
    payload = {chart.id: {"datasets": chart.datasets, "params": chart.params} for chart in charts}
    assets["data.js"] = f"sitegen.register('charts', {json.dumps(payload)});".encode()
    for name, content in assets.items():
        (folder / name).write_bytes(content)
    boxes = "".join(
        f'<h2>{html.escape(chart.title.en)}</h2><div class="chart" data-chart="{chart.id}" data-form="{chart.form}" '
        f'data-height="{chart.height}" role="img" aria-label="{html.escape(chart.summary.en)}">'
        f"{chart.static_svg or ''}</div>"
        for chart in charts
    )
    scripts = "".join(f'<script defer src="{name}"></script>' for name in ("app.js", "vega.js", "charts.js", "data.js"))
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en" data-lang="en" class="has-js"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><title>charts</title>'
        f'<link rel="stylesheet" href="sitegen.css">{scripts}</head><body>{CONTROLS}{boxes}</body></html>',
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

    assert len(ids) > 20
    for chart in ids:
        drawn(page, chart)
        assert page.locator('[data-drawn="true"]').count() <= 12
    seen.expect_clean()


def test_the_runtime_leaves_one_global_name(chart_page: str, watch: Callable[..., Watched]) -> None:
    page = watch(chart_page).open("index.html")

    found = page.evaluate("['vega', 'vegaLite', 'vegaEmbed', 'VEGA_DEBUG'].filter(name => name in window)")
    assert found == []
    assert page.evaluate("Object.keys(sitegen).filter(name => name.startsWith('vega')).sort()") == [
        "vega",
        "vegaEmbed",
        "vegaLite",
    ]


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


def test_range_smoothing_and_marked_step_are_shared_and_in_the_address(
    chart_page: str, watch: Callable[..., Watched]
) -> None:
    seen = watch(chart_page)
    page = seen.open("index.html")
    drawn(page, "reward")
    drawn(page, "entropy")
    drawn(page, "reward")
    box = page.locator('[data-chart="reward"]').bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
    assert page.locator('[data-chart="reward"] .chart-readout').is_visible()
    assert page.locator('[data-chart="entropy"] .chart-rule').is_visible()

    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 60, steps=4)
    page.mouse.up()
    page.select_option("select[data-chart-smooth]", "mean5")
    found = re.fullmatch(r"#smooth=mean5&x=([\d.]+)-([\d.]+)", page.evaluate("location.hash"))
    assert found is not None
    assert 4 < float(found[1]) < float(found[2]) < 13
    assert page.locator("[data-chart-reset]").is_visible()

    again = watch(chart_page).open("index.html" + page.evaluate("location.hash") + "&step=9")
    drawn(again, "reward")
    assert again.input_value("select[data-chart-smooth]") == "mean5"
    again.wait_for_selector('[data-chart="reward"] .chart-readout:not([hidden])')
    assert "step 9" in again.inner_text('[data-chart="reward"] .chart-readout')
    labels = again.locator('[data-chart="reward"] svg.marks .role-axis-label text').all_text_contents()
    assert "2" not in labels

    page.click("[data-chart-reset]")
    assert page.evaluate("location.hash") == "#smooth=mean5"
    seen.expect_clean()


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
    assert page.locator("b").count() == page.locator(".chart-readout b").count()
