"""Comma-separated tables, read so that damage is named and never shifts a value.

Owns the shape of a CSV file: header, records, the real file line of each, repeated and changed headers, rows
that do not fit, unclosed quotes. A damaged header is mended as far as its names are whole, since without it the whole
table would be lost. What the columns mean is the business of the reader that asks.

One code path serves clean and damaged files alike: a line without a quotation mark is split at its commas, the
others go through the `csv` module one record at a time, so that an unclosed quote costs one line and not the
rest of the file.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sitegen.model.problems import Problem, problem
from sitegen.readers.text_file import line_list

MAX_RECORD_LINES = 64
"""Lines that one quoted record may span before its quote counts as unclosed."""
MAX_STEP = 2**53
"""Integers from here on are not exact in a float column."""

HeaderTest = Callable[[Sequence[str]], bool]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CsvTable:
    """The whole records of a CSV file as text."""

    columns: dict[str, list[str]]
    """Cells by column name in header order; empty text where the cell is empty or the section lacks the column."""
    lines: list[int]
    """1-based file line on which each record begins."""

    def __len__(self) -> int:
        return len(self.lines)

    def text(self, name: str) -> list[str | None]:
        """One column's cells, stripped; None where empty or where there is no such column."""
        cells = self.columns.get(name)
        return [None] * len(self) if cells is None else [cell.strip() or None for cell in cells]

    def take(self, rows: Sequence[int]) -> CsvTable:
        """The table with only the given rows."""
        if len(rows) == len(self):
            return self
        columns = {name: [cells[row] for row in rows] for name, cells in self.columns.items()}
        return CsvTable(columns=columns, lines=[self.lines[row] for row in rows])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Numbers:
    """One column as numbers."""

    values: npt.NDArray[np.float64]
    """Finite values; NaN where the cell is empty, not a number or not finite."""
    nonfinite: list[tuple[int, str]]
    """Row index and `nan`, `inf` or `-inf` of cells written as such."""
    texts: list[int]
    """Row indices of cells that hold something else than a number."""


@dataclass(slots=True, eq=False)
class Lines:
    """File lines by problem kind, in order of first occurrence: one `Problem` per kind, not per line."""

    path: str
    by_kind: dict[str, list[int]] = field(default_factory=dict)

    def add(self, kind: str, line: int) -> None:
        """Notes a line under a kind."""
        self.by_kind.setdefault(kind, []).append(line)

    def problems(self) -> list[Problem]:
        """One problem per kind, at its first line."""
        return [
            problem(kind, self.path, lines[0], lines=line_list(lines), count=len(lines))
            for kind, lines in self.by_kind.items()
        ]


@dataclass(slots=True, eq=False)
class _Section:
    """Rows under one header."""

    raw: list[str]
    header: list[str]
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def parse_csv(path: str, text: str, is_header: HeaderTest) -> tuple[CsvTable, list[Problem]]:
    """The table in a text, and everything in it that was left out.

    Args:
        path: `SourceFile.path`, for the problems.
        text: The file with LF line ends; the first line that is not blank is the header.
        is_header: Whether a later row is a header again (the same, or of a table that goes on with other columns).
    """
    damage = Lines(path)
    sections: list[_Section] = []
    lines = text.split("\n")
    for line, row in _records(lines, damage):
        if not sections:
            sections.append(_Section(row, [_clean(name) for name in row]))
            if any("\n" in name for name in row):
                damage.add("table.name-line-break", line)
        elif is_header(row) or row == sections[-1].raw:
            _take_header(sections, row, line, damage)
        elif len(row) != len(sections[-1].header):
            damage.add(_misfit(row, sections[-1].header, last=line == len(lines)), line)
        else:
            sections[-1].rows.append(row)
            sections[-1].lines.append(line)
    if sections and lines[-1] and sections[-1].lines[-1:] == [len(lines)]:
        damage.add("table.no-line-end", len(lines))
    table, problems = _merge(path, sections)
    return table, problems + damage.problems()


def header_of(text: str) -> list[str]:
    """The names in the first line that is not blank, over the lines that a quoted name spans; [] when it is damaged."""
    lines = text.split("\n", MAX_RECORD_LINES)
    first = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
    found = next(_records(lines[first:], Lines("")), None)
    return [] if found is None or found[0] != 1 else [_clean(name) for name in found[1]]


