"""Charts of a run as cards, and the data script that feeds them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from sitegen.analyse.summary import MetricSummary
from sitegen.charts.axes import AXES_ID, axes_data
from sitegen.charts.base import Chart
from sitegen.format import plain
from sitegen.pages.run_spark import plain_drawing
from sitegen.pages.run_view import (
    CHART_TABLE_ROWS,
    Cell,
    ChartCard,
    Column,
    LegendEntry,
    RunInput,
    Table,
    Unchanging,
    Voice,
    number_cell,
    text_cell,
)

OWN_CSV = frozenset({"reward", "stability", "time", "freshness", "errors", "trials", "engines"})
"""Sections whose charts have a CSV of their own; every other chart's data are in one CSV of the whole run."""

PLAIN_POINTS = 90
"""Positions per line of a plain drawing, a third of them where a page has many charts."""
MANY_CHARTS = 80
"""Charts from which on a page has many."""

STEP_FORMS = frozenset({"lines", "lines-log", "time", "errors"})
"""Forms whose x axis is the trainer's step."""

SWATCHES = {
    "sw-wait": "a-wait",
    "sw-whole": "a-wait",
    "sw-train": "a-train",
    "sw-sync": "a-sync",
    "sw-other": "a-other",
    "sw-passthrough": "tr-pass",
    "sw-zero": "tr-zero",
    "sw-mask": "tr-mask",
    "sw-not-classified": "tr-retry",
    "sw-not-stated": "tr-none",
    "sw-solved": "f-c r1",
    "sw-unsolved": "f-idle",
    "line-1": "ema r1",
    "line-2": "ema r2 second",
    "line-0": "ema r0 second",
}
"""Swatch class of a legend item to the class that draws it as the chart does."""


def chart_cards(given: RunInput, voice: Voice, charts: Iterable[Chart], *, small: bool = True) -> tuple[ChartCard, ...]:
    """Cards in order; `small` cards stand three to a row unless the chart is wide."""
    chosen = tuple(charts)
    limit = PLAIN_POINTS if len(chosen) <= MANY_CHARTS else PLAIN_POINTS // 3
    return tuple(_card(given, voice, chart, limit, small=small) for chart in chosen)


def unchanging_line(given: RunInput, voice: Voice, item: MetricSummary, anchor: str, words: str = "") -> Unchanging:
    """A metric that had one value at all times, as a line of text."""
    rows = given.analysis.facts.rows
    return Unchanging(
        id=anchor,
        name=item.name,
        value=plain(item.min),
        note="" if item.count == rows else voice.say("metrics.of-records", n=item.count, all=rows),
        search=f"{item.name.lower()} {words}",
    )


def filled(cards: tuple[ChartCard, ...]) -> tuple[ChartCard, ...]:
    """Small cards whose last row has no hole: two to a row where three would leave some over; one alone is half."""
    if any(card.span != "c4" for card in cards):
        return cards
    halves = {0: 0, 1: 4, 2: 2}[len(cards) % 3] if len(cards) > 1 else 1
    start = len(cards) - halves
    return (*cards[:start], *(replace(card, span="c6") for card in cards[start:]))


def data_file(slug: str, name: str) -> str:
    """Site path of a download of a run."""
    return f"runs/{slug}/data/{name}"


def charts_data(given: RunInput, charts: Iterable[Chart]) -> dict[str, Any]:
    """What a page registers for its charts: data and parameters by id, and the run's further x axes."""
    chosen = tuple(charts)
    payload: dict[str, Any] = {chart.id: {"datasets": chart.datasets, "params": chart.params} for chart in chosen}
    axes = axes_data(given.run, given.analysis) if any(chart.form in STEP_FORMS for chart in chosen) else None
    return payload if axes is None else payload | {AXES_ID: axes}


def chart_csv_path(slug: str, chart: Chart) -> str:
    """Site path of the CSV that holds a chart's data."""
    if chart.rows_left or chart.section == "engines-page":
        return data_file(slug, "engines.csv")
    if chart.section in OWN_CSV or chart.section.endswith("-page"):
        return data_file(slug, f"{chart.id}.csv")
    return data_file(slug, "steps.csv")


def chart_csv(chart: Chart) -> bytes:
    """A chart's full data as CSV: the columns of its data table under their English titles."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([csv_text(column.title.en) for column in chart.columns])
    writer.writerows([[_plain(value) for value in row] for row in chart.rows])
    return out.getvalue().encode("utf-8", "replace")


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(value)
    return csv_text(value) if isinstance(value, str) else str(value)


def csv_text(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _card(given: RunInput, voice: Voice, chart: Chart, limit: int, *, small: bool) -> ChartCard:
    table = _data_table(chart, voice) if chart.section != "metrics" else None
    left = len(chart.rows) + chart.rows_left - CHART_TABLE_ROWS
    names = (chart.id, chart.title.en, chart.title.zh, *chart.metrics)
    return ChartCard(
        id=chart.id,
        form=chart.form,
        title=voice.text(chart.title),
        metrics=chart.metrics,
        caption=voice.text(chart.caption),
        summary=voice.text(chart.summary),
        note=voice.text(chart.note) if chart.note else "",
        static_svg=plain_drawing(chart, limit) if chart.static_svg is None else Markup(chart.static_svg),
        height=chart.height,
        span=("c8" if chart.wide else "c4") if small else ("c12" if chart.wide else "c6"),
        csv=voice.urls.to(chart_csv_path(given.run.slug, chart)),
        table=table,
        table_note=voice.say("chart.rest", n=voice.count(left)) if table and left > 0 else "",
        legend=tuple(
            LegendEntry(
                swatch=SWATCHES.get(item.swatch, ""),
                name=voice.text(item.name),
                value=item.value,
                line=item.swatch.startswith("line-"),
            )
            for item in chart.legend
        ),
        search=" ".join(names).lower(),
    )


def _data_table(chart: Chart, voice: Voice) -> Table:
    numeric = [all(_is_number(row[i]) for row in chart.rows) for i in range(len(chart.columns))]
    return Table(
        id=f"chart-{chart.id}-data",
        caption=voice.text(chart.title),
        columns=tuple(
            Column(
                title=voice.text(column.title),
                numeric=number,
                unit=column.unit,
                metric=column.title.en if column.title.en in chart.metrics else "",
            )
            for column, number in zip(chart.columns, numeric, strict=True)
        ),
        rows=tuple(tuple(_cell(value, voice) for value in row) for row in chart.rows[:CHART_TABLE_ROWS]),
        classes="dense",
    )


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _cell(value: Any, voice: Voice) -> Cell:
    if value is None:
        return number_cell(None, voice.number(None))
    return number_cell(value, voice.number(value)) if _is_number(value) else text_cell(str(value))
