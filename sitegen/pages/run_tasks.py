"""Parts of the trials page: the tasks of a run, its longest trials, and how turns, tokens and time are distributed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from sitegen.analyse.export import TrialColumns
from sitegen.analyse.tasks import Halves, TaskHalves
from sitegen.analyse.trial_spreads import SpreadGroup, TrialSpread, trial_spreads
from sitegen.analyse.trials import LONG_TAIL_TURNS, TaskRow, TrialSummary
from sitegen.pages.run_view import (
    Cell,
    Column,
    RunInput,
    Table,
    Voice,
    code_cell,
    column,
    exception_cell,
    number_cell,
    percent_of,
    text_cell,
)

TASK_ROWS = 200
"""Tasks in the page itself; the rest come from the data script."""
TAIL_ROWS = 20
"""Longest trials listed."""
KINDS = ("ungraded", "never", "sometimes", "always")
"""What became of a task's graded attempts, from code −1 on."""
_COUNTS = ("attempts", "graded", "solved")
_TITLES: Mapping[str, str] = {
    "task": "col.task",
    "outcome": "task.kind",
    "attempts": "col.attempts",
    "graded": "col.graded",
    "solved": "col.solved",
    "rate": "col.solve-rate",
    "early": "col.first-half",
    "late": "col.second-half",
    "change": "col.change",
    "reward": "col.mean-reward",
    "exceptions": "col.with-exception",
    "turns": "col.mean-turns",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A group's distribution as a drawing: 10th to 90th percentile, median, mean, on the axis that its table shares."""

    label: Cell
    """The group."""
    left: str
    """Where the bar begins, as an SVG percentage."""
    width: str
    """How long it is."""
    median: str
    """Where the median lies."""
    values: tuple[Cell, ...]
    """Trials, median, mean, 90th percentile, largest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreads:
    """One measure over its groups."""

    id: str
    """Anchor."""
    title: str
    """What is measured, with its unit."""
    caption: str
    """For screen readers."""
    columns: tuple[Column, ...]
    """Headings of the values."""
    rows: tuple[Strip, ...]
    """All trials, outcomes, exceptions."""
    axis_end: str
    """Where the bars' axis ends: the largest 90th percentile."""


def task_kind(row: TaskRow) -> int:
    """−1 no attempt is graded, 0 never solved, 1 sometimes, 2 always."""
    if not row.graded:
        return -1
    return 0 if not row.solved else 2 if row.solved == row.graded else 1


def tasks_data(trials: TrialSummary, halves: Halves | None) -> dict[str, Any]:
    """All tasks as columns for the script, in the order of the page: what `tasks_table` shows of the first ones."""
    names = sorted(row.task for row in trials.tasks)
    places = {name: place for place, name in enumerate(names)}
    by_task = _by_task(halves)
    columns: dict[str, list[Any]] = {name: [] for name in task_columns(halves)}
    for row in trials.tasks:
        for name, value in _values(row, by_task.get(row.task)).items():
            if name in columns:
                columns[name].append(places[row.task] if name == "task" else _rounded(value))
    return {"total": len(trials.tasks), "names": {"task": names}, "columns": columns}


def _rounded(value: float | str | None) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def task_columns(halves: Halves | None) -> tuple[str, ...]:
    """Keys of the task table's columns; halves only where trials carry a time."""
    timed = bool(_by_task(halves))
    return tuple(name for name in _TITLES if timed or name not in ("early", "late", "change"))


def _by_task(halves: Halves | None) -> dict[str, TaskHalves]:
    both = halves.tasks if halves is not None else ()
    return {task.task: task for task in both if task.early_graded and task.late_graded}


def _values(row: TaskRow, halves: TaskHalves | None) -> dict[str, float | str | None]:
    early = halves.early_solved / halves.early_graded if halves else None
    late = halves.late_solved / halves.late_graded if halves else None
    return {
        "task": row.task,
        "outcome": task_kind(row),
        "attempts": row.attempts,
        "graded": row.graded,
        "solved": row.solved,
        "rate": row.solved / row.graded if row.graded else None,
        "early": early,
        "late": late,
        "change": late - early if early is not None and late is not None else None,
        "reward": row.mean_reward,
        "exceptions": row.exceptions,
        "turns": row.mean_turns,
    }


def tasks_table(trials: TrialSummary, halves: Halves | None, voice: Voice) -> Table:
    """The tasks with the most attempts; each leads to its trials."""
    names = task_columns(halves)
    by_task = _by_task(halves)
    rows = []
    for row in trials.tasks[:TASK_ROWS]:
        values = _values(row, by_task.get(row.task))
        rows.append(tuple(_task_cell(name, values, voice) for name in names))
    return Table(
        id="tasks-table",
        caption=voice.say("tasks.caption"),
        columns=tuple(column(voice, _TITLES[name], numeric=name not in ("task", "outcome")) for name in names),
        rows=tuple(rows),
        classes="dense tasks-t stack-s",
    )


def _task_cell(name: str, values: dict[str, float | str | None], voice: Voice) -> Cell:
    value = values[name]
    if name == "exceptions" and value:
        assert not isinstance(value, str)
        own = f"#t-task={quote(str(values['task']), safe='')}&t-exception=any"
        return replace(number_cell(value, voice.count(value)), href=own)
    if name == "task":
        return replace(code_cell(str(value)), href=f"#t-task={quote(str(value), safe='')}")
    if name == "outcome":
        assert isinstance(value, float | int)
        return text_cell(voice.say(f"task.{KINDS[int(value) + 1]}"))
    assert not isinstance(value, str)
    if name in (*_COUNTS, "exceptions"):
        return number_cell(value, voice.count(value))
    if name in ("rate", "early", "late"):
        return number_cell(value, voice.percent(value))
    if name == "change":
        shown = voice.percent(value)
        return number_cell(value, f"+{shown}" if value and round(value, 3) > 0 else shown)
    return number_cell(value, voice.number(value, 3 if name == "turns" else 4))


def long_tail(columns: TrialColumns, voice: Voice, cell: Callable[[str, int], Cell]) -> Table | None:
    """The trials with the most turns of those beyond the tail's limit; None without any.

    Args:
        columns: All trials.
        voice: The page's language.
        cell: A cell of the table of trials, given column and row.
    """
    turns = columns.columns.get("turns", [])
    rows = [row for row, value in enumerate(turns) if value is not None and value > LONG_TAIL_TURNS]
    if not rows:
        return None
    rows.sort(key=lambda row: (-turns[row], row))
    names = tuple(
        name for name in ("task", "trial", "outcome", "turns", "exception", "wall_s") if name in columns.columns
    )
    return Table(
        id="tail-table",
        caption=voice.say("tail.caption", n=LONG_TAIL_TURNS),
        columns=tuple(column(voice, f"trial.{name}", numeric=name in ("turns", "wall_s")) for name in names),
        rows=tuple(tuple(cell(name, row) for name in names) for row in rows[:TAIL_ROWS]),
        classes="dense",
    )


def spreads(given: RunInput, threshold: float, voice: Voice) -> tuple[Spreads, ...]:
    """Distributions of the measures that trials report."""
    return tuple(_spreads(item, voice) for item in trial_spreads(given.run, threshold))


def _spreads(item: TrialSpread, voice: Voice) -> Spreads:
    top = max(group.p90 for group in item.groups) or 1.0
    titles = ("with-value", "median", "mean", "p90", "max")
    title = voice.say(f"spread.{item.measure}")
    return Spreads(
        id=f"spread-{item.measure.replace('_', '-')}",
        title=title,
        caption=voice.say("spread.caption", what=title),
        columns=tuple(column(voice, f"col.{name}", numeric=True) for name in titles),
        rows=tuple(_strip(group, item.measure, top, voice) for group in item.groups),
        axis_end=voice.duration(top) if item.measure == "wall_s" else voice.number(top, 3),
    )


def _strip(group: SpreadGroup, measure: str, top: float, voice: Voice) -> Strip:
    width = max(group.p90 - group.p10, top * 0.004)
    values = (group.median, group.mean, group.p90, group.max)
    shown = [voice.duration(value) if measure == "wall_s" else voice.number(value, 3) for value in values]
    return Strip(
        label=_label(group, voice),
        left=percent_of(group.p10, 0, top),
        width=percent_of(width, 0, top),
        median=percent_of(group.median, 0, top),
        values=(
            number_cell(group.count, voice.count(group.count)),
            *(number_cell(value, text) for value, text in zip(values, shown, strict=True)),
        ),
    )


def _label(group: SpreadGroup, voice: Voice) -> Cell:
    if group.kind == "all":
        return text_cell(voice.say("all-trials"))
    if group.kind == "outcome":
        return text_cell(voice.say(f"outcome.{group.name}"))
    return text_cell(voice.say("no-exception")) if group.name == "none" else exception_cell(group.name)
