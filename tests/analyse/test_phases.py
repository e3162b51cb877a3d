import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.phases import find_phases, progress, split_points
from sitegen.analyse.progress import curves
from sitegen.analyse.run_analysis import analyse
from sitegen.analyse.trend import noise, student_95, trend
from sitegen.settings import SiteSettings
from tests.factories import make_job, make_run, make_series, make_steps, published_run

nan = math.nan
REWARD, PASS = "reward/avg_raw_reward", "reward/avg_pass_at_8"


def series(values, first=1):
    return np.arange(first, first + len(values)), np.asarray(values, dtype="float64")


def of(values, jobs=None, passes=None):
    steps = make_steps(
        [
            {"step": i + 1, REWARD: v}
            | ({} if passes is None else {PASS: passes[i]})
            | ({"job": jobs[i]} if jobs else {})
            for i, v in enumerate(values)
        ]
    )
    run = make_run(steps=steps)
    by_name = {curve.metric: curve for curve in curves(run)}
    return progress(run, by_name.get(REWARD), by_name.get(PASS))


def levels(*parts, seed=0, spread=0.02):
    """Parts (level, length) with normal noise."""
    rng = np.random.default_rng(seed)
    return np.concatenate([level + spread * rng.standard_normal(length) for level, length in parts])


@pytest.mark.parametrize("size", [12, 20, 40, 80, 300, 2000])
def test_pure_noise_has_no_change_point(size):
    found = [split_points(np.random.default_rng(seed).standard_normal(size)) for seed in range(200)]
    assert sum(bool(points) for points in found) <= 6  # 3 of 100


@pytest.mark.parametrize("seed", range(5))
def test_planted_changes_are_found_where_they_were_planted(seed):
    points = split_points(levels((0.2, 20), (0.6, 30), (0.4, 30), seed=seed))
    assert len(points) == 2
    assert abs(points[0] - 20) <= 1
    assert abs(points[1] - 50) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_cold_start_climb_plateau(seed):
    values = np.concatenate([levels((0.2, 2), seed=seed), np.linspace(0.5, 0.9, 30), np.full(48, 0.9)])
    values[2:] += levels((0, 78), seed=seed + 50, spread=0.01)
    kinds = [phase.kind for phase in find_phases(*series(values), ())]
    assert (kinds[0], kinds[1], kinds[-1]) == ("cold-start", "climb", "plateau")
    assert set(kinds) == {"cold-start", "climb", "plateau"}


def test_dip_and_recovery_name_the_job_that_begins_there():
    values = levels((0.8, 40), (0.3, 5), (0.6, 5), (0.8, 40))
    jobs = [make_job("a", range(1, 41)), make_job("b", range(41, 91))]
    phases = find_phases(*series(values), jobs)
    assert [phase.kind for phase in phases] == ["plateau", "dip", "recovery", "plateau"]
    assert (phases[1].first_step, phases[1].last_step, phases[1].job) == (41, 45, "b")
    assert phases[1].mean == pytest.approx(0.3, abs=0.03)
    assert phases[3].job is None


def test_phases_cover_every_finite_value_once_in_order():
    values = levels((0.2, 15), (0.7, 25), (0.5, 20))
    phases = find_phases(*series(values, first=5), ())
    assert phases[0].first_step == 5
    assert phases[-1].last_step == 64
    assert [b.first_step - a.last_step for a, b in pairwise(phases)] == [1] * (len(phases) - 1)
    assert sum(phase.count for phase in phases) == 60


def test_fall_at_the_end_is_a_decline():
    assert find_phases(*series(levels((0.8, 60), (0.4, 10))), ())[-1].kind == "decline"


def test_eleven_values_have_no_phases():
    assert find_phases(*series(levels((0.2, 6), (0.9, 5))), ()) == ()


def test_constant_series_is_one_plateau():
    phases = find_phases(*series([0.5] * 20), ())
    assert [(p.kind, p.first_step, p.last_step, p.mean) for p in phases] == [("plateau", 1, 20, 0.5)]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.floats(-1e308, 1e308), st.floats(0, 1)), max_size=60))
def test_any_series_is_covered(values):
    step, numbers = series(values)
    phases = find_phases(step, numbers, ())
    assert sum(phase.count for phase in phases) == (len(values) if len(values) >= 12 else 0)
    assert all(math.isfinite(phase.mean) or abs(numbers).max() > 1e300 for phase in phases)
    assert [p.first_step for p in phases] == sorted(p.first_step for p in phases)


def test_published_run_is_one_plateau_with_one_transient():
    run = published_run()
    found = analyse(run, SiteSettings()).progress
    assert [phase.kind for phase in found.phases] == ["plateau"]
    (only,) = found.transients
    assert (only.first_step, only.last_step, only.low, only.high, only.above) == (46, 48, 0.6309, 0.6641, True)
    values = run.steps.loc[run.steps["superseded_last"] == 0, REWARD].to_numpy()
    level = np.median(values)
    assert only.level == level
    assert only.sigmas == pytest.approx((0.6641 - level) / (1.4826 * np.median(np.abs(values - level))))


