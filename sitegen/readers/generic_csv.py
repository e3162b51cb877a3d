"""A comma-separated table of metrics whose writer is not known, with a column that counts steps.

Taken only where no reader of a known table claims the file. Which column counts the steps is taken from a list; one
that is not plainly a training step is a guess and said to be one. Column names lose blanks around them, damage is
handled as in every other table (`csv_table`).

Source: no one format; the columns are those of Stable-Baselines3 2.7 `common/logger.py` (`progress.csv`), Keras 3
`CSVLogger`, Lightning 2.5 `CSVLogger` and W&B's CSV export as of 2026-11.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sitegen.model.problems import Problem, problem
from sitegen.model.run import JobRecord, ReadResult, SourceFile
from sitegen.readers import skyrl_metrics_table, trial_table, vllm_table
from sitegen.readers.base import Reader
from sitegen.readers.csv_table import CsvTable, Lines, header_of, integer, numbers, parse_csv
from sitegen.readers.json_tracker import TRACKER
from sitegen.readers.metric_records import (
    CLOCK_KEYS,
    MetricRecord,
    as_time,
    kind_of,
    metric_tables,
    printable,
    step_key,
)
from sitegen.readers.text_file import head_text, is_placeholder, line_list, load
from sitegen.readers.tracker_places import job_of_place
from sitegen.text import Text

OWN_NAMES = ("metrics.csv", "progress.csv", "history.csv", "log.csv", "logs.csv")
"""Names that say nothing of the run."""


def sniff(source: SourceFile) -> bool:
    """Whether the header has a step column and another one, and no reader of a known table claims the file."""
    if is_placeholder(source):
        return False
    header = header_of(head_text(source))
    known = (vllm_table.READER, skyrl_metrics_table.READER, trial_table.READER)
    return len(header) > 1 and step_key(header)[0] is not None and not any(other.claims(source) for other in known)


def read(source: SourceFile) -> ReadResult:
    """One record per row (`tables.STEPS`)."""
    job = job_of_place(source) if source.name.lower() in OWN_NAMES else source.stem
    loaded = load(source)
    records: list[MetricRecord] = []
    problems: list[Problem] = list(loaded.problems)
    if loaded.text is not None:
        key, guessed = step_key(header_of(loaded.text))
        table, found = parse_csv(source.path, loaded.text, lambda row: key in [cell.strip() for cell in row])
        problems += found
        if key is None or key not in table.columns:
            problems.append(problem("tracker.no-step", source.path))
        else:
            records, found = _records(source.path, table, key)
            problems += found
            problems += [problem("tracker.step-guessed", source.path, None, name=key)] if guessed and records else []
            problems += [problem("table.no-rows", source.path)] if not records else []
    tables = metric_tables(source.path, job, records)
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=TRACKER,
        steps=tables.steps,
        nonfinite=tables.nonfinite,
        jobs=(JobRecord(name=job, source=source.path),) if records else (),
        rows=len(records),
        problems=(*problems, *tables.problems),
    )


def _records(path: str, table: CsvTable, key: str) -> tuple[list[MetricRecord], list[Problem]]:
    steps = numbers(table.columns[key]).values
    usable = [None if np.isnan(value) else integer(float(value)) for value in steps]
    noted = Lines(path)
    for line, step in zip(table.lines, usable, strict=True):
        if step is None:
            noted.add("tracker.bad-step", line)
    rows = [row for row, step in enumerate(usable) if step is not None]
    kept = table.take(rows)
    values, clock, problems = _values(path, kept, key)
    records = [
        MetricRecord(line=line, step=usable[row] or 0, values=named, kind=kind_of(named), time=time)
        for row, line, named, time in zip(rows, kept.lines, values, clock, strict=True)
    ]
    return records, [*noted.problems(), *problems]


def _values(path: str, table: CsvTable, key: str) -> tuple[list[dict[str, float]], list[float], list[Problem]]:
    """Numbers and clock of each row; a column without a number is said and left out."""
    rows: list[dict[str, float]] = [{} for _ in table.lines]
    clock = [math.nan] * len(rows)
    problems: list[Problem] = []
    for name, cells in table.columns.items():
        if name == key:
            continue
        times = _times(cells) if name in CLOCK_KEYS else None
        if times is not None:
            clock = times
            continue
        column = numbers(cells)
        has_numbers = bool(column.nonfinite) or not np.isnan(column.values).all()
        problems += _text_problems(path, name, [table.lines[row] for row in column.texts], has_numbers=has_numbers)
        for row in np.flatnonzero(~np.isnan(column.values)).tolist():
            rows[row][printable(name)] = float(column.values[row])
        for row, word in column.nonfinite:
            rows[row][printable(name)] = float(word)
    return rows, clock, problems


def _times(cells: Sequence[str]) -> list[float] | None:
    """A column of moments; None when it holds none."""
    column = numbers(cells)
    moments = [
        as_time(cell.strip()) if row in column.texts else as_time(float(column.values[row]))
        for row, cell in enumerate(cells)
    ]
    return None if all(math.isnan(moment) for moment in moments) else moments


def _text_problems(path: str, name: str, lines: list[int], *, has_numbers: bool) -> list[Problem]:
    if not lines:
        return []
    if not has_numbers:
        return [problem("table.text-column", path, name=name)]
    return [problem("table.text-ignored", path, lines[0], name=name, count=len(lines), lines=line_list(lines))]


READER = Reader(
    name="generic_csv",
    title=Text("Metrics of an unnamed tracker (CSV)", "未知来源的指标（CSV）"),
    names=("*metrics*.csv", "*_log.csv", "*-log.csv", *OWN_NAMES[1:]),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
