"""The metrics page of a run: every logged metric as a small chart and in one table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sitegen.analyse.summary import MetricSummary
from sitegen.charts.metrics import unchanging
from sitegen.charts.payload import chart_id
from sitegen.glossary.loader import groups
from sitegen.pages.base import PageHead
from sitegen.pages.run_cards import chart_cards, csv_text, data_file, unchanging_line
from sitegen.pages.run_header import RunHeader, run_header
from sitegen.pages.run_published import metric_columns, published_metrics
from sitegen.pages.run_view import Cell, ChartCard, RunInput, Table, Unchanging, Voice, metric_cell, number_cell
from sitegen.text import Text, same

TEMPLATE = "pages/run_metrics.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricGroup:
    """The small charts of one glossary group."""

    id: str
    """Group id, the anchor."""
    title: str
    """Its name."""
    cards: tuple[ChartCard, ...]
    """Charts."""
    unchanging: tuple[Unchanging, ...]
    """Metrics that need none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunMetrics:
    """The metrics page."""

    head: PageHead
    """For `base.html`."""
    header: RunHeader
    """The run."""
    sentence: str
    """How many metrics, how many never change, how many logged values that are not finite."""
    groups: tuple[MetricGroup, ...]
    """Small charts by group."""
    tables: tuple[Table, ...]
    """Summary of the training records, then of the evaluation records."""
    downloads: tuple[tuple[str, str], ...]
    """File name and link."""
    published: Table | None
    """Metrics that only a report summarises."""


def run_metrics(given: RunInput, voice: Voice, head: PageHead) -> RunMetrics:
    """The page's view model."""
    metrics = given.analysis.metrics
    tables = []
    for kind in ("train", "eval"):
        chosen = [item for item in metrics if item.kind == kind]
        if chosen:
            tables.append(summary_table(kind, chosen, voice))
    names = ("metrics.csv", "steps.csv") if metrics else ()
    return RunMetrics(
        head=head,
        header=run_header(given, voice, "metrics"),
        sentence=_sentence(metrics, voice),
        groups=_groups(given, voice),
        tables=tuple(tables),
        downloads=tuple((name, voice.urls.to(data_file(given.run.slug, name))) for name in names),
        published=published_metrics(given, voice),
    )


def _sentence(metrics: tuple[MetricSummary, ...], voice: Voice) -> str:
    if not metrics:
        return voice.say("metrics.only-published")
    return voice.say(
        "metrics.sentence",
        n=voice.count(len(metrics)),
        constant=voice.count(sum(item.constant for item in metrics)),
        nonfinite=voice.count(sum(item.non_finite > 0 for item in metrics)),
    )


def _groups(given: RunInput, voice: Voice) -> tuple[MetricGroup, ...]:
    """Charts by the glossary group of their first metric, in the glossary's order of groups."""
    by_group: dict[str, list[ChartCard]] = {}
    still: dict[str, list[Unchanging]] = {}
    titles = {group.id: group.title for group in groups()}
    for card in chart_cards(given, voice, given.section("metrics")):
        group, words = _grouped(card.metrics[0], given, titles)
        by_group.setdefault(group, []).append(replace(card, search=f"{card.search} {words}", group=group))
    taken: set[str] = set()
    for item in unchanging(given.analysis):
        group, words = _grouped(item.name, given, titles)
        anchor = chart_id("same", item.name, taken)
        still.setdefault(group, []).append(unchanging_line(given, voice, item, anchor, words))
    found = dict.fromkeys((*by_group, *still))
    order = [group for group in titles if group in found] + [group for group in found if group not in titles]
    return tuple(
        MetricGroup(
            id=f"g-{group}",
            title=voice.text(titles[group]) if group in titles else group,
            cards=tuple(by_group.get(group, ())),
            unchanging=tuple(still.get(group, ())),
        )
        for group in order
    )


def _grouped(name: str, given: RunInput, titles: Mapping[str, Text]) -> tuple[str, str]:
    """The glossary group of a metric, and the words of both languages by which the filter finds it."""
    entry = given.context.glossary.explain(name, given.run.framework_of(name))
    of_group = titles.get(entry.group, same(entry.group))
    words = [text.lower() for pair in (entry.title, of_group) for text in (pair.en, pair.zh)]
    return entry.group, " ".join(dict.fromkeys(words))


def summary_table(kind: str, metrics: list[MetricSummary], voice: Voice) -> Table:
    """Statistics of every metric of one kind of records."""
    return Table(
        id=f"summary-{kind}",
        caption=voice.say(f"metrics.table-{kind}"),
        columns=metric_columns(voice, last=True),
        rows=tuple(_row(item, voice) for item in metrics),
        sortable=True,
        classes="dense",
    )


def _row(item: MetricSummary, voice: Voice) -> tuple[Cell, ...]:
    values = (item.mean, item.std, item.min, item.max, item.last)
    return (
        metric_cell(item.name),
        *(number_cell(value, voice.number(value)) for value in values),
        number_cell(item.count, voice.count(item.count)),
        number_cell(item.non_finite, voice.count(item.non_finite) if item.non_finite else "0", dim=not item.non_finite),
    )


def metrics_csv(metrics: tuple[MetricSummary, ...]) -> bytes:
    """The summary at full precision: kind, metric, mean, std, min, max, last, count, non_finite; absent is empty."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("kind", "metric", "mean", "std", "min", "max", "last", "count", "non_finite"))
    for item in metrics:
        numbers = (item.mean, item.std, item.min, item.max, item.last)
        shown = ["" if value is None else repr(float(value)) for value in numbers]
        writer.writerow((item.kind, csv_text(item.name), *shown, item.count, item.non_finite))
    return out.getvalue().encode("utf-8", "replace")
