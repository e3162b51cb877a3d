"""Trials: turns, exceptions, outcomes, rewards.

Population: all rows of the trial table unless a field says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Treatment = Literal["passthrough", "mask", "zero", "not-classified", "not-stated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Distribution of a count over the trials that reported it."""

    mean: float | None
    """Mean."""
    median: float | None
    """Median."""
    std: float | None
    """Sample standard deviation (ddof 1)."""
    min: float | None
    """Smallest."""
    max: float | None
    """Largest."""
    count: int
    """Trials that reported it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExceptionGroup:
    """Trials that ended with one exception type (or without one)."""

    name: str
    """Exception type as given; `none` without one."""
    count: int
    """Trials."""
    share: float
    """Of all trials (0-1)."""
    turns: Spread
    """Turns of these trials."""
    graded: int
    """With a finite reward."""
    mean_reward: float | None
    """Over the graded ones."""
    treatment: Treatment | None
    """What the run's configuration does with it; None for `none`."""
    listed_twice: bool
    """True when the configuration names it in more than one list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeGroup:
    """Graded trials of one outcome."""

    name: Literal["success", "failure"]
    """Outcome."""
    count: int
    """Trials."""
    turns: Spread
    """Turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBin:
    """Graded trials by number of turns."""

    label: str
    """`1`, `2`, …, `5-9`, `10+`."""
    low: int
    """Smallest number of turns in the bin."""
    solved: int
    """Successes."""
    unsolved: int
    """Failures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """All attempts at one task."""

    task: str
    """Task name."""
    attempts: int
    """Trials."""
    graded: int
    """With a finite reward."""
    solved: int
    """Successes."""
    mean_reward: float | None
    """Over graded trials."""
    exceptions: int
    """Trials with an exception."""
    mean_turns: float | None
    """Over trials that reported turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSummary:
    """Trial analysis of a run."""

    total: int
    """Trials."""
    graded: int
    """A finite value under the primary reward key."""
    success_threshold: float
    """Success is reward above this."""
    successes: int
    """Graded trials above the threshold."""
    success_rate: float | None
    """successes / graded; None without graded trials."""
    mean_reward: float | None
    """Over graded trials."""
    turns: Spread
    """Turns."""
    long_tail: int
    """Trials with more than 10 turns."""
    exceptions: tuple[ExceptionGroup, ...]
    """`none` first, then most frequent first."""
    outcomes: tuple[OutcomeGroup, ...]
    """success, failure."""
    turn_bins: tuple[TurnBin, ...]
    """Turns of graded trials."""
    tasks: tuple[TaskRow, ...]
    """By task, most attempts first."""
    never_solved: int
    """Tasks with graded trials and no success."""
    always_solved: int
    """Tasks with graded trials, all successes."""
    sometimes_solved: int
    """The rest of the tasks with graded trials."""
    input_tokens: float | None
    """Sum over trials that reported it; None without any."""
    output_tokens: float | None
    """Sum; None without any."""
    cache_tokens: float | None
    """Sum; None without any."""
