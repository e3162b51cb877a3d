"""Metric records gathered from a log, column by column, and the tables that they become."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sitegen.model.tables import NONFINITE, STEPS, conform

MAX_STEP = 2**53
"""Steps from here on are no steps."""
_OWN = frozenset(STEPS.names)


@dataclass(slots=True, eq=False)
class Records:
    """The records of one log, in the order logged; a value costs eight bytes."""

    steps: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    columns: dict[str, array[float]] = field(default_factory=dict)
    nonfinite: list[tuple[int, str, str]] = field(default_factory=list)
    """Record, metric, `nan`, `inf` or `-inf`."""
    reserved: set[str] = field(default_factory=set)
    """Names left out because the table has a column of its own by that name."""

    def __len__(self) -> int:
        return len(self.steps)

    def add(
        self, step: int, metrics: Mapping[str, float], *, line: int, time: float | None, kind: str = "train"
    ) -> None:
        """Adds a record.

        Args:
            step: As the framework numbers it.
            metrics: Logged name to value; a value logged as NaN or infinite is given as such, an absent one not.
            line: 1-based line on which the record begins.
            time: Unix s, None unknown.
            kind: `train` or `eval`.
        """
        row = len(self.steps)
        self.steps.append(step)
        self.kinds.append(kind)
        self.lines.append(line)
        self.times.append(math.nan if time is None else time)
        for name, value in metrics.items():
            if name in _OWN:
                self.reserved.add(name)
                continue
            column = self.columns.get(name)
            if column is None:
                column = self.columns[name] = array("d")
            if len(column) < row:
                column.extend([math.nan] * (row - len(column)))
            if math.isfinite(value):
                column.append(value)
            else:
                column.append(math.nan)
                self.nonfinite.append((row, name, "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"))

    def table(self, job: str, source: str) -> pd.DataFrame:
        """`tables.STEPS`, in the order logged."""
        size = len(self)
        columns: dict[str, object] = {
            "job": [job] * size,
            "step": np.array(self.steps, dtype="int64"),
            "row": np.array(self.lines, dtype="int64"),
            "source": [source] * size,
            "kind": self.kinds,
            "time": np.array(self.times, dtype="float64"),
        }
        for name, values in self.columns.items():
            column = np.full(size, np.nan)
            column[: len(values)] = values
            columns[name] = column
        return conform(pd.DataFrame(columns), STEPS)

    def nonfinite_table(self, job: str, source: str) -> pd.DataFrame | None:
        """`tables.NONFINITE`; None without such values."""
        if not self.nonfinite:
            return None
        rows = [row for row, _, _ in self.nonfinite]
        table = pd.DataFrame(
            {
                "job": [job] * len(rows),
                "step": np.array([self.steps[row] for row in rows], dtype="int64"),
                "row": np.array([self.lines[row] for row in rows], dtype="int64"),
                "source": [source] * len(rows),
                "kind": [self.kinds[row] for row in rows],
                "metric": [name for _, name, _ in self.nonfinite],
                "value": [value for _, _, value in self.nonfinite],
            }
        )
        return conform(table, NONFINITE)
