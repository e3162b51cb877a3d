import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.progress import curves, ema
from tests.factories import make_nonfinite, make_run, make_series, make_steps, published_run

nan, inf = math.nan, math.inf


def test_average_starts_at_the_first_value_and_moves_by_a_third():
    found = ema(np.array([0.2, 0.8, 0.5]))
    assert found == pytest.approx([0.2, 0.4, 0.4 + 0.1 / 3])


def test_gap_neither_moves_nor_ages_the_average():
    found = ema(np.array([nan, 1.0, nan, inf, 4.0]), 0.5)
    assert found == pytest.approx([nan, 1.0, nan, nan, 2.5], nan_ok=True)


def test_constant_series_stays_exactly_constant():
    assert set(ema(np.full(500, 0.1)).tolist()) == {0.1}


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.floats(-1e3, 1e3), st.just(nan)), max_size=30), st.floats(0.01, 1.0))
def test_average_follows_its_formula(given_values, alpha):
    expected, state = [], None
    for value in given_values:
        if math.isnan(value):
            expected.append(nan)
            continue
        state = value if state is None else alpha * value + (1 - alpha) * state
        expected.append(state)
    assert ema(np.array(given_values, dtype=float), alpha) == pytest.approx(expected, nan_ok=True, abs=1e-9)


def test_curve_of_the_published_run():
    found = next(c for c in curves(published_run()) if c.metric == "reward/avg_raw_reward")
    assert len(found.step) == 80
    assert found.step.tolist() == list(range(1, 81))
    assert (found.best, found.best_step) == (0.6641, 47)
    assert (found.superseded_step.tolist(), found.superseded_raw.tolist()) == ([47], [0.6699])
    assert found.ema[24] == pytest.approx(0.5281, abs=5e-5)


def test_curves_follow_the_metrics_and_keep_gaps():
    steps = make_steps([{"step": 2, "b": 1.0}, {"step": 1, "a": 3.0, "b": inf}, {"step": 0, "kind": "eval", "e": 1.0}])
    bad = make_nonfinite([{"step": 1, "metric": "b", "value": "inf"}, {"step": 1, "metric": "c", "value": "nan"}])
    found = {c.metric: c for c in curves(make_run(steps=steps, nonfinite=bad))}
    assert list(found) == ["b", "a", "c"]
    assert found["b"].step.tolist() == [1, 2]
    assert found["b"].raw.tolist() == pytest.approx([nan, 1.0], nan_ok=True)
    assert found["b"].nonfinite_step.tolist() == [1]
    assert found["a"].raw.tolist() == pytest.approx([3.0, nan], nan_ok=True)
    assert np.isnan(found["c"].raw).all()
    assert found["a"].best is None


def test_smallest_is_best_where_less_is_better():
    (found,) = curves(make_run(steps=make_series("timing/step", [3.0, 1.0, 1.0])))
    assert (found.best, found.best_step) == (1.0, 2)


def test_empty_run_has_no_curves():
    assert curves(make_run()) == ()
