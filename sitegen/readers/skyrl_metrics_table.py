"""The table of training metrics that the team's log parser writes, and tables of the same shape.

`<YYYYmmdd_HHMMSS>_metrics_table.csv` (copied to `metrics.csv`): `log_file`, one column per logged metric in order
of first appearance, `batch_errors/*`, and `global_step` as a copy of `trainer/global_step`. Per-log tables
`<ts>_metrics_<log>.csv` have neither the first nor the last: the job is in the name. The parser writes with
pandas, so a value logged as NaN and an absent one are both an empty cell.

Source: OpenThoughts-Agent, `scripts/analysis/parse_skyrl_metrics.py` (2026-06), `main`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.model.tables import NONFINITE, STEPS, conform
from sitegen.readers.base import Reader
from sitegen.readers.csv_table import CsvTable, Lines, Numbers, header_of, integer, numbers, parse_csv
from sitegen.readers.job_names import job_records
from sitegen.readers.text_file import head_text, is_placeholder, line_list, load
from sitegen.readers.vllm_table import is_engine_header, is_engine_name
from sitegen.text import Text

STEP_COLUMNS = ("trainer/global_step", "global_step", "step")
"""Columns that hold the training step, best first."""
_STEP_NAMES = frozenset(STEP_COLUMNS)
NOT_METRICS = frozenset({"log_file", "global_step", "step"})
"""Columns of the table's own bookkeeping."""
_PER_LOG = re.compile(r"^\d{8}_\d{6}_metrics_(?P<log>.+)\.csv$", re.IGNORECASE)
_OWN_NAME = re.compile(r"_metrics_table\.csv$", re.IGNORECASE)
_RECORD_ONLY = ("trainer/", "timing/", "system/")
"""Families that a record of an evaluation holds besides `eval/`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Metric:
    name: str
    cells: Numbers


def sniff(source: SourceFile) -> bool:
    """Whether the head is a metrics table (or stands where one should be)."""
    if is_placeholder(source):
        return not is_engine_name(source.name)
    header = header_of(head_text(source))
    if is_engine_header(header):
        return False
    return _is_header(header) or (_OWN_NAME.search(source.name) is not None and not is_engine_name(source.name))


def read(source: SourceFile) -> ReadResult:
    """The table's records as steps (`tables.STEPS`), its `nan` and `inf` cells as `tables.NONFINITE`."""
    loaded = load(source)
    if loaded.text is None:
        return _result(source, None, None, list(loaded.problems))
    table, found = parse_csv(source.path, loaded.text, _is_header)
    problems = [*loaded.problems, *found]
    if not any(name in table.columns for name in STEP_COLUMNS):
        return _result(source, None, None, [*problems, problem("table.no-step-column", source.path)])
    steps, kept, step_problems = _steps(source.path, table)
    problems += step_problems
    if not kept:
        return _result(source, None, None, [*problems, problem("table.no-rows", source.path)])
    table = table.take(kept)
    metrics, metric_problems = _metrics(source.path, table)
    frame = _frame(source, table, [steps[row] for row in kept], metrics)
    nonfinite = _nonfinite(frame, metrics)
    facts = {"absent_or_nonfinite": True} if _lost_difference(source, table, metrics) else {}
    return _result(source, frame, nonfinite, [*problems, *metric_problems], facts)


def _is_header(row: Sequence[str]) -> bool:
    return not _STEP_NAMES.isdisjoint(row)


def _result(
    source: SourceFile,
    steps: pd.DataFrame | None,
    nonfinite: pd.DataFrame | None,
    problems: list[Problem],
    facts: dict[str, bool] | None = None,
) -> ReadResult:
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        framework="skyrl" if steps is not None and "trainer/global_step" in steps.columns else None,
        steps=steps,
        nonfinite=nonfinite,
        facts=facts or {},
        jobs=() if steps is None else job_records(steps["job"], source.path),
        rows=0 if steps is None else len(steps),
        problems=tuple(problems),
    )


