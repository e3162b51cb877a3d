"""The overview of a run: what it is, did it work, why, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sitegen import format as fmt
from sitegen.analyse.progress import Curve
from sitegen.analyse.roles import role_metrics
from sitegen.charts.base import Section
from sitegen.charts.drawn import few
from sitegen.charts.metrics import unchanging
from sitegen.pages.base import PageHead, run_page
from sitegen.pages.run_cards import chart_cards, filled, unchanging_line
from sitegen.pages.run_checkpoint import CheckpointView, checkpoint_view
from sitegen.pages.run_config import ConfigView, config_view
from sitegen.pages.run_course import evaluations_sentence, evaluations_table
from sitegen.pages.run_crosscheck import CrossCheckView, crosscheck_view
from sitegen.pages.run_engines import EnginesView, engines_view
from sitegen.pages.run_findings import FindingsView, findings_view
from sitegen.pages.run_header import RunHeader, page_kinds, pass_name, run_header
from sitegen.pages.run_jobs import JobsView, jobs_view
from sitegen.pages.run_outcomes import ErrorsView, TrialsView, errors_view, trials_view
from sitegen.pages.run_published import published_metrics
from sitegen.pages.run_sources import OVERVIEW_PROBLEMS, ProblemsView, differing, document_links, problems_view
from sitegen.pages.run_time import TimeView, published_timing, time_view
from sitegen.pages.run_view import ChartCard, Link, Note, PageKind, RunInput, Table, Unchanging, Voice

TEMPLATE = "pages/run_overview.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartSection:
    """A section that consists of charts."""

    sentence: str
    """Its answer."""
    cards: tuple[ChartCard, ...]
    """Charts."""
    unchanging: tuple[Unchanging, ...] = ()
    """Metrics that need none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunOverview:
    """The overview page. A section is None when the run has nothing for it."""

    head: PageHead
    """For `base.html`."""
    header: RunHeader
    """The run."""
    findings: FindingsView
    """What the rules say."""
    evaluations: Table | None
    """Held-out evaluations."""
    evaluations_sentence: str
    """How many, and how the first one went; empty without any."""
    reward: ChartSection
    """Reward charts."""
    reward_facts: str
    """Metric names used, records, steps logged twice."""
    checkpoint: CheckpointView | None
    """Selection."""
    stability: ChartSection
    """Entropy, gradient norm, loss, …"""
    time: TimeView | None
    """Timing tree."""
    time_cards: tuple[ChartCard, ...]
    """Timing charts."""
    time_published: Table | None
    """Shares only a report gives."""
    freshness: ChartSection
    """Staleness and length."""
    jobs: JobsView | None
    """Launches."""
    errors: ErrorsView | None
    """Exceptions."""
    error_cards: tuple[ChartCard, ...]
    """Exceptions per step."""
    trials: TrialsView | None
    """Trials at a glance."""
    trial_cards: tuple[ChartCard, ...]
    """Turns and outcome."""
    engines: EnginesView | None
    """Engines at a glance."""
    config: ConfigView | None
    """Settings to look at first."""
    published: Table | None
    """Metrics only a report knows."""
    crosscheck: CrossCheckView | None
    """Published numbers against the run."""
    problems: ProblemsView
    """What could not be used as it stands."""
    documents: tuple[Link, ...]
    """Reports and cards."""
    absent: tuple[Note, ...]
    """What a reader would expect and the folder does not have."""
    links: Mapping[PageKind, str]
    """Page kind to link, for the pages that exist."""


def run_overview(given: RunInput, voice: Voice, head: PageHead) -> RunOverview:
    """The page's view model."""
    run = given.run
    kinds = page_kinds(given)
    links = {kind: voice.urls.page_to(run_page(run.slug, kind)) for kind in kinds}
    checkpoint = checkpoint_view(given, voice)
    time, trials = time_view(given, voice), trials_view(given, voice)
    errors = errors_view(given, voice, links.get("trials", ""))
    engines = engines_view(given, voice)
    reward = _charts(given, voice, "reward", reward_sentence(given, voice))
    stability = _charts(given, voice, "stability", stability_sentence(given, voice))
    freshness = _charts(given, voice, "freshness", freshness_sentence(given, voice))
    jobs = jobs_view(given, voice)
    parts: dict[str, object] = {
        "checkpoint": checkpoint,
        "stability": stability.cards,
        "time": time,
        "freshness": freshness.cards,
    }
    parts |= {"jobs": jobs, "errors": errors, "trials": trials, "engines": engines}
    anchors = {"reward", "problems", *(name for name, part in parts.items() if part)}
    return RunOverview(
        head=head,
        header=run_header(given, voice, "index"),
        findings=findings_view(given, voice, anchors, links),
        evaluations=evaluations_table(given, voice),
        evaluations_sentence=evaluations_sentence(given, voice),
        reward=reward,
        reward_facts=_reward_facts(given, voice),
        checkpoint=checkpoint,
        stability=stability,
        time=time,
        time_cards=chart_cards(given, voice, given.section("time"), small=False),
        time_published=published_timing(given, voice),
        freshness=freshness,
        jobs=jobs,
        errors=errors,
        error_cards=chart_cards(given, voice, given.section("errors"), small=False),
        trials=trials,
        trial_cards=chart_cards(given, voice, given.section("trials"), small=False),
        engines=engines,
        config=config_view(given, voice),
        published=published_metrics(given, voice),
        crosscheck=crosscheck_view(given, voice),
        problems=problems_view(run, voice, OVERVIEW_PROBLEMS, differing(given)),
        documents=document_links(run, voice),
        absent=_absent(given, voice),
        links=links,
    )


