"""Cross-check of a report's trial section: against the table of trials, else against its own counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sitegen.analyse import printed as st
from sitegen.analyse.checked import Candidate, CrossCheck, judge, unchecked
from sitegen.analyse.printed import Bounded, Column, Printed
from sitegen.model.run import Published, PublishedTrials, Run
from sitegen.text import Text, same, ui

Mask = NDArray[np.bool_]

SECTION = "Trial-Level Analysis"
"""Beginning of the section's heading."""
NO_EXCEPTION = "No exception"
"""What the parser calls the trials without an exception."""
TURNS: Mapping[str, tuple[str, Callable[[Column], Bounded]]] = {
    "mean": ("mean", st.mean),
    "median": ("median", st.median),
    "std": ("std", st.std),
    "min": ("min", st.smallest),
    "max": ("max", st.largest),
    "count": ("count", st.count),
}
"""Rows and columns of the tables of turns."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trials:
    """The trials of a run as arrays."""

    turns: Column
    """NaN where not reported."""
    reward: Column
    """NaN where ungraded."""
    exception: NDArray[np.object_]
    """Exception type, `No exception` without one."""
    threshold: float
    """Success is reward above this."""

    @property
    def graded(self) -> Mask:
        """Trials with a finite reward."""
        return np.isfinite(self.reward.values)


def trials_of(run: Run, threshold: float) -> Trials | None:
    """The run's trials; None without a table of them."""
    table = run.trials
    if table is None:
        return None
    exception = table["exception"].to_numpy(dtype=object)
    named = np.array([name if name else NO_EXCEPTION for name in exception], dtype=object)
    return Trials(
        turns=_exact(table["turns"].to_numpy(dtype="float64")),
        reward=_exact(table["reward"].to_numpy(dtype="float64")),
        exception=named,
        threshold=threshold,
    )


def check_trials(item: Printed, trials: Trials | None, published: Published) -> CrossCheck:
    """One number of the trial section."""
    part = item.where.partition("/")[2]
    table, _, row = part.partition("/")
    if trials is None:
        result = _from_counts(item.name, table, row, published)
        candidates = [] if result is None else [Candidate(result=result, how=ui("check.from-counts"))]
    else:
        candidates = _from_trials(item, table, row, trials)
    if candidates:
        return judge(item, candidates)
    return unchecked(item, ui("check.only-report" if trials is None else "check.unbound"))


def _from_trials(item: Printed, table: str, row: str, trials: Trials) -> list[Candidate]:
    everyone = np.ones(len(trials.exception), dtype=bool)
    if table == "Turn Count Statistics":
        return _turns(row.lower(), trials, everyone, ui("check.trials-all"))
    if table == "Exception Distribution":
        return _exceptions(item.name, row, trials)
    column = item.name.lower().removesuffix(" turns")
    if table == "Turn Count by Exception Type":
        rows = trials.exception == row
        with_turns = rows & np.isfinite(trials.turns.values)
        return _turns(column, trials, with_turns, ui("check.trials-exception", name=same(row)))
    if table == "Turn Count by Outcome":
        return _by_outcome(column, row.lower(), trials)
    return _rewards(item.name, trials) if table in ("", "Reward Summary") else []


def _turns(name: str, trials: Trials, rows: Mask, over: Text) -> list[Candidate]:
    if name not in TURNS:
        return []
    key, aggregator = TURNS[name]
    turns = trials.turns.at(rows)
    found = [_made(key, aggregator(turns), over)]
    if name == "std":
        found.append(_made("std0", st.std(turns, 0), over, fair=False))
    found.append(_made(f"{key}-zero", aggregator(turns.zeros_for_gaps()), over, fair=False))
    return found


def _exceptions(name: str, row: str, trials: Trials) -> list[Candidate]:
    count = int((trials.exception == row).sum())
    over = ui("check.trials-exception", name=same(row))
    if name == "%":
        share = 100 * count / len(trials.exception) if len(trials.exception) else None
        return [_made("share", Bounded(value=share), ui("check.trials-all"))]
    return [_made("rows", Bounded(value=float(count)), over)]


