import math
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.summary import merged, summarise
from sitegen.model import tables
from tests.factories import make_nonfinite, make_run, make_series, make_steps, published_run

nan, inf = math.nan, math.inf


def by_name(run, kind="train"):
    return {m.name: m for m in summarise(run) if m.kind == kind}


def test_published_run_gives_the_figures_of_its_report():
    found = by_name(published_run())
    reward, passed = found["reward/avg_raw_reward"], found["reward/avg_pass_at_8"]
    assert reward.count == passed.count == 81
    assert reward.mean == pytest.approx(0.479843, abs=5e-5)
    assert reward.std == pytest.approx(0.0654987, abs=5e-5)
    assert (reward.min, reward.max) == (0.3770, 0.6699)
    assert passed.mean == pytest.approx(0.742557, abs=5e-5)
    assert passed.std == pytest.approx(0.0605992, abs=5e-5)
    assert reward.last == reward.latest == 0.5898
    assert (reward.first_step, reward.last_step) == (1, 80)


def test_superseded_rows_count_but_do_not_give_the_last_value():
    steps = make_steps(
        [
            {"step": 1, "m": 1.0},
            {"step": 2, "m": 5.0, "superseded_last": 1},
            {"job": "b", "step": 2, "m": 3.0, "superseded_first": 1},
        ]
    )
    last = by_name(make_run(steps=steps))["m"]
    assert (last.mean, last.last, last.count) == (3.0, 3.0, 3)
    assert by_name(make_run(steps=steps, overlap_rule="first"))["m"].last == 5.0


def test_last_is_missing_when_the_last_step_did_not_log_it():
    steps = make_steps([{"step": 1, "m": 1.0, "n": 1.0}, {"step": 2, "n": 2.0}, {"step": 3, "m": nan, "n": inf}])
    found = by_name(make_run(steps=steps))
    assert (found["m"].last, found["m"].latest, found["m"].last_step) == (None, 1.0, 1)
    assert (found["n"].last, found["n"].latest, found["n"].last_step) == (None, 2.0, 2)
    assert found["n"].max == 2.0


def test_non_finite_values_are_counted_from_their_own_table():
    steps = make_steps([{"step": 1, "m": nan}, {"step": 2, "m": 2.0}, {"step": 3, "m": nan}])
    bad = make_nonfinite(
        [
            {"step": 1, "metric": "m", "value": "nan"},
            {"step": 1, "metric": "only bad", "value": "inf"},
            {"step": 1, "metric": "m", "value": "nan", "kind": "eval"},
        ]
    )
    run = make_run(steps=steps, nonfinite=bad)
    train = by_name(run)
    assert (train["m"].count, train["m"].non_finite, train["m"].first_step) == (1, 1, 1)
    assert (train["only bad"].count, train["only bad"].non_finite, train["only bad"].mean) == (0, 1, None)
    assert by_name(run, "eval")["m"].non_finite == 1


def test_evaluation_records_stand_apart():
    steps = make_steps(
        [
            {"step": 0, "kind": "eval", "eval/all/avg_score": 0.2},
            {"step": 1, "m": 1.0},
            {"step": 2, "m": 2.0, "eval/all/avg_score": 0.4},
        ]
    )
    run = make_run(steps=steps)
    train, evaluated = by_name(run)["eval/all/avg_score"], by_name(run, "eval")["eval/all/avg_score"]
    assert (train.mean, train.last) == (0.4, 0.4)
    assert (evaluated.mean, evaluated.last, evaluated.latest, evaluated.last_step) == (0.2, None, 0.2, 0)
    both = merged((train, evaluated))
    assert both.mean == pytest.approx(0.3)
    assert both.std == pytest.approx(statistics.stdev([0.2, 0.4]))
    assert (both.count, both.last, both.first_step, both.last_step) == (2, 0.4, 0, 2)


def test_column_without_any_value_is_listed_once_and_counts_nothing():
    run = make_run(steps=make_series("m", [nan, nan]))
    (only,) = summarise(run)
    assert (only.kind, only.count, only.mean, only.std, only.constant, only.non_finite) == (
        "train",
        0,
        None,
        None,
        False,
        0,
    )


def test_constant_metric_has_no_spread():
    found = by_name(make_run(steps=make_series("m", [0.1] * 81)))["m"]
    assert (found.mean, found.std, found.constant) == (0.1, 0.0, True)
    assert by_name(make_run(steps=make_series("m", [0.1])))["m"].constant is False