def _steps(path: str, table: CsvTable) -> tuple[list[int], list[int], list[Problem]]:
    """The step of every row (-1 where unusable), the rows that have one, and what is wrong with the others."""
    candidates = [numbers(table.columns[name]).values for name in STEP_COLUMNS if name in table.columns]
    noted = Lines(path)
    steps: list[int] = []
    for row, line in enumerate(table.lines):
        given = [float(values[row]) for values in candidates if not np.isnan(values[row])]
        step = integer(given[0]) if given else None
        if step is None:
            noted.add("table.bad-step", line)
        elif any(other != given[0] for other in given[1:]):
            noted.add("table.step-disagrees", line)
        steps.append(-1 if step is None else step)
    return steps, [row for row, step in enumerate(steps) if step >= 0], noted.problems()


def _metrics(path: str, table: CsvTable) -> tuple[list[_Metric], list[Problem]]:
    """Columns with at least one number (or `nan`, `inf`) in it, and what had to be ignored."""
    metrics: list[_Metric] = []
    problems: list[Problem] = []
    for name, cells in table.columns.items():
        if name in NOT_METRICS:
            continue
        if name in STEPS.names:
            problems.append(problem("table.reserved-column", path, name=name))
            continue
        column = numbers(cells)
        has_numbers = bool(column.nonfinite) or not np.isnan(column.values).all()
        if column.texts and not has_numbers:
            problems.append(problem("table.text-column", path, name=name))
        elif column.texts:
            lines = [table.lines[row] for row in column.texts]
            values = {"name": name, "count": len(lines), "lines": line_list(lines)}
            problems.append(problem("table.text-ignored", path, lines[0], **values))
        if has_numbers:
            metrics.append(_Metric(name=name, cells=column))
    return metrics, problems


def _frame(source: SourceFile, table: CsvTable, steps: list[int], metrics: list[_Metric]) -> pd.DataFrame:
    own_job = job_of_name(source)
    columns: dict[str, object] = {
        "job": [job or own_job for job in table.text("log_file")],
        "step": np.array(steps, dtype="int64"),
        "row": np.array(table.lines, dtype="int64"),
        "source": [source.path] * len(table),
        "kind": _kinds(len(table), metrics),
    }
    columns.update({metric.name: metric.cells.values for metric in metrics})
    return conform(pd.DataFrame(columns), STEPS)


def job_of_name(source: SourceFile) -> str:
    """The job that a per-log table's name gives; the file's stem for any other table."""
    match = _PER_LOG.match(source.name)
    return match["log"] if match and match["log"] != "table" else source.stem


def _kinds(rows: int, metrics: list[_Metric]) -> list[str]:
    """`eval` for records that hold nothing but an evaluation, else `train`."""
    evaluation = np.zeros(rows, dtype=bool)
    training = np.zeros(rows, dtype=bool)
    for metric in metrics:
        if metric.name.startswith("eval/"):
            evaluation |= ~np.isnan(metric.cells.values)
        elif not metric.name.startswith(_RECORD_ONLY):
            training |= ~np.isnan(metric.cells.values)
    return ["eval" if only else "train" for only in evaluation & ~training]


def _nonfinite(frame: pd.DataFrame, metrics: list[_Metric]) -> pd.DataFrame | None:
    found = [(row, metric.name, value) for metric in metrics for row, value in metric.cells.nonfinite]
    if not found:
        return None
    rows = frame.loc[[row for row, _, _ in found], ["job", "step", "row", "source", "kind"]].reset_index(drop=True)
    rows["metric"] = [name for _, name, _ in found]
    rows["value"] = [value for _, _, value in found]
    return conform(rows, NONFINITE)


def _lost_difference(source: SourceFile, table: CsvTable, metrics: list[_Metric]) -> bool:
    """Whether an empty cell may stand for a logged NaN: the parser's table, gaps, and `nan` written nowhere.

    Gaps in `batch_errors/*` do not count: these are counts that the parser adds where batch lines exist.
    """
    by_parser = "log_file" in table.columns or _PER_LOG.match(source.name) is not None
    if not by_parser or any(value == "nan" for metric in metrics for _, value in metric.cells.nonfinite):
        return False
    return any("" in table.columns[metric.name] for metric in metrics if not metric.name.startswith("batch_errors/"))


READER = Reader(
    name="skyrl_metrics_table",
    title=Text("Table of training metrics (CSV)", "训练指标表（CSV）"),
    names=("*_metrics_*.csv", "metrics.csv"),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=30,
    version=1,
)