def _by_outcome(column: str, row: str, trials: Trials) -> list[Candidate]:
    found: list[Candidate] = []
    for solved, over in _successes(trials):
        rows = solved if row == "success" else trials.graded & ~solved
        if row not in ("success", "failure"):
            continue
        if column == "count":
            with_turns = rows & np.isfinite(trials.turns.values)
            found.append(_made("rows", Bounded(value=float(rows.sum())), over))
            found.append(_made("count", Bounded(value=float(with_turns.sum())), over))
        else:
            found += _turns(column, trials, rows, over)
    return found


def _rewards(name: str, trials: Trials) -> list[Candidate]:
    graded, over = trials.graded, ui("check.trials-graded")
    if name == "Total trials parsed":
        return [_made("rows", Bounded(value=float(len(trials.exception))), ui("check.trials-all"))]
    if name == "Trials with reward data":
        return [_made("rows", Bounded(value=float(graded.sum())), over)]
    if name == "Mean reward":
        zeros = st.mean(trials.reward.zeros_for_gaps())
        return [
            _made("mean", st.mean(trials.reward), over),
            _made("mean-zero", zeros, ui("check.trials-all"), fair=False),
        ]
    if name == "Success rate":
        rates = [(solved.sum(), definition) for solved, definition in _successes(trials)]
        size = graded.sum()
        found = [_made("share", Bounded(value=100 * float(n / size) if size else None), d) for n, d in rates]
        solved = rates[0][0]
        of_all = 100 * float(solved / len(graded)) if len(graded) else None
        return [*found, _made("share", Bounded(value=of_all), ui("check.trials-ungraded-failed"), fair=False)]
    return []


def _successes(trials: Trials) -> Sequence[tuple[Mask, Text]]:
    """What success may mean: above the site's threshold, above 0, or the full reward of 1."""
    reward, graded = trials.reward.values, trials.graded
    with np.errstate(invalid="ignore"):
        return [
            (graded & (reward > trials.threshold), ui("check.success-above", value=f"{trials.threshold:g}")),
            (graded & (reward > 0), ui("check.success-above", value="0")),
            (graded & (reward >= 1), ui("check.success-full")),
        ]


def _made(key: str, result: Bounded, over: Text, *, fair: bool = True) -> Candidate:
    return Candidate(result=result, how=ui("check.how", what=ui(f"check.agg.{key}"), over=over), fair=fair)


# From the report's own counts ----------------------------------------------------------------------------------------


def _from_counts(name: str, table: str, row: str, published: Published) -> Bounded | None:
    """Sums and shares of what else the section prints; counts themselves come from nowhere else."""
    told = published.trials
    if told is None:
        return None
    if table == "Turn Count Statistics":
        return _turns_from_groups(row, told)
    if table == "Exception Distribution" and name == "%":
        count = told.exceptions.get("none" if row == NO_EXCEPTION else row)
        return Bounded(value=100 * count / told.total) if told.total and count is not None else None
    if name == "Total trials parsed":
        return Bounded(value=float(sum(told.exceptions.values()))) if told.exceptions else None
    counts = {outcome: cells["count"] for outcome, cells in told.by_outcome.items() if "count" in cells}
    graded = counts.get("success", 0.0) + counts.get("failure", 0.0)
    if set(counts) != {"success", "failure"} or not graded:
        return None
    known = {"Trials with reward data": graded, "Success rate": 100 * counts["success"] / graded}
    return Bounded(value=known[name]) if name in known else None


def _turns_from_groups(row: str, told: PublishedTrials) -> Bounded | None:
    """Count and mean of turns from those per exception type."""
    groups = [cells for cells in told.by_exception.values() if "count" in cells and "mean" in cells]
    size = sum(cells["count"] for cells in groups)
    if not size:
        return None
    if row == "Count":
        return Bounded(value=size)
    mean = sum(cells["count"] * cells["mean"] for cells in groups) / size
    return Bounded(value=mean, slack=PRINTED_TURNS) if row == "Mean" else None


PRINTED_TURNS = 0.05
"""Half a unit of the means per exception type, which the section prints with one decimal."""


def _exact(values: NDArray[np.float64]) -> Column:
    kept = np.where(np.isfinite(values), values, np.nan)
    return Column(values=kept, half=np.zeros(len(kept)))
