import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen import format as fmt

NB = "\u00a0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.52814, "0.5281"),
        (0.59, "0.5900"),
        (12.3456, "12.35"),
        (999.96, "1,000"),
        (9.99996, "10.00"),
        (43795, "43,795"),
        (43795.4, "43,795"),
        (80.0, "80"),
        (0.0, "0"),
        (-0.0, "0"),
        (-0.0354, "−0.03540"),
        (8e-6, "8e-6"),
        (-1.23456e-7, "−1.235e-7"),
        (3.2e12, "3.2e12"),
        (0.0001, "0.0001000"),
        (None, "–"),
        (math.nan, "NaN"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_number_has_four_significant_digits(value: float | None, text: str) -> None:
    assert fmt.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.02, "0.02"),
        (0.0199999, "0.02000"),
        (1234.5, "1,234"),
        (0.59, "0.59"),
        (-0.0006, "−0.0006"),
        (9.99996, "10.00"),
        (8e-6, "8e-6"),
        (100, "100"),
        (None, "–"),
        (math.nan, "NaN"),
    ],
)
def test_a_value_in_a_caption_has_no_zeros_that_only_fill_up(value: float | None, text: str) -> None:
    assert fmt.brief(value) == text


def test_a_value_that_stands_alone_has_none_at_all() -> None:
    assert [fmt.plain(value) for value in (0.02, 0.0199999999, 64.0, 8e-6, 1e-300)] == [
        *("0.02", "0.02", "64", "8e-6", "1e-300"),
    ]


def test_whole_numbers_in_a_sentence_are_counts() -> None:
    assert fmt.counted({"n": 12345, "name": "1234", "share": 0.5, "yes": True, "less": -1000}) == {
        "n": "12,345",
        "name": "1234",
        "share": 0.5,
        "yes": True,
        "less": "−1,000",
    }


def test_numbers_are_written_as_the_shared_table_says() -> None:
    """Texts worked out in decimal arithmetic; tests/js/numbers.test.js holds the scripts to the same ones."""
    cases = json.loads((Path(__file__).parent / "data" / "number_cases.json").read_text("utf-8"))
    assert [fmt.number(value, digits) for value, digits, _ in cases["number"]] == [text for *_, text in cases["number"]]
    assert [fmt.fixed(value, places) for value, places, _ in cases["fixed"]] == [text for *_, text in cases["fixed"]]
    assert [[unix, fmt.date(unix, "en"), fmt.date(unix, "zh"), fmt.iso(unix)] for unix, *_ in cases["date"]] == cases[
        "date"
    ]


@given(st.floats(min_value=1e-4, max_value=9e8))
def test_number_reads_back_to_four_digits(value: float) -> None:
    back = float(fmt.number(value).replace(",", ""))
    assert back == pytest.approx(value, rel=5.01e-4)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_sign_of_a_number_is_the_minus_sign_and_symmetric(value: float) -> None:
    text = fmt.number(abs(value))
    assert fmt.number(-abs(value)) == (text if text == "0" else "−" + text)


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.0046, None, "+0.004600"),
        (-0.0726, None, "−0.07260"),
        (0.0, None, "0"),
        (0.00001, 3, "0.000"),
        (-0.00001, 3, "0.000"),
        (1.5, 2, "+1.50"),
        (None, 2, "–"),
        (math.nan, None, "NaN"),
    ],
)
def test_signed(value: float | None, places: int | None, text: str) -> None:
    assert fmt.signed(value, places) == text


def test_percent_has_a_space_in_english_only() -> None:
    assert fmt.percent(0.8784, "en") == f"87.8{NB}%"
    assert fmt.percent(0.8784, "zh") == "87.8%"
    assert fmt.percent(None, "en") == "–"
    assert fmt.percent(math.nan, "zh") == "NaN"
    assert fmt.percentage(1.0) == "100.0"


