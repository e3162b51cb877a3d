"""Inference engines: the glance on the overview and the page of their own."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.analyse.engines import EngineGroup, EngineMean, EngineSummary
from sitegen.glossary.places import LABELS
from sitegen.pages.base import PageHead
from sitegen.pages.run_cards import chart_cards, data_file
from sitegen.pages.run_course import verdict_text
from sitegen.pages.run_header import RunHeader, run_header
from sitegen.pages.run_published import ENGINE_FIELDS, published_engines
from sitegen.pages.run_view import (
    Cell,
    ChartCard,
    RunInput,
    Table,
    Voice,
    column,
    label_cell,
    number_cell,
    percent_of,
    text_cell,
)

TEMPLATE = "pages/run_engines.html"
GAUGE_JOBS = 3
"""Most jobs shown side by side on the overview."""
ALL_FIELDS = ("running", "waiting", "generation_tps", "prompt_tps", "kv_cache_pct", "prefix_hit_pct")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """One mean as a bar."""

    mean: str
    """Mean over samples."""
    mean_width: str
    """Width of its bar."""
    max_width: str
    """Width of the largest value behind it; empty without one."""
    note: str
    """The largest value in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugeRow:
    """One engine field across jobs."""

    field: str
    """Column of the engine table, for the glossary."""
    label: str
    """Its name."""
    term: str
    """Id of the glossary entry that explains it."""
    unit: str
    """Its unit, or the number of slots."""
    gauges: tuple[Gauge | None, ...]
    """One per job shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginesView:
    """Engines at a glance."""

    sentence: str
    """Requests running and waiting."""
    jobs: tuple[str, ...]
    """Heads of the columns."""
    rows: tuple[GaugeRow, ...]
    """Fields; empty when only a report knows them."""
    published: Table | None
    """Means of a report."""
    remark: str
    """What the population is, and what the log hides."""

    @property
    def draws_largest(self) -> bool:
        """Whether a bar shows a largest value too."""
        return any(gauge is not None and gauge.max_width for row in self.rows for gauge in row.gauges)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunEngines:
    """The engines page."""

    head: PageHead
    """For `base.html`."""
    header: RunHeader
    """The run."""
    glance: EnginesView
    """As on the overview."""
    cards: tuple[ChartCard, ...]
    """Charts over time."""
    table: Table
    """Means per job, idle samples counted and left out."""
    activity: Table
    """Samples, share idle, share with waiting requests, per job."""
    downloads: tuple[tuple[str, str], ...]
    """File name and link."""


def engines_view(given: RunInput, voice: Voice) -> EnginesView | None:
    """Engines at a glance; None when nothing is known of them."""
    engines = given.analysis.engines
    if engines is None:
        table = published_engines(given, voice)
        if table is None:
            return None
        sentence = voice.say("engines.published")
        return EnginesView(sentence=sentence, jobs=(), rows=(), published=table, remark="")
    groups = engines.by_job if 0 < len(engines.by_job) <= GAUGE_JOBS else (engines.overall,)
    return EnginesView(
        sentence=engines_sentence(engines, voice),
        jobs=tuple(voice.say("all-jobs") if group.job is None else group.job for group in groups),
        rows=tuple(row for name in ENGINE_FIELDS if (row := _gauge_row(name, groups, engines, voice))),
        published=None,
        remark=_remark(given, engines, voice),
    )


def engines_sentence(engines: EngineSummary, voice: Voice) -> str:
    """Requests running and waiting per engine."""
    running, waiting = _mean(engines.overall, "running"), _mean(engines.overall, "waiting")
    if running is None or running.mean is None:
        return voice.say("engines.samples", n=voice.count(engines.overall.samples))
    key = "engines.sentence" if engines.max_num_seqs is None else "engines.sentence-slots"
    return voice.say(
        key,
        running=voice.number(running.mean, 3),
        slots=voice.count(engines.max_num_seqs),
        waiting=voice.number(waiting.mean if waiting else None, 3),
    )


def _remark(given: RunInput, engines: EngineSummary, voice: Voice) -> str:
    remarks = [verdict_text(given, voice), voice.say("engines.remark", n=voice.count(engines.overall.samples))]
    if engines.hidden_repeats:
        remarks.append(voice.say("engines.hidden", n=voice.count(engines.hidden_repeats)))
    return (" " if voice.lang == "en" else "").join(part for part in remarks if part)


def _mean(group: EngineGroup, name: str) -> EngineMean | None:
    return next((item for item in group.fields if item.field == name and item.count), None)


def _gauge_row(name: str, groups: tuple[EngineGroup, ...], engines: EngineSummary, voice: Voice) -> GaugeRow | None:
    means = [_mean(group, name) for group in groups]
    if not any(means):
        return None
    slots = engines.max_num_seqs if name == "running" else None
    if name.endswith("_pct"):
        whole = 100.0
    elif slots is not None:
        whole = float(slots)
    elif name == "waiting":
        whole = 2 * max((item.mean or 0.0) for item in means if item) or 1.0
    else:
        whole = max((item.max or item.mean or 0.0) for item in means if item) or 1.0
    unit = voice.say("engine.slots", n=voice.count(slots)) if slots is not None else voice.say(f"unit.{name}")
    return GaugeRow(
        field=name,
        label=voice.say(f"engine.{name}"),
        term=LABELS[f"engine.{name}"],
        unit=unit,
        gauges=tuple(_gauge(item, name, whole, voice) for item in means),
    )


def _gauge(item: EngineMean | None, name: str, whole: float, voice: Voice) -> Gauge | None:
    if item is None or item.mean is None:
        return None
    draws_max = name != "waiting" and item.max is not None
    return Gauge(
        mean=voice.number(item.mean, 3),
        mean_width=percent_of(item.mean, 0.0, whole),
        max_width=percent_of(item.max or 0.0, 0.0, whole) if draws_max else "",
        note="" if item.max is None else voice.say("engine.largest", value=voice.number(item.max, 3)),
    )


def run_engines(given: RunInput, voice: Voice, head: PageHead) -> RunEngines:
    """The page's view model; the run has engine samples."""
    engines, glance = given.analysis.engines, engines_view(given, voice)
    assert engines is not None
    assert glance is not None
    groups = (*engines.by_job, engines.overall) if len(engines.by_job) > 1 else (engines.overall,)
    return RunEngines(
        head=head,
        header=run_header(given, voice, "engines"),
        glance=glance,
        cards=chart_cards(given, voice, given.section("engines", "engines-page"), small=False),
        table=_means_table(groups, voice),
        activity=_activity_table(groups, voice),
        downloads=(("engines.csv", voice.urls.to(data_file(given.run.slug, "engines.csv"))),),
    )