def _records(lines: list[str], damage: Lines) -> Iterator[tuple[int, list[str]]]:
    """Records with the 1-based line they begin on; blank lines are passed over, broken ones noted."""
    index = 0
    begun = False
    while index < len(lines):
        line = lines[index]
        index += 1
        if not line or line.isspace():
            continue
        if "\0" in line and not begun:
            damage.add("table.nul-in-header", index)
            lines[index - 1] = line = line.replace("\0", "")
        begun = True
        if "\0" in line:
            damage.add("table.nul", index)
        elif '"' not in line:
            yield index, line.split(",")
        else:
            row, used = _quoted(lines, index - 1)
            if row is None:
                damage.add("table.unclosed-quote", index)
            else:
                yield index, row
                index += used - 1


def _quoted(lines: list[str], start: int) -> tuple[list[str] | None, int]:
    """A record with quotation marks and the lines it takes; None when its quotes do not come out even."""
    row = _strict(lines[start])
    if row is not None or lines[start].count('"') % 2 == 0:
        return row, 1
    for end in range(start + 1, min(start + MAX_RECORD_LINES, len(lines))):
        if lines[end].count('"') % 2:
            joined = "\n".join(lines[start : end + 1])
            return (None, 1) if "\0" in joined else (_strict(joined), end - start + 1)
    return None, 1


def _strict(record: str) -> list[str] | None:
    try:
        rows = list(csv.reader([record], strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


def _clean(name: str) -> str:
    """A column's name in one line, without surrounding blanks and a byte order mark that a concatenation left in it."""
    return re.sub(r"\s*\n\s*", " ", name).strip(" \t\ufeff")


def _misfit(row: list[str], header: list[str], *, last: bool) -> str:
    if last and len(row) < len(header):
        return "table.truncated"
    return "table.short-row" if len(row) < len(header) else "table.long-row"


def _take_header(sections: list[_Section], row: list[str], line: int, damage: Lines) -> None:
    header = [_clean(name) for name in row]
    if header == sections[-1].header:
        damage.add("table.repeated-header", line)
    else:
        damage.add("table.changed-header", line)
        sections.append(_Section(row, header))


def _merge(path: str, sections: list[_Section]) -> tuple[CsvTable, list[Problem]]:
    """All sections under the union of their columns, in order of first appearance."""
    problems: list[Problem] = []
    columns: dict[str, list[str]] = {}
    lines: list[int] = []
    for section in sections:
        cells = list(zip(*section.rows, strict=True)) if section.rows else [()] * len(section.header)
        seen: set[str] = set()
        for name, column in zip(section.header, cells, strict=True):
            if name in seen and name:
                problems.append(problem("table.duplicate-column", path, name=name))
            if not name or name in seen:
                continue
            seen.add(name)
            columns.setdefault(name, [""] * len(lines)).extend(column)
        if "" in section.header:
            problems.append(problem("table.unnamed-column", path, count=section.header.count("")))
        lines.extend(section.lines)
        for name in columns.keys() - seen:
            columns[name].extend([""] * len(section.rows))
    return CsvTable(columns=columns, lines=lines), list(dict.fromkeys(problems))


def numbers(cells: Sequence[str]) -> Numbers:
    """A column's cells as numbers: an empty cell is missing, `nan` and `inf` are noted, other text is noted."""
    values, texts = _converted(cells)
    nonfinite = [
        (row, "nan" if math.isnan(values[row]) else "inf" if values[row] > 0 else "-inf")
        for row in np.flatnonzero(~np.isfinite(values)).tolist()
        if cells[row].strip() and row not in texts
    ]
    values[~np.isfinite(values)] = np.nan
    return Numbers(values=values, nonfinite=nonfinite, texts=sorted(texts))


def _converted(cells: Sequence[str]) -> tuple[npt.NDArray[np.float64], set[int]]:
    """The cells as floats and the rows of text cells; whole columns at once where every cell is plain."""
    joined = "".join(cells)
    if joined.isascii() and "_" not in joined:
        try:
            return np.array([float(cell) if cell else np.nan for cell in cells], dtype="float64"), set()
        except ValueError:
            pass
    numbers_or_none = [_number(cell) for cell in cells]
    texts = {row for row, value in enumerate(numbers_or_none) if value is None and cells[row].strip()}
    return np.array([np.nan if value is None else value for value in numbers_or_none], dtype="float64"), texts


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return None if "_" in cell or not cell.isascii() else value


def integer(value: float) -> int | None:
    """A step number; None for a fraction, a negative or a number too large to be exact."""
    return int(value) if value.is_integer() and 0 <= value < MAX_STEP else None
