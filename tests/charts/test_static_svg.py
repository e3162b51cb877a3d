import re
from xml.etree import ElementTree

import pytest

from sitegen.charts.base import Chart
from sitegen.charts.static_svg import fluid
from sitegen.resources import static_bytes
from tests.charts.runs import HOSTILE, charts_of, full_run, long_run, one_row_run
from tests.factories import make_run, make_steps

DRAWN = [
    chart
    for run in (full_run(), one_row_run(), long_run())
    for chart in charts_of(run).values()
    if chart.static_svg is not None
]


def parts(svg: str | None) -> list[ElementTree.Element]:
    assert svg is not None
    return list(ElementTree.fromstring(svg).iter())


@pytest.mark.parametrize("chart", DRAWN, ids=lambda chart: chart.id)
def test_nothing_in_it_runs_links_styles_or_is_numbered(chart: Chart) -> None:
    for element in parts(chart.static_svg):
        assert element.tag in {"svg", "path", "line", "text"}
        assert not {"style", "id", "href", "clip-path", "fill", "stroke", "font-family"} & set(element.attrib)
        assert not any(name.startswith("on") for name in element.attrib)
        assert not any("url(" in value or "NaN" in value for value in element.attrib.values())


@pytest.mark.parametrize("chart", DRAWN, ids=lambda chart: chart.id)
def test_colours_are_classes_that_the_style_sheet_knows(chart: Chart) -> None:
    css = static_bytes("css/vega.css").decode() + static_bytes("css/charts.css").decode()
    used = {name for element in parts(chart.static_svg) for name in element.get("class", "").split()}

    assert {"chart-svg", "stretch"} <= used
    assert all(re.search(rf"\.{re.escape(name)}\b", css) for name in used)


@pytest.mark.parametrize("chart", DRAWN, ids=lambda chart: chart.id)
def test_it_stretches_but_texts_and_marks_do_not(chart: Chart) -> None:
    root = parts(chart.static_svg)[0]

    assert root.get("role") == "img"
    assert root.get("aria-label")
    for text in root.iter("text"):
        assert text.get("x", "").endswith("%")
    assert all(inner.get("preserveAspectRatio") == "none" for inner in root if inner.get("viewBox"))


def test_a_hostile_name_is_only_a_label() -> None:
    run = make_run(steps=make_steps([{"step": step, "reward/" + HOSTILE: 1.0, "reward": 0.5} for step in (1, 2)]))
    svg = charts_of(run)["reward"].static_svg

    assert svg is not None
    assert "<b>" not in svg

    hostile = fluid('<svg><g class="mark-text"><text>x &lt;b&gt;</text></g></svg>', width=10, height=10, label='"<b>')
    assert '<text x="0%" y="0" text-anchor="start">x &lt;b&gt;</text>' in hostile
    assert "aria-label='\"&lt;b&gt;'" in hostile


def test_places_are_shares_of_the_width() -> None:
    drawn = (
        '<svg><g transform="translate(48,16)"><g class="mark-group role-frame root"><g transform="translate(0,0)">'
        '<g class="mark-rule"><line transform="translate(50,0)" x2="0" y2="80" stroke="var(--ink-14)"/></g>'
        '<g class="mark-symbol"><path transform="translate(25,40)" d="M-1,0L1.25,0" fill="var(--run-1)"/></g>'
        '<g class="mark-text"><text transform="translate(-8,3)" text-anchor="end">0.5</text></g>'
        '<g class="mark-line"><path d="M0,0L100,80" stroke="var(--run-1)" stroke-width="2.25"/></g>'
        "</g></g></g></svg>"
    )

    assert fluid(drawn, width=100, height=80, label="m") == (
        '<svg class="chart-svg" role="img" aria-label="m">'
        '<line class="s-ink-14" x1="50%" y1="0" x2="50%" y2="80"/>'
        '<svg class="mk" x="25%" y="40"><path class="f-run-1" d="M-1,0L1.2,0"/></svg>'
        '<text x="0%" y="3" dx="-8" text-anchor="end">0.5</text>'
        '<svg class="stretch" viewBox="0 0 100 80" preserveAspectRatio="none" width="100%" height="80">'
        '<path class="s-run-1" stroke-width="2.25" d="M0,0L100,80"/></svg></svg>'
    )
