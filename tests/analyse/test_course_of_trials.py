"""Funnel, phases of trials, tasks by halves."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.analyse.funnel import trial_funnel
from sitegen.analyse.tasks import task_halves
from sitegen.analyse.trial_phases import trial_phases
from tests.factories import make_run, make_steps, make_trials

nan, inf = math.nan, math.inf
SAMPLES = "async/effective_batch_samples"


def funnel(rows, steps=None, threshold=0.0):
    roles = {"effective_samples": SAMPLES} if steps else {}
    return trial_funnel(make_run(trials=make_trials(rows), steps=make_steps(steps or [])), roles, threshold)


def test_funnel_by_hand():
    found = funnel(
        [
            {"reward": 1.0},
            {"reward": 0.0},
            {"reward": 0.0, "exception": "AgentTimeoutError"},
            {"exception": "DaytonaError"},
            {"exception": ""},
            {"reward": nan},
        ],
        [
            {"step": 1, SAMPLES: 512.0},
            {"step": 2, SAMPLES: 500.0, "superseded_last": 1},
            {"step": 2, SAMPLES: 256.0},
            {"step": 3, SAMPLES: nan},
        ],
    )
    assert (found.attempted, found.finished, found.graded, found.solved) == (6, 5, 3, 1)
    assert (found.trained_on, found.trained_on_metric, found.trained_on_steps) == (768, SAMPLES, 2)
    assert found.missing == {}


def test_what_was_trained_on_is_not_guessed():
    found = funnel([{"reward": 1.0}])
    assert (found.trained_on, dict(found.missing)) == (None, {"trained_on": "not-logged"})
    assert funnel([{"reward": 1.0}], [{"step": 1, SAMPLES: nan}]).trained_on is None


def test_funnel_without_a_trial_table():
    assert trial_funnel(make_run(), {}, 0.0) is None
    assert funnel([]).attempted == 0


trial = st.fixed_dictionaries(
    {
        "reward": st.one_of(st.just(nan), st.just(inf), st.floats(-2, 2)),
        "exception": st.sampled_from([None, "", "A", "B"]),
        "task": st.sampled_from("abc"),
        "started": st.one_of(st.just(nan), st.floats(0, 10)),
        **{
            f"{name}_s": st.one_of(st.just(nan), st.just(inf), st.floats(-5, 1e4))
            for name in ("wall", "environment_setup", "agent_setup", "agent", "verifier")
        },
    }
)


@settings(max_examples=300, deadline=None)
@given(st.lists(trial, max_size=20))
def test_stages_only_lose_trials(rows):
    found = funnel(rows)
    assert found.attempted >= found.finished >= found.graded >= found.solved >= 0


def phases(rows):
    found = trial_phases(make_run(trials=make_trials(rows)))
    return found and {phase.name: phase for phase in found.phases}


def test_phases_and_what_they_leave():
    rows = [
        {"wall_s": 100, "environment_setup_s": 10, "agent_s": 60, "verifier_s": 5},
        {"wall_s": 50, "environment_setup_s": 20, "agent_s": 20},
        {"wall_s": 30},
    ]
    found = phases(rows)
    assert list(found) == ["environment_setup", "agent", "verifier", "unattributed"]
    assert found["agent"].share == pytest.approx(80 / 150)
    assert found["verifier"].share == pytest.approx(5 / 100)
    assert found["verifier"].seconds.count == 1
    assert (found["unattributed"].seconds.mean, found["unattributed"].share) == (17.5, pytest.approx(35 / 150))
    assert trial_phases(make_run(trials=make_trials(rows))).compared == 2


def test_phases_side_by_side_are_an_overlap():
    found = phases([{"wall_s": 10, "agent_s": 8, "verifier_s": 6}])
    assert (found["overlap"].seconds.mean, found["overlap"].share) == (4, 0.4)
    assert phases([{"wall_s": 10, "agent_s": 10.005}]).keys() == {"agent", "unattributed"}, "rounding is no overlap"


def test_phases_without_a_wall_clock_have_no_share():
    found = phases([{"agent_s": 8}])
    assert list(found) == ["agent"]
    assert found["agent"].share is None


def test_no_phase_reported():
    assert phases([{"wall_s": 10}]) is None
    assert phases([{"agent_s": -1}]) is None
    assert phases([]) is None
    assert trial_phases(make_run()) is None


@settings(max_examples=300, deadline=None)
@given(st.lists(trial, max_size=12))
def test_phases_and_remainder_add_up_to_the_wall_clock(rows):
    found = phases(rows)
    if not found or not {"unattributed", "overlap"} & found.keys():
        return
    names = ("environment_setup_s", "agent_setup_s", "agent_s", "verifier_s")
    good = lambda value: math.isfinite(value) and value >= 0  # noqa: E731
    kept = [r for r in rows if good(r["wall_s"]) and r["wall_s"] > 0 and any(good(r[n]) for n in names)]
    wall = sum(r["wall_s"] for r in kept)
    parts = sum(r[n] for r in kept for n in names if good(r[n]))
    rest = found.get("unattributed") or found["overlap"]
    sign = 1 if "unattributed" in found else -1
    assert sign * rest.seconds.mean * rest.seconds.count + parts == pytest.approx(wall, abs=1e-6, rel=1e-9)


def test_tasks_by_halves():
    rows = [
        {"task": "a", "started": 1, "reward": 0.0},
        {"task": "a", "started": 2, "reward": 1.0},
        {"task": "b", "started": 3, "reward": 0.0},
        {"task": "b", "started": 4},
        {"task": "a", "started": 9, "reward": 1.0},
        {"task": "a", "started": 10, "reward": 1.0},
        {"task": "c", "reward": 1.0},
    ]
    found = task_halves(make_run(trials=make_trials(rows)), 0.0)
    assert (found.split, found.untimed, found.reason) == (3.5, 1, None)
    assert [(t.task, t.early_graded, t.early_solved, t.late_graded, t.late_solved) for t in found.tasks] == [
        ("a", 2, 1, 2, 2),
        ("b", 1, 0, 0, 0),
    ]


def test_why_there_are_no_halves():
    assert task_halves(make_run(), 0.0).reason == "no-trials"
    assert task_halves(make_run(trials=make_trials([])), 0.0).reason == "no-trials"
    assert task_halves(make_run(trials=make_trials([{"reward": 1.0}])), 0.0).reason == "no-times"
    assert task_halves(make_run(trials=make_trials([{"started": 5.0}] * 3)), 0.0).reason == "one-time"


@settings(max_examples=300, deadline=None)
@given(st.lists(trial, max_size=20))
def test_halves_hold_every_graded_timed_trial_once(rows):
    found = task_halves(make_run(trials=make_trials(rows)), 0.0)
    if found.reason is None:
        graded = sum(math.isfinite(r["reward"]) and math.isfinite(r["started"]) for r in rows)
        assert sum(t.early_graded + t.late_graded for t in found.tasks) == graded
