"""Further x axes: where steps lie on the clock and among the trials, and when a run does not know."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from sitegen.charts.axes import axes_data, on_clock, run_axes
from sitegen.model.run import Run
from tests.charts.runs import REWARD, analysed, charts_of, full_run, on_the_clock
from tests.factories import make_batches, make_run, make_steps, make_trials


def run_of(times: list[float], **metrics: list[float]) -> Run:
    rows: list[dict[str, Any]] = []
    for at, time in enumerate(times):
        extra = {name: values[at] for name, values in metrics.items()}
        rows.append({"step": at + 1, "time": time, REWARD: 0.5, **extra})
    return make_run(steps=make_steps(rows))


def axes_of(run: Run) -> dict[str, list[float]]:
    return {axis.key: axis.at.tolist() for axis in run_axes(run, analysed(run))}


def names_of(run: Run) -> dict[str, str]:
    return {axis.key: axis.name.en for axis in run_axes(run, analysed(run))}


def test_the_clock_counts_from_the_first_record_in_a_unit_that_fits() -> None:
    run = run_of([7200.0, 10800.0, 28800.0])

    assert axes_of(run) == {"clock": [0, 1, 6]}
    assert names_of(run) == {"clock": "hours since the first record"}
    assert names_of(run_of([0.0, 7200.0])) == {"clock": "minutes since the first record"}
    assert names_of(run_of([0.0, 90.0])) == {"clock": "seconds since the first record"}
    assert names_of(run_of([0.0, 6 * 86400.0])) == {"clock": "days since the first record"}


@pytest.mark.parametrize("times", [[1.0, math.nan, 3.0], [1.0, 3.0, 2.0], [5.0, 5.0], [1.0]])
def test_a_clock_with_a_hole_that_turns_back_or_stands_still_is_none(times: list[float]) -> None:
    assert axes_of(run_of(times)) == {}
    assert axes_data(run_of(times), analysed(run_of(times))) is None
    assert on_clock(run_of(times), [4.0]) == [None]


def test_superseded_records_stand_at_their_own_time() -> None:
    run = on_the_clock(full_run(), [60.0 * at for at in range(12)])
    marks = charts_of(run)["reward"].datasets["marks"]
    mine = [at for at, kind in enumerate(marks["kind"]) if kind == "superseded"]

    assert [(marks["step"][at], marks["clock"][at]) for at in mine] == [(6, 4.5), (6, 4.5)]  # reward and pass@8
    assert all(value is None for at, value in enumerate(marks["clock"]) if at not in mine)


def test_trials_are_those_that_the_batch_lines_of_the_lineage_attempted() -> None:
    rows = [{"step": step, "job": "b" if step > 2 else "a", REWARD: 0.5} for step in (1, 2, 3)]
    lines = [(1, "a", 8.0), (2, "a", 6.0), (3, "a", 99.0), (3, "b", 4.0), (3, "b", 4.0)]
    run = make_run(
        steps=make_steps(rows),
        batches=make_batches([{"step": step, "job": job, "instances": count} for step, job, count in lines]),
    )

    assert axes_of(run) == {"trials": [8, 14, 22]}
    assert names_of(run) == {"trials": "trials attempted"}


def test_a_metric_counts_trials_only_when_every_step_has_it() -> None:
    known = {"batch_errors/total_instances": [8.0, 8.0, 4.0]}
    holed = {"batch_errors/total_instances": [8.0, math.nan, 4.0], "async/effective_batch_samples": [4.0, 4.0, 4.0]}

    assert axes_of(run_of([math.nan] * 3, **known)) == {"trials": [8, 16, 20]}
    assert axes_of(run_of([math.nan] * 3, **holed)) == {"trials": [4, 8, 12]}
    assert names_of(run_of([math.nan] * 3, **holed)) == {"trials": "trials trained on"}


def test_trials_with_times_are_counted_at_the_time_of_each_step() -> None:
    run = run_of([100.0, 200.0, 300.0])
    trials = make_trials([{"task": f"t{at}", "finished": at} for at in (50.0, 100.0, 199.0, 250.0, 400.0)])
    run = replace(run, trials=trials)

    assert axes_of(run)["trials"] == [2, 3, 4]
    assert names_of(run)["trials"] == "trials finished"


def test_the_page_gets_both_languages_and_every_step() -> None:
    run = run_of([0.0, 18000.0, 36000.0])
    assert axes_data(run, analysed(run)) == {
        "step": [1, 2, 3],
        "axes": [
            {"key": "clock", "en": "hours since the first record", "zh": "距首条记录的小时数", "at": [0.0, 5.0, 10.0]}
        ],
    }
