"""The index: all runs of the archive in one table, with filters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen import format as fmt
from sitegen.pages.base import PageHead, SiteContext, run_page
from sitegen.pages.row import RunRow, Spark, thinned
from sitegen.text import Text, same, ui

SPARK_WIDTH, SPARK_HEIGHT = 132, 30
"""Pixels of a sparkline."""
SETTING_KEYS = 40
"""Most settings that the filter field searches: those that differ among runs and are shortest to write."""

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkDrawing:
    """A sparkline as SVG geometry on the shared range."""

    raw: str
    """Path of the raw values."""
    ema: str
    """Path of the smoothed values."""
    checkpoint: tuple[float, float] | None
    """Centre of the ring at the selected checkpoint."""
    last: float | None
    """Last raw value, for the spoken label."""
    best: float
    """Largest raw value drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """One row of the table."""

    run: RunRow
    """Its figures."""
    page: str
    """Site path of the run's overview."""
    sources: str
    """Site path of the run's sources page, where its problems are."""
    about: Text
    """Framework, model, data and algorithm in one line."""
    spark: SparkDrawing | None
    """Reward curve; None without."""
    group: int
    """Index into `IndexPage.meanings`."""
    meaning: Text
    """What its reward means, in words."""
    problems: int
    """All problems."""
    severity: Severity | None
    """The worst of them; None without problems."""
    facets: dict[str, list[str]]
    """Facet to values."""
    text: str
    """What the filter field searches."""
    tags: tuple[str, ...]
    """Tags that tell it from other runs, at most four."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetValue:
    """One value to filter by."""

    value: str
    """As in the address."""
    label: Text
    """As shown."""
    count: int
    """Runs that have it."""
    share: float
    """Of all runs, 0-1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """One filter."""

    id: str
    """As in the address."""
    title: Text
    """Heading."""
    values: tuple[FacetValue, ...]
    """Most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Header figures. None: not known for any run."""

    runs: int
    """Runs."""
    steps: int
    """Distinct train steps."""
    jobs: int
    """Jobs."""
    trials: int | None
    """Trials."""
    with_trials: int
    """Runs with trials."""
    gpu_hours: float | None
    """GPU-hours."""
    with_gpu_hours: int
    """Runs whose GPU-hours are known."""
    first: float | None
    """Earliest start, Unix s."""
    last: float | None
    """Latest end, or start where no end is known."""
    errors: int
    """Problems of severity error."""
    warnings: int
    """Problems of severity warning."""
    infos: int
    """Problems of severity info."""
    published: bool
    """Whether some figure is known only from a published report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPage:
    """View model of `index.html`."""

    head: PageHead
    """Its head."""
    totals: Totals
    """Header figures."""
    facets: tuple[Facet, ...]
    """Filters with at least two values."""
    rows: tuple[IndexRow, ...]
    """Newest first."""
    meanings: tuple[Text, ...]
    """The different things that reward means here, most runs first."""
    spark_range: tuple[float, float]
    """The range that all sparklines share."""
    columns: frozenset[str]
    """Columns shown: those of every index, and those that have a value for some run."""


def index_page(rows: Sequence[RunRow], site: SiteContext) -> IndexPage:
    """The view model of the index."""
    ordered = newest_first(rows)
    meanings = _meanings(ordered)
    span = spark_range(ordered)
    names = {item.id: item.title for item in site.glossary.frameworks}
    common = shared_tags(rows)
    drawing = _Drawing(
        span=span, points=60 if len(rows) <= 200 else 24, settings=searchable_settings(ordered), common_tags=common
    )
    return IndexPage(
        head=PageHead(
            path="index.html",
            title=site.settings.title,
            description=site.settings.description or ui("index.description", runs=len(rows)),
            area="runs",
        ),
        totals=totals(rows),
        facets=_facets(ordered, names),
        rows=tuple(_row(run, meanings, names, drawing) for run in ordered),
        meanings=tuple(_meaning_text(meaning, names) for meaning in meanings),
        spark_range=span,
        columns=frozenset(ALWAYS) | {key for key, pick in OPTIONAL if any(pick(row) is not None for row in rows)},
    )


ALWAYS = ("run", "status", "steps", "reward", "problems")
"""Columns of every index."""

OPTIONAL: tuple[tuple[str, Callable[[RunRow], float | None]], ...] = (
    ("ema", lambda run: run.checkpoint_ema),
    ("pass", lambda run: run.best_pass),
    ("entropy", lambda run: run.entropy),
    ("trials", lambda run: run.trials),
    ("solved", lambda run: run.success_rate),
    ("exceptions", lambda run: run.exception_rate),
    ("step", lambda run: run.step_s),
    ("waiting", lambda run: run.waiting_share),
    ("gpu", lambda run: run.facts.gpu_hours),
    ("started", lambda run: run.facts.started),
)
"""Columns that are left out where no run has a value: key and value."""


def totals(rows: Sequence[RunRow]) -> Totals:
    """The header figures."""
    trials = [row.trials for row in rows if row.trials is not None]
    hours = [row.facts.gpu_hours for row in rows if row.facts.gpu_hours is not None]
    starts = [row.facts.started for row in rows if row.facts.started is not None]
    ends = [end for row in rows if (end := row.facts.finished or row.facts.started) is not None]
    return Totals(
        runs=len(rows),
        steps=sum(row.facts.steps_done for row in rows),
        jobs=sum(row.jobs for row in rows),
        trials=sum(trials) if trials else None,
        with_trials=len(trials),
        gpu_hours=math.fsum(hours) if hours else None,
        with_gpu_hours=len(hours),
        first=min(starts, default=None),
        last=max(ends, default=None),
        errors=sum(row.errors for row in rows),
        warnings=sum(row.warnings for row in rows),
        infos=sum(row.infos for row in rows),
        published=any(row.published for row in rows),
    )


def spark_range(rows: Sequence[RunRow]) -> tuple[float, float]:
    """One range for all sparklines: 0 to 1 where all rewards lie in it, else from the smallest to the largest."""
    values = [value for row in rows if row.spark for value in row.spark.raw if value is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        return (0.0, 1.0)
    return (min(low, 0.0), high) if high > min(low, 0.0) else (low - 1, high + 1)


def draw_spark(spark: Spark, span: tuple[float, float], points: int, checkpoint: int | None) -> SparkDrawing:
    """A sparkline's paths; gaps are not bridged."""
    kept = thinned(spark.raw, points)
    first, last = spark.step[0], spark.step[-1]
    low, high = span

    def x(step: int) -> float:
        return 2 + (SPARK_WIDTH - 4) * ((step - first) / (last - first) if last > first else 0.5)

    def y(value: float) -> float:
        return SPARK_HEIGHT - 2 - (SPARK_HEIGHT - 4) * fmt.ratio(value - low, high - low)

    def path(values: Sequence[float | None]) -> str:
        return _path([(x(spark.step[i]), None if (v := values[i]) is None else y(v)) for i in kept])

    ring = next((value for step, value in zip(spark.step, spark.ema, strict=True) if step == checkpoint), None)
    finite = [value for value in spark.raw if value is not None]
    return SparkDrawing(
        raw=path(spark.raw),
        ema=path(spark.ema),
        checkpoint=None if ring is None or checkpoint is None else (x(checkpoint), y(ring)),
        last=spark.raw[-1],
        best=max(finite),
    )


