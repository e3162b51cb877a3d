"""Stability, freshness, evaluations, spending."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.evaluations import evaluations
from sitegen.analyse.run_analysis import analyse
from sitegen.analyse.stability import grad_spikes
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_job, make_nonfinite, make_run, make_series, make_steps

nan, inf = math.nan, math.inf
NORM, ENTROPY = "policy/raw_grad_norm", "policy/policy_entropy"


def found(**fields):
    return analyse(make_run(**fields), SiteSettings())


def test_entropy_at_both_ends():
    change = found(steps=make_series(ENTROPY, [5, 4, 4, 4, 3, 9, 9, 9, 9, 9, 9, 1, 1, 2, 2, 4])).stability.entropy
    assert (change.metric, change.first, change.last, change.count) == (ENTROPY, 4, 2, 16)
    assert found(steps=make_series(ENTROPY, [5, nan, 4])).stability.entropy is None
    three = found(steps=make_series(ENTROPY, [5, inf, 4, 1])).stability.entropy
    assert (three.first, three.last) == (5, 1)


def test_spike_is_measured_by_the_run_itself():
    quiet = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.0, 1.0]
    (spike,) = found(steps=make_series(NORM, [*quiet, 6.0])).stability.spikes
    assert (spike.step, spike.value, spike.medians) == (9, 6.0, 6.0)
    assert found(steps=make_series(NORM, [*quiet, 4.9])).stability.spikes == ()
    assert found(steps=make_series(NORM, [0.1 * v for v in [*quiet, 6.0]])).stability.spikes[
        0
    ].medians == pytest.approx(6)


def test_wide_noise_is_no_spike():
    rng = np.random.default_rng(0)
    assert grad_spikes(np.arange(500), np.exp(0.4 * rng.standard_normal(500))) == ()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.just(nan), st.floats(0, 1e308)), max_size=30))
def test_spikes_are_far_above_the_median(values):
    numbers = np.asarray(values, dtype="float64")
    kept = numbers[np.isfinite(numbers)]
    for spike in grad_spikes(np.arange(len(numbers)), numbers):
        assert spike.value > 5 * np.median(kept)


@pytest.mark.parametrize(
    ("config", "one"),
    [
        ({"update_epochs_per_batch": 1, "trainer.train_batch_size": 64, "policy_mini_batch_size": 64}, True),
        ({"update_epochs_per_batch": 2, "trainer.train_batch_size": 64, "policy_mini_batch_size": 64}, False),
        ({"update_epochs_per_batch": 1, "trainer.train_batch_size": 64, "policy_mini_batch_size": 32}, False),
        ({"update_epochs_per_batch": 1}, None),
    ],
)
def test_one_update_per_batch(config, one):
    assert found(config=make_config(config)).stability.one_update is one


def test_non_finite_values_by_metric():
    rows = [{"step": 3, "metric": "b", "value": "nan"}, {"step": 2, "metric": "b", "value": "inf"}]
    rows.append({"step": 7, "metric": "a", "value": "nan"})
    broken = found(nonfinite=make_nonfinite(rows)).stability.non_finite
    assert [(item.metric, item.count, item.first_step) for item in broken] == [("b", 2, 2), ("a", 1, 7)]


def test_freshness_by_hand():
    rows = [
        {"step": 1, "async/staleness_mean": 2.0, "async/staleness_max": 4.0, "async/effective_batch_samples": 512},
        {"step": 2, "async/staleness_mean": 4.0, "async/staleness_max": 9.0, "async/effective_batch_samples": 400},
        {"step": 3, "async/staleness_mean": nan, "async/staleness_max": 3.0, "async/effective_batch_samples": 400},
        {"step": 3, "async/staleness_mean": 90.0, "async/discarded_count": 7, "superseded_last": 1},
    ]
    config = make_config(
        {"trainer.train_batch_size": 64, "generator.n_samples_per_prompt": 8, "fully_async.max_staleness_steps": 16}
    )
    fresh = found(steps=make_steps(rows), config=config).freshness
    assert (fresh.staleness_mean, fresh.staleness_max, fresh.staleness_limit) == (3.0, 9.0, 16)
    assert (fresh.configured_batch, fresh.short_steps) == (512, 2)
    assert (fresh.effective_batch, fresh.smallest_batch, fresh.smallest_step) == (pytest.approx(1312 / 3), 400, 2)
    assert (fresh.discard_rate, fresh.discarded) == (None, None)


def test_nothing_about_freshness_was_logged():
    assert found(steps=make_series(NORM, [1.0])).freshness is None


@pytest.mark.parametrize(
    ("metric", "name", "measure"),
    [
        ("eval/all/avg_score", "all", "avg_score"),
        ("eval/gsm8k_Acc_Mean@4", "gsm8k", "Acc_Mean@4"),
        ("eval/aime_24_Pass@8", "aime_24", "Pass@8"),
        ("eval/aime-pass@4", "aime", "pass@4"),
        ("eval/aime", "aime", ""),
        ("val-core/math/acc/mean@8", "math", "acc/mean@8"),
        ("val-aux/open/math/score/best@4/mean", "open/math", "score/best@4/mean"),
        ("val/test_score/gsm8k", "gsm8k", ""),
        ("validation/accuracy", "", "accuracy"),
        ("eval_reward", "", "reward"),
    ],
)
def test_names_of_evaluations(metric, name, measure):
    (group,) = evaluations(make_run(steps=make_steps([{"step": 5, "kind": "eval", metric: 0.5}])))
    assert (group.name, group.metrics[0].measure, group.metrics[0].metric) == (name, measure, metric)


def test_evaluations_along_the_lineage():
    rows = [
        {"step": 10, "kind": "eval", "eval/a/score": 0.2, "timing/eval": 9.0},
        {"step": 20, "kind": "eval", "eval/a/score": 0.9, "superseded_last": 1},
        {"step": 20, "kind": "train", "eval/a/score": 0.6, "eval/b/score": nan},
        {"step": 30, "kind": "eval", "eval/a/score": 0.6},
        {"step": 40, "kind": "eval", "eval/a/score": 0.5},
    ]
    (group,) = evaluations(make_run(steps=make_steps(rows)))
    (item,) = group.metrics
    assert (item.first, item.first_step, item.last, item.last_step) == (0.2, 10, 0.5, 40)
    assert (item.highest, item.highest_step, item.count) == (0.6, 20, 4)


def test_money_and_time():
    rows = [
        {"step": s, "timing/step": 1800.0, "timing/save_checkpoints": 60.0, "timing/cleanup_old_checkpoints": 20.0}
        for s in (1, 2)
    ]
    jobs = (
        make_job("a", [1], started=0.0, finished=1000.0),
        make_job("b", [2], started=4600.0, finished=5000.0),
        make_job("c", [], started=4900.0),
        make_job("d", []),
    )
    run = make_run(steps=make_steps(rows), jobs=jobs, config=make_config({"num_nodes": 2, "gpus_per_node": 4}))
    spent = analyse(run, SiteSettings(gpu_hour_price=2.5, currency="EUR")).spending
    assert [(gap.before, gap.after, gap.seconds) for gap in spent.gaps] == [("a", "b", 3600.0), ("b", "c", 0.0)]
    assert spent.gaps_unknown == 1
    assert spent.outside_s == 120.0
    assert (spent.gpu_hours, spent.cost, spent.currency) == (8.0, 20.0, "EUR")
    free = analyse(run, SiteSettings()).spending
    assert (free.gpu_hours, free.cost, free.currency) == (8.0, None, None)


def test_nothing_known_of_money_and_time():
    spent = analyse(make_run(), SiteSettings(gpu_hour_price=2.5)).spending
    assert (spent.gaps, spent.outside_s, spent.redone_s, spent.gpu_hours, spent.cost) == ((), None, None, None, None)
