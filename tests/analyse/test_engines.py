import math

import pytest

from sitegen.analyse.engines import summarise_engines
from tests.factories import make_config, make_engines, make_job, make_run

nan = math.nan


def field(group, name):
    return next(item for item in group.fields if item.field == name)


SAMPLES = [
    {"job": "b", "engine": "x/1/ip", "running": 4.0, "waiting": 2.0, "generation_tps": 100.0, "hidden_repeats": 3.0},
    {"job": "b", "engine": "y/2/ip", "running": 0.0, "waiting": 0.0, "generation_tps": 0.0},
    {"job": "a", "engine": "x/9/ip", "running": 2.0, "waiting": 0.0, "generation_tps": 50.0, "hidden_repeats": 1.0},
    {"job": "a", "engine": "x/9/ip", "running": nan, "waiting": nan, "generation_tps": nan, "kv_cache_pct": 40.0},
]


def test_by_hand():
    run = make_run(
        engines=make_engines(SAMPLES),
        jobs=(make_job("a", [1]), make_job("b", [2]), make_job("silent", [])),
        config=make_config({"generator.max_num_seqs": 24}),
    )
    found = summarise_engines(run)
    running, throughput = field(found.overall, "running"), field(found.overall, "generation_tps")
    assert (running.mean, running.active_mean, running.max, running.count) == (2.0, 3.0, 4.0, 3)
    assert (throughput.mean, throughput.active_mean) == (50.0, 75.0)
    assert field(found.overall, "prefix_hit_pct").mean is None
    assert field(found.overall, "kv_cache_pct").count == 1
    assert found.overall.samples == 4
    assert found.overall.idle_share == pytest.approx(1 / 3)
    assert found.overall.waiting_share == pytest.approx(1 / 3)
    assert [(group.job, group.samples) for group in found.by_job] == [("a", 2), ("b", 2)]
    assert (found.engines, found.max_num_seqs, found.hidden_repeats) == (2, 24, 4)


def test_rows_that_are_means_count_once_and_keep_their_largest_engine():
    rows = [
        {"running": 10.0, "running_max": 24.0, "engines_reporting": 7.0, "waiting": 0.0},
        {"running": 12.0, "running_max": nan, "engines_reporting": 1.0, "waiting": 5.0},
    ]
    found = summarise_engines(make_run(engines=make_engines(rows)))
    assert (field(found.overall, "running").mean, field(found.overall, "running").max) == (11.0, 24.0)
    assert found.engines is None


def test_without_samples():
    assert summarise_engines(make_run()) is None
    assert summarise_engines(make_run(engines=make_engines([]))) is None


def test_all_values_missing():
    found = summarise_engines(make_run(engines=make_engines([{"running": nan}])))
    assert (found.overall.samples, found.overall.idle_share, found.overall.waiting_share) == (1, None, None)
    assert all(item.mean is None and item.max is None for item in found.overall.fields)
