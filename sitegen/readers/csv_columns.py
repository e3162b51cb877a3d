"""Columns of a table with a fixed meaning: numbers with their oddities counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sitegen.model.problems import Problem, problem
from sitegen.readers.csv_table import CsvTable, numbers
from sitegen.readers.text_file import line_list


def float_column(path: str, table: CsvTable, name: str) -> tuple[npt.NDArray[np.float64], list[Problem]]:
    """One column as numbers; NaN where empty, absent, not a number or not finite, the last two as problems."""
    cells = table.columns.get(name)
    if cells is None:
        return np.full(len(table), np.nan), []
    column = numbers(cells)
    problems = []
    for kind, rows in (("table.text-ignored", column.texts), ("table.not-finite", [r for r, _ in column.nonfinite])):
        if rows:
            lines = [table.lines[row] for row in rows]
            problems.append(problem(kind, path, lines[0], name=name, count=len(lines), lines=line_list(lines)))
    return column.values, problems
