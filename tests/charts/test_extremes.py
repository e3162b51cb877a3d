"""The largest and the smallest numbers there are: every chart is made, and every place on a drawing is a number."""

import re
from typing import Any

import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from sitegen.charts.compiled import filled
from sitegen.charts.scales import log_axis, summed, value_axis
from sitegen.pages.run_spark import plain_drawing
from tests.charts.runs import charts_of
from tests.factories import make_engines, make_run, make_steps

ODD = {
    "both-signs": [1.797e308, -1.797e308],
    "positive": [1.797e308, 1.5e308],
    "smallest": [5e-324, -5e-324],
    "all-sizes": [1.7e308, 5e-324, 0.0, -1.0],
    "spanning": [5e-324, 1.0, 1.0, 1.7e308],
}
METRICS = (
    "reward/avg_raw_reward",
    "reward/avg_pass_at_8",
    "policy/raw_grad_norm",
    "async/staleness_mean",
    "async/staleness_min",
    "async/staleness_max",
    "async/discard_rate",
    "timing/step",
    "timing/wait_for_generation_buffer",
    "timing/train_critic_and_policy",
    "timing/sync_weights",
    "batch_errors/AgentTimeoutError",
    "batch_errors/total_errors",
    "odd",
)
SAMPLED = ("running", "waiting", "generation_tps", "prompt_tps", "kv_cache_pct", "prefix_hit_pct")
NO_NUMBER = re.compile(r"nan|inf(?!o)", re.IGNORECASE)


def turned(values: list[float], names: tuple[str, ...], at: int) -> dict[str, Any]:
    """The values in turn, each name one further."""
    return {name: values[(at + place) % len(values)] for place, name in enumerate(names)}


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")  # sums of them are infinite
@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_every_place_on_a_drawing_is_a_number(values: list[float]) -> None:
    steps = make_steps([{"step": at + 1, **turned(values, METRICS, at)} for at in range(8)])
    samples = make_engines([{"time": 1e9 + 60 * at, "engine": "0", **turned(values, SAMPLED, at)} for at in range(8)])
    charts = charts_of(make_run(steps=steps, engines=samples, framework="skyrl"))

    assert {"reward", "step-time", "errors", "metric-odd", "engine-cache"} <= charts.keys()
    for chart in charts.values():
        drawn = re.findall(r' (?:d|[xy][12]?|transform)="([^"]*)"', f"{chart.static_svg}{plain_drawing(chart, 90)}")
        assert not [place for place in drawn if NO_NUMBER.search(place)], chart.id
    for name in ("step-time", "metric-odd", "engine-cache"):
        svg = vl_convert.vega_to_svg(filled(charts[name].form, charts[name].datasets, charts[name].params))
        assert not re.search("NaN|Infinity", svg), name


def test_all_sizes_on_a_logarithmic_axis_are_drawn_as_they_are() -> None:
    rows = [{"step": at + 1, "odd": value} for at, value in enumerate(ODD["spanning"] * 2)]
    chart = charts_of(make_run(steps=make_steps(rows)))["metric-odd"]

    assert chart.form == "lines-log"
    assert chart.datasets["marks"]["kind"] == []  # none of them is 0 or less
    assert (chart.params["yDiv"], chart.params["yTicks"][0]) == (1, 1e-323)


@given(st.lists(st.floats(min_value=-4.5e307, max_value=4.5e307), min_size=1))
def test_an_axis_of_any_drawn_values_can_be_drawn(values: list[float]) -> None:
    axis = value_axis(values)

    assert 0 < axis.high - axis.low < float("inf")
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
    assert len(set(axis.ticks)) == len(axis.ticks)


@given(st.lists(st.floats(min_value=0, exclude_min=True, max_value=4.5e307), min_size=1))
def test_a_logarithmic_axis_of_any_drawn_values_can_be_drawn(values: list[float]) -> None:
    axis = log_axis(values)

    assert 0 < axis.low < axis.high < float("inf")
    assert axis.high >= max(values)
    assert axis.low <= max(min(values), 1e-323)


def test_a_sum_beyond_the_largest_number_is_infinite() -> None:
    assert summed([1.7e308, 1.7e308]) == float("inf")
    assert summed([0.1] * 10) == 1.0
