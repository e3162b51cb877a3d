"""Values known only from a published report: shown where nothing computed exists, and always marked."""

from __future__ import annotations

from collections.abc import Mapping

from sitegen.pages.run_view import Cell, Column, RunInput, Table, Voice, column, metric_cell, number_cell, text_cell


def published_metrics(given: RunInput, voice: Voice) -> Table | None:
    """Metrics that only the report summarises; None when there are none."""
    published = given.run.published
    if published is None:
        return None
    known = {item.name for item in given.analysis.metrics}
    names = [name for name in published.metrics if name not in known]
    if not names:
        return None
    return Table(
        id="published-metrics",
        caption=voice.say("published.metrics"),
        columns=metric_columns(voice, last=False),
        rows=tuple(_metric_row(name, given, voice) for name in names),
        sortable=True,
        classes="dense",
    )


def metric_columns(voice: Voice, *, last: bool) -> tuple[Column, ...]:
    """Columns of a summary table of metrics."""
    names = ("mean", "std", "min", "max", *(("last",) if last else ()), "count", *(("non-finite",) if last else ()))
    return (
        column(voice, "col.metric"),
        *(column(voice, f"col.{name}", numeric=True) for name in names),
    )


def _metric_row(name: str, given: RunInput, voice: Voice) -> tuple[Cell, ...]:
    assert given.run.published is not None
    item = given.run.published.metrics[name]
    values = [(value, voice.number(value)) for value in (item.mean, item.std, item.min, item.max)]
    return (
        metric_cell(name),
        *(number_cell(value, text) for value, text in values),
        number_cell(item.count, voice.count(item.count)),
    )


ENGINE_FIELDS = ("running", "waiting", "generation_tps", "kv_cache_pct", "prefix_hit_pct")
"""Engine fields in the order of the pages."""


def published_engines(given: RunInput, voice: Voice) -> Table | None:
    """Per-engine means of a report, per job; None when samples exist or the report has none."""
    published = given.run.published
    if given.analysis.engines or published is None or not published.engines:
        return None
    return Table(
        id="published-engines",
        caption=voice.say("published.engines"),
        columns=(
            column(voice, "col.job"),
            *(column(voice, f"engine.{f}", numeric=True, unit=voice.say(f"unit.{f}")) for f in ENGINE_FIELDS),
        ),
        rows=tuple(_engine_row(job, values, voice) for job, values in published.engines.items()),
    )


def _engine_row(job: str, known: Mapping[str, float], voice: Voice) -> tuple[Cell, ...]:
    cells: list[Cell] = [text_cell(job)]
    for name in ENGINE_FIELDS:
        most = known.get(f"{name}_max")
        note = "" if most is None else voice.say("engine.largest", value=voice.number(most, 3))
        cells.append(number_cell(known.get(name), voice.number(known.get(name), 3), note=note))
    return tuple(cells)


def place_of(where: str) -> str:
    """Section and row of a printed number, apart, so that a metric's name stands by itself."""
    section, _, row = where.partition("/")
    return f"{section} · {row}" if row else section


def other_values(given: RunInput, voice: Voice) -> Table | None:
    """Every other printed number of the report, with its place; None without a report."""
    published = given.run.published
    if published is None or not published.values:
        return None
    return Table(
        id="published-values",
        caption=voice.say("published.values"),
        columns=(
            column(voice, "col.where"),
            column(voice, "col.name"),
            column(voice, "col.printed", numeric=True),
            column(voice, "col.line", numeric=True),
        ),
        rows=tuple(
            (
                text_cell(place_of(item.where)),
                text_cell(item.name),
                number_cell(item.value, item.text),
                number_cell(item.line, voice.count(item.line)),
            )
            for item in published.values
        ),
        sortable=True,
        classes="dense",
    )
