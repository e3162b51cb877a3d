"""The index: all runs of the archive in one table, with filters.

The first rows are in the page; all rows are in `data/runs.js` (`pages/archive_data.py`), from which the page's scripts
draw what is asked for. Without scripts the rest is on plain pages of a list.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sitegen import format as fmt
from sitegen.pages.base import PageHead, SiteContext, run_page
from sitegen.pages.row import RunRow, Spark, thinned
from sitegen.text import Lang, Text, same, ui, ui_strings

SPARK_WIDTH, SPARK_HEIGHT = 132, 30
"""Pixels of a sparkline."""
SPARK_LEVELS = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\<>&~')
"""A coordinate of a sparkline as one character: its place here, of `len - 1`, is its share of the width or height."""
SPARK_DOT = "m-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0"
"""What is drawn at a value between two gaps: a circle that its stroke fills."""
SPARK_GAP = "~"
"""Where there is no value."""
FIRST_ROWS = 100
"""Rows that are in the page itself, and rows that scripts show at a time."""
LIST_ROWS = 500
"""Rows of a page of the list."""
FACET_VALUES = 60
"""Most values of a filter; the text filter finds the rest."""

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
    problems: int
    """All problems."""
    severity: Severity | None
    """The worst of them; None without problems."""
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
    """Most frequent first; at most `FACET_VALUES`."""


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
    told_trials: int
    """Of the trials those that only a published report counts."""
    gpu_hours: float | None
    """GPU-hours."""
    with_gpu_hours: int
    """Runs whose GPU-hours are known."""
    with_start: int
    """Runs whose start is known."""
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
class ArchiveScripts:
    """Site paths of the scripts about all runs that a page names itself; `columns` leads to all others."""

    runs: str
    """What the table of runs shows, a column each."""
    columns: str
    """Metrics and settings there are, and the files that hold them."""
    compare: str = ""
    """What leads to each run's own script for comparing; empty where there is none."""
    terms: Mapping[Lang, str] = field(default_factory=dict)
    """Language to the script that explains metrics and settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of the table that every archive may have."""

    id: str
    """As in the address."""
    kind: str
    """How a cell is written: name, status, steps, spark, pass, ema, text, tags, date, problems, or a number's form:
    number, count, fixed, share, bar."""
    shown: bool
    """Whether it is there until another choice is made."""
    first: Literal["ascending", "descending"]
    """Order of the first click."""
    grouped: bool = False
    """Whether runs are ranked within one meaning of the reward only."""

    @property
    def title(self) -> Text:
        """Heading."""
        return ui(f"index.col-{self.id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """View model of `list/<n>.html`: a plain part of all runs, for readers without scripts."""

    head: PageHead
    """Its head."""
    number: int
    """1 for the first."""
    pages: tuple[str, ...]
    """Site paths of all parts."""
    first: int
    """Number of its first run, from 1."""
    total: int
    """All runs."""
    rows: tuple[IndexRow, ...]
    """Its runs, newest first."""


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
    """Newest first, at most `FIRST_ROWS`."""
    lists: tuple[str, ...]
    """Site paths of the plain list of all runs; empty when all are in the page."""
    meanings: tuple[Text, ...]
    """The different things that reward means here, most runs first."""
    spark_range: tuple[float, float]
    """The range that all sparklines share."""
    columns: tuple[Column, ...]
    """Columns there are: those of every index, and those that have a value for some run."""
    data: ArchiveScripts
    """Scripts about all runs."""

    @property
    def shown(self) -> frozenset[str]:
        """Ids of the columns that are there until another choice is made."""
        return frozenset(column.id for column in self.columns if column.shown)

    def config(self, lang: Lang) -> dict[str, Any]:
        """What the page's scripts need to know beside the data: columns, words, where the data are."""
        low, high = (fmt.number(value, 3) for value in self.spark_range)
        return {
            "rows": FIRST_ROWS,
            "levels": SPARK_LEVELS,
            "data": self.data.columns,
            "terms": self.data.terms.get(lang, ""),
            "columns": [
                {
                    "id": column.id,
                    "kind": column.kind,
                    "label": column.title.format(low=low, high=high).of(lang),
                    "shown": column.shown,
                    "first": column.first,
                    "grouped": column.grouped,
                }
                for column in self.columns
            ],
            "texts": {key: pair.of(lang) for key, pair in ui_strings().items() if key.startswith("runs.")},
        }


def index_page(rows: Sequence[RunRow], site: SiteContext, data: ArchiveScripts) -> IndexPage:
    """The view model of the index."""
    ordered = newest_first(rows)
    meanings = _meanings(ordered)
    span = spark_range(ordered)
    names = {item.id: item.title for item in site.glossary.frameworks}
    return IndexPage(
        head=PageHead(
            path="index.html",
            title=site.settings.title,
            description=site.settings.description or ui("index.description", runs=len(rows)),
            area="runs",
            scripts=(site.assets["index.js"], data.runs) if rows else (),
        ),
        totals=totals(rows),
        facets=_facets(ordered, names),
        rows=index_rows(ordered, site, slice(FIRST_ROWS)),
        lists=_list_paths(len(rows)),
        meanings=tuple(meaning_text(meaning, names) for meaning in meanings),
        spark_range=span,
        columns=tuple(column for column, pick in COLUMNS if any(pick(row) not in (None, (), []) for row in rows)),
        data=data,
    )


def index_rows(ordered: Sequence[RunRow], site: SiteContext, part: slice) -> tuple[IndexRow, ...]:
    """Some of the rows, newest first."""
    drawing = _Drawing(
        span=spark_range(ordered),
        points=spark_points(len(ordered)),
        names={item.id: item.title for item in site.glossary.frameworks},
        common_tags=shared_tags(ordered),
    )
    return tuple(_row(run, drawing) for run in ordered[part])


def list_pages(rows: Sequence[RunRow], site: SiteContext) -> Iterator[ListPage]:
    """The parts of the plain list of all runs; none when the index holds them all."""
    paths = _list_paths(len(rows))
    ordered = newest_first(rows)
    for number, path in enumerate(paths, 1):
        first = (number - 1) * LIST_ROWS
        yield ListPage(
            head=PageHead(path=path, title=ui("index.list-title", n=number, all=len(paths)), area="runs"),
            number=number,
            pages=paths,
            first=first + 1,
            total=len(rows),
            rows=index_rows(ordered, site, slice(first, first + LIST_ROWS)),
        )


def _list_paths(runs: int) -> tuple[str, ...]:
    parts = -(-runs // LIST_ROWS) if runs > FIRST_ROWS else 0
    return tuple(f"list/{number}.html" for number in range(1, parts + 1))


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
        told_trials=sum(row.trials or 0 for row in rows if "trials" in row.published),
        gpu_hours=math.fsum(hours) if hours else None,
        with_gpu_hours=len(hours),
        with_start=len(starts),
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


def spark_points(runs: int) -> int:
    """Most points of a sparkline: fewer where there are many."""
    return 60 if runs <= 200 else 30


def spark_codes(spark: Spark, span: tuple[float, float], points: int, checkpoint: int | None) -> str:
    """A sparkline as text: place and height of the selected checkpoint's ring, then of each point.

    Of a point: place, raw and smoothed height. Each is a character: `SPARK_LEVELS`, or `SPARK_GAP` for none.
    """
    first, last = spark.step[0], spark.step[-1]
    most = len(SPARK_LEVELS) - 1

    def x(step: int) -> str:
        return SPARK_LEVELS[round(most * ((step - first) / (last - first) if last > first else 0.5))]

    def y(value: float | None) -> str:
        return SPARK_GAP if value is None else SPARK_LEVELS[round(most * fmt.ratio(value - span[0], span[1] - span[0]))]

    ring = next((value for step, value in zip(spark.step, spark.ema, strict=True) if step == checkpoint), None)
    head = SPARK_GAP * 2 if ring is None or checkpoint is None else x(checkpoint) + y(ring)
    kept = thinned(spark.raw, points)
    return head + "".join(x(spark.step[i]) + y(spark.raw[i]) + y(spark.ema[i]) for i in kept)


def draw_spark(spark: Spark, span: tuple[float, float], points: int, checkpoint: int | None) -> SparkDrawing:
    """A sparkline's paths, as the scripts draw them from its codes; gaps are not bridged."""
    codes = spark_codes(spark, span, points, checkpoint)
    most = len(SPARK_LEVELS) - 1

    def x(code: str) -> float:
        return 2 + (SPARK_WIDTH - 4) * SPARK_LEVELS.index(code) / most

    def y(code: str) -> float | None:
        at = SPARK_LEVELS.find(code)
        return None if at < 0 else SPARK_HEIGHT - 2 - (SPARK_HEIGHT - 4) * at / most

    places = [x(code) for code in codes[2::3]]
    ring = y(codes[1])
    return SparkDrawing(
        raw=_path(list(zip(places, map(y, codes[3::3]), strict=True))),
        ema=_path(list(zip(places, map(y, codes[4::3]), strict=True))),
        checkpoint=None if ring is None else (x(codes[0]), ring),
        last=spark.raw[-1],
        best=max(value for value in spark.raw if value is not None),
    )


def _path(points: Sequence[tuple[float, float | None]]) -> str:
    """An SVG path in half pixels, relative to keep it short; a value between two gaps is a dot, thicker than a line."""
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
    return "".join(parts).replace("h0l", "l").replace("h0", SPARK_DOT).replace(" -", "-")


def newest_first(rows: Sequence[RunRow]) -> list[RunRow]:
    """The rows by start, newest first, those without a clock last; then by address."""
    return sorted(rows, key=lambda row: (row.facts.started is None, -(row.facts.started or 0.0), row.slug))


def _meanings(rows: Sequence[RunRow]) -> list[tuple[str, str]]:
    """The different meanings of reward, most runs first, then by name."""
    counts = Counter(row.reward_meaning for row in rows if row.facts.reward_metric)
    return sorted(counts, key=lambda meaning: (-counts[meaning], meaning))


def meaning_text(meaning: tuple[str, str], names: Mapping[str, Text]) -> Text:
    """What a reward means, in words: framework and logged name."""
    framework, metric = meaning
    title = names.get(framework, same(framework)) if framework else ui("runs.unknown-framework")
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
    names: Mapping[str, Text]
    """Framework to its name."""
    common_tags: frozenset[str]
    """Tags that every run has."""


def _row(run: RunRow, drawing: _Drawing) -> IndexRow:
    severity: Severity | None = "error" if run.errors else "warning" if run.warnings else "info" if run.infos else None
    return IndexRow(
        run=run,
        page=run_page(run.slug),
        sources=run_page(run.slug, "sources"),
        about=_about(run, drawing.names),
        spark=draw_spark(run.spark, drawing.span, drawing.points, run.checkpoint_step) if run.spark else None,
        problems=run.errors + run.warnings + run.infos,
        severity=severity,
        tags=tuple(tag for tag in run.tags if tag not in drawing.common_tags)[:4],
    )


def _about(run: RunRow, names: Mapping[str, Text]) -> Text:
    parts = [
        names.get(run.framework, same(run.framework)) if run.framework else None,
        *(same(value) if value else None for value in (_base_model(run), _dataset(run), run.facts.algorithm)),
    ]
    given = [part for part in parts if part]
    return Text(" · ".join(part.en for part in given), " · ".join(part.zh for part in given))


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
    ("framework", "runs.framework", lambda run: _one(run.framework)),
    ("status", "runs.status", lambda run: [run.facts.status]),
    ("model", "runs.model", lambda run: _one(_base_model(run))),
    ("data", "runs.data", lambda run: _one(_dataset(run))),
    ("algorithm", "runs.algorithm", lambda run: _one(run.facts.algorithm)),
    ("tag", "runs.tag", lambda run: list(run.tags)),
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
        values = sorted(counts, key=lambda value: (-counts[value], value))[:FACET_VALUES]
        made.append(
            Facet(
                id=facet,
                title=ui(title),
                values=tuple(
                    FacetValue(
                        value=value,
                        label=facet_label(facet, value, names),
                        count=counts[value],
                        share=counts[value] / len(rows),
                    )
                    for value in values
                ),
            )
        )
    return tuple(made)


def facet_label(facet: str, value: str, names: Mapping[str, Text]) -> Text:
    """A filter's value as it is shown."""
    if facet == "status":
        return ui(f"status.{value}")
    if facet == "framework":
        return names.get(value, same(value))
    return same(value)


# ---------------------------------------------------------------- columns


def _column(id: str, kind: str, **more: Any) -> Column:
    text = kind in ("name", "status", "text", "tags")
    return Column(id=id, kind=kind, **({"shown": True, "first": "ascending" if text else "descending"} | more))


COLUMNS: tuple[tuple[Column, Callable[[RunRow], Any]], ...] = (
    (_column("run", "name"), lambda run: run.title),
    (_column("status", "status"), lambda run: run.facts.status),
    (_column("steps", "steps"), lambda run: run.facts.steps_done),
    (_column("reward", "spark", grouped=True), lambda run: run.slug),
    (_column("ema", "ema", grouped=True), lambda run: run.checkpoint_ema),
    (_column("trials", "count"), lambda run: run.trials),
    (_column("solved", "share"), lambda run: run.success_rate),
    (_column("exceptions", "share"), lambda run: run.exception_rate),
    (_column("step", "number"), lambda run: run.step_s),
    (_column("started", "date"), lambda run: run.facts.started),
    (_column("problems", "problems"), lambda run: run.slug),
    (_column("pass", "pass", grouped=True, shown=False), lambda run: run.best_pass),
    (_column("entropy", "number", shown=False), lambda run: run.entropy),
    (_column("waiting", "bar", shown=False), lambda run: run.waiting_share),
    (_column("gpu", "number", shown=False), lambda run: run.facts.gpu_hours),
    (_column("jobs", "count", shown=False, first="descending"), lambda run: run.jobs),
    (_column("framework", "text", shown=False), lambda run: run.framework),
    (_column("model", "text", shown=False), lambda run: run.facts.base_model),
    (_column("data", "text", shown=False), lambda run: run.facts.dataset),
    (_column("algorithm", "text", shown=False), lambda run: run.facts.algorithm),
    (_column("tag", "tags", shown=False), lambda run: run.tags),
)
"""The columns in the order of the table, and what tells whether a run has a value. Those of no run are left out."""
