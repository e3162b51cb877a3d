import math
import random

import numpy as np
import pytest

from sitegen.analyse.checkpoint import select_checkpoint, trailing_mean
from sitegen.model.run import RunSettings
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_run, make_series, make_steps, published_run

nan = math.nan
REWARD = "reward/avg_raw_reward"


def select(run, reward=REWARD, **site):
    return select_checkpoint(run, SiteSettings(**site), reward)


def exclusions(found):
    return {candidate.step: candidate.exclusion for candidate in found.candidates}


@pytest.mark.parametrize(
    ("interval", "last", "first"),
    [(5, (25, 0.5281), (25, 0.5281)), (2, (48, 0.5878), (48, 0.5891)), (20, (40, 0.5089), (40, 0.5089))],
)
def test_published_run_under_both_overlap_rules(interval, last, first):
    found = select(published_run(settings=RunSettings(save_interval=interval)))
    assert (found.step, round(found.ema, 4)) == last
    assert [(rule, step, round(value, 4)) for rule, step, value in found.by_rule] == [
        ("last", *last),
        ("first", *first),
    ]
    other = select(published_run(settings=RunSettings(save_interval=interval), overlap_rule="first"))
    assert (other.step, round(other.ema, 4)) == first


def test_three_steps_by_hand():
    steps = make_steps([{"step": 20, REWARD: 0.2}, {"step": 40, REWARD: 0.8}, {"step": 60, REWARD: 0.5}])
    found = select(make_run(steps=steps, settings=RunSettings(save_interval=20)))
    # EMA: 0.2, 0.4, 0.43333: step 60 is the highest of 40 and 60
    assert (found.step, found.ema) == (60, pytest.approx(0.4333333333))
    capped = select(make_run(steps=steps, settings=RunSettings(save_interval=20), latest_checkpoint=40))
    assert (capped.step, capped.ema) == (40, pytest.approx(0.4))
    assert exclusions(capped) == {20: "first-save", 40: None, 60: "after-latest-checkpoint"}


def test_only_existing_exports_when_they_are_known():
    run = make_run(
        steps=make_series(REWARD, [0.1, 0.9, 0.2, 0.8, 0.3, 0.4]),
        exports=(4, 5, 6),
        settings=RunSettings(save_interval=2),
    )
    found = select(run)
    assert exclusions(found) == {2: "first-save", 4: None, 5: "not-a-multiple", 6: None}
    assert [c.saved for c in found.candidates] == [False, True, True, True]
    missing = select(make_run(steps=run.steps, exports=(6,), settings=RunSettings(save_interval=2)))
    assert exclusions(missing) == {2: "first-save", 4: "not-exported", 6: None}


def test_first_of_equal_averages_wins():
    found = select(make_run(steps=make_series(REWARD, [0.5] * 10), settings=RunSettings(save_interval=2)))
    assert (found.step, found.runner_up) == (4, 6)


def test_step_without_a_finite_reward_is_no_candidate_and_does_not_move_the_average():
    rows = [
        {"step": s, REWARD: v, "x": 1.0} for s, v in [(1, 0.2), (2, 0.2), (3, 0.2), (4, nan), (5, math.inf), (6, 0.2)]
    ]
    found = select(make_run(steps=make_steps(rows), settings=RunSettings(save_interval=2)))
    assert exclusions(found) == {2: "first-save", 4: "no-reward", 6: None}
    assert found.ema == 0.2


def test_interval_comes_from_the_first_source_that_tells():
    steps = make_steps(
        [{"step": s, REWARD: 0.1 * s, "timing/save_hf_model": 6.0 if s % 2 == 0 else nan} for s in range(1, 9)]
    )
    config = make_config({"trainer.hf_save_interval": 3})
    everything = {
        "steps": steps,
        "exports": (4, 8),
        "config": config,
        "settings": RunSettings(save_interval=5),
    }

    def source(site=None, **changed):
        found = select(make_run(**(everything | changed)), save_interval=site)
        return found.save_interval, found.interval_source

    nothing = RunSettings()
    assert source(site=7) == (5, "run.toml")
    assert source(site=7, settings=nothing) == (7, "sitegen.toml")
    assert source(settings=nothing) == (3, "config")
    assert source(settings=nothing, config=None) == (4, "exports")
    assert source(settings=nothing, config=None, exports=None) == (2, "export times")
    bare = make_run(steps=make_series(REWARD, [0.1, 0.2]))
    found = select(bare)
    assert (found.step, found.save_interval, found.reason) == (None, None, "no-interval")
    assert [a.step for a in found.alternatives] == [None, None, None, None, 2, None]


@pytest.mark.parametrize("value", [True, "5", 5.0, 0, -1, None, [5], "${a.b}"])
def test_interval_of_the_configuration_must_be_a_positive_integer(value):
    run = make_run(steps=make_series(REWARD, [0.1] * 4), config=make_config({"hf_save_interval": value}))
    assert select(run).save_interval is None


def test_resumable_checkpoints_are_no_exports():
    run = make_run(steps=make_series(REWARD, [0.1] * 4), config=make_config({"trainer.ckpt_interval": 2}))
    assert select(run).reason == "no-interval"


def test_interval_of_an_assumed_configuration_is_marked():
    header = "assumed, from a sister configuration"
    config = make_config({"hf_save_interval": 5}, header=header)
    found = select(published_run(config=config))
    assert (found.step, found.interval_source, found.interval_assumed) == (25, "config", True)
    assert not select(published_run(config=make_config({"hf_save_interval": 5}))).interval_assumed


