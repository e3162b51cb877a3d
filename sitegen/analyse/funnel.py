"""From attempt to training: how many trials are left after each stage, and what the source cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sitegen.model.run import Run, lineage

Stage = Literal["attempted", "finished", "graded", "solved", "trained_on"]
NotTold = Literal["not-logged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """Trials by stage. None: the source does not tell."""

    attempted: int
    """Rows of the trial table."""
    finished: int
    """Ended without an exception, or graded in spite of one."""
    graded: int
    """A finite value under the primary reward key."""
    solved: int
    """Graded above the success threshold."""
    trained_on: int | None
    """Sum of the logged number of samples per batch over the lineage; a count of its own, not of rows of the table,
    which may hold fewer trials (a sample) or more (re-done steps, retries). None where it was not logged."""
    trained_on_metric: str | None
    """Its logged name."""
    trained_on_steps: int
    """Steps that logged it."""
    missing: Mapping[Stage, NotTold]
    """Stages that the source does not tell, and why."""


def trial_funnel(run: Run, roles: Mapping[str, str], threshold: float) -> Funnel | None:
    """The funnel; None without a table of trials.

    Population: all rows of the trial table; *trained on* is over lineage rows that logged a finite count.
    """
    table = run.trials
    if table is None:
        return None
    reward = table["reward"].to_numpy(dtype="float64")
    graded = np.isfinite(reward)
    exception = table["exception"]
    clean = (exception.isna() | (exception == "")).to_numpy(dtype=bool)
    metric = roles.get("effective_samples")
    samples = lineage(run)[metric].to_numpy(dtype="float64") if metric else np.empty(0)
    samples = samples[np.isfinite(samples)]
    known = metric is not None and len(samples) > 0
    return Funnel(
        attempted=len(table),
        finished=int((clean | graded).sum()),
        graded=int(graded.sum()),
        solved=int((graded & (reward > threshold)).sum()),
        trained_on=round(float(samples.sum())) if known else None,
        trained_on_metric=metric if known else None,
        trained_on_steps=len(samples),
        missing={} if known else {"trained_on": "not-logged"},
    )
