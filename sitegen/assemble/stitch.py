"""Stitching: the records of a chain of jobs made one lineage. Pure; every row is kept, some are marked.

A train step that is not above the previous one of its job opens a new *segment*. The lineage runs backwards from
the last segment: its parent is the latest earlier segment that holds the step it resumed from. What is off the
lineage, or at or after the child's first step, is superseded under the rule `last`; under `first`, whatever repeats
a step that was logged before.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.assemble.parts import logged_order
from sitegen.model.tables import STEPS, conform

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A run of rising train steps within one job."""

    job: str
    """Its job."""
    index: int
    """Number within the job, from 0."""
    first: int
    """First train step."""
    last: int
    """Last train step."""
    resumed_from: int
    """The step it continued from: as logged, else its first step - 1."""
    parent: int | None
    """Position of its parent among the segments; None for the first of the lineage and for those off it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stitched:
    """The steps with their marks, and how they were put together."""

    steps: pd.DataFrame
    """`tables.STEPS`, sorted, `segment`, `superseded_last` and `superseded_first` filled."""
    segments: tuple[Segment, ...]
    """In order of time."""
    lineage: tuple[int, ...]
    """Positions of the lineage's segments, oldest first."""
    gaps: tuple[tuple[int, int], ...]
    """Step ranges (inclusive) between two segments of the lineage for which no record exists."""


def stitch(
    steps: pd.DataFrame,
    order: Sequence[str],
    resumed: Mapping[str, int],
    two_clocks: frozenset[str] = frozenset(),
) -> Stitched:
    """The steps with segments and marks.

    Args:
        steps: `tables.STEPS`, records of one step already merged; in any order.
        order: All jobs, in order of time.
        resumed: Job to the step it says that it resumed from.
        two_clocks: Jobs whose format counts two things under one step; they are one segment each.
    """
    table = in_order(steps, order)
    train = (table["kind"] == "train").to_numpy()
    jobs = pd.Categorical(table["job"], categories=list(order)).codes.astype("int64")
    clocks = np.array([job in two_clocks for job in order], dtype=bool)
    step = table["step"].to_numpy()
    segment = _segments(step, jobs, train, clocks)
    group = _groups(jobs, segment)
    found = _describe(step[train], group[train], jobs[train], segment[train], order)
    chain, gaps = _chain(found, resumed, step[train], group[train])
    superseded_last = np.zeros(len(table), dtype="int64")
    superseded_first = np.zeros(len(table), dtype="int64")
    superseded_last[train] = _off_lineage(step[train], group[train], found, chain)
    superseded_first[train] = _repeated(step[train], keep="first")
    superseded_last[~train] = _repeated(step[~train], keep="last")
    superseded_first[~train] = _repeated(step[~train], keep="first")
    marked = table.assign(segment=segment, superseded_last=superseded_last, superseded_first=superseded_first)
    return Stitched(
        steps=conform(marked.sort_values(list(STEPS.sort), kind="stable"), STEPS),
        segments=_with_parents(found, chain, resumed),
        lineage=tuple(reversed(chain)),
        gaps=tuple(reversed(gaps)),
    )


