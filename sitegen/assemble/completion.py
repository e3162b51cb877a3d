"""Metrics that only a source set aside has, put into the records of the source that is shown.

Sources of one job are never added up: the best one gives its records and all their values. A metric that it never
logged is no second value of anything, so it is taken from the next source, at the steps that both have once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult
from sitegen.model.tables import STEPS
from sitegen.text import Text

LOWEST = 11
"""Precedence below which nothing is taken: reports are rounded, W&B's summary is of no step."""
_OF_OTHERS = ("batch_errors/",)
"""Beginnings of columns that the log parser counts itself, one step late: a log's own batch lines are right."""
_COUNTED = ("batches", "instances", "successful", "failed", "masked")
_KEY = ["kind", "step"]
_WHICH_JOB = Text(
    "the run has several jobs, and which of them wrote this is not known", "该运行有多个作业，不知道这是哪个作业写的"
)
_TWO_CLOCKS = Text("the file counts two things under one step", "该文件在同一步数下计两种不同的数")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Completion:
    """What one source adds to one job."""

    job: str
    """The job as the run calls it."""
    steps: pd.DataFrame
    """The shown source's rows of all its jobs, columns added."""
    nonfinite: pd.DataFrame | None
    """Values logged as NaN or infinite under the columns added, at the shown source's lines."""
    rows: int
    """Records that gained a value."""
    problem: Problem
    """What was taken from where."""


Taken = Mapping[str, tuple[ReadResult, pd.DataFrame]]


def completions(result: ReadResult, table: pd.DataFrame, taken: Taken) -> Iterator[Completion]:
    """What a source has that better ones lack, job by job.

    Args:
        result: The source that is set aside.
        table: Its steps, jobs called as better sources call them where that is known.
        taken: Job to the source shown and all rows of it that are.
    """
    if result.precedence < LOWEST or result.facts.get("two_clocks") is True:
        return
    single = table["job"].nunique() == 1
    for job, mine in table.groupby("job", sort=True):
        name = _job_in(str(job), taken, single=single)
        if name is not None and taken[name][0].precedence >= result.precedence:
            added = _completion(result, mine, name, taken)
            if added is not None:
                yield added


def left_out(result: ReadResult, table: pd.DataFrame, taken: Taken) -> list[Problem]:
    """What a source has that those shown lack and that is not taken from it, because its place in them is not known.

    Args:
        result: The source that is set aside.
        table: Its steps that are not shown.
        taken: As in `completions`.
    """
    if result.precedence < LOWEST or table.empty:
        return []
    two_clocks = result.facts.get("two_clocks") is True
    single = table["job"].nunique() == 1
    lost = [rows for job, rows in table.groupby("job", sort=True) if _job_in(str(job), taken, single=single) is None]
    mine = table if two_clocks else pd.concat(lost) if lost else table.iloc[:0]
    shown = {id(rows): (other, rows) for other, rows in taken.values()}
    lacking = [set(_lacking(result, mine, other, rows)) for other, rows in shown.values()]
    names = [name for name in STEPS.measures(mine) if lacking and all(name in each for each in lacking)]
    if not names:
        return []
    values = {"count": len(names), "metric": names[0], "why": _TWO_CLOCKS if two_clocks else _WHICH_JOB}
    return [problem("assemble.metrics-left-out", result.source, None, **values)]


def late_counts(result: ReadResult, table: pd.DataFrame, taken: Taken) -> list[Problem]:
    """Where a parser's counts of batches differ from the log's own batch lines, which the log's steps are shown with.

    Source: MarinSkyRL `parse_skyrl_metrics`: what stands before the header of a step is counted to the step before.
    """
    problems = []
    for job, mine in table.groupby("job", sort=True):
        other = taken[str(job)][0] if str(job) in taken else None
        if other is None or other.batches is None:
            continue
        logged = other.batches[other.batches["job"] == job].set_index("step")
        pairs = {name: f"batch_errors/total_{name}" for name in _COUNTED}
        told = {name: column for name, column in pairs.items() if column in mine.columns}
        counted = mine[~mine["step"].duplicated(keep=False)].set_index("step")
        steps = counted.index.intersection(logged.index)
        left = counted.loc[steps, list(told.values())].to_numpy()
        right = logged.loc[steps, list(told)].to_numpy()
        apart = ((left != right) & (left == left) & (right == right)).any(axis=1)
        if apart.any():
            values = {"job": str(job), "other": other.source, "count": int(apart.sum()), "compared": len(steps)}
            problems.append(problem("assemble.batches-late", result.source, None, **values))
    return problems


def _job_in(job: str, taken: Taken, *, single: bool) -> str | None:
    """The job of the run that a source speaks of: of that name, inside its folder, or the only one there is."""
    if job in taken:
        return job
    inside = [name for name in taken if name.startswith(f"{job}/")]
    if len(inside) == 1:
        return inside[0]
    return next(iter(taken)) if single and len(taken) == 1 else None


def _completion(result: ReadResult, mine: pd.DataFrame, job: str, taken: Taken) -> Completion | None:
    other, theirs = taken[job]
    rows = theirs[theirs["job"] == job]
    names = _lacking(result, mine, other, rows)
    pairs = _once(rows, "shown").join(_once(mine, "aside"), how="inner")
    if not names or pairs.empty:
        return None
    given = mine.loc[pairs["aside"], names].set_axis(pairs["shown"])
    steps = theirs.assign(**{name: given[name].reindex(theirs.index) for name in names})
    values = {"job": job, "other": other.source, "count": len(names), "metric": names[0], "steps": len(pairs)}
    return Completion(
        job=job,
        steps=steps,
        nonfinite=_nonfinite(result, mine, rows, pairs, names),
        rows=len(pairs),
        problem=problem("assemble.metrics-added", result.source, None, **values),
    )


def _lacking(result: ReadResult, mine: pd.DataFrame, other: ReadResult, rows: pd.DataFrame) -> list[str]:
    """Metrics that a source logged and the one shown never did, in table order."""
    measures = STEPS.measures(rows)
    known = {name for name in measures if rows[name].notna().any()} | _named(other)
    told = _named(result)
    return [
        name
        for name in STEPS.measures(mine)
        if name not in known and not name.startswith(_OF_OTHERS) and (name in told or mine[name].notna().any())
    ]


def _named(result: ReadResult) -> set[str]:
    """Metrics of which a source logged values that are not finite."""
    return set() if result.nonfinite is None else set(result.nonfinite["metric"])


def _once(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """The place of each record by kind and step, those of steps logged more than once left out."""
    alone = rows[~rows.duplicated(_KEY, keep=False)]
    return pd.DataFrame({name: alone.index}, index=pd.MultiIndex.from_frame(alone[_KEY]))


def _nonfinite(
    result: ReadResult, mine: pd.DataFrame, rows: pd.DataFrame, pairs: pd.DataFrame, names: list[str]
) -> pd.DataFrame | None:
    if result.nonfinite is None:
        return None
    lines = dict(zip(mine["row"].loc[pairs["aside"]], pairs["shown"], strict=True))
    told = result.nonfinite
    told = told[told["metric"].isin(names) & told["row"].isin(lines)]
    shown = rows.loc[told["row"].map(lines)]
    places = {name: shown[name].to_numpy() for name in ("job", "row", "source")}
    return told.assign(**places).reset_index(drop=True)
