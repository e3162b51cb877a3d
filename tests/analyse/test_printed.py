import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse import printed
from sitegen.analyse.printed import Column, alike, half_of_general, is_general, parse


def column(values, half=0.0):
    values = np.array(values, dtype="float64")
    return Column(values=values, half=np.full(len(values), half))


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [
        ("0.4832", 0.4832, 5e-5),
        ("87.8%", 87.8, 0.05),
        ("470.8 tok/s", 470.8, 0.05),
        ("47", 47, 0.5),
        ("-1.85185e-05", -1.85185e-05, 5e-11),
        ("1,234.5", 1234.5, 0.05),
        ("4 000", 4000, 0.5),
        ("4\u00a0000", 4000, 0.5),
        ("\u22120.5", -0.5, 0.05),
        ("12.", 12, 0.5),
        (".5", 0.5, 0.05),
    ],
)
def test_a_printed_number_is_exact_to_half_a_unit_of_its_last_digit(text, value, half):
    found = parse(text)
    assert found is not None
    assert found[0] == value
    assert found[1] == pytest.approx(half, rel=1e-12)


def test_words_are_no_numbers_and_nan_is_told_apart():
    assert [parse(text) for text in ("yes", "", "20 of 30", "avg=1.0", "1e999", "–")] == [None] * 6
    nan = parse("nan")
    assert nan is not None
    assert math.isnan(nan[0])


def test_the_general_format_is_recognised_by_six_digits_and_no_trailing_zeros():
    assert is_general(["0.479843", "64", "0", "nan", "-1.85185e-05"])
    assert not is_general(["0.4798", "64"])  # nothing shows that it is not rounded to four digits
    assert not is_general(["0.479843", "0.4800"])
    assert not is_general([])
    assert half_of_general(0.479843) == pytest.approx(5e-7)
    assert half_of_general(1419.4) == pytest.approx(5e-3)  # 1419.40
    assert half_of_general(0) == 0


def test_a_value_is_written_like_the_printed_one_with_more_digits_where_they_would_hide_a_difference():
    assert alike("87.8%", 89.11) == "89.1%"
    assert alike("0.0%", 0.021) == "0.021%"
    assert alike("470.8 tok/s", 1642.3) == "1642.3 tok/s"
    assert alike("0", -0.0) == "0"
    assert alike("40348.4", 40348.5) == "40348.5"
    assert alike("-1.85185e-05", 0.25) == "0.25"
    assert alike("words", 0.25) == "0.25"
    assert alike("43,795", 43796.0) == "43,796"
    assert alike("4 000", 4000.0) == "4 000"
    assert alike("1,234.5 s", -1234567.25) == "-1,234,567.2 s"
    assert alike("4000", 4000.0) == "4000"
    assert alike("1,234.5", -0.52) == "-0.5"
    assert alike("1.0", None) == "–"


def test_statistics_over_what_is_finite():
    some = column([1.0, math.nan, 3.0, math.inf, 5.0])
    values = [f(some).value for f in (printed.mean, printed.total, printed.largest, printed.smallest, printed.median)]
    assert values == [3.0, 9.0, 5.0, 1.0, 3.0]
    assert printed.std(some).value == 2.0
    assert printed.std(some, 0).value == pytest.approx(math.sqrt(8 / 3))
    assert printed.count(some).value == 3
    assert printed.last(some).value == 5.0
    assert printed.last(column([1.0, math.nan])).value is None
    assert printed.mean(some.zeros_for_gaps()).value == pytest.approx(9 / 5)


ALL = (printed.mean, printed.total, printed.largest, printed.smallest, printed.median, printed.last, printed.std)


@pytest.mark.parametrize("f", ALL)
def test_nothing_gives_nothing(f):
    assert f(column([])).value is None
    assert f(column([math.nan])).value is None


def test_shares():
    part, whole = column([1.0, 1.0, math.nan, 4.0]), column([2.0, 4.0, 8.0, 0.0])
    assert printed.mean_share(part, whole).value == pytest.approx(0.375)
    assert printed.share_of_sums(part, whole).value == pytest.approx(2 / 6)
    assert printed.mean_share(column([]), column([])).value is None


def test_the_rounding_of_a_sum_is_below_the_worst_case_and_equal_to_it_where_all_values_are_printed_alike():
    apart = column(np.arange(47.0), 0.05)
    alike_ = column(np.full(47, 1.0), 0.05)
    assert 0.05 * math.sqrt(47 / 3) * 5.9 < printed.total(apart).slack < 47 * 0.05
    assert printed.total(alike_).slack == pytest.approx(47 * 0.05)
    assert printed.mean(column(np.arange(47.0))).slack == 0
    few = column(np.arange(5.0), 0.05)
    assert printed.total(few).slack == pytest.approx(5 * 0.05)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(0, 4), st.booleans())
def test_rounding_never_moves_a_statistic_by_more_than_its_slack(seed, size, places, coarse):
    """On data of any size, smooth or on a coarse grid as rewards are."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 512, size) / 512 if coarse else rng.gamma(2.0, 3.0, size)
    whole = true * 1.5 + rng.uniform(1, 2, size)
    half = 0.5 * 10.0**-places
    shown = [Column(values=np.round(v, places), half=np.full(size, half)) for v in (true, whole)]
    exact = [column(v) for v in (true, whole)]
    pairs = [(f(shown[0]), f(exact[0])) for f in ALL]
    pairs += [(f(*shown), f(*exact)) for f in (printed.mean_share, printed.share_of_sums)]
    for rounded, known in pairs:
        if rounded.value is not None and known.value is not None:
            assert abs(rounded.value - known.value) <= rounded.slack + 1e-9 * (1 + abs(known.value))


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.integers(0, 8))
def test_what_is_printed_is_read_back_within_its_own_rounding(value, places):
    text = f"{value:.{places}f}"
    found = parse(text)
    assert found is not None
    assert abs(found[0] - value) <= found[1] * (1 + 1e-9) + 1e-12 * abs(value)
