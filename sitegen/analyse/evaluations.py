"""Evaluations on held-out sets, grouped by data set."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from sitegen.model import tables
from sitegen.model.run import Run

PATTERNS = (
    re.compile(r"val-(?:core|aux)/(?P<set>.+?)/(?P<measure>[^/]+/(?:mean|best|worst|maj|pass|std)@\d+(?:/\w+)?)"),
    re.compile(r"val/test_score/(?P<set>.+)"),
    re.compile(r"eval/(?P<set>[^/]+?)_(?P<measure>Acc_Mean@\d+|Pass@\d+)"),
    re.compile(r"eval/(?P<set>[^/]+)-(?P<measure>pass@\d+)"),
    re.compile(r"eval/(?P<set>.+)/(?P<measure>[^/]+)"),
    re.compile(r"eval/(?P<set>[^/]+)"),
    re.compile(r"(?:eval-rollout|validation|test)/(?P<measure>.+)"),
    re.compile(r"eval_(?P<measure>.+)"),
)
"""Names of evaluation metrics, first match first; verl, XTuner, slime, SkyRL and prime-rl name the set, the others
have one. `measure` is empty where the name is the set's alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalMetric:
    """One evaluation metric."""

    metric: str
    """Logged name."""
    measure: str
    """What of the set it measures, as in the name; empty when the name is the set's alone."""
    first: float
    """First finite value."""
    first_step: int
    """Its step."""
    last: float
    """Newest finite value."""
    last_step: int
    """Its step."""
    highest: float
    """Highest value."""
    highest_step: int
    """Its step, the first on a tie."""
    count: int
    """Steps with a finite value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSet:
    """All metrics of one held-out set."""

    name: str
    """The set as named; empty where a framework names none."""
    metrics: tuple[EvalMetric, ...]
    """In table order."""


def evaluations(run: Run) -> tuple[EvalSet, ...]:
    """Evaluations by data set, in table order; empty without any.

    Population: finite values of records not superseded, train or evaluation; a step with two values counts the last.
    Spans of time spent in evaluation (`timing/eval`) are no evaluation.
    """
    rows = run.steps[(run.steps[f"superseded_{run.overlap_rule}"] == 0).to_numpy()]
    rows = rows.sort_values("step", kind="stable")
    steps = rows["step"].to_numpy(dtype="int64")
    sets: dict[str, list[EvalMetric]] = {}
    for name in tables.STEPS.measures(run.steps):
        named = _named(name)
        if named is None:
            continue
        found = _metric(name, named[1], steps, rows[name].to_numpy(dtype="float64"))
        if found is not None:
            sets.setdefault(named[0], []).append(found)
    return tuple(EvalSet(name=name, metrics=tuple(metrics)) for name, metrics in sets.items())


def _named(metric: str) -> tuple[str, str] | None:
    """(data set, measure) of an evaluation metric's name; None for any other."""
    for pattern in PATTERNS:
        match = pattern.fullmatch(metric)
        if match:
            groups = match.groupdict(default="")
            return groups.get("set", ""), groups.get("measure", "")
    return None


def _metric(name: str, measure: str, steps: np.ndarray, values: np.ndarray) -> EvalMetric | None:
    kept = np.flatnonzero(np.isfinite(values))
    last_of_step = {int(steps[index]): index for index in kept.tolist()}
    places = list(last_of_step.values())
    if not places:
        return None
    top = max(places, key=lambda index: (values[index], -steps[index]))
    first, last = places[0], places[-1]
    return EvalMetric(
        metric=name,
        measure=measure,
        first=float(values[first]),
        first_step=int(steps[first]),
        last=float(values[last]),
        last_step=int(steps[last]),
        highest=float(values[top]),
        highest_step=int(steps[top]),
        count=len(places),
    )