def test_values_near_the_largest_float_do_not_overflow():
    found = by_name(make_run(steps=make_series("m", [1.5e308, 1.5e308, 0.9e308])))["m"]
    assert found.mean == pytest.approx(1.3e308)
    assert found.std == pytest.approx(3.4641016151377546e307)
    wide = by_name(make_run(steps=make_series("m", [1.7e308, -1.7e308])))["m"]
    assert (wide.mean, wide.std) == (0.0, None)
    assert by_name(make_run(steps=make_series("m", [1.5e308, 1.7e308])))["m"].median == pytest.approx(1.6e308)


def test_empty_run_has_no_metrics():
    assert summarise(make_run()) == ()


def test_hostile_names_are_kept():
    name = 'a.b[0]:c "<b>'
    assert summarise(make_run(steps=make_series(name, [1.0])))[0].name == name


values = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(nan), st.just(inf)), max_size=12)


@settings(max_examples=300, deadline=None)
@given(values)
def test_agrees_with_the_statistics_module(given_values):
    run = make_run(steps=make_series("m", given_values))
    finite = [v for v in given_values if math.isfinite(v)]
    found = by_name(run).get("m")
    if found is None:
        assert not given_values
        return
    assert found.count == len(finite)
    assert found.mean == (pytest.approx(statistics.fmean(finite), abs=1e-6) if finite else None)
    assert found.std == (pytest.approx(statistics.stdev(finite), abs=1e-6, rel=1e-6) if len(finite) > 1 else None)
    assert (found.min, found.max) == ((min(finite), max(finite)) if finite else (None, None))
    assert found.last == (given_values[-1] if math.isfinite(given_values[-1]) else None)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), max_size=6), st.lists(st.floats(-1e3, 1e3), max_size=6))
def test_merged_agrees_with_all_rows_together(train, evaluated):
    rows = [{"step": i, "m": v} for i, v in enumerate(train)]
    rows += [{"step": i, "m": v, "kind": "eval"} for i, v in enumerate(evaluated)]
    parts = tuple(m for m in summarise(make_run(steps=make_steps(rows))) if m.name == "m")
    if not parts:
        assert not rows
        return
    both, everything = merged(parts), train + evaluated
    assert both.count == len(everything)
    assert both.mean == pytest.approx(statistics.fmean(everything), abs=1e-9)
    if len(everything) > 1:
        assert both.std == pytest.approx(statistics.stdev(everything), abs=1e-6)
    assert (both.min, both.max) == (min(everything), max(everything))


def test_three_hundred_metrics_over_five_thousand_rows_are_summed_up():
    numbers = np.random.default_rng(1).normal(size=(5000, 300))
    measures = pd.DataFrame(numbers, columns=[f"m{i}" for i in range(300)])
    fixed = pd.DataFrame({"job": "j", "step": range(5000), "row": range(5000), "source": "s", "kind": "train"})
    run = make_run(steps=tables.conform(pd.concat([fixed, measures], axis=1), tables.STEPS))
    found = summarise(run)
    assert [metric.name for metric in found] == list(measures)
    assert [metric.mean for metric in found] == pytest.approx(numbers.mean(axis=0))
    assert [metric.std for metric in found] == pytest.approx(numbers.std(axis=0, ddof=1))


def test_the_median_and_the_course_are_told_from_finite_values_in_step_order() -> None:
    steps = make_steps(
        [
            {"step": 1, "count": 1.0, "mean": 0.5, "odd": 3.0},
            {"step": 2, "count": 4.0, "mean": nan, "odd": 1.0},
            {"step": 3, "count": 4.0, "mean": 2.5, "odd": 2.0},
            {"step": 4, "count": 9.0, "mean": 0.25, "odd": nan},
        ]
    )
    found = by_name(make_run(steps=steps))
    assert {name: found[name].median for name in ("count", "mean", "odd")} == {"count": 4.0, "mean": 0.5, "odd": 2.0}
    assert [found[name].whole for name in ("count", "mean", "odd")] == [True, False, True]
    assert [found[name].never_falls for name in ("count", "mean", "odd")] == [True, False, False]


def test_a_superseded_record_does_not_make_a_count_fall() -> None:
    rows = [{"step": 1, "n": 1.0}, {"step": 2, "n": 9.0, "superseded_last": 1}, {"job": "b", "step": 2, "n": 2.0}]
    found = by_name(make_run(steps=make_steps(rows)))["n"]
    assert (found.never_falls, found.median) == (True, 2.0)
