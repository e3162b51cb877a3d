"""Cross-check of the tables in a model card, as far as their labels can be bound to the run.

Bound are: rows named after a logged metric with columns such as mean, max or last; rows of a table by step with
columns named after logged metrics; and a few plain labels (steps, trials, mean reward …). Other tables of a card say
other things, such as benchmark scores, and are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from sitegen.analyse import printed as st
from sitegen.analyse.checked import Candidate, CrossCheck, judge
from sitegen.analyse.printed import Bounded, Column, Printed
from sitegen.model.run import ModelCard, Run, lineage, train_rows
from sitegen.readers.markdown_tables import MarkdownTable, plain, take_apart
from sitegen.text import Text, ui

COLUMNS: Mapping[str, tuple[str, Callable[[Column], Bounded]]] = {
    "mean": ("mean", st.mean),
    "average": ("mean", st.mean),
    "avg": ("mean", st.mean),
    "std": ("std", st.std),
    "min": ("min", st.smallest),
    "max": ("max", st.largest),
    "best": ("max", st.largest),
    "median": ("median", st.median),
    "last": ("last", st.last),
    "final": ("last", st.last),
    "count": ("count", st.count),
}
"""Columns of a table with a logged metric per row."""


SUMMED = ("std",)


def check_card(run: Run) -> Iterator[CrossCheck]:
    """Every number of the card's tables that is bound to the run."""
    card = run.card
    if card is None:
        return
    for table in take_apart(card.body).tables:
        for number, (_, cells) in enumerate(table.rows):
            yield from _row(run, card, table, cells, number)


def _row(run: Run, card: ModelCard, table: MarkdownTable, cells: list[str], number: int) -> Iterator[CrossCheck]:
    label = plain(cells[0])
    for name, text in zip(table.header[1:], cells[1:], strict=True):
        parsed = st.parse(plain(text))
        if parsed is None or np.isnan(parsed[0]):
            continue
        found = _candidates(run, plain(table.header[0]), label, plain(name))
        if found:
            where = "/".join((*table.headings, label))
            item = Printed(
                where=where,
                name=plain(name) or label,
                text=plain(text),
                value=parsed[0],
                half=parsed[1],
                path=card.path,
                line=None,
            )
            yield judge(item, found)


def _candidates(run: Run, corner: str, label: str, name: str) -> list[Candidate]:
    if corner.lower() == "step" and name in run.steps.columns and label.isdecimal():
        return _at_step(run, name, int(label))
    if label in run.steps.columns and name.lower() in COLUMNS:
        return _statistic(run, label, name.lower())
    value = _counted(run, label.lower())
    return [] if value is None else [Candidate(result=Bounded(value=float(value)), how=ui("check.counted"))]


def _statistic(run: Run, metric: str, name: str) -> list[Candidate]:
    """Over the lineage, else over all rows: a card does not say which."""
    key, aggregator = COLUMNS[name]
    found = []
    for rows, over in ((lineage(run), "check.rows-lineage"), (train_rows(run), "check.rows-all")):
        column = _exact(rows[metric].to_numpy(dtype="float64"))
        found.append(_made(key, aggregator(column), ui(over, n=int(st.count(column).value or 0))))
        if name in SUMMED:
            found.append(_made("std0", st.std(column, 0), ui(over, n=int(st.count(column).value or 0))))
    return found


def _at_step(run: Run, metric: str, step: int) -> list[Candidate]:
    rows = lineage(run)
    value = rows.loc[rows["step"] == step, metric]
    if value.empty:
        return []
    result = st.last(_exact(value.to_numpy(dtype="float64")))
    return [Candidate(result=result, how=ui("check.at-step", step=step))]


def _counted(run: Run, label: str) -> int | None:
    if label == "steps":
        return int(lineage(run)["step"].nunique()) or None
    if label == "jobs":
        return len(run.jobs) or None
    table = {"trials": run.trials, "engine samples": run.engines}.get(label)
    return None if table is None else len(table)


def _made(key: str, result: Bounded, over: Text) -> Candidate:
    return Candidate(result=result, how=ui("check.how", what=ui(f"check.agg.{key}"), over=over))


def _exact(values: np.ndarray) -> Column:
    kept = np.where(np.isfinite(values), values, np.nan)
    return Column(values=kept, half=np.zeros(len(kept)))