def searchable_settings(rows: Sequence[RunRow]) -> tuple[str, ...]:
    """The settings whose values differ among the runs and are short: what a filter can usefully find."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for key, value in row.config.items():
            values.setdefault(key, set()).add(fmt.setting(value))
    differing = [key for key, found in values.items() if len(found) > 1 and max(map(len, found)) <= 32]
    return tuple(sorted(differing, key=lambda key: (len(key), key))[:SETTING_KEYS])


def _path(points: Sequence[tuple[float, float | None]]) -> str:
    """An SVG path in half pixels, relative to keep it short; a value between two gaps is a dot of its own."""
    parts: list[str] = []
    at: tuple[float, float] | None = None
    for x, y in points:
        if y is None:
            at = None
            continue
        here = (round(x * 2) / 2, round(y * 2) / 2)
        if at is None:
            parts.append(f"M{fmt.svg(here[0])} {fmt.svg(here[1])}h0")
        else:
            parts.append(f"l{fmt.svg(here[0] - at[0])} {fmt.svg(here[1] - at[1])}")
        at = here
    return "".join(parts).replace("h0l", "l").replace(" -", "-")


def newest_first(rows: Sequence[RunRow]) -> list[RunRow]:
    """The rows by start, newest first, those without a clock last; then by address."""
    return sorted(rows, key=lambda row: (row.facts.started is None, -(row.facts.started or 0.0), row.slug))


def _meanings(rows: Sequence[RunRow]) -> list[tuple[str, str]]:
    """The different meanings of reward, most runs first, then by name."""
    counts = Counter(row.reward_meaning for row in rows if row.facts.reward_metric)
    return sorted(counts, key=lambda meaning: (-counts[meaning], meaning))


def _meaning_text(meaning: tuple[str, str], names: dict[str, Text]) -> Text:
    framework, metric = meaning
    title = names.get(framework, same(framework)) if framework else ui("index.unknown-framework")
    return Text(f"{title.en}, {metric}", f"{title.zh}，{metric}")


def shared_tags(rows: Sequence[RunRow]) -> frozenset[str]:
    """Tags that every run has: they tell nothing apart."""
    if len(rows) < 2:
        return frozenset()
    return frozenset(rows[0].tags).intersection(*(row.tags for row in rows[1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawing:
    """What all rows share."""

    span: tuple[float, float]
    """Range of the sparklines."""
    points: int
    """Most points of a sparkline."""
    settings: tuple[str, ...]
    """Settings that the filter searches."""
    common_tags: frozenset[str]
    """Tags that every run has."""


def _row(run: RunRow, meanings: list[tuple[str, str]], names: dict[str, Text], drawing: _Drawing) -> IndexRow:
    group = meanings.index(run.reward_meaning) if run.reward_meaning in meanings else len(meanings)
    severity: Severity | None = "error" if run.errors else "warning" if run.warnings else "info" if run.infos else None
    return IndexRow(
        run=run,
        page=run_page(run.slug),
        sources=run_page(run.slug, "sources"),
        about=_about(run, names),
        spark=draw_spark(run.spark, drawing.span, drawing.points, run.checkpoint_step) if run.spark else None,
        group=group,
        meaning=_meaning_text(meanings[group], names) if group < len(meanings) else ui("index.no-reward"),
        problems=run.errors + run.warnings + run.infos,
        severity=severity,
        facets={facet: values for facet, _, pick in FACETS if (values := pick(run))},
        text=_searched(run, drawing.settings),
        tags=tuple(tag for tag in run.tags if tag not in drawing.common_tags)[:4],
    )


def _about(run: RunRow, names: dict[str, Text]) -> Text:
    parts = [
        names.get(run.framework, same(run.framework)) if run.framework else None,
        *(same(value) if value else None for value in (_base_model(run), _dataset(run), run.facts.algorithm)),
    ]
    given = [part for part in parts if part]
    return Text(" · ".join(part.en for part in given), " · ".join(part.zh for part in given))


def _searched(run: RunRow, settings: tuple[str, ...]) -> str:
    """Name, tags, facts and the settings that differ, as `key=value`."""
    facts = run.facts
    words = [run.title, run.slug, run.framework, facts.base_model, facts.dataset, facts.algorithm, *run.tags]
    pairs = [f"{key}={fmt.setting(run.config[key])}" for key in settings if key in run.config]
    return " ".join(dict.fromkeys(word for word in (*words, facts.reward_metric, *pairs) if word))


# ---------------------------------------------------------------- facets


def _last_part(name: str | None) -> str | None:
    """A model or data set without its owner or folder."""
    return name.rstrip("/").rsplit("/", 1)[-1] or None if name else None


def _base_model(run: RunRow) -> str | None:
    return _last_part(run.facts.base_model)


def _dataset(run: RunRow) -> str | None:
    return _last_part(run.facts.dataset)


def _one(value: str | None) -> list[str]:
    return [value] if value else []


FACETS: tuple[tuple[str, str, Callable[[RunRow], list[str]]], ...] = (
    ("framework", "index.framework", lambda run: _one(run.framework)),
    ("status", "index.status", lambda run: [run.facts.status]),
    ("model", "index.model", lambda run: _one(_base_model(run))),
    ("data", "index.dataset", lambda run: _one(_dataset(run))),
    ("algorithm", "index.algorithm", lambda run: _one(run.facts.algorithm)),
    ("tag", "index.tag", lambda run: list(run.tags)),
)
"""Filters: id in the address, heading, values of a run."""


def _facets(rows: Sequence[RunRow], names: dict[str, Text]) -> tuple[Facet, ...]:
    made = []
    for facet, title, pick in FACETS:
        counts = Counter(value for row in rows for value in dict.fromkeys(pick(row)))
        if facet == "tag":
            counts = Counter({tag: count for tag, count in counts.items() if count < len(rows)})
        if len(counts) < 2:
            continue
        values = sorted(counts, key=lambda value: (-counts[value], value))
        made.append(
            Facet(
                id=facet,
                title=ui(title),
                values=tuple(
                    FacetValue(
                        value=value,
                        label=_facet_label(facet, value, names),
                        count=counts[value],
                        share=counts[value] / len(rows),
                    )
                    for value in values
                ),
            )
        )
    return tuple(made)


def _facet_label(facet: str, value: str, names: dict[str, Text]) -> Text:
    if facet == "status":
        return ui(f"status.{value}")
    if facet == "framework":
        return names.get(value, same(value))
    return same(value)
