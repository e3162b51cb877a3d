"""A report's progression tables as steps: one row per printed row, one column per metric that was logged.

The parser prints what a record lacks as 0 (its agentic report) or as `nan` (its standard report); both are told
from logged values by the summary tables of the same report, and where that cannot be done a Problem says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import Published, PublishedMetric
from sitegen.model.tables import NONFINITE, STEPS, conform
from sitegen.readers.csv_table import integer, numbers
from sitegen.readers.markdown_tables import MarkdownContent, MarkdownTable
from sitegen.readers.report_published import metric_of
from sitegen.readers.text_file import line_list


@dataclass(slots=True, eq=False)
class Progression:
    """What the progression tables give."""

    steps: pd.DataFrame | None = None
    nonfinite: pd.DataFrame | None = None
    absent_or_nonfinite: bool = False
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Rows:
    """Printed rows of all logs, as text."""

    jobs: list[str] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    bad_steps: list[int] = field(default_factory=list)
    unknown: dict[str, None] = field(default_factory=dict)


def read_progression(path: str, content: MarkdownContent, published: Published) -> Progression:
    """The progression of all logs as `tables.STEPS`, values as printed; rows carry their line in the report."""
    tables = [table for table in content.tables if _is_progression(table)]
    rows = _collect(tables, published.metrics)
    result = Progression(problems=_row_problems(path, rows) + _missing_rows(path, tables, published))
    if not rows.steps:
        return result
    zero_is_absent = any("by Log" in heading for table in tables for heading in table.headings)
    columns: dict[str, npt.NDArray[np.float64]] = {}
    logged: list[tuple[int, str, str]] = []
    for name, printed in rows.columns.items():
        summary = published.metrics.get(name)
        if published.metrics and summary is None:
            continue
        column = numbers(printed)
        values = column.values
        if zero_is_absent:
            values, doubtful = _without_gaps(values, printed, summary)
            if doubtful:
                lines = [rows.lines[row] for row in doubtful]
                told = {"name": name, "count": len(lines), "lines": line_list(lines)}
                result.problems.append(problem("report.doubtful-zero", path, lines[0], **told))
        logged += [(row, name, text) for row, text in column.nonfinite if zero_is_absent or text != "nan"]
        result.absent_or_nonfinite |= not zero_is_absent and any(text == "nan" for _, text in column.nonfinite)
        if not np.isnan(values).all() and (published.metrics or not zero_is_absent or values.any()):
            columns[name] = values
    result.steps = _frame(path, rows, columns)
    result.nonfinite = _nonfinite(result.steps, logged)
    if not published.metrics:
        result.problems.append(problem("report.no-summaries", path))
    return result


def _is_progression(table: MarkdownTable) -> bool:
    return table.header[0] == "Step" and any(heading.startswith("Training Progression") for heading in table.headings)


def _collect(tables: list[MarkdownTable], summaries: Mapping[str, PublishedMetric]) -> _Rows:
    rows = _Rows()
    step_summary = summaries.get("trainer/global_step")
    lowest = step_summary.min if step_summary and step_summary.min is not None else 0
    for table in tables:
        names = [metric_of(heading) for heading in table.header[1:]]
        rows.unknown |= {head: None for head, name in zip(table.header[1:], names, strict=True) if name is None}
        for line, (printed_step, *printed) in table.rows:
            value = numbers([printed_step]).values[0]
            step = None if np.isnan(value) else integer(float(value))
            if step is None or step < lowest:
                rows.bad_steps.append(line)
                continue
            for name, text in zip(names, printed, strict=True):
                if name is not None:
                    rows.columns.setdefault(name, [""] * len(rows.steps)).append(text)
            rows.jobs.append(table.headings[-1])
            rows.steps.append(step)
            rows.lines.append(line)
            for column in rows.columns.values():
                column.extend([""] * (len(rows.steps) - len(column)))
    return rows


def _row_problems(path: str, rows: _Rows) -> list[Problem]:
    problems = []
    if rows.bad_steps:
        told = {"count": len(rows.bad_steps), "lines": line_list(rows.bad_steps)}
        problems.append(problem("table.bad-step", path, rows.bad_steps[0], **told))
    if rows.unknown:
        problems.append(problem("table.unknown-columns", path, names=", ".join(rows.unknown)))
    return problems


def _missing_rows(path: str, tables: list[MarkdownTable], published: Published) -> list[Problem]:
    """Whether the summaries count more records than the progression prints, as in a report that was cut off."""
    counted = max((metric.count or 0 for metric in published.metrics.values()), default=0)
    printed = sum(len(table.rows) for table in tables)
    if not published.metrics or printed >= counted:
        return []
    return [problem("report.rows-missing", path, None, counted=counted, printed=printed)]


def _without_gaps(
    values: npt.NDArray[np.float64], printed: list[str], summary: PublishedMetric | None
) -> tuple[npt.NDArray[np.float64], list[int]]:
    """The column with zeros that stand for gaps taken out, and the rows where that is not certain.

    Certain are: no gaps, when the summary counts every row; gaps, when the metric is never printed as 0 by its
    smallest value, or when there are exactly as many zeros as rows that the summary does not count.
    """
    zeros = np.flatnonzero(values == 0)
    counted = len(printed) if summary is None or summary.count is None else summary.count
    missing = int((~np.isnan(values)).sum()) - counted
    if missing <= 0 or not len(zeros):
        return values, []
    kept = values.copy()
    kept[zeros] = np.nan
    decimals = len(printed[int(zeros[0])].partition(".")[2])
    never_zero = summary is not None and summary.min is not None and round(summary.min, decimals) > 0
    return kept, [] if never_zero or missing == len(zeros) else [int(row) for row in zeros]


def _frame(path: str, rows: _Rows, columns: dict[str, npt.NDArray[np.float64]]) -> pd.DataFrame:
    fixed: dict[str, object] = {
        "job": rows.jobs,
        "step": np.array(rows.steps, dtype="int64"),
        "row": np.array(rows.lines, dtype="int64"),
        "source": [path] * len(rows.steps),
        "kind": ["train"] * len(rows.steps),
    }
    return conform(pd.DataFrame(fixed | columns), STEPS)


def _nonfinite(steps: pd.DataFrame, logged: list[tuple[int, str, str]]) -> pd.DataFrame | None:
    if not logged:
        return None
    frame = steps.loc[[row for row, _, _ in logged], ["job", "step", "row", "source", "kind"]].reset_index(drop=True)
    frame["metric"] = [name for _, name, _ in logged]
    frame["value"] = [text for _, _, text in logged]
    return conform(frame, NONFINITE)
