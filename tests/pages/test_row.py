import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sitegen.analyse.progress import Curve
from sitegen.pages.row import RunRow, pass_k, spark, thinned
from tests.pages.rows import many, row


def test_a_row_survives_json_text() -> None:
    for item in many():
        assert RunRow.from_json(json.loads(json.dumps(item.to_json(), allow_nan=False))) == item


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=400))
def test_thinning_keeps_ends_and_extremes(values: list[float | None]) -> None:
    kept = thinned(values, 40)
    finite = [value for value in values if value is not None]
    assert kept == sorted(set(kept))
    assert len(kept) <= 40
    assert kept[0] == 0
    assert kept[-1] == len(values) - 1
    if finite:
        shown = [values[index] for index in kept]
        assert max(finite) in shown
        assert min(finite) in shown


def test_a_short_series_is_whole() -> None:
    assert thinned([1.0, None, 3.0], 120) == [0, 1, 2]


def curve(raw: list[float]) -> Curve:
    values = np.array(raw, dtype=float)
    return Curve(
        metric="reward",
        step=np.arange(1, len(raw) + 1),
        raw=values,
        ema=values,
        superseded_step=np.array([], dtype=np.int64),
        superseded_raw=np.array([]),
        nonfinite_step=np.array([], dtype=np.int64),
        best=None,
        best_step=None,
    )


def test_a_gap_and_an_infinity_are_missing_in_the_sparkline() -> None:
    made = spark(curve([0.1, float("nan"), float("inf"), 0.4]))
    assert made is not None
    assert made.raw == (0.1, None, None, 0.4)


def test_no_finite_reward_is_no_sparkline() -> None:
    assert spark(curve([float("nan"), float("nan")])) is None
    assert spark(None) is None


def test_the_k_of_pass_at_k_is_read_from_its_name() -> None:
    names = {
        "reward/avg_pass_at_8": 8,
        "eval/aime/pass@16": 16,
        "pass_4": 4,
        "reward/pass_rate": None,
        None: None,
    }
    assert {name: pass_k(name) for name in names} == names


def test_reward_means_the_same_only_with_framework_and_name() -> None:
    assert row().reward_meaning == row("other").reward_meaning
    assert row().reward_meaning != row(framework="verl").reward_meaning
    assert row().reward_meaning != row(fact_reward_metric="reward/final").reward_meaning
