import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sitegen.charts.thin import thin

numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)
series = st.lists(st.one_of(numbers, numbers, numbers, st.just(math.nan)), max_size=400)


@given(series, st.integers(20, 60))
def test_thinning_keeps_ends_extremes_gaps_and_the_limit(values: list[float], limit: int) -> None:
    kept = thin([values], limit)

    assert kept == sorted(set(kept))
    assert len(kept) <= max(limit, 0) or kept == list(range(len(values)))
    if not values:
        return
    assert kept[0] == 0
    assert kept[-1] == len(values) - 1
    finite = [value for value in values if math.isfinite(value)]
    shown = [values[at] for at in kept if math.isfinite(values[at])]
    if finite:
        assert (min(shown), max(shown)) == (min(finite), max(finite))
        assert (shown[0], shown[-1]) == (finite[0], finite[-1])


@given(series, st.integers(20, 60))
def test_a_gap_between_two_drawn_values_stays_a_gap_unless_it_is_shorter_than_a_bucket(
    values: list[float], limit: int
) -> None:
    kept = thin([values], limit)
    if len(values) <= limit:
        assert kept == list(range(len(values)))
        return
    buckets = (limit - 4) // 3
    longest = -(-len(values) // buckets)
    for left, right in pairwise(kept):
        if math.isfinite(values[left]) and math.isfinite(values[right]):
            missing = sum(not math.isfinite(value) for value in values[left:right])
            assert missing < 2 * longest


def test_up_to_the_limit_everything_is_drawn() -> None:
    assert thin([[1.0] * 500]) == list(range(500))


def test_several_series_keep_the_extremes_of_each() -> None:
    low, high = [0.0] * 3000, [1.0] * 3000
    low[1111], high[2222] = -7.0, 9.0

    kept = thin([low, high])

    assert 1111 in kept
    assert 2222 in kept
    assert len(kept) <= 500


def test_nothing_gives_nothing() -> None:
    assert thin([[]]) == []
    assert thin([]) == []