def _job_cell(group: EngineGroup, voice: Voice) -> Cell:
    return text_cell(voice.say("all-jobs")) if group.job is None else Cell(text=group.job, kind="code")


def _means_table(groups: tuple[EngineGroup, ...], voice: Voice) -> Table:
    rows = []
    for group in groups:
        for name in ALL_FIELDS:
            item = _mean(group, name)
            if item is None:
                continue
            values = ((item.mean, 4), (item.active_mean, 4), (item.max, 4))
            rows.append(
                (
                    _job_cell(group, voice),
                    label_cell(voice, f"engine.{name}", note=voice.say(f"unit.{name}")),
                    *(number_cell(value, voice.number(value, digits)) for value, digits in values),
                    number_cell(item.count, voice.count(item.count)),
                )
            )
    titles = (("job", False), ("field", False), ("mean", True), ("active-mean", True), ("max", True), ("samples", True))
    return Table(
        id="engine-means",
        caption=voice.say("engines.means"),
        columns=tuple(column(voice, f"col.{name}", numeric=numeric) for name, numeric in titles),
        rows=tuple(rows),
        sortable=True,
    )


def _activity_table(groups: tuple[EngineGroup, ...], voice: Voice) -> Table:
    titles = (("job", False), ("samples", True), ("idle", True), ("some-waiting", True))
    return Table(
        id="engine-activity",
        caption=voice.say("engines.activity"),
        columns=tuple(column(voice, f"col.{name}", numeric=numeric) for name, numeric in titles),
        rows=tuple(
            (
                _job_cell(group, voice),
                number_cell(group.samples, voice.count(group.samples)),
                number_cell(group.idle_share, voice.percent(group.idle_share)),
                number_cell(group.waiting_share, voice.percent(group.waiting_share)),
            )
            for group in groups
        ),
    )