@pytest.mark.parametrize(
    ("seconds", "en", "zh"),
    [
        (895.3, f"895{NB}s", f"895{NB}秒"),
        (0.045, f"0.045{NB}s", f"0.045{NB}秒"),
        (0.02, f"0.02{NB}s", f"0.02{NB}秒"),
        (14.04, f"14{NB}s", f"14{NB}秒"),
        (700, f"700{NB}s", f"700{NB}秒"),
        (-1.5, f"−1.5{NB}s", f"−1.5{NB}秒"),
        (0, f"0{NB}s", f"0{NB}秒"),
        (3600, f"1{NB}h", f"1{NB}小时"),
        (88020, f"24{NB}h 27{NB}min", f"24{NB}小时 27{NB}分钟"),
        (2 * 86400 + 3 * 3600, f"2{NB}d 3{NB}h", f"2{NB}天 3{NB}小时"),
        (1199.9, f"20{NB}min", f"20{NB}分钟"),
        (None, "–", "–"),
        (math.nan, "NaN", "NaN"),
    ],
)
def test_duration(seconds: float | None, en: str, zh: str) -> None:
    assert fmt.duration(seconds, "en") == en
    assert fmt.duration(seconds, "zh") == zh


JUNE_3 = 1780456320.0  # 2026-06-03 03:12:00 UTC


def test_dates_are_utc_in_both_languages() -> None:
    assert fmt.date(JUNE_3, "en") == f"3{NB}Jun{NB}2026"
    assert fmt.date(JUNE_3, "zh") == "2026-06-03"
    assert fmt.clock(JUNE_3, "en") == f"3{NB}Jun{NB}2026, 03:12 UTC"
    assert fmt.iso(JUNE_3) == "2026-06-03T03:12:00Z"
    assert fmt.date_range(JUNE_3, JUNE_3 + 60, "zh") == "2026-06-03"
    assert fmt.date_range(JUNE_3, JUNE_3 + 86400, "zh") == "2026-06-03 – 2026-06-04"


@pytest.mark.parametrize("unix", [None, math.nan, math.inf, 1e30])
def test_an_impossible_date_is_absent(unix: float | None) -> None:
    assert fmt.date(unix, "en") == "–"
    assert fmt.iso(unix) == ""


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "0"),
        (512, "512"),
        (999, "999"),
        (1240, "1.24"),
        (999_600, "1"),
        (100_000_000, "100"),
        (45_000_000, "45"),
        (None, "–"),
    ],
)
def test_size_in_decimal_units(amount: float | None, text: str) -> None:
    shown = fmt.size(amount)
    assert shown.split(NB)[0] == text


def test_size_names_its_unit() -> None:
    assert fmt.size(1240) == f"1.24{NB}kB"
    assert fmt.size(999_600) == f"1{NB}MB"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (8e-6, "8e-6"),
        (1.5e-05, "1.5e-5"),
        (0.0002, "2e-4"),
        (-0.00025, "-2.5e-4"),
        (0.2, "0.2"),
        (1.0, "1.0"),
        (True, "true"),
        (None, "null"),
        ([1, "a", None], "[1, a, null]"),
        ("${trainer.lr}", "${trainer.lr}"),
        (math.nan, "nan"),
        (1e22, "1e22"),
    ],
)
def test_setting_is_shown_as_one_writes_it(value: object, text: str) -> None:
    assert fmt.setting(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_setting_keeps_its_value(value: float) -> None:
    assert float(fmt.setting(value)) == value


@given(st.text(max_size=120), st.integers(min_value=8, max_value=60))
def test_middle_keeps_both_ends_and_the_limit(name: str, longest: int) -> None:
    short = fmt.middle(name, longest)
    assert len(short) <= max(longest, 0) or short == name
    assert short[:2] == name[:2]
    assert short[-2:] == name[-2:]


def test_ratio_stays_within_the_bar() -> None:
    assert fmt.ratio(3, 2) == 1.0
    assert fmt.ratio(-1, 2) == 0.0
    assert fmt.ratio(1, 0) == 0.0
    assert fmt.ratio(1, 4) == 0.25


def test_sort_values_are_short_and_keep_large_numbers_apart() -> None:
    assert [fmt.sortable(v) for v in (0.52812345, 43795, 1780272000.5, 8e-6)] == [
        "0.528123",
        "43795",
        "1780272000.5",
        "8e-06",
    ]
    assert fmt.sortable("finished") == "finished"


def test_coordinates_are_short() -> None:
    assert [fmt.svg(v) for v in (3.0, 12.52, -0.04, 0.0)] == ["3", "12.5", "0", "0"]


def test_digits_that_tell_nothing_do_not_fill_a_column() -> None:
    assert fmt.fixed(-1e308, 3) == "−1e308"
    assert fmt.fixed(1.5e15, 0) == "1.5e15"
    assert fmt.fixed(999_999_999_999_999, 0) == "999,999,999,999,999"
    assert fmt.duration(1e300, "en") == "1e300\u00a0s"
