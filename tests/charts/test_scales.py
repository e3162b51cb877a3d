import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.charts.scales import log_axis, step_domain, value_axis

numbers = st.floats(allow_nan=False, allow_infinity=False)
measured = st.floats(min_value=-1e12, max_value=1e12, allow_nan=False).map(lambda value: round(value, 9))


@given(st.lists(measured, min_size=2))
def test_three_to_five_round_ticks_enclose_the_values(values: list[float]) -> None:
    axis = value_axis(values)

    assert axis.low < axis.high
    assert all(axis.low <= value <= axis.high for value in values)
    assert list(axis.ticks) == sorted(set(axis.ticks))
    assert len(axis.ticks) in (1, 3, 4, 5)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


@given(st.lists(st.one_of(numbers, st.sampled_from([math.nan, math.inf, -math.inf]))))
def test_any_values_give_a_finite_axis(values: list[float]) -> None:
    axis = value_axis(values)

    assert axis.low < axis.high or not all(map(math.isfinite, (axis.low, axis.high)))
    assert axis.ticks


@pytest.mark.parametrize(
    ("values", "ticks", "form"),
    [
        ([0.185, 0.238], (0.18, 0.2, 0.22, 0.24), ",.2f"),  # too far from 0 to start there
        ([0.03, 0.134], (0.0, 0.05, 0.1, 0.15), ",.2f"),  # the least is under half of the greatest: from 0
        ([-0.0354, 0.0], (-0.04, -0.03, -0.02, -0.01, 0.0), ",.2f"),
        ([465.0, 3038.0], (0.0, 1000.0, 2000.0, 3000.0, 4000.0), ",.0f"),
    ],
)
def test_ticks_share_their_decimals(values: list[float], ticks: tuple[float, ...], form: str) -> None:
    axis = value_axis(values)

    assert axis.ticks == pytest.approx(ticks, abs=1e-12)
    assert axis.format == form


def test_shares_stand_on_an_axis_from_0_to_1_unless_one_lies_outside() -> None:
    assert value_axis([0.4, 0.6], rate=True).ticks == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert value_axis([0.4, 1.6], rate=True).ticks[-1] > 1


def test_a_constant_keeps_its_one_tick_and_zero_lies_at_the_bottom() -> None:
    assert value_axis([8e-6] * 5).ticks == (8e-6,)
    zero = value_axis([0.0] * 5)
    assert (zero.ticks, zero.low) == ((0.0,), -0.02)


def test_large_numbers_are_written_in_thousands() -> None:
    axis = value_axis([4339.0, 31942.0])

    assert (axis.divisor, axis.suffix, axis.ticks[-1], axis.format) == (1e3, " k", 40000.0, ",.0f")


def test_areas_stand_on_zero_without_a_margin() -> None:
    assert value_axis([900.0, 1000.0], stacked=True).low == 0.0


def test_a_log_axis_covers_the_positive_values_in_whole_powers_of_ten() -> None:
    axis = log_axis([-1.0, 0.0, 0.02, 700.0, math.nan])

    assert (axis.low, axis.high) == (pytest.approx(0.01), pytest.approx(1000.0))
    assert len(axis.ticks) <= 5


def test_the_step_axis_has_a_margin_even_for_one_step() -> None:
    assert step_domain([7]) == (6.5, 7.5)
    assert step_domain([0, 100]) == (-1.5, 101.5)
    assert step_domain([]) == (0.0, 1.0)
