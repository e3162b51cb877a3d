"""Axes that a few extreme values do not flatten, and what is said of the values beyond."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.charts.beyond import fitting_axis, robust_top
from sitegen.pages.run_spark import plain_drawing
from tests.charts.runs import charts_of
from tests.charts.test_charts import column
from tests.factories import make_run, make_steps

COLD = [{"step": step, "timing/step": 400.0, "s/generate_s": 400.0} for step in range(1, 61)]
COLD[0] |= {"timing/step": 16204.0, "s/generate_s": 16204.0}
COLD[1] |= {"timing/step": 9000.0, "s/generate_s": 9000.0}


CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "beyond_cases.json").read_text("utf-8"))
"""Runs of equal values (number, value) and where the axis ends; the browser's rule is tested with the same."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_an_axis_ends_a_quarter_above_the_95th_percentile(case: dict[str, Any]) -> None:
    values = [math.nan if value is None else value for count, value in case["runs"] for _ in range(count)]
    assert robust_top(values) == case["top"]


@given(st.lists(st.floats(min_value=0, max_value=1e12), min_size=1, max_size=80))
def test_at_most_one_value_in_twenty_lies_beyond(values: list[float]) -> None:
    axis, top = fitting_axis(values, values)

    beyond = [value for value in values if value > axis.high]
    assert len(beyond) <= len(values) / 20
    assert bool(beyond) == (top is not None)


def test_two_cold_starts_do_not_flatten_the_seconds_per_step() -> None:
    chart = charts_of(make_run(steps=make_steps(COLD)))["step-time"]

    assert (chart.params["y0"], chart.params["y1"]) == (0, 600)
    assert column(chart, "marks", "step", kind="beyond") == [1, 2]
    assert column(chart, "marks", "raw", kind="beyond") == [16204, 9000]
    said = "▲ 2 beyond the axis (over 600 s): 16,204 s at step 1, 9,000 s at step 2"
    assert said in chart.caption.en
    assert said in chart.summary.en
    assert "▲ 有 2 个值超出坐标轴（大于 600 s）：16,204 s（第 1 步）、9,000 s（第 2 步）" in chart.caption.zh
    assert [row[3] for row in chart.rows][:3] == [16204.0, 9000.0, 400.0]
    assert chart.static_svg is not None
    assert "stretch cut" in chart.static_svg
    assert chart.static_svg.count('class="f-ink-90 s-ink-4"') == 2


def test_a_line_beyond_its_axis_is_cut_and_marked_in_the_plain_drawing() -> None:
    chart = next(
        chart
        for key, chart in charts_of(make_run(steps=make_steps(COLD))).items()
        if key.startswith("metric-") and chart.metrics == ("s/generate_s",)
    )

    drawn = str(plain_drawing(chart, 60))
    assert chart.params["yTop"] == chart.params["y1"] < 600
    assert column(chart, "marks", "step", kind="beyond") == [1, 2]
    assert 'class="stretch cut"' in drawn
    assert drawn.count('class="f-ink-90 s-ink-4" stroke-width="1"') == 2


def test_a_superseded_value_beyond_the_axis_is_a_cross_and_no_triangle() -> None:
    rows = [*COLD, {"step": 40, "timing/step": 20000.0, "superseded_last": 1, "superseded_first": 1}]
    chart = charts_of(make_run(steps=make_steps(rows)))["step-time"]

    assert column(chart, "marks", "raw", kind="beyond") == [16204, 9000]
    assert column(chart, "marks", "raw", kind="superseded") == [20000]
    assert "▲ 2 beyond the axis" in chart.caption.en
    assert "16,204 s at step 1, 9,000 s at step 2 · × 1 superseded beyond the axis" in chart.caption.en
    assert "20,000 s at step 40" in chart.caption.en


@pytest.mark.parametrize(
    ("values", "ticks", "said"),
    [
        ([0.0, 0.016, 0.004], [0.0, 0.005, 0.01, 0.015, 0.02], "axis 0 – 0.02"),
        ([0.06, 0.07, 0.065], [0.0, 0.02, 0.04, 0.06, 0.08], "axis 0 – 0.08"),
        ([0.0, 0.1, 0.004], [0.0, 0.25, 0.5, 0.75, 1.0], None),
        ([0.0, 0.0, 0.0], [0.0, 0.25, 0.5, 0.75, 1.0], None),
    ],
)
def test_small_shares_have_an_axis_of_their_own_and_say_so(
    values: list[float], ticks: list[float], said: str | None
) -> None:
    rows = [{"step": step, "async/discard_rate": value} for step, value in enumerate(values, 1)]
    chart = charts_of(make_run(steps=make_steps(rows), framework="skyrl"))["discard-rate"]

    assert chart.params["yTicks"] == pytest.approx(ticks)
    assert (said in chart.caption.en) if said else ("axis" not in chart.caption.en)


def test_rewards_keep_an_axis_from_0_to_1_however_small() -> None:
    rows = [{"step": step, "reward/avg_raw_reward": 0.01 * step} for step in (1, 2, 3)]
    chart = charts_of(make_run(steps=make_steps(rows)))["reward"]

    assert chart.params["yTicks"] == [0.0, 0.25, 0.5, 0.75, 1.0]
