"""Held-out evaluations as diamonds on a chart of training records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.payload import Columns, add_mark, label
from sitegen.format import count
from sitegen.model.roles import direction_of, metric_for
from sitegen.model.run import Run
from sitegen.text import Text, same, ui

_ROOM = 2.0
"""Evaluations are drawn where they make the range of values at most so many times as large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluations:
    """One evaluation metric at its steps."""

    metric: str
    """Logged name."""
    steps: list[int]
    """Rising."""
    values: list[float]
    """Finite."""


def leading_evaluations(run: Run, analysis: RunAnalysis) -> Evaluations | None:
    """The run's leading evaluation metric: the one of the role, else the first for which more is better.

    Population: finite values of records not superseded; a step with two values counts the last. None without any.
    """
    known = [item.metric for group in analysis.evaluations for item in group.metrics]
    metric = metric_for("eval_score", known, run.framework)
    if metric is None:
        metric = next((name for name in known if direction_of(name) == "up"), None)
    if metric is None:
        return None
    rows = run.steps[(run.steps[f"superseded_{run.overlap_rule}"] == 0).to_numpy()].sort_values("step", kind="stable")
    found = {
        int(step): float(value)
        for step, value in zip(rows["step"], rows[metric], strict=True)
        if math.isfinite(float(value))
    }
    return Evaluations(metric=metric, steps=list(found), values=list(found.values())) if found else None


def fits(evaluations: Evaluations, drawn: Sequence[float]) -> bool:
    """Whether the evaluations may share the axis of what is drawn without flattening it."""
    finite = [value for value in drawn if math.isfinite(value)]
    if not finite:
        return False
    both = [*finite, *evaluations.values, 0.0]
    alone = [*finite, 0.0, 1.0] if all(0 <= value <= 1 for value in finite) else [*finite, 0.0]
    return (max(both) - min(both)) <= _ROOM * (max(alone) - min(alone))


def add_evaluations(marks: Columns, evaluations: Evaluations) -> None:
    """A diamond at each of them."""
    for step, value in zip(evaluations.steps, evaluations.values, strict=True):
        add_mark(marks, "evaluation", step, "0", raw=value)


def evaluation_note(evaluations: Evaluations | None, *, drawn: bool) -> Text | None:
    """What the diamonds are, or why there are none; None without evaluations."""
    if evaluations is None:
        return None
    name = same(label(evaluations.metric, 80))
    if not drawn:
        return ui("charts.note.evaluations-apart", name=name)
    return ui("charts.note.evaluations", name=name, n=count(len(evaluations.steps)))


def evaluation_rows(rows: tuple[tuple[Any, ...], ...], evaluations: Evaluations | None) -> tuple[tuple[Any, ...], ...]:
    """The table (job, step, superseded, …) with a last column of evaluations, and rows for steps with nothing else."""
    if evaluations is None:
        return rows
    values = dict(zip(evaluations.steps, evaluations.values, strict=True))
    width = len(rows[0]) if rows else 3
    told = {row[1] for row in rows if not row[2]}
    made = [(*row, None if row[2] else values.get(row[1])) for row in rows]
    made += [(None, step, 0, *[None] * (width - 3), value) for step, value in values.items() if step not in told]
    return tuple(sorted(made, key=lambda row: row[1]))
