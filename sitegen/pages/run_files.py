"""All files of one run: its pages in both languages, the scripts that feed its charts, its downloads.

Nothing here depends on other runs, so a run's files can be cached.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sitegen.analyse.export import (
    TrialColumns,
    engines_csv,
    events_csv,
    steps_csv,
    tasks_csv,
    trial_columns,
    trials_csv,
)
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.base import Chart, Section
from sitegen.glossary.entry import EntryKind
from sitegen.glossary.observed import Observed
from sitegen.model.run import Run
from sitegen.pages import run_config, run_engines, run_logs, run_metrics, run_overview, run_sources, run_trials
from sitegen.pages.archive_data import series_file
from sitegen.pages.base import PageHead, SiteContext, SiteFile, View, render_page, run_page
from sitegen.pages.compare_data import compare_files
from sitegen.pages.embed import embed_pages
from sitegen.pages.row import published_names, raised_names
from sitegen.pages.run_cards import OWN_CSV, chart_csv, chart_csv_path, charts_data, data_file
from sitegen.pages.run_follow import followed_head, social_files
from sitegen.pages.run_header import page_kinds
from sitegen.pages.run_share import card_files
from sitegen.pages.run_view import PageKind, RunInput, Voice
from sitegen.publish.run_json import dump, run_json
from sitegen.render import js_text
from sitegen.text import LANGS, Text, same, ui

PAGE_SECTIONS: Mapping[PageKind, tuple[Section, ...]] = {
    "index": ("reward", "stability", "time", "freshness", "errors", "trials"),
    "metrics": ("metrics",),
    "trials": ("trials", "trials-page"),
    "engines": ("engines", "engines-page"),
    "config": (),
    "logs": (),
    "sources": (),
}
"""Which charts stand on which page."""

TEMPLATES: Mapping[PageKind, str] = {
    "index": run_overview.TEMPLATE,
    "metrics": run_metrics.TEMPLATE,
    "trials": run_trials.TEMPLATE,
    "engines": run_engines.TEMPLATE,
    "config": run_config.TEMPLATE,
    "logs": run_logs.TEMPLATE,
    "sources": run_sources.TEMPLATE,
}
"""Page kind to template."""


def run_files(run: Run, analysis: RunAnalysis, charts: Sequence[Chart], context: SiteContext) -> Iterator[SiteFile]:
    """Every file of the run: `run.json`, downloads, data scripts, then the pages in both languages."""
    given = RunInput(run=run, analysis=analysis, charts=tuple(charts), context=context)
    trials = trial_columns(run, analysis.trials.success_threshold) if analysis.trials else None
    yield SiteFile(path=_json_path(run.slug), content=dump(run_json(run, analysis)))
    downloads: list[str] = []
    for table in _downloads(given):  # one by one: a table of millions of cells is not kept while the pages are made
        downloads.append(table.path)
        yield table
    series = series_file(run, analysis, context.glossary)
    if series is not None:
        yield series
    yield from compare_files(run, analysis, context.glossary)
    yield from card_files(given)
    yield from social_files(given)
    scripts: dict[PageKind, tuple[str, ...]] = {}
    for kind in page_kinds(given):
        made = list(_data_scripts(given, kind, trials))
        yield from made
        scripts[kind] = _ordered(kind, _assets(given, kind), [file.path for file in made])
    yield from embed_pages(given, given.section(*PAGE_SECTIONS["index"]), _head(given, "index", scripts["index"]))
    for lang in LANGS:
        for kind in page_kinds(given):
            head = followed_head(given, kind, _head(given, kind, scripts[kind]), (_json_path(run.slug), *downloads))
            voice = Voice(lang, head.path)
            page = _builders(given, voice, head, trials, tuple(downloads))[kind]()
            yield render_page(TEMPLATES[kind], page, context, lang)


def _builders(
    given: RunInput, voice: Voice, head: PageHead, trials: TrialColumns | None, downloads: tuple[str, ...]
) -> Mapping[PageKind, Callable[[], View]]:
    def trials_page() -> View:
        assert trials is not None
        return run_trials.run_trials(given, voice, head, trials)

    return {
        "index": lambda: run_overview.run_overview(given, voice, head),
        "metrics": lambda: run_metrics.run_metrics(given, voice, head),
        "trials": trials_page,
        "engines": lambda: run_engines.run_engines(given, voice, head),
        "config": lambda: run_config.run_config(given, voice, head),
        "logs": lambda: run_logs.run_logs(given, voice, head),
        "sources": lambda: run_sources.run_sources(given, voice, head, (_json_path(given.run.slug), *downloads)),
    }


def _json_path(slug: str) -> str:
    return f"runs/{slug}/run.json"


def _head(given: RunInput, kind: PageKind, scripts: tuple[str, ...]) -> PageHead:
    run, facts = given.run, given.analysis.facts
    name = same(run.title)
    title = name if kind == "index" else ui("run.title", page=ui(f"run.tab.{kind}"), name=name)
    return PageHead(
        path=run_page(run.slug, kind),
        title=title,
        description=_description(given) if kind == "index" and facts.steps_done else None,
        area="runs",
        framework=run.framework,
        names=_names(given),
        frameworks=run.frameworks,
        observed=_observed(given),
        scripts=scripts,
        run=run.slug,
    )


def _names(given: RunInput) -> dict[str, EntryKind]:
    """What the run logs, what its trials raise, and what its report names."""
    run, analysis = given.run, given.analysis
    found: dict[str, EntryKind] = {item.name: "metric" for item in analysis.metrics}
    found |= dict.fromkeys(published_names(run), "metric")
    return found | dict.fromkeys(raised_names(run, analysis), "exception")


def _observed(given: RunInput) -> dict[str, Observed]:
    """The values of each metric of the training records, else of the evaluation records."""
    made = {}
    for item in reversed(given.analysis.metrics):
        if item.min is not None and item.max is not None:
            made[item.name] = Observed(
                low=item.min, high=item.max, whole=item.whole, never_falls=item.never_falls, count=item.count
            )
    return made


def _description(given: RunInput) -> Text:
    voices = [Voice(lang, run_page(given.run.slug)) for lang in LANGS]
    steps = [voice.say("description", n=voice.count(given.analysis.facts.steps_done)) for voice in voices]
    rewards = [run_overview.reward_sentence(given, voice) for voice in voices]
    return Text(f"{steps[0]} {rewards[0]}", f"{steps[1]}{rewards[1]}")


def _ordered(kind: PageKind, assets: Sequence[str], data: Sequence[str]) -> tuple[str, ...]:
    """Scripts in the order in which they run: the table of trials does not wait for the drawing of charts."""
    if kind != "trials":
        return (*assets, *data)
    return (*assets[-1:], *data[-1:], *assets[:-1], *data[:-1])


def _assets(given: RunInput, kind: PageKind) -> tuple[str, ...]:
    """Site paths of the shared scripts that a page needs."""
    assets = given.context.assets
    names = []
    if given.section(*PAGE_SECTIONS[kind]):
        names += ["vega.js", "charts.js"]
    names.append("run.js")
    return tuple(assets[name] for name in names if name in assets)


def _data_scripts(given: RunInput, kind: PageKind, trials: TrialColumns | None) -> Iterator[SiteFile]:
    charts = given.section(*PAGE_SECTIONS[kind])
    if charts:
        yield _script(given.run.slug, "overview" if kind == "index" else kind, "charts", charts_data(given, charts))
    if kind == "trials" and trials is not None:
        analysis = given.analysis
        assert analysis.trials is not None
        data = run_trials.trials_data(trials, analysis.trials, analysis.halves)
        yield _script(given.run.slug, "trials-table", "trials", data)


def _script(slug: str, name: str, key: str, payload: Mapping[str, Any]) -> SiteFile:
    """A classic script that registers data; its name carries a hash of its content."""
    content = f"sitegen.register({js_text(key)},{js_text(_plain(payload))});\n".encode()
    digest = hashlib.sha256(content).hexdigest()[:10]
    return SiteFile(path=data_file(slug, f"{name}.{digest}.js"), content=content)


def _plain(value: Any) -> Any:
    """Mappings and sequences of any kind as what JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return (
            [_plain(item) for item in value]
            if any(isinstance(v, Mapping | tuple | list) for v in value)
            else list(value)
        )
    return value


def _downloads(given: RunInput) -> Iterator[SiteFile]:
    """CSV files: per chart of the leading sections, then the tables as they were read."""
    run, analysis = given.run, given.analysis
    for chart in given.charts:
        own = chart.section in OWN_CSV or chart.section.endswith("-page")
        if own and chart.section != "engines-page":  # their samples are all in engines.csv
            yield SiteFile(path=chart_csv_path(run.slug, chart), content=chart_csv(chart))
    if analysis.metrics:
        yield SiteFile(path=data_file(run.slug, "metrics.csv"), content=run_metrics.metrics_csv(analysis.metrics))
        yield SiteFile(path=data_file(run.slug, "steps.csv"), content=steps_csv(run, analysis))
    if analysis.trials:
        yield SiteFile(path=data_file(run.slug, "trials.csv"), content=trials_csv(run))
        yield SiteFile(path=data_file(run.slug, "tasks.csv"), content=tasks_csv(analysis))
    if analysis.engines:
        yield SiteFile(path=data_file(run.slug, "engines.csv"), content=engines_csv(run))
    if run.events:
        yield SiteFile(path=data_file(run.slug, run_logs.EVENTS_FILE), content=events_csv(run))