def in_order(steps: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """The rows by job in the given order, then by source and line: the order in which they were logged."""
    rank = pd.Series(pd.Categorical(steps["job"], categories=list(order)).codes, index=steps.index)
    files = sorted(steps["source"].fillna("").unique(), key=logged_order)
    place = pd.Series(pd.Categorical(steps["source"].fillna(""), categories=files).codes, index=steps.index)
    index = pd.DataFrame({"job": rank, "source": place, "row": steps["row"]})
    return steps.loc[index.sort_values(["job", "source", "row"], kind="stable").index].reset_index(drop=True)


def _segments(step: Ints, jobs: Ints, train: Bools, clocks: Bools) -> Ints:
    """The segment of each row within its job; evaluation rows go with the train row before them."""
    segment = np.zeros(len(step), dtype="int64")
    if not train.any():
        return segment
    own_step, own_job = step[train], jobs[train]
    same_job = np.r_[False, own_job[1:] == own_job[:-1]]
    back = np.r_[False, own_step[1:] <= own_step[:-1]] & same_job & ~clocks[own_job]
    total = np.cumsum(back)
    start = total[np.searchsorted(own_job, own_job, side="left")]
    own = total - start
    segment[train] = own
    before = np.cumsum(train) - 1  # position of the last train row at or before each row
    evaluation = ~train & (before >= 0)
    nearest = before[evaluation]
    segment[evaluation] = np.where(own_job[nearest] == jobs[evaluation], own[nearest], 0)
    return segment


def _groups(jobs: Ints, segment: Ints) -> Ints:
    """A rising number for each (job, segment), given rows in order."""
    if not len(jobs):
        return np.zeros(0, dtype="int64")
    key = jobs * (int(segment.max()) + 1) + segment
    _, numbers = np.unique(key, return_inverse=True)
    return np.asarray(numbers, dtype="int64").reshape(-1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Segments:
    """Arrays over segments with train rows."""

    ids: Ints
    job: list[str]
    index: Ints
    first: Ints
    last: Ints
    widest: Ints


def _describe(step: Ints, group: Ints, jobs: Ints, segment: Ints, order: Sequence[str]) -> _Segments:
    ids, start = np.unique(group, return_index=True)
    if not len(ids):
        none = np.zeros(0, dtype="int64")
        return _Segments(ids=none, job=[], index=none, first=none, last=none, widest=none)
    position = np.searchsorted(ids, group)
    widest = np.ones(len(ids), dtype="int64")
    within = position[1:] == position[:-1]
    np.maximum.at(widest, position[1:][within], (step[1:] - step[:-1])[within])
    return _Segments(
        ids=ids,
        job=[order[code] for code in jobs[start]],
        index=segment[start],
        first=np.minimum.reduceat(step, _starts(position)),
        last=np.maximum.reduceat(step, _starts(position)),
        widest=widest,
    )


def _starts(position: Ints) -> Ints:
    return np.flatnonzero(np.r_[True, position[1:] != position[:-1]])


def _resumed_from(found: _Segments, at: int, resumed: Mapping[str, int]) -> int:
    said = resumed.get(found.job[at]) if found.index[at] == 0 else None
    return int(found.first[at]) - 1 if said is None else said


def _chain(
    found: _Segments, resumed: Mapping[str, int], step: Ints, group: Ints
) -> tuple[list[int], list[tuple[int, int]]]:
    """Positions of the lineage's segments from the last backwards, and the holes between them."""
    chain: list[int] = []
    gaps: list[tuple[int, int]] = []
    at: int | None = len(found.ids) - 1 if len(found.ids) else None
    while at is not None:
        chain.append(at)
        parent = _parent(found, at, _resumed_from(found, at, resumed), step, group)
        if parent is not None:
            missing = (int(found.last[parent]) + 1, int(found.first[at]) - 1)
            if missing[1] + 1 - found.last[parent] > max(found.widest[parent], found.widest[at]):
                gaps.append(missing)
        at = parent
    return chain, gaps


def _parent(found: _Segments, at: int, resume: int, step: Ints, group: Ints) -> int | None:
    """The latest earlier segment that logged the resumed step; else that spans it; else that came before it."""
    logged = group[(step == resume) & (group < found.ids[at])]
    if len(logged):
        return int(np.searchsorted(found.ids, logged.max()))
    began = found.first[:at] <= resume
    spans = np.flatnonzero(began & (resume <= found.last[:at]))
    before = spans if len(spans) else np.flatnonzero(began)
    return int(before[-1]) if len(before) else None


def _off_lineage(step: Ints, group: Ints, found: _Segments, chain: Sequence[int]) -> Ints:
    """1 for train rows that the rule `last` supersedes."""
    below = np.full(len(found.ids), np.iinfo("int64").min)
    bound = np.iinfo("int64").max
    for at in chain:
        below[at] = bound
        bound = min(bound, int(found.first[at]))
    position = np.searchsorted(found.ids, group)
    kept = step < below[position]
    again = np.zeros(len(step), dtype=bool)
    again[kept] = _repeated(step[kept], keep="last").astype(bool)  # only jobs with two clocks repeat a step here
    return (~kept | again).astype("int64")


def _repeated(step: Ints, *, keep: str) -> Ints:
    values = pd.Series(step)
    repeated = values.duplicated(keep="first") if keep == "first" else values.duplicated(keep="last")
    return repeated.to_numpy().astype("int64")


def _with_parents(found: _Segments, chain: Sequence[int], resumed: Mapping[str, int]) -> tuple[Segment, ...]:
    parents = dict(itertools.pairwise(chain))
    return tuple(
        Segment(
            job=found.job[at],
            index=int(found.index[at]),
            first=int(found.first[at]),
            last=int(found.last[at]),
            resumed_from=_resumed_from(found, at, resumed),
            parent=parents.get(at),
        )
        for at in range(len(found.ids))
    )
