"""Exceptions as batches count them."""

import math

from sitegen.analyse.batch_exceptions import BatchExceptions, batch_exceptions
from sitegen.analyse.run_analysis import analyse
from sitegen.charts.axes import run_axes
from sitegen.charts.errors import exception_counts
from sitegen.settings import SiteSettings
from tests.factories import make_batches, make_run, make_steps, make_trials

nan = math.nan


def test_nothing_logged_is_no_count():
    assert batch_exceptions(make_run()) is None
    assert batch_exceptions(make_run(steps=make_steps([{"step": 1, "batch_errors/total_E": 0.0}]))) is None
    assert batch_exceptions(make_run(steps=make_steps([{"step": 1, "batch_errors/total_E": nan}]))) is None
    assert batch_exceptions(make_run(trials=make_trials([{"exception": "E"}]))) is None


def test_batch_lines_of_the_lineage_count():
    steps = make_steps(
        [{"job": "a", "step": 1}, {"job": "a", "step": 2, "superseded_last": 1}, {"job": "b", "step": 2}]
    )
    batches = make_batches(
        [
            {"job": "a", "step": 1, "instances": 8, "exception/E": 2, "exception/F": 1},
            {"job": "a", "step": 2, "instances": 8, "exception/E": 5},
            {"job": "b", "step": 2, "instances": 16, "exception/E": 1},
        ]
    )
    run = make_run(steps=steps, batches=batches)
    assert batch_exceptions(run) == BatchExceptions(steps=2, attempted=24, exceptions=4, by_type={"E": 3, "F": 1})
    assert exception_counts(run).drop(columns="step").to_numpy().sum() == 4  # what the chart shows


def test_a_step_that_one_job_logged_twice_counts_once():
    rows = [{"step": 1, "row": 10}, {"step": 2, "row": 20, "superseded_last": 1}, {"step": 2, "row": 30}]
    lines = [(1, 5, 1), (2, 15, 4), (2, 25, 2)]
    batches = make_batches([{"step": s, "row": r, "instances": 8, "exception/E": n} for s, r, n in lines])
    run = make_run(steps=make_steps(rows), batches=batches)
    assert batch_exceptions(run) == BatchExceptions(steps=2, attempted=16, exceptions=3, by_type={"E": 3})
    assert exception_counts(run).to_numpy().tolist() == [[1, 1], [2, 2]]
    (axis,) = run_axes(run, analyse(run, SiteSettings()))
    assert (axis.key, axis.at.tolist()) == ("trials", [8, 16])


def test_a_step_that_no_record_of_the_lineage_has_counts_nowhere():
    steps = make_steps([{"job": "a", "step": 1, "superseded_last": 1}, {"job": "a", "step": 2, "superseded_last": 1}])
    steps = make_steps([*steps.to_dict("records"), {"job": "b", "step": 1}])
    batches = make_batches(
        [
            {"job": "a", "step": 1, "row": 0, "instances": 8, "exception/E": 1},
            {"job": "a", "step": 2, "row": 1, "instances": 8, "exception/E": 2},
            {"job": "b", "step": 1, "row": 0, "source": "other.out", "instances": 8, "exception/E": 4},
        ]
    )
    run = make_run(steps=steps, batches=batches)
    assert batch_exceptions(run) == BatchExceptions(steps=1, attempted=8, exceptions=4, by_type={"E": 4})
    assert exception_counts(run).to_numpy().tolist() == [[1, 4]]


def test_else_the_columns_of_a_parsers_table():
    rows = [
        {"step": 1, "batch_errors/total_instances": 8.0, "batch_errors/total_masked": 3.0, "batch_errors/total_E": 3.0},
        {"step": 2, "batch_errors/total_instances": 8.0, "batch_errors/total_E": nan},
        {"step": 2, "batch_errors/total_E": 9.0, "superseded_last": 1, "job": "b"},
    ]
    run = make_run(steps=make_steps(rows))
    assert batch_exceptions(run) == BatchExceptions(steps=2, attempted=16, exceptions=3, by_type={"E": 3})
    short = make_run(steps=make_steps([{"step": 1, "batch_errors/total_E": 3.0}]))
    assert batch_exceptions(short) == BatchExceptions(steps=1, attempted=None, exceptions=3, by_type={"E": 3})