def test_transient_at_the_end_is_a_change_that_may_last():
    values = np.append(levels((0.5, 40)), [0.9, 0.9, 0.9])
    assert of(values).transients == ()


def test_dip_at_a_job_boundary():
    values = [0.8, 0.81, 0.79, 0.8, 0.82, 0.5, 0.6, 0.82, 0.8, 0.81, 0.8, 0.79]
    (dip,) = of(values, jobs=["a"] * 6 + ["b"] * 6).dips
    assert (dip.job, dip.step, dip.value) == ("b", 6, 0.5)
    assert (dip.before_step, dip.before, dip.after_step, dip.after) == (5, 0.82, 8, 0.82)
    assert of(values, jobs=["a"] * 12).dips == ()


def test_fall_that_the_next_job_does_not_make_good_is_no_dip():
    values = [0.8, 0.81, 0.79, 0.8, 0.82, 0.5, 0.5, 0.52, 0.5, 0.51, 0.5, 0.5]
    assert of(values, jobs=["a"] * 6 + ["b"] * 6).dips == ()


def test_level_reached_by_pass_at_k_before_the_mean():
    reward, passes = [0.3, 0.5, 0.8, 0.85, 0.91, 0.92], [0.6, 0.92, 0.9, 0.99, 1.0, 1.0]
    found = of(reward, passes=passes).reached
    assert (found.level, found.pass_step, found.reward_step) == (0.9, 2, 5)
    assert of([0.1, 0.2], passes=[0.3, 0.4]).reached is None
    assert of([0.1, 3.0], passes=[0.3, 0.6]).reached is None, "another scale"
    assert of([0.1, 0.2]).reached is None


def test_zero_rewards_at_the_end():
    assert of([0.4, 0.0, 0.3, 0.0, 0.0]).zero_steps == (4, 5)
    assert of([0.0, 0.0]).zero_steps == (1, 2)
    assert of([0.4, 0.0, nan]).zero_steps == (2,)
    assert of([0.0, 0.1]).zero_steps == ()


def test_without_a_reward_there_is_no_progress():
    assert progress(make_run(), None, None) is None
    assert analyse(make_run(steps=make_series("policy/policy_entropy", [1, 2])), SiteSettings()).progress is None


def test_trend_agrees_with_the_textbook():
    rng = np.random.default_rng(3)
    x = np.arange(1, 41)
    y = 0.2 + 0.01 * x + 0.05 * rng.standard_normal(40)
    found = trend(x, y)
    (slope, _), covariance = np.polyfit(x, y, 1, cov=True)
    rest = y - np.polyval(np.polyfit(x, y, 1), x)
    lag = max(0.0, (rest[:-1] * rest[1:]).sum() / (rest**2).sum())
    half = 2.0244 * math.sqrt(covariance[0, 0]) * math.sqrt((1 + lag) / (1 - lag))  # t(38) at 97.5 %
    assert found.per_step == pytest.approx(slope)
    assert found.high - found.per_step == pytest.approx(half, rel=1e-4)
    assert found.per_step - found.low == pytest.approx(half, rel=1e-4)
    assert (found.first, found.last, found.ends) == (pytest.approx(y[:10].mean()), pytest.approx(y[-10:].mean()), 10)


@pytest.mark.parametrize(("freedom", "point"), [(4, 2.7764), (6, 2.4469), (10, 2.2281), (30, 2.0423), (1000, 1.9623)])
def test_student_points_of_the_printed_table(freedom, point):
    assert student_95(freedom) == pytest.approx(point, abs=0.01)


def test_interval_covers_the_true_slope_in_19_of_20_runs():
    x = np.arange(60)
    hits = 0
    for seed in range(400):
        found = trend(x, 0.01 * x + np.random.default_rng(seed).standard_normal(60))
        hits += found.low <= 0.01 <= found.high
    assert 0.92 <= hits / 400 <= 0.99


def test_trend_needs_eight_values_at_different_steps():
    assert trend(*series([1.0] * 7)) is None
    assert trend(np.ones(9, dtype="int64"), np.arange(9.0)) is None
    assert trend(*series([nan] * 20)) is None
    flat = trend(*series([0.5] * 8))
    assert (flat.per_step, flat.low, flat.high, flat.noise) == (0, 0, 0, 0)


def test_noise_does_not_see_steps_and_trends():
    rng = np.random.default_rng(1)
    base = rng.standard_normal(4000)
    assert noise(base) == pytest.approx(1, rel=0.05)
    assert noise(base + np.where(np.arange(4000) > 2000, 50, 0)) == pytest.approx(1, rel=0.05)
    assert noise(base + np.arange(4000) / 100) == pytest.approx(1, rel=0.05)
    assert noise(np.ones(9)) == 0


def test_phases_are_found_by_a_library_that_loads_only_then():
    source = (Path(__file__).parents[2] / "sitegen" / "analyse" / "phases.py").read_text(encoding="utf-8")
    assert "\nfrom changeforest" not in source
    assert "\nimport changeforest" not in source
