"""Runs whose tracker counts two things under one step: which rows are training steps.

XTuner numbers mini-batches and rollout steps alike. Its reader names the metrics of the second clock
(`ReadResult.facts["second_clock"]`); a row that holds nothing else is no training step.
"""

from __future__ import annotations

import pandas as pd

from sitegen.model.run import Run
from sitegen.model.tables import STEPS

SECOND_CLOCK = "second_clock"
"""Fact: names of the metrics that are counted by the other clock."""


def second_clock(run: Run) -> frozenset[str]:
    """Metrics that count something else than training steps; empty for nearly every run."""
    names = run.facts.get(SECOND_CLOCK)
    return frozenset(names) if isinstance(names, list | tuple) else frozenset()


def main_clock(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that are training steps: those with a value of another metric than the second clock's."""
    apart = second_clock(run)
    if not apart:
        return rows
    others = [name for name in STEPS.measures(rows) if name not in apart]
    return rows[rows[others].notna().any(axis=1).to_numpy()].reset_index(drop=True)
