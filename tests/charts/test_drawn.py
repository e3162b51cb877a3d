"""Curves as they are drawn: what is smoothed, what is not, where a line breaks."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from sitegen.charts.base import Chart
from sitegen.charts.drawn import counter, few, gaps, smoothed, sparse
from sitegen.pages.run_spark import plain_drawing
from tests.charts.runs import REWARD, charts_of
from tests.factories import make_run, make_steps


def floats(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, dtype="float64")


def points(chart: Chart, column: str) -> dict[int, float | None]:
    data = chart.datasets["points"]
    return dict(zip(data["step"], data[column], strict=True))


def reward_chart(values: dict[int, float]) -> Chart:
    rows = [{"step": step, REWARD: value} for step, value in values.items()]
    return charts_of(make_run(steps=make_steps(rows)))["reward"]


def test_the_bold_line_of_four_values_is_the_values_with_dots() -> None:
    chart = reward_chart({1: 0.42, 2: 0.016, 3: 0.0, 4: 0.0})

    assert points(chart, "ema") == points(chart, "mean5") == {1: 0.42, 2: 0.016, 3: 0, 4: 0}
    assert points(chart, "lone") == {1: 1, 2: 1, 3: 1, 4: 1}
    assert chart.note is not None
    assert "Fewer than 10 values" in chart.note.en
    assert "未作平滑" in chart.note.zh


def test_ten_values_are_smoothed() -> None:
    chart = reward_chart({step: step / 10 for step in range(1, 11)})

    assert points(chart, "ema")[2] == pytest.approx(0.1 + 0.1 / 3)
    assert set(points(chart, "lone").values()) == {0}
    assert chart.note is None
    assert few(floats(*[1.0] * 9, math.nan))
    assert not few(floats(*[1.0] * 10, math.nan))


def test_values_beyond_the_axis_do_not_feed_the_bold_line_which_breaks_there() -> None:
    raw = floats(500.0, *[10.0] * 6, 900.0, *[10.0] * 6)
    ema, mean = smoothed(raw, 100.0)

    for line in (ema, mean):
        assert np.flatnonzero(np.isnan(line)).tolist() == [0, 7]
        assert line[np.isfinite(line)].tolist() == pytest.approx([10.0] * 12)
    assert smoothed(raw)[0][1] == pytest.approx(500 * 2 / 3 + 10 / 3)  # an axis that holds them: the EMA as defined


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ((0.0, 0.0, 1.0, 1.0), True),
        ((1.0, 2.0, math.nan, 4.0), True),
        ((0.0, 0.5, 1.0), False),
        ((0.0, 2.0, 1.0), False),
        ((3.0, 3.0, 3.0), False),
        ((3.0,), False),
    ],
)
def test_a_counter_is_whole_and_rises(values: tuple[float, ...], counts: bool) -> None:
    assert counter(floats(*values)) is counts


def test_an_epoch_keeps_its_steps() -> None:
    rows = [{"step": step, REWARD: 0.5 + step % 2 / 4, "trainer/epoch": float(step > 6)} for step in range(1, 13)]
    chart = charts_of(make_run(steps=make_steps(rows)))["metric-trainer-epoch"]

    assert points(chart, "ema") == points(chart, "raw") == {step: int(step > 6) for step in range(1, 13)}
    assert chart.note is not None
    assert chart.note.en == "A counter: not smoothed."


def test_a_missing_step_breaks_a_line_that_is_logged_at_every_step() -> None:
    chart = reward_chart({step: 0.5 + step % 3 / 9 for step in range(1, 23) if step != 17})

    assert points(chart, "raw")[17] is None
    assert points(chart, "ema")[17] is None
    assert sum(value is None for value in points(chart, "ema").values()) == 1
    assert len(chart.rows) == 21  # the table has what was logged


def test_a_metric_of_every_fifth_step_is_one_line() -> None:
    steps = np.arange(5, 60, 5, dtype="int64")

    assert gaps(steps, np.ones(len(steps))) == []
    assert gaps(np.array([1, 2, 3, 6, 7, 8], dtype="int64"), np.ones(6)) == [3]


def test_counts_at_few_steps_are_stems_without_a_line() -> None:
    logged = {2: 3.0, 3: 1.0, 9: 2.0, 17: 4.0}
    rows = [
        {"step": step, REWARD: 0.5 + step % 2 / 4} | ({"errors/total": logged[step]} if step in logged else {})
        for step in range(1, 21)
    ]
    chart = charts_of(make_run(steps=make_steps(rows)))["metric-errors-total"]

    assert {step for step, lone in points(chart, "lone").items() if lone == 2} == set(logged)
    assert chart.params["yTicks"][0] == 0
    assert chart.note is not None
    assert chart.note.en.startswith("Logged at 4 of 20 steps.")
    drawing = str(plain_drawing(chart, 90))
    assert len(re.findall(r"M[\d.]+ [\d.]+V", drawing)) == 4
    assert 'stroke-width="2.25"' not in drawing


@pytest.mark.parametrize(
    ("present", "stems"),
    [
        ((1, 2, 9, 15), True),
        ((4, 9, 14, 19), False),
        (tuple(range(19)), False),
        ((0, 2, 3, 4, 6, 7, 9, 11, 13, 14), True),
        ((), False),
    ],
)
def test_what_is_logged_at_a_regular_distance_or_mostly_is_a_line(present: tuple[int, ...], stems: bool) -> None:
    assert sparse(floats(*(1.0 if at in present else math.nan for at in range(20)))) is stems
