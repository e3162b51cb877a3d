"""Plain drawings: what stands in a chart's box without scripts and on paper is the chart, not a sketch of it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from sitegen.charts import theme
from sitegen.charts.base import Chart
from sitegen.pages.run_spark import plain_drawing
from tests.charts.runs import REWARD, charts_of, full_run, long_run, on_the_clock, one_row_run
from tests.factories import make_run, make_steps

FULL = charts_of(full_run())
DRAWN = [chart for chart in FULL.values() if chart.form != "outcome"]


def drawing(chart: Chart, limit: int = 90) -> ElementTree.Element:
    found = plain_drawing(chart, limit)
    assert found is not None
    return ElementTree.fromstring(str(found))


def texts(chart: Chart) -> list[str]:
    return [text.text or "" for text in drawing(chart).iter("text")]


@pytest.mark.parametrize("chart", DRAWN, ids=lambda chart: chart.id)
def test_every_form_has_a_drawing_with_both_axes(chart: Chart) -> None:
    svg = drawing(chart)

    assert svg.findall(".//path")
    assert len([text for text in texts(chart) if text]) >= 3
    assert "id" not in {name for element in svg.iter() for name in element.keys()}  # noqa: SIM118


def test_ticks_are_those_of_the_live_chart() -> None:
    assert texts(FULL["entropy"]) == ["0.15", "0.20", "0.25", "0.30", "2", "4", "6", "8", "10", "12"]


def test_marks_and_job_boundaries_are_in_it() -> None:
    svg = drawing(FULL["entropy"])
    marks = [mark[0].get("class", "") for mark in svg.iter("svg") if mark.get("class") == "mk"]

    assert marks.count("f-bad") == 2  # logged as NaN and as infinite
    assert marks.count("s-ink-60") == 1  # superseded
    boundary = [line for line in svg.iter("line") if line.get("stroke-dasharray")]
    assert [line.get("x1") for line in boundary] == ["41.67%"]  # half a step before step 6 of 0.5 to 12.5


@pytest.mark.parametrize(("name", "y"), [("errors", "11"), ("engine-cache", "2")])
def test_jobs_are_named_where_the_live_chart_names_them(name: str, y: str) -> None:
    labels = [label for label in FULL[name].datasets["jobs"]["label"] if label]
    said = [text for text in drawing(FULL[name]).iter("text") if (text.text or "").strip("\u200b\u00a0") in labels]

    assert labels
    assert [(text.get("y"), (text.text or "")[0]) for text in said] == [(y, "\u200b")] * len(labels)


def test_ends_of_training_steps_are_ticks_among_engine_samples() -> None:
    run = on_the_clock(full_run(), [1800.0 + 120 * step for step in range(12)])
    assert run.engines is not None
    chart = charts_of(replace(run, engines=run.engines.assign(time=1.7e9 + 60.0 * np.arange(60))))["engine-cache"]
    ticks = next(path for path in drawing(chart).iter("path") if path.get("class") == "s-ink-50")

    assert len(re.findall(r"M[\d.]+ 0v-4", ticks.get("d") or "")) == 13  # 12 steps, one of them twice
    assert [text.text for text in drawing(chart).iter("text") if text.get("y") == "-6"] == ["2", "6", "10"]
    assert not [text for text in drawing(FULL["engine-cache"]).iter("text") if text.get("y") == "-6"]


def test_a_gap_lifts_the_pen() -> None:
    svg = drawing(FULL["entropy"])
    raw = next(path for path in svg.iter("path") if path.get("opacity") == "0.38")

    assert (raw.get("d") or "").count("M") == 2


def test_areas_have_the_height_of_their_values() -> None:
    rows = [{"step": step, REWARD: 0.5, "timing/step": 50.0 * step} for step in (1, 2)]
    chart = charts_of(make_run(steps=make_steps(rows)))["step-time"]
    path = next(path for path in drawing(chart).iter("path") if path.get("class") == "f-ink-30 s-ink-50")
    assert [(item.swatch, item.name.en) for item in chart.legend] == [("sw-whole", "step, not split")]
    heights = {float(y) for _, y in re.findall(r"([\d.]+) ([\d.]+)", path.get("d") or "")}
    inner = theme.MEDIUM - theme.TOP - theme.BOTTOM

    assert heights == {inner, inner / 2, 0}  # the foot, 50 and 100 of an axis to 100


def test_stacked_bars_are_rectangles_on_top_of_one_another() -> None:
    waits, trains = (10.0, 60.0, 20.0), (40.0, 10.0, 50.0)
    rows = [
        {"step": at + 1, REWARD: 0.5, "timing/step": waits[at] + trains[at]}
        | {"timing/wait_for_generation_buffer": waits[at], "timing/run_training": trains[at]}
        for at in range(3)
    ]
    chart = charts_of(make_run(steps=make_steps(rows)))["step-time"]
    inner, high = theme.MEDIUM - theme.TOP - theme.BOTTOM, chart.params["y1"]
    paths = {path.get("class"): path.get("d") or "" for path in drawing(chart).iter("path")}
    wait, train = paths["f-ink-30 s-ink-50"], paths["f-run-1"]

    for at, middle in enumerate((500 / 6, 250, 2500 / 6)):
        foot, edge, top = (inner * (1 - value / high) for value in (0, waits[at], waits[at] + trains[at]))
        assert level_edges(wait, middle) == pytest.approx([edge, foot], abs=0.01)
        assert level_edges(train, middle) == pytest.approx([top, edge], abs=0.01)
    assert all(x0 == x1 or y0 == y1 for d in (wait, train) for (x0, y0), (x1, y1) in outline(d))


def outline(d: str) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    corners = [(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", d)]
    return list(pairwise([*corners, corners[0]]))


def level_edges(d: str, x: float) -> list[float]:
    """Heights at which an outline passes a place."""
    return sorted(y0 for (x0, y0), (x1, _) in outline(d) if min(x0, x1) < x < max(x0, x1))


def test_a_long_run_is_thinned_and_a_single_record_is_a_dot() -> None:
    long, single = charts_of(long_run())["reward"], charts_of(one_row_run())["reward"]
    raw = next(path for path in drawing(long).iter("path") if path.get("opacity") == "0.38")

    assert len(re.findall("[ML]", raw.get("d") or "")) <= 90
    assert any("f-run-1" in (path.get("class") or "") for path in drawing(single).iter("path"))


def test_a_chart_without_steps_or_values_has_none() -> None:
    empty = charts_of(make_run(steps=make_steps([{"step": 1, REWARD: 0.5}])))

    assert plain_drawing(FULL["turns-outcome"], 90) is None
    assert all(plain_drawing(chart, 90) is not None for chart in empty.values() if chart.form == "lines")
