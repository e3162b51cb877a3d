"""Tasks over the course of training: the first half of the trials against the second, where trials carry a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sitegen.model.run import Run

NoHalves = Literal["no-trials", "no-times", "one-time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskHalves:
    """One task in both halves."""

    task: str
    """Task name."""
    early_graded: int
    """Graded trials of the first half."""
    early_solved: int
    """Solved ones of them."""
    late_graded: int
    """Graded trials of the second half."""
    late_solved: int
    """Solved ones of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Halves:
    """First half of training against the second, by the time at which trials began."""

    tasks: tuple[TaskHalves, ...]
    """Tasks with graded trials that carry a time, by name."""
    split: float | None
    """Unix s; trials that began before it are the first half (the median start of the timed trials)."""
    untimed: int
    """Trials without a time, in neither half."""
    reason: NoHalves | None
    """Why there are no halves."""


def task_halves(run: Run, threshold: float) -> Halves:
    """Per task, graded and solved trials of both halves; a trial table without times has none, and says so.

    Population: graded trials with a finite start. Halves are halves of the trials, not of the clock, so that a pause
    between jobs does not empty one.
    """
    table = run.trials
    if table is None or table.empty:
        return Halves(tasks=(), split=None, untimed=0, reason="no-trials")
    started = table["started"].to_numpy(dtype="float64")
    timed = np.isfinite(started)
    untimed = int((~timed).sum())
    if not timed.any():
        return Halves(tasks=(), split=None, untimed=untimed, reason="no-times")
    split = float(np.median(started[timed]))
    if not (started[timed] < split).any():
        return Halves(tasks=(), split=split, untimed=untimed, reason="one-time")
    reward = table["reward"].to_numpy(dtype="float64")
    frame = table.loc[timed, ["task"]].assign(
        graded=np.isfinite(reward[timed]),
        solved=np.isfinite(reward[timed]) & (reward[timed] > threshold),
        early=started[timed] < split,
    )
    frame = frame[frame["graded"]]
    counts = {
        (str(task), bool(early)): (len(part), int(part["solved"].sum()))
        for (task, early), part in frame.groupby(["task", "early"], sort=True)
    }
    tasks = []
    for name in sorted({task for task, _ in counts}):
        early, late = counts.get((name, True), (0, 0)), counts.get((name, False), (0, 0))
        tasks.append(
            TaskHalves(
                task=name,
                early_graded=early[0],
                early_solved=early[1],
                late_graded=late[0],
                late_solved=late[1],
            )
        )
    return Halves(tasks=tuple(tasks), split=split, untimed=untimed, reason=None)