def _charts(given: RunInput, voice: Voice, section: Section, sentence: str) -> ChartSection:
    charts = given.section(section)
    if section == "reward":
        return ChartSection(sentence=sentence, cards=chart_cards(given, voice, charts, small=False))
    flat = {item.name: item for item in unchanging(given.analysis)}
    still = [chart for chart in charts if all(name in flat for name in chart.metrics)]
    lines = {
        name: f"chart-{chart.id}" + (f"-{at}" if at else "") for chart in still for at, name in enumerate(chart.metrics)
    }
    return ChartSection(
        sentence=sentence,
        cards=filled(chart_cards(given, voice, [chart for chart in charts if chart not in still])),
        unchanging=tuple(unchanging_line(given, voice, flat[name], anchor) for name, anchor in lines.items()),
    )


def reward_sentence(given: RunInput, voice: Voice) -> str:
    """Reward at its first, last and highest step, smoothed or not as it is drawn; what is missing otherwise."""
    curve = given.analysis.curve(given.analysis.facts.reward_metric)
    if not given.analysis.metrics:
        return voice.say("reward.no-steps")
    if curve is None:
        return voice.say("reward.no-reward")
    unsmoothed = few(curve.raw)
    values = curve.raw if unsmoothed else curve.ema
    places = np.flatnonzero(np.isfinite(values))
    if not len(places):
        return voice.say("reward.not-finite")
    first, last = int(places[0]), int(places[-1])
    top = int(places[np.argmax(values[places])])
    if first == last:
        return voice.say("reward.one-step", value=fmt.fixed(float(curve.raw[first]), 3), step=_step(curve, first))
    return voice.say(
        "reward.sentence-raw" if unsmoothed else "reward.sentence",
        first=fmt.fixed(float(values[first]), 3),
        first_step=_step(curve, first),
        last=fmt.fixed(float(values[last]), 3),
        last_step=_step(curve, last),
        top=fmt.fixed(float(values[top]), 3),
        top_step=_step(curve, top),
    )


def _step(curve: Curve, place: int) -> str:
    return fmt.count(float(curve.step[place]))


def _reward_facts(given: RunInput, voice: Voice) -> str:
    """Records, mean reward over all of them, mean pass@k."""
    facts, parts = given.analysis.facts, []
    if facts.rows:
        parts.append(voice.say("reward.rows", rows=voice.count(facts.rows), steps=voice.count(facts.steps_done)))
    if facts.superseded:
        parts.append(voice.say("reward.twice", n=voice.count(facts.superseded)))
    for key, name in (("reward.mean", facts.reward_metric), ("reward.pass-mean", facts.pass_metric)):
        summary = given.analysis.metric(name)
        if summary and summary.mean is not None:
            parts.append(voice.say(key, k=pass_name(summary.name), mean=fmt.fixed(summary.mean, 4)))
    return " · ".join(parts)


def stability_sentence(given: RunInput, voice: Voice) -> str:
    """Entropy from first to last, the largest gradient norm, and metrics that were not finite."""
    names = role_metrics(given.run, given.context.settings)
    parts = []
    entropy = given.analysis.curve(names.get("entropy"))
    if entropy is not None and len(ends := np.flatnonzero(np.isfinite(entropy.raw))) > 1:
        first, last = float(entropy.raw[ends[0]]), float(entropy.raw[ends[-1]])
        parts.append(voice.say("stability.entropy", first=voice.number(first, 3), last=voice.number(last, 3)))
    norm = given.analysis.metric(names.get("grad_norm"))
    if norm and norm.max is not None:
        parts.append(voice.say("stability.norm", value=voice.number(norm.max, 3)))
    if not parts:
        return voice.say("stability.unknown")
    broken = [item for item in given.analysis.metrics if item.non_finite]
    if broken:
        parts.append(voice.say("stability.nonfinite", n=voice.count(len(broken))))
    elif not given.run.absent_or_nonfinite:
        parts.append(voice.say("stability.finite"))
    return voice.sentence(parts)


def freshness_sentence(given: RunInput, voice: Voice) -> str:
    """How old the data are, what was discarded, how long responses are."""
    names = role_metrics(given.run, given.context.settings)
    parts = []
    for name in ("staleness", "length"):
        mean = given.analysis.metric(names.get(f"{name}_mean"))
        most = given.analysis.metric(names.get(f"{name}_max"))
        if mean and mean.mean is not None:
            key, top = (f"freshness.{name}", most) if most else (f"freshness.{name}-means", mean)
            parts.append(voice.say(key, mean=voice.number(mean.mean, 3), max=voice.number(top.max, 4)))
    discarded = given.analysis.metric(names.get("discarded"))
    if discarded and discarded.max == 0:
        parts.append(voice.say("freshness.nothing-discarded"))
    return voice.sentence(parts)


def _absent(given: RunInput, voice: Voice) -> tuple[Note, ...]:
    """One line for each thing a reader would expect and the folder does not have."""
    run, published = given.run, given.run.published
    told = published.trials if published else None
    lacking = []
    if given.analysis.trials is None:
        lacking.append("trials-but-report" if told else "trials")
    if given.analysis.engines is None:
        lacking.append("engines-but-report" if published and published.engines else "engines")
    if run.config is None:
        lacking.append("config")
    if given.analysis.timing is None and given.analysis.metrics:
        lacking.append("timing")
    return tuple(
        Note(tone="note", lead=voice.say(f"absent.{name}"), text=voice.say(f"absent.{name}-text")) for name in lacking
    )
