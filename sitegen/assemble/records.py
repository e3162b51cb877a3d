"""Records of one step that a framework logged in several lines, made one row each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.assemble.stitch import in_order
from sitegen.model.tables import STEPS


def merge_records(
    steps: pd.DataFrame,
    nonfinite: pd.DataFrame,
    order: Sequence[str],
    two_clocks: frozenset[str] = frozenset(),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The steps in logged order, neighbouring records of one job, kind and step with disjoint keys made one row.

    A value logged as NaN counts as logged. In jobs with two clocks the records of a step need not be neighbours.
    The merged row stands at the first record's line, and so do its entries in the non-finite table.
    """
    table = in_order(steps, order)
    together = _same_record(table, two_clocks)
    candidates = np.flatnonzero(pd.Series(together).duplicated(keep=False).to_numpy())
    if not len(candidates):
        return table, nonfinite
    candidates = candidates[np.argsort(together[candidates], kind="stable")]
    logged = _logged(table, nonfinite, candidates)
    target = np.arange(len(table))
    target[candidates] = _targets(candidates, together[candidates], logged)
    if (target == np.arange(len(table))).all():
        return table, nonfinite
    return _merged(table, target), _moved(nonfinite, table, target)


def _same_record(table: pd.DataFrame, two_clocks: frozenset[str]) -> NDArray[np.int64]:
    """A number per row, equal for rows that may be one record."""
    key = table.groupby(["job", "kind", "step"], sort=False, dropna=False).ngroup().to_numpy()
    apart = np.zeros(len(table), dtype="int64")
    for kind in ("train", "eval"):
        mine = np.flatnonzero((table["kind"] == kind).to_numpy())
        apart[mine] = np.cumsum(np.r_[1, key[mine][1:] != key[mine][:-1]])[: len(mine)]
    free = table["job"].isin(list(two_clocks)).to_numpy()
    unique = np.where(free, -1, apart)
    combined = key.astype("int64") * (int(apart.max(initial=0)) + 2) + unique + 1
    return np.asarray(combined, dtype="int64")


def _logged(table: pd.DataFrame, nonfinite: pd.DataFrame, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which metrics each of the rows has a logged value of."""
    measures = STEPS.measures(table)
    present = table.loc[rows, measures].notna().to_numpy(copy=True)
    if len(nonfinite):
        at = {pair: i for i, pair in enumerate(zip(table.loc[rows, "source"], table.loc[rows, "row"], strict=True))}
        column = {name: i for i, name in enumerate(measures)}
        for source, row, metric in zip(nonfinite["source"], nonfinite["row"], nonfinite["metric"], strict=True):
            if (source, row) in at and metric in column:
                present[at[source, row], column[metric]] = True
    return np.asarray(present, dtype=bool)


def _targets(rows: NDArray[np.int64], groups: NDArray[np.int64], logged: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each row, the row that it is merged into (itself when it stands alone)."""
    targets = rows.copy()
    open_group, keys = -1, logged[0]
    for i, group in enumerate(groups):
        if group == open_group and not (keys & logged[i]).any():
            keys = keys | logged[i]
            targets[i] = targets[i - 1]
        else:
            open_group, keys = int(group), logged[i]
    return targets


def _merged(table: pd.DataFrame, target: NDArray[np.int64]) -> pd.DataFrame:
    shared = pd.Series(target).duplicated(keep=False).to_numpy()
    joined = table[shared].groupby(target[shared], sort=True).first()
    for name in ("job", "source", "kind"):
        joined[name] = joined[name].astype(object)
    whole = pd.concat([table[~shared], joined[table.columns]])
    return whole.sort_index(kind="stable").reset_index(drop=True)


def _moved(nonfinite: pd.DataFrame, table: pd.DataFrame, target: NDArray[np.int64]) -> pd.DataFrame:
    away = np.flatnonzero(target != np.arange(len(table)))
    if not len(nonfinite) or not len(away):
        return nonfinite
    line = table["row"].to_numpy()
    source = table["source"].to_numpy()
    to = {(source[row], int(line[row])): (source[target[row]], int(line[target[row]])) for row in away}
    pairs = zip(nonfinite["source"], nonfinite["row"], strict=True)
    moved = [to.get((where, int(row)), (where, int(row))) for where, row in pairs]
    places = pd.DataFrame(moved, columns=["source", "row"], index=nonfinite.index)
    return nonfinite.assign(source=places["source"].astype(object), row=places["row"])
