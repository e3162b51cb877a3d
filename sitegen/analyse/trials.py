"""Trials: turns, exceptions, outcomes, rewards.

Population: all rows of the trial table unless a field says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.analyse.config_keys import find, find_all, find_names
from sitegen.analyse.numbers import mean, std, total
from sitegen.model.run import Run, RunConfig
from sitegen.settings import SiteSettings

Floats = NDArray[np.float64]

NO_EXCEPTION = "none"
"""Name of the group of trials that ended without an exception."""

LONG_TAIL_TURNS = 10
"""Trials with more turns than this are the long tail."""

TURN_BINS = (("1", 1, 1), ("2", 2, 2), ("3", 3, 3), ("4", 4, 4), ("5-9", 5, 9), ("10+", 10, None))
"""Label, smallest and largest number of turns; a bin `0` comes before them when trials report no turn."""

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
class TokenCounts:
    """Trials that reported a quantity."""

    input: int
    """Input tokens."""
    cache: int
    """Input tokens served from the cache."""
    output: int
    """Output tokens."""
    cost_usd: int
    """Cost."""


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
    cost_usd: float | None
    """Sum; None without any."""
    token_counts: TokenCounts
    """How many trials each of these sums is over."""


def summarise_trials(run: Run, settings: SiteSettings) -> TrialSummary | None:
    """What became of the trials; None without a trial table.

    A trial is *graded* when it has a finite value under the primary reward key (an exception does not matter), and a
    *success* when that value is above `settings.success_threshold`. Turns are over the trials that reported them.
    """
    table = run.trials
    if table is None:
        return None
    frame = _frame(table, settings.success_threshold)
    graded, solved = frame["graded"].to_numpy(), frame["solved"].to_numpy()
    turns = frame["turns"].to_numpy()
    tasks = _tasks(frame)
    return TrialSummary(
        total=len(frame),
        graded=int(graded.sum()),
        success_threshold=settings.success_threshold,
        successes=int(solved.sum()),
        success_rate=float(solved.sum() / graded.sum()) if graded.any() else None,
        mean_reward=mean(frame["reward"].to_numpy()),
        turns=spread(turns),
        long_tail=int((turns > LONG_TAIL_TURNS).sum()),
        exceptions=_exceptions(frame, run.config),
        outcomes=(
            OutcomeGroup(name="success", count=int(solved.sum()), turns=spread(turns[solved])),
            OutcomeGroup(name="failure", count=int((graded & ~solved).sum()), turns=spread(turns[graded & ~solved])),
        ),
        turn_bins=_turn_bins(turns[graded], solved[graded]),
        tasks=tasks,
        never_solved=sum(1 for task in tasks if task.graded and not task.solved),
        always_solved=sum(1 for task in tasks if task.graded and task.solved == task.graded),
        sometimes_solved=sum(1 for task in tasks if 0 < task.solved < task.graded),
        input_tokens=total(table["input_tokens"].to_numpy(dtype="float64")),
        output_tokens=total(table["output_tokens"].to_numpy(dtype="float64")),
        cache_tokens=total(table["cache_tokens"].to_numpy(dtype="float64")),
        cost_usd=total(table["cost_usd"].to_numpy(dtype="float64")),
        token_counts=TokenCounts(
            input=_reported(table["input_tokens"]),
            cache=_reported(table["cache_tokens"]),
            output=_reported(table["output_tokens"]),
            cost_usd=_reported(table["cost_usd"]),
        ),
    )


def _reported(column: pd.Series[float]) -> int:
    return int(np.isfinite(column.to_numpy(dtype="float64")).sum())


def spread(values: Floats) -> Spread:
    """Distribution of the finite values; standard deviation with ddof 1, None below two."""
    kept = values[np.isfinite(values)]
    if not len(kept):
        return Spread(mean=None, median=None, std=None, min=None, max=None, count=0)
    return Spread(
        mean=mean(kept),
        median=float(np.median(kept)),
        std=std(kept),
        min=float(kept.min()),
        max=float(kept.max()),
        count=len(kept),
    )


def treatment_of(exception: str, config: RunConfig | None) -> tuple[Treatment, bool]:
    """What the configuration does with trials that end in an exception, and whether it names it in several lists.

    Passed through (the verifier's reward counts) comes before masked (left out of loss and baseline) and before
    scored 0; what no list names gets `default_error_treatment`, zero where that is not set either. All of it only
    when `enable_error_classification` is true.

    Source: MarinSkyRL terminal-bench generator. `exclude_exceptions` is about retries and says nothing here.
    """
    enabled = next(find_all(config, "enable_error_classification"), None)
    if not isinstance(enabled, bool):
        return "not-stated", False
    if not enabled:
        return "not-classified", False
    lists: tuple[tuple[Treatment, str], ...] = (
        ("passthrough", "passthrough_exceptions"),
        ("mask", "mask_exceptions"),
        ("zero", "zero_exceptions"),
    )
    naming = [treatment for treatment, key in lists if exception in (find_names(config, key) or ())]
    if naming:
        return naming[0], len(naming) > 1
    default = find(config, "default_error_treatment")
    known: dict[Any, Treatment] = {"mask": "mask", "passthrough": "passthrough", "zero": "zero", None: "zero"}
    return known.get(default, "not-stated") if isinstance(default, str | None) else "not-stated", False


def _frame(table: pd.DataFrame, threshold: float) -> pd.DataFrame:
    """The columns that the analysis needs: numbers that are not finite are NaN, exceptions are never missing."""
    reward = table["reward"].to_numpy(dtype="float64")
    turns = table["turns"].to_numpy(dtype="float64")
    graded = np.isfinite(reward)
    exception = table["exception"]
    return pd.DataFrame(
        {
            "task": table["task"],
            "exception": exception.where(exception.notna() & (exception != ""), NO_EXCEPTION),
            "reward": np.where(graded, reward, np.nan),
            "turns": np.where(np.isfinite(turns), turns, np.nan),
            "graded": graded,
            "solved": graded & (reward > threshold),
        }
    )


def _exceptions(frame: pd.DataFrame, config: RunConfig | None) -> tuple[ExceptionGroup, ...]:
    groups = _grouped(frame, "exception")
    found = []
    for name, rows in sorted(groups.items(), key=lambda item: (item[0] != NO_EXCEPTION, -len(item[1]), item[0])):
        rewards = frame["reward"].to_numpy()[rows]
        treatment, twice = treatment_of(name, config) if name != NO_EXCEPTION else (None, False)
        found.append(
            ExceptionGroup(
                name=name,
                count=len(rows),
                share=len(rows) / len(frame),
                turns=spread(frame["turns"].to_numpy()[rows]),
                graded=int(np.isfinite(rewards).sum()),
                mean_reward=mean(rewards),
                treatment=treatment,
                listed_twice=twice,
            )
        )
    return tuple(found)


def _grouped(frame: pd.DataFrame, column: str) -> dict[str, NDArray[np.int64]]:
    """Value to the positions of its rows."""
    return {str(name): np.asarray(rows) for name, rows in frame.groupby(column, sort=False).indices.items()}


def _tasks(frame: pd.DataFrame) -> tuple[TaskRow, ...]:
    failed = frame["exception"] != NO_EXCEPTION
    grouped = frame.assign(failed=failed).groupby("task", sort=False, dropna=False)
    table = grouped.agg(
        attempts=("graded", "size"),
        graded=("graded", "sum"),
        solved=("solved", "sum"),
        reward=("reward", "mean"),
        failed=("failed", "sum"),
        turns=("turns", "mean"),
    )
    rows = [
        TaskRow(
            task=str(task),
            attempts=int(attempts),
            graded=int(graded),
            solved=int(solved),
            mean_reward=None if np.isnan(reward) else float(reward),
            exceptions=int(exceptions),
            mean_turns=None if np.isnan(turns) else float(turns),
        )
        for task, attempts, graded, solved, reward, exceptions, turns in table.itertuples(name=None)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.attempts, row.task)))


def _turn_bins(turns: Floats, solved: NDArray[np.bool_]) -> tuple[TurnBin, ...]:
    """Graded trials by turns; bins are fixed, so that runs compare, and empty ones are kept."""
    bins: tuple[tuple[str, int, int | None], ...] = TURN_BINS
    if (turns < 1).any():
        bins = (("0", 0, 0), *bins)
    found = []
    for label, low, high in bins:
        within = (turns < 1) if low == 0 else (turns >= low) & (turns < (np.inf if high is None else high + 1))
        found.append(
            TurnBin(label=label, low=low, solved=int((within & solved).sum()), unsolved=int((within & ~solved).sum()))
        )
    return tuple(found)
