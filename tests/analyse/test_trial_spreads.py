"""Distributions of trials by outcome and exception, against values worked out by hand."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from sitegen.analyse.trial_spreads import MOST_EXCEPTIONS, SpreadGroup, TrialSpread, trial_spreads
from tests.factories import make_run, make_trials


def spread_of(found: tuple[TrialSpread, ...], measure: str) -> dict[str, SpreadGroup]:
    (item,) = (item for item in found if item.measure == measure)
    return {group.name: group for group in item.groups}


def test_percentiles_by_outcome_and_exception() -> None:
    rows: list[dict[str, object]] = [{"turns": float(n), "reward": 1.0} for n in range(1, 12)]
    rows += [{"turns": 20.0, "reward": 0.0, "exception": "AgentTimeoutError"}, {"turns": 30.0}]
    groups = spread_of(trial_spreads(make_run(trials=make_trials(rows)), 0.0), "turns")
    assert list(groups) == ["all", "success", "failure", "ungraded", "none", "AgentTimeoutError"]
    solved = groups["success"]
    assert (solved.count, solved.mean, solved.p10, solved.median, solved.p90, solved.max) == (
        11,
        6.0,
        2.0,
        6.0,
        10.0,
        11.0,
    )
    assert (groups["failure"].count, groups["failure"].median) == (1, 20.0)
    assert (groups["none"].count, groups["none"].max) == (12, 30.0)


def test_what_is_not_told_is_left_out_and_never_zero() -> None:
    rows = [{"turns": 2.0}, {"turns": math.nan}, {"wall_s": -1.0}, {"wall_s": math.inf}]
    found = trial_spreads(make_run(trials=make_trials(rows)), 0.0)
    assert [item.measure for item in found] == ["turns"]
    assert spread_of(found, "turns")["all"].count == 1


def test_without_exceptions_there_is_no_group_of_those_without() -> None:
    found = trial_spreads(make_run(trials=make_trials([{"turns": 2.0, "reward": 1.0}])), 0.0)
    assert list(spread_of(found, "turns")) == ["all", "success"]


def test_the_most_frequent_exceptions_are_groups() -> None:
    names = [f"E{n:02d}Error" for n in range(MOST_EXCEPTIONS + 3)]
    rows = [{"turns": 1.0, "exception": name} for place, name in enumerate(names) for _ in range(1 + (place == 14))]
    groups = spread_of(trial_spreads(make_run(trials=make_trials(rows)), 0.0), "turns")
    raised = [name for name in groups if name.startswith("E")]
    assert raised == ["E14Error", *names[: MOST_EXCEPTIONS - 1]]


def test_no_trials_no_spreads() -> None:
    assert trial_spreads(make_run(), 0.0) == ()


@given(st.lists(st.tuples(st.floats(0, 1e6), st.sampled_from([math.nan, 0.0, 1.0])), min_size=1, max_size=30))
def test_percentiles_are_in_order_and_outcomes_add_up(rows: list[tuple[float, float]]) -> None:
    table = make_trials([{"turns": turns, "reward": reward} for turns, reward in rows])
    groups = spread_of(trial_spreads(make_run(trials=table), 0.0), "turns")
    assert sum(groups[name].count for name in ("success", "failure", "ungraded") if name in groups) == len(rows)
    for group in groups.values():
        assert group.p10 <= group.median <= group.p90 <= group.max
