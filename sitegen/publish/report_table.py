"""Sections, tables, lines and cells of a report: each value with its words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sitegen.text import Text, same

Plain = float | int | str | bool | None

ABSENT = same("–")
"""Printed where there is no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell."""

    value: Plain | Text
    """At full precision, as the JSON form gives it."""
    text: Text
    """As printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportColumn:
    """One column."""

    key: str
    """Its name in the JSON form."""
    title: Text
    """Its heading."""
    numeric: bool = True
    """Whether it is right-aligned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """One table."""

    key: str
    """Its name in the JSON form, unique within its section."""
    columns: tuple[ReportColumn, ...]
    """Columns."""
    rows: tuple[tuple[Cell, ...], ...]
    """Rows."""
    title: Text | None = None
    """Heading above it; None under the section's own."""
    level: int = 3
    """Level of that heading."""
    note: Text | None = None
    """What to know, printed under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLine:
    """One line of text."""

    key: str
    """Its name in the JSON form, unique within its section."""
    text: Text
    """As printed."""
    value: Plain = None
    """Its number; None when the words are all there is."""
    bullet: bool = True
    """Whether it is an item of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """One section."""

    key: str
    """Its name in the JSON form; sections of one key are one object there."""
    title: Text
    """Its heading."""
    lines: tuple[ReportLine, ...] = ()
    """Lines before its tables."""
    tables: tuple[ReportTable, ...] = ()
    """Its tables."""
    level: int = 2
    """Level of its heading."""


def number(value: float | None) -> Cell:
    """A measured value: six significant digits in print."""
    return Cell(value=value, text=ABSENT if value is None else same(digits(value)))


def digits(value: float) -> str:
    """Six significant digits, trailing zeros left out; words for what is not finite."""
    return f"{value + 0.0:.6g}" if math.isfinite(value) else "nan" if math.isnan(value) else "inf"


def count(value: float | None) -> Cell:
    """A count."""
    return Cell(value=value, text=ABSENT if value is None else same(f"{value:.0f}"))


def percent(share: float | None) -> Cell:
    """A share of 1, printed as a percentage."""
    return Cell(value=share, text=ABSENT if share is None else same(f"{100 * share:.1f}%"))


def name(text: str | None) -> Cell:
    """A name as logged."""
    return Cell(value=text, text=ABSENT if text is None else same(text))


def words(text: Text, value: Plain | Text = None) -> Cell:
    """Words, with what they stand for."""
    return Cell(value=text if value is None else value, text=text)


def column(key: str, title: Text, *, numeric: bool = True) -> ReportColumn:
    """A column."""
    return ReportColumn(key=key, title=title, numeric=numeric)