def test_export_at_the_end_of_the_run_does_not_shorten_the_interval():
    run = make_run(steps=make_series(REWARD, [0.1] * 80), exports=(12, 24, 36, 48, 60, 72, 80))
    found = select(run)
    assert (found.save_interval, found.interval_source) == (12, "exports")
    assert exclusions(found)[80] == "not-a-multiple"


def test_one_export_tells_no_interval():
    assert select(make_run(steps=make_series(REWARD, [0.1] * 30), exports=(25,))).reason == "no-interval"


def test_reasons():
    assert select(make_run()).reason == "no-reward"
    steps = make_series(REWARD, [0.1, 0.2, 0.3])
    assert select(make_run(steps=steps), reward=None).reason == "no-reward"
    assert select(make_run(steps=steps), reward="never logged").reason == "no-reward"
    assert select(make_run(steps=steps, settings=RunSettings(save_interval=2))).reason == "no-candidate"


def test_alternatives_by_hand():
    values = [0.0, 0.6, 0.9, 0.1, 0.3, 0.2]
    steps = make_steps(
        [{"step": s + 1, REWARD: v, "superseded_first": int(s == 5)} for s, v in enumerate(values)]
        + [{"job": "older", "step": 6, REWARD: 0.95, "superseded_last": 1}]
    )
    found = select(make_run(steps=steps, settings=RunSettings(save_interval=2)))
    # EMA: 0, .2, .43333, .32222, .31481, .27654
    assert (found.step, found.runner_up) == (4, 6)
    by_rule = {a.rule: a for a in found.alternatives}
    assert list(by_rule) == [
        "alpha-0.2",
        "window-5",
        "other-overlap",
        "first-save-allowed",
        "best-raw-any",
        "best-raw-eligible",
    ]
    # alpha 0.2: 0, .12, .276, .2408, .25264, .242112 -> step 6
    assert (by_rule["alpha-0.2"].step, by_rule["alpha-0.2"].value) == (6, pytest.approx(0.242112))
    # last five: step 4 over four rows .4, step 6 (.6 + .9 + .1 + .3 + .2) / 5 = .42
    assert (by_rule["window-5"].step, by_rule["window-5"].value) == (6, pytest.approx(0.42))
    # first seen: step 6 is 0.95 -> .31481 + (.95 - .31481) / 3 = .52654
    assert (by_rule["other-overlap"].step, by_rule["other-overlap"].value) == (6, pytest.approx(0.5265432))
    assert (by_rule["first-save-allowed"].step, by_rule["first-save-allowed"].changes) == (4, False)
    assert (by_rule["best-raw-any"].step, by_rule["best-raw-any"].value) == (3, 0.9)
    assert (by_rule["best-raw-eligible"].step, by_rule["best-raw-eligible"].changes) == (6, True)


def test_trailing_mean_of_values_near_the_largest_float_is_a_mean():
    assert trailing_mean(np.array([1e308, 1e308, -1e308]), 5).tolist() == pytest.approx([1e308, 1e308, 1e308 / 3])


def test_trailing_mean_is_over_what_there_is_at_the_beginning():
    assert trailing_mean(published_run().steps[REWARD].to_numpy()[:2], 5) == pytest.approx(
        [0.541, (0.541 + 0.5488) / 2]
    )
    assert len(trailing_mean(published_run().steps[REWARD].to_numpy()[:0], 5)) == 0


def reference(rows, interval, exports, latest, rule):
    """The selection written out step by step, with nothing shared with the code under test."""
    kept = {}
    for step, value, last, first in rows:
        dropped = last if rule == "last" else first
        if not dropped and not math.isnan(value):
            kept[step] = value
    average, best = None, None
    for step in sorted(kept):
        average = kept[step] if average is None else kept[step] / 3 + average * 2 / 3
        fits = step > 0 and step % interval == 0 and step // interval >= 2
        fits = fits and (latest is None or step <= latest) and (exports is None or step in exports)
        if fits and (best is None or average > best[1] + 1e-12):
            best = (step, average)
    return best


@pytest.mark.parametrize("seed", range(120))
def test_agrees_with_an_independent_reference(seed):
    rng = random.Random(seed)
    count = rng.randrange(0, 40)
    rows = []
    for step in range(rng.randrange(0, 3), count):
        value = nan if rng.random() < 0.1 else rng.random()
        if rng.random() < 0.2:
            rows += [(step, rng.random(), 1, 0), (step, value, 0, 1)]
        elif rng.random() < 0.9:
            rows.append((step, value, 0, 0))
    interval = rng.randrange(1, 8)
    exports = None if rng.random() < 0.5 else tuple(s for s in range(interval, count, interval) if rng.random() < 0.7)
    latest = None if rng.random() < 0.5 else rng.randrange(0, 40)
    steps = make_steps(
        [{"step": s, REWARD: v, "superseded_last": last, "superseded_first": first} for s, v, last, first in rows]
    )
    for rule in ("last", "first"):
        run = make_run(
            steps=steps,
            overlap_rule=rule,
            exports=exports,
            latest_checkpoint=latest,
            settings=RunSettings(save_interval=interval),
        )
        found, expected = select(run), reference(rows, interval, exports, latest, rule)
        assert (found.step is None) == (expected is None)
        if expected is not None:
            assert found.step == expected[0]
            assert found.ema == pytest.approx(expected[1], abs=1e-9)
        assert found.reason is None or found.step is None
