"""The tables and bullet lines of a Markdown document, each with its headings and line.

Owns GitHub-style pipe tables (GFM 0.29, "Tables (extension)") and the repair of documents whose line breaks were
lost: the separator row of a table says how many cells a row has, so that rows can be told apart again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

SEPARATOR = re.compile(r"\|(?:[ \t]*:?-{3,}:?[ \t]*\|)+")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*$")
_INNER_HEADING = re.compile(r"[ \t]+(?=#{1,4}[ \t]+\S)")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(slots=True, eq=False)
class MarkdownTable:
    """One table."""

    headings: tuple[str, ...]
    """Headings above it, outermost first."""
    header: list[str]
    """Column names."""
    line: int
    """1-based line of the header."""
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    """Line and cells of every row that has as many cells as the header."""
    misfits: list[int] = field(default_factory=list)
    """Lines of rows that have more or fewer cells, or are cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownLine:
    """A line outside tables: text or a bullet, emphasis and mark taken off."""

    headings: tuple[str, ...]
    """Headings above it, outermost first."""
    line: int
    """1-based line."""
    text: str
    """The text without `**`, backticks and the bullet's mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownContent:
    """A document taken apart."""

    title: str
    """First heading; empty without one."""
    tables: list[MarkdownTable]
    """Tables in order."""
    lines: list[MarkdownLine]
    """Other lines in order, blank ones left out."""


def take_apart(text: str) -> MarkdownContent:
    """The tables and lines of a document."""
    headings: list[tuple[int, str]] = []
    content = MarkdownContent(title=_first_heading(text), tables=[], lines=[])
    lines = text.split("\n")
    table: MarkdownTable | None = None
    fenced = False
    for index, line in enumerate(lines):
        stripped = line.strip()
        fenced ^= stripped.startswith("```")
        match = None if fenced else _HEADING.fullmatch(stripped)
        above = tuple(name for _, name in headings)
        if match:
            level = len(match[1])
            headings = [*(entry for entry in headings if entry[0] < level), (level, plain(match[2]))]
            table = None
        elif fenced or not stripped:
            table = None
        elif table is not None and stripped.startswith("|"):
            if index > table.line:  # the separator itself is passed over
                _add_row(table, stripped, index + 1)
        elif _is_header(stripped, lines[index + 1 : index + 2]):
            table = MarkdownTable(above, cells(stripped), index + 1)
            content.tables.append(table)
        else:
            table = None
            text_only = plain(re.sub(r"^(?:[-*+>]|\d+\.)[ \t]+", "", stripped))
            content.lines.append(MarkdownLine(headings=above, line=index + 1, text=text_only))
    return content


def cells(row: str) -> list[str]:
    """The cells of a row, stripped, an escaped bar as a bar."""
    inner = row.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]


def plain(text: str) -> str:
    """Text without emphasis marks and backticks."""
    return text.replace("**", "").replace("`", "").strip()


def _first_heading(text: str) -> str:
    matches = (_HEADING.fullmatch(line.strip()) for line in text.split("\n"))
    return next((plain(match[2]) for match in matches if match), "")


def _is_header(stripped: str, following: Sequence[str]) -> bool:
    if not stripped.startswith("|") or not following:
        return False
    below = following[0].strip()
    return SEPARATOR.fullmatch(below) is not None and len(cells(below)) == len(cells(stripped))


def _add_row(table: MarkdownTable, stripped: str, line: int) -> None:
    row = cells(stripped)
    if len(row) == len(table.header) and stripped.endswith("|"):
        table.rows.append((line, row))
    else:
        table.misfits.append(line)


# Lost line breaks ----------------------------------------------------------------------------------------------------


def has_lost_breaks(text: str) -> bool:
    """Whether a table's separator shares its line with other text."""
    return any(
        SEPARATOR.fullmatch(line.strip()) is None and SEPARATOR.search(line) is not None
        for line in text.split("\n")
        if "---" in line
    )


def restore_breaks(text: str, known_headings: Sequence[str]) -> str:
    """The document with headings, table rows and bullets on lines of their own again.

    Args:
        text: A document for which `has_lost_breaks` holds.
        known_headings: Heading texts that tell where a heading ends and the text after it begins.
    """
    parts: list[str] = []
    for line in text.split("\n"):
        for part in _INNER_HEADING.split(line):
            parts.extend(_restore_part(part.strip(), known_headings))
    return "\n".join(parts).strip("\n") + "\n"


def _restore_part(part: str, known_headings: Sequence[str]) -> list[str]:
    lines: list[str] = []
    match = re.match(r"(#{1,6})[ \t]+", part)
    if match:
        heading, part = _heading_and_rest(part[match.end() :], known_headings)
        lines += [f"{match[1]} {heading}", ""]
    while part:
        before, rows, part = _first_table(part)
        lines += _bullets(before)
        lines += [*rows, ""] if rows else []
    return lines


def _heading_and_rest(text: str, known_headings: Sequence[str]) -> tuple[str, str]:
    for known in sorted(known_headings, key=len, reverse=True):
        if text == known or text.startswith(known + " "):
            return known, text[len(known) :].strip()
    ends = [at for at in (text.find(" | "), text.find(" - "), text.find(" > ")) if at >= 0]
    if text.startswith(("| ", "- ")) or not ends:
        return text, ""
    return text[: min(ends)], text[min(ends) :].strip()


def _first_table(text: str) -> tuple[str, list[str], str]:
    """Text before the first table, the table's rows, and the text after it."""
    separator = SEPARATOR.search(text)
    if separator is None:
        return text, [], ""
    width = len(cells(separator.group()))
    bars = [match.start() for match in _CELL.finditer(text)]
    own = bars.index(separator.start())
    first = own - width - 1
    if first < 0:
        return text[: separator.end()], [], text[separator.end() :].strip()
    rows: list[str] = []
    while first + width < len(bars):
        start, end = bars[first], bars[first + width]
        if rows and text[bars[first - 1] + 1 : start].strip():
            break
        rows.append(text[start : end + 1])
        first += width + 1
    end = bars[first - 1] + 1
    return text[: bars[own - width - 1]].strip(), rows, text[end:].strip()


def _bullets(text: str) -> list[str]:
    """A text with its bullets and quoted lines on lines of their own."""
    text = text.strip()
    if not text:
        return []
    parts = re.split(r"[ \t]+(?=- (?:\*\*|[A-Z✅⚠ℹ]|\d)|> [A-Za-z*])", text)
    return [*(part.strip() for part in parts), ""]
