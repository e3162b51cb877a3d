"""Names at the ends of lines cross nothing: checked against the lines themselves, at the width of phone and card."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.charts import theme
from sitegen.charts.end_names import End, names
from tests.charts.runs import PASS, REWARD, charts_of
from tests.factories import make_engines, make_run, make_steps

HEIGHT = float(theme.LARGE - theme.TOP - theme.BOTTOM)
shares = st.floats(0, HEIGHT)


def crossing(path: list[tuple[float, float]], left: float, right: float, top: float, bottom: float) -> bool:
    """Whether a line passes through a box, found by walking along it in small steps."""
    for (x0, y0), (x1, y1) in itertools.pairwise(path):
        for n in range(201):
            x, y = x0 + (x1 - x0) * n / 200, y0 + (y1 - y0) * n / 200
            if left < x < right and top < y < bottom:
                return True
    return False


@given(st.lists(st.tuples(shares, shares), min_size=2, max_size=6))
def test_no_name_touches_a_line_or_another_name(heights: list[tuple[float, float]]) -> None:
    paths = [[(at / (len(heights) - 1), pair[line]) for at, pair in enumerate(heights)] for line in (0, 1)]
    ends = [End(series=str(line), name="avg_raw_reward", y=path[-1][1], below=0) for line, path in enumerate(paths)]
    found = names(ends, paths, HEIGHT)
    spots = {series: paths[int(series)][-1][1] + dy for series, dy in zip(found["series"], found["dy"], strict=True)}

    assert len(spots) in (0, 2)
    for y in spots.values():
        assert y - 6 >= -theme.TOP
        assert y + 6 <= HEIGHT
        for width in (250, 652):
            left = 1 - 6 * len("avg_raw_reward") / width
            assert not any(crossing(path, left, 1, y - 6, y + 6) for path in paths)
    if spots:
        assert abs(spots["0"] - spots["1"]) >= 13


def test_a_free_place_further_off_is_taken() -> None:
    flat = [[(0.0, 100.0), (1.0, 100.0)], [(0.0, 86.0), (1.0, 86.0)], [(0.0, 121.0), (1.0, 121.0)]]
    found = names([End(series="1", name="reward", y=100, below=0)], flat, HEIGHT)

    assert found["dy"] == [-27.0]  # -14 lies on the line at 86, 20 on the one at 121


def test_a_run_too_short_for_names_has_them_in_its_key() -> None:
    rows = [{"step": 1, REWARD: 0.02, PASS: 0.98}, {"step": 2, REWARD: 0.98, PASS: 0.02}]
    chart = charts_of(make_run(steps=make_steps(rows)))["reward"]

    assert chart.datasets["names"]["series"] == []
    assert [(item.swatch, item.name.en) for item in chart.legend] == [
        ("line-1", "avg_raw_reward"),
        ("line-0", "avg_pass_at_8"),
    ]


@given(st.floats(0, 30), st.floats(0, 30))
@settings(max_examples=8, deadline=None)
def test_no_name_of_the_engine_charts_falls_below_the_axis(running: float, waiting: float) -> None:
    rows = [{"time": 60.0 * at, "running": running, "waiting": waiting} for at in range(30)]
    chart = charts_of(make_run(engines=make_engines(rows)))["engine-requests"]
    low, high = (chart.params[key] for key in ("y0", "y1"))
    inner = theme.MEDIUM - theme.TOP - theme.BOTTOM
    ends = {"1": running, "2": waiting}
    found = chart.datasets["names"]
    for series, dy in zip(found["series"], found["dy"], strict=True):
        assert inner * (high - ends[str(series)]) / (high - low) + float(dy) + 6 <= inner
    assert bool(found["series"]) != bool(chart.legend)


def test_a_long_run_has_its_names_at_its_lines() -> None:
    rows = [{"step": step, REWARD: 0.4, PASS: 0.8} for step in range(1, 60)]
    chart = charts_of(make_run(steps=make_steps(rows)))["reward"]

    assert sorted(chart.datasets["names"]["series"]) == ["0", "1"]
    assert chart.legend == ()
