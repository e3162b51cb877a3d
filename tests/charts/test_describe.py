import math

import pytest

from sitegen.analyse.smooth import trailing_mean
from sitegen.charts.describe import summary, trend
from sitegen.charts.engines import bucket_means
from tests.charts.runs import analysed, full_run
from tests.factories import make_run, make_series


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], "rising"),  # means 2 and 8, deviations 0.8
        ([9, 8, 7, 6, 5, 4, 3, 2, 1], "falling"),
        ([1, 9, 1, 9, 1, 9, 1, 9, 1], "none"),
        ([1, 2, 3], "short"),
        ([math.nan, 2, 2, 2], "constant"),
        ([1e308, -1e308, 1e308, -1e308, 1e308, -1e308, 1e308, -1e308, 1e308], "none"),
    ],
)
def test_a_trend_is_a_difference_of_the_outer_thirds_beyond_their_spread(values: list[float], expected: str) -> None:
    assert trend(values) == expected


def test_the_summary_says_latest_best_range_trend_and_gaps() -> None:
    run = make_run(steps=make_series("reward", [0.1, math.nan, 0.5, 0.3]))
    text = summary([analysed(run).curves[0]])

    assert text.en == (
        "reward: latest 0.3 at step 4, best 0.5 at step 3, range 0.1 to 0.5; too short for a trend; "
        "steps without a value: 1."
    )
    assert text.zh.startswith("reward：最新 0.3（第 4 步），")


def test_both_languages_hold_the_same_numbers() -> None:
    for curve in analysed(full_run()).curves:
        text = summary([curve])
        assert sorted(c for c in text.en if c.isdigit()) == sorted(c for c in text.zh if c.isdigit())


def test_the_trailing_mean_looks_back_only_and_keeps_gaps() -> None:
    import numpy as np

    mean = trailing_mean(np.array([1.0, 2.0, math.nan, 4.0, 5.0, 6.0, 7.0]))

    assert mean.tolist() == pytest.approx([1, 1.5, math.nan, 7 / 3, 3, 4.25, 5.5], nan_ok=True)
    assert trailing_mean(np.array([])).tolist() == []


def test_bucket_means_leave_empty_buckets_empty() -> None:
    found = bucket_means([0.0, 1.0, 9.0, 10.0], [2.0, 4.0, math.nan, 6.0], buckets=5)

    assert [middle for middle, _ in found] == [1, 3, 5, 7, 9]
    assert [mean for _, mean in found] == pytest.approx([3, math.nan, math.nan, math.nan, 6], nan_ok=True)
    assert bucket_means([3.0], [1.0]) == [(3.0, 1.0)]
    assert bucket_means([], []) == []
