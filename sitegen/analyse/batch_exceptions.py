"""Exceptions as the batches of training count them, which the table of trials need not agree with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sitegen.analyse.numbers import total
from sitegen.model.run import Run, lineage

COUNTED = "batch_errors/total_"
"""Beginning of the names under which a parser's table counts batches."""
LOGGED = "exception/"
"""Beginning of the names under which a log's batch lines count exceptions."""
NO_TYPES = frozenset({"batches", "instances", "successful", "failed", "masked"})
"""What is counted besides exceptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchExceptions:
    """Exceptions in the batches of the lineage's steps."""

    steps: int
    """Steps whose batches were counted."""
    attempted: int | None
    """Trials that these batches attempted; None where it was not logged."""
    exceptions: int
    """Exceptions that they met, of every type."""
    by_type: Mapping[str, int] = field(default_factory=dict)
    """Exceptions that they met by class."""


def batch_exceptions(run: Run) -> BatchExceptions | None:
    """Exceptions over all batches; None when none was logged.

    Population: batch lines of the log before the records of the lineage, else the columns `batch_errors/total_*` of
    lineage rows. A type that a step's lines do not name occurred 0 times in it.

    Source: the trainer's `Batch generation complete` and `Exception breakdown` lines. A table of trials is written
    by another program and may hold a sample, or re-tries, of what the batches attempted.
    """
    rows, types, attempted = _counted(run)
    by_type = {name: total(rows[name].to_numpy(dtype="float64")) for name in types}
    met = total(rows[types].to_numpy(dtype="float64").ravel())
    if not met:
        return None
    known = [attempted] if attempted in rows.columns else []
    told = np.isfinite(rows[[*types, *known]].to_numpy(dtype="float64")).any(axis=1)
    tried = total(rows[known].to_numpy(dtype="float64").ravel())
    return BatchExceptions(
        steps=int(rows.loc[told, "step"].nunique()),
        attempted=None if tried is None else round(tried),
        exceptions=round(met),
        by_type={name.removeprefix(LOGGED).removeprefix(COUNTED): round(n) for name, n in by_type.items() if n},
    )


def exceptions_by_step(run: Run) -> dict[int, int]:
    """Exceptions of every type that the batches of each step met; steps whose batches were not counted are left out.

    Population and source: as `batch_exceptions`.
    """
    rows, types, attempted = _counted(run)
    known = [attempted] if attempted in rows.columns else []
    told = np.isfinite(rows[[*types, *known]].to_numpy(dtype="float64")).any(axis=1)
    met = np.nansum(rows[types].to_numpy(dtype="float64"), axis=1)
    found: dict[int, int] = {}
    for step, number, is_told in zip(rows["step"].tolist(), met.tolist(), told.tolist(), strict=True):
        if is_told and np.isfinite(number):
            found[int(step)] = found.get(int(step), 0) + round(number)
    return found


def attempts_by_step(run: Run, chosen: Callable[[Mapping[str, int]], Mapping[str, int]]) -> dict[int, tuple[int, int]]:
    """Chosen exceptions that the batches of each step met, and the trials that they attempted.

    Steps whose batches did not say how many they attempted are left out. Population and source: as
    `batch_exceptions`.
    """
    rows, types, attempted = _counted(run)
    if attempted not in rows.columns:
        return {}
    names = {name.removeprefix(LOGGED).removeprefix(COUNTED): name for name in types}
    kept = [names[name] for name in chosen(dict.fromkeys(names, 1))]
    met = np.nansum(rows[kept].to_numpy(dtype="float64"), axis=1)
    tried = rows[attempted].to_numpy(dtype="float64")
    found: dict[int, tuple[int, int]] = {}
    for step, number, of in zip(rows["step"].tolist(), met.tolist(), tried.tolist(), strict=True):
        if np.isfinite(of) and np.isfinite(number):
            before = found.get(int(step), (0, 0))
            found[int(step)] = (before[0] + round(number), before[1] + round(of))
    return found


def _counted(run: Run) -> tuple[pd.DataFrame, list[str], str]:
    """The rows that count exceptions, their columns of types, and the column of attempted trials."""
    rows, prefix, attempted = lineage_batches(run), LOGGED, "instances"
    if rows is None:
        rows, prefix, attempted = lineage(run), COUNTED, f"{COUNTED}instances"
    types = [name for name in rows.columns if name.startswith(prefix) and name.removeprefix(prefix) not in NO_TYPES]
    return rows, types, attempted


def lineage_batches(run: Run) -> pd.DataFrame | None:
    """The rows of `tables.BATCHES` whose record is on the lineage, one per step; None without batch lines.

    Batch lines stand before the record of their step, so that of a job that logged a step twice the record after
    them is theirs. Where records come from another source than the lines, the job and the step decide.
    """
    if run.batches is None or run.batches.empty:
        return None
    places: dict[tuple[str, str, int], list[tuple[int, bool]]] = {}
    named: set[tuple[str, int]] = set()
    records = run.steps[(run.steps["kind"] == "train").to_numpy()]
    columns = ("source", "job", "step", "row", f"superseded_{run.overlap_rule}")
    for source, job, step, row, superseded in zip(*(records[name].tolist() for name in columns), strict=True):
        places.setdefault((source, job, step), []).append((row, not superseded))
        if not superseded:
            named.add((job, step))
    keep = []
    for source, job, step, row in zip(*(run.batches[name].tolist() for name in columns[:4]), strict=True):
        after = [each for each in places.get((source, job, step), ()) if each[0] > row]
        keep.append(min(after)[1] if after else (job, step) in named)
    return run.batches[np.array(keep, dtype=bool)].reset_index(drop=True)
