"""Evaluations that a run dumped beside its exports, put where the logs do not have them.

A dump repeats what is logged at its step, so it counts only where no record of that step has any of its metrics; it
then belongs to the job that logged the step, or the nearest one before it. What a dump and a record both have is
compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sitegen.assemble.sources import Chosen
from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult
from sitegen.model.tables import STEPS

DUMP = "evaluation_dump"
"""`ReadResult.facts` key: the steps are a dump's averages and name no job."""


def add_evaluations(chosen: Chosen, dumps: Sequence[ReadResult]) -> None:
    """Adds to the steps chosen what only dumps have."""
    logged = chosen.joined()
    for dump in sorted(dumps, key=lambda result: result.source):
        if dump.steps is None:
            continue
        step = int(dump.steps["step"].iloc[0])
        own = dump.steps["job"].iloc[0]
        at_step = logged[logged["step"] == step] if logged is not None else dump.steps.iloc[:0]
        metrics = [name for name in STEPS.measures(dump.steps) if name in at_step.columns]
        there = at_step[metrics].to_numpy(dtype="float64")
        if np.isfinite(there).any():
            chosen.notes[dump.source] = "lower-precedence"
            chosen.problems += _differences(dump, at_step, metrics)
            continue
        job = own if logged is None else _job_of(logged, step)
        chosen.names[dump.source, own] = job
        chosen.take(dump.source, dump.steps.assign(job=pd.Series([job] * len(dump.steps), dtype=object)))


def _job_of(logged: pd.DataFrame, step: int) -> str:
    """The job that logged the step last, else the one that got nearest to it from below, else the first."""
    train = logged[logged["kind"] == "train"]
    rows = train if len(train) else logged
    before = rows[rows["step"] <= step]
    if before.empty:
        return str(rows["job"].iloc[0])
    return str(before["job"].to_numpy()[np.flatnonzero((before["step"] == before["step"].max()).to_numpy())[-1]])


def _differences(dump: ReadResult, at_step: pd.DataFrame, metrics: Sequence[str]) -> list[Problem]:
    """Metrics whose value is that of no record of the step."""
    assert dump.steps is not None
    apart: list[tuple[str, float, float]] = []
    for name in metrics:
        mine = float(dump.steps[name].iloc[0])
        theirs = at_step[name].to_numpy(dtype="float64")
        theirs = theirs[np.isfinite(theirs)]
        if len(theirs) and np.isfinite(mine) and not np.isclose(theirs, mine, rtol=1e-4, atol=5.1e-5).any():
            apart.append((name, mine, float(theirs[-1])))
    if not apart:
        return []
    name, mine, theirs_last = apart[0]
    values = {"count": len(apart), "metric": name, "mine": f"{mine:.6g}", "theirs": f"{theirs_last:.6g}"}
    return [problem("evaluation.disagrees", dump.source, int(dump.steps["row"].iloc[0]), **values)]
