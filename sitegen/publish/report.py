"""The metrics report of a run: one structure, written as Markdown or as JSON data.

What the report says is gathered once, as sections of tables and lines whose cells hold the number and its words, so
that both forms say the same. The Markdown form in English is read back by the report reader: it keeps the column
names that name a quantity rightly, and leaves out those that do not.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.model.run import Run
from sitegen.publish.report_parts import metric_sections
from sitegen.publish.report_results import result_sections
from sitegen.publish.report_table import ReportLine, ReportSection, ReportTable
from sitegen.text import Lang, Text, ui

SCHEMA = 1
"""Of the JSON form; raised when a field changes its meaning or goes away."""

_SPECIAL = re.compile(r"([\\`*\[\]|~])")
_LOOSE_UNDERSCORE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run's report."""

    slug: str
    """Address of the run."""
    title: str
    """Title of the run."""
    framework: str | None
    """Framework; None unknown."""
    sections: tuple[ReportSection, ...]
    """In reading order; a section without content is left out."""


def metrics_report(run: Run, analysis: RunAnalysis) -> Report:
    """The report of one run; pure. The run must have passed the privacy border."""
    sections = (*metric_sections(run, analysis), *result_sections(run, analysis))
    return Report(
        slug=run.slug,
        title=run.title,
        framework=run.framework,
        sections=tuple(section for section in sections if section.lines or section.tables),
    )


# Markdown ------------------------------------------------------------------------------------------------------------


def markdown(report: Report, lang: Lang) -> str:
    """The report as GitHub-flavoured Markdown in one language."""
    parts = [f"# {ui('report.title', name=escaped(report.title)).of(lang)}"]
    for section in report.sections:
        parts.append(f"{'#' * section.level} {escaped(section.title.of(lang))}")
        plain = [escaped(line.text.of(lang)) for line in section.lines if not line.bullet]
        bullets = [f"- {escaped(line.text.of(lang))}" for line in section.lines if line.bullet]
        parts += [*plain, *(["\n".join(bullets)] if bullets else [])]
        parts += [part for table in section.tables for part in _table(table, lang)]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text on one line in which nothing is Markdown or HTML."""
    plain = "".join(char if char.isprintable() else " " for char in text.replace("&", "&amp;").replace("<", "&lt;"))
    return _LOOSE_UNDERSCORE.sub(r"\\_", _SPECIAL.sub(r"\\\1", plain)).strip()


def _table(table: ReportTable, lang: Lang) -> Iterator[str]:
    if table.title is not None:
        yield f"{'#' * table.level} {escaped(table.title.of(lang))}"
    rows = [[escaped(column.title.of(lang)) for column in table.columns]]
    rows.append(["---:" if column.numeric else "---" for column in table.columns])
    rows += [[escaped(cell.text.of(lang)) for cell in row] for row in table.rows]
    yield "\n".join("| " + " | ".join(row) + " |" for row in rows)
    if table.note is not None:
        yield escaped(table.note.of(lang))


# JSON ----------------------------------------------------------------------------------------------------------------


def data(report: Report) -> dict[str, Any]:
    """The report as data at full precision; sections and tables by their keys, texts in both languages."""
    sections: dict[str, Any] = {}
    for section in report.sections:
        content: dict[str, Any] = {line.key: _plain(line) for line in section.lines}
        content |= {table.key: [_row(table, row) for row in table.rows] for table in section.tables}
        sections.setdefault(section.key, {}).update(content)
    return {
        "schema": SCHEMA,
        "slug": report.slug,
        "title": report.title,
        "framework": report.framework,
        "sections": sections,
    }


def to_json(report: Report) -> str:
    """The data as strict JSON text; what is not finite is null."""
    return json.dumps(_strict(data(report)), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _plain(line: ReportLine) -> Any:
    return _both(line.text) if line.value is None else line.value


def _row(table: ReportTable, row: tuple[Any, ...]) -> dict[str, Any]:
    cells = zip(table.columns, row, strict=True)
    return {column.key: _both(cell.value) if isinstance(cell.value, Text) else cell.value for column, cell in cells}


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strict(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
