"""What every page of a run begins with: name, dates, headline numbers, facts, banners, tabs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sitegen import format as fmt
from sitegen.analyse.facts import RunFacts
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.glossary.places import LABELS, algorithm_entry
from sitegen.model.run import Run
from sitegen.pages.base import COMPARE_PATH, run_page
from sitegen.pages.log_entries import has_logs
from sitegen.pages.run_share import Share, run_share
from sitegen.pages.run_view import Fact, Head, Link, Mark, Note, PageKind, RunInput, Tone, Voice

_WANDB_PAGE = re.compile(r"https://[\w.-]+/[\w.-]+/[\w.-]+/runs/[\w-]+", re.ASCII)
"""The address of a run at W&B: all that a name may hold there, so that nothing else of a file becomes a link."""

STATUS_MARKS: dict[str, tuple[str, Tone]] = {
    "finished": ("s-done", "good"),
    "running": ("e-run", "accent"),
    "stopped-early": ("s-stop", "warn"),
    "failed": ("v-bad", "bad"),
    "no-steps": ("s-none", "bad"),
}
"""Status to icon and tone."""

SEVERITY_MARKS: dict[str, tuple[str, Tone]] = {
    "error": ("v-bad", "bad"),
    "warning": ("v-warn", "warn"),
    "info": ("v-note", "note"),
}
"""Severity of a problem to icon and tone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One page of the run."""

    kind: PageKind
    """Which."""
    href: str
    """Relative link."""
    label: str
    """Name."""
    count: str
    """Quiet number behind it; empty for none."""
    current: bool
    """Whether it is this page."""
    mark: Mark | None
    """Severity of the worst problem, on the sources tab."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartMarks:
    """Marks that the run's charts use; the key explains only these."""

    selected: bool
    """A checkpoint was selected."""
    superseded: bool
    """Records off the lineage."""
    jobs: bool
    """More than one job."""
    nonfinite: bool
    """Values logged as NaN or infinite."""
    evaluations: bool = False
    """Held-out evaluations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHeader:
    """Header of a run page."""

    slug: str
    """The run's address."""
    title: str
    """Its name, large."""
    parts: tuple[str, ...]
    """The name in pieces between which a line may break."""
    model: str
    """Base model, short; empty when unknown."""
    when: str
    """Dates and duration; empty when no clock is known."""
    crumbs: tuple[str, ...]
    """Folders above the run."""
    heads: tuple[Head, ...]
    """Two or three headline numbers."""
    facts: tuple[Fact, ...]
    """Small-label facts; on the overview only."""
    banners: tuple[Note, ...]
    """What a reader must know before believing a number."""
    tabs: tuple[Tab, ...]
    """Pages of the run that exist."""
    marks: ChartMarks
    """Which marks the key explains."""
    compare: str
    """Link to the comparison that begins with this run, and with the one that `run.toml` names beside it."""
    share: Share | None = None
    """Texts for linking the run; on the overview only."""


def page_kinds(given: RunInput) -> tuple[PageKind, ...]:
    """The pages that the run has data for, in tab order."""
    return kinds_of(given.run, given.analysis)


def kinds_of(run: Run, analysis: RunAnalysis) -> tuple[PageKind, ...]:
    """The pages that an analysed run has data for, in tab order."""
    kinds: list[PageKind] = ["index"]
    if analysis.metrics or (run.published and run.published.metrics):
        kinds.append("metrics")
    if analysis.trials:
        kinds.append("trials")
    if analysis.engines:
        kinds.append("engines")
    if run.config:
        kinds.append("config")
    if has_logs(run):
        kinds.append("logs")
    kinds.append("sources")
    return tuple(kinds)


def run_header(given: RunInput, voice: Voice, current: PageKind) -> RunHeader:
    """The header of one page."""
    run = given.run
    return RunHeader(
        slug=run.slug,
        title=run.title,
        parts=breakable(run.title),
        model=short_model(given.analysis.facts.base_model),
        when=_when(given, voice),
        crumbs=tuple(run.path.split("/")[:-1]),
        heads=_heads(given, voice),
        facts=_facts(given, voice) if current == "index" else (),
        banners=_banners(run, voice, current),
        tabs=tuple(_tab(given, voice, kind, current) for kind in page_kinds(given)),
        marks=ChartMarks(
            selected=given.analysis.checkpoint.step is not None,
            superseded=given.analysis.facts.superseded > 0,
            jobs=len(run.jobs) > 1,
            nonfinite=any(item.non_finite for item in given.analysis.metrics),
            evaluations=any("evaluation" in chart.datasets["marks"]["kind"] for chart in given.section("reward")),
        ),
        compare=_compare(run, voice),
        share=run_share(given, voice) if current == "index" else None,
    )


def _compare(run: Run, voice: Voice) -> str:
    other = run.settings.compare_to
    slugs = [run.slug, other] if other and other != run.slug else [run.slug]
    return f"{voice.urls.page_to(COMPARE_PATH)}#runs={','.join(slugs)}"


def breakable(name: str) -> tuple[str, ...]:
    """A name cut after every `-`, `_` and `/`, where a line may break."""
    parts: list[str] = [""]
    for char in name:
        parts[-1] += char
        if char in "-_/":
            parts.append("")
    return tuple(part for part in parts if part)


def short_model(name: str | None) -> str:
    """A model's name without its owner or folder; empty when unknown."""
    return (name or "").rstrip("/").rsplit("/", 1)[-1]


def status_mark(facts: RunFacts, voice: Voice) -> Mark:
    """The run's status as shape, tone and word; a guess says so."""
    icon, tone = STATUS_MARKS[facts.status]
    word = voice.shared(f"status.{facts.status}")
    if facts.status_guessed:
        word = voice.shared("status.guessed", status=word)
    return Mark(icon=icon, tone=tone, word=word)


def severity_mark(severity: str, voice: Voice) -> Mark:
    """A problem's severity as shape, tone and word."""
    icon, tone = SEVERITY_MARKS[severity]
    return Mark(icon=icon, tone=tone, word=voice.shared(f"severity.{severity}"))


def worst_severity(run: Run) -> str | None:
    """The worst severity among the run's problems; None without problems."""
    found = {item.severity for item in run.problems}
    return next((severity for severity in SEVERITY_MARKS if severity in found), None)


def _tab(given: RunInput, voice: Voice, kind: PageKind, current: PageKind) -> Tab:
    counts = {
        "metrics": len({item.name for item in given.analysis.metrics}),
        "trials": given.analysis.trials.total if given.analysis.trials else 0,
    }
    count = voice.count(counts[kind]) if counts.get(kind) else ""
    mark = None
    if kind == "sources" and given.run.problems:
        worst = worst_severity(given.run)
        mark = severity_mark(worst, voice) if worst else None
        key = "problems.count-one" if len(given.run.problems) == 1 else "problems.count"
        count = voice.say(key, n=voice.count(len(given.run.problems)))
    return Tab(
        kind=kind,
        href=voice.urls.page_to(run_page(given.run.slug, kind)),
        label=voice.say(f"tab.{kind}"),
        count=count,
        current=kind == current,
        mark=mark,
    )


def _when(given: RunInput, voice: Voice) -> str:
    facts, timing = given.analysis.facts, given.analysis.timing
    parts = []
    if facts.started is not None and facts.finished is not None:
        parts.append(f"{fmt.clock(facts.started, voice.lang)} – {fmt.clock(facts.finished, voice.lang)}")
        parts.append(voice.duration(facts.finished - facts.started))
    elif facts.started is not None:
        parts.append(fmt.clock(facts.started, voice.lang))
    if timing:
        parts.append(voice.say("in-steps", time=voice.duration(timing.total_step_s)))
    return " · ".join(parts)


def _heads(given: RunInput, voice: Voice) -> tuple[Head, ...]:
    heads = [_reward_head(given, voice), _pass_head(given, voice), _solved_head(given, voice)]
    return tuple(head for head in heads if head)


def _reward_head(given: RunInput, voice: Voice) -> Head | None:
    chosen, curve = given.analysis.checkpoint, given.analysis.curve(given.analysis.facts.reward_metric)
    if chosen.step is not None and chosen.ema is not None:
        best = curve.best if curve else None
        return Head(
            label=voice.say("head.ema"),
            term=LABELS["head.ema"],
            value=fmt.fixed(chosen.ema, 3),
            note=voice.say("head.ema-note", step=voice.count(chosen.step), best=fmt.fixed(best, 3)),
        )
    if curve is None or curve.best is None:
        return None
    return Head(
        label=voice.say("head.reward"),
        metric=given.analysis.facts.reward_metric or "",
        value=fmt.fixed(curve.best, 3),
        note=voice.say("head.best-note", step=voice.count(curve.best_step)),
    )


def _pass_head(given: RunInput, voice: Voice) -> Head | None:
    name = given.analysis.facts.pass_metric
    curve, summary = given.analysis.curve(name), given.analysis.metric(name)
    if name is None or curve is None or summary is None or curve.best is None:
        return None
    return Head(
        label=voice.say("head.pass", k=pass_name(name)),
        metric=name,
        value=fmt.fixed(curve.best, 3),
        note=voice.say("head.pass-note", step=voice.count(curve.best_step), mean=fmt.fixed(summary.mean, 3)),
    )


def pass_name(metric: str) -> str:
    """`pass@8` from `reward/avg_pass_at_8`; `pass@k` where the name has no number."""
    digits = ""
    for char in reversed(metric):
        if not char.isdigit():
            break
        digits = char + digits
    return f"pass@{digits or 'k'}"


def _solved_head(given: RunInput, voice: Voice) -> Head | None:
    trials, published = given.analysis.trials, given.run.published
    if trials and trials.success_rate is not None and 2 * trials.graded < trials.total:
        return Head(
            label=voice.say("head.solved-of-all"),
            term=LABELS["head.solved"],
            value=voice.say("head.of", part=voice.count(trials.successes), whole=voice.count(trials.total)),
            note=voice.say(
                "head.of-few-graded", share=voice.percent(trials.success_rate), whole=voice.count(trials.graded)
            ),
        )
    if trials and trials.success_rate is not None:
        return Head(
            label=voice.say("head.solved"),
            term=LABELS["head.solved"],
            value=fmt.percentage(trials.success_rate),
            unit="%",
            note=voice.say("head.of-graded", part=voice.count(trials.successes), whole=voice.count(trials.graded)),
        )
    told = published.trials if published else None
    if trials or told is None or told.success_rate is None:
        return None
    return Head(
        label=voice.say("head.solved"),
        term=LABELS["head.solved"],
        value=fmt.percentage(told.success_rate),
        unit="%",
        note=voice.say("head.published-of", whole=voice.count(told.graded)),
        published=True,
    )


def _facts(given: RunInput, voice: Voice) -> tuple[Fact, ...]:
    run, facts = given.run, given.analysis.facts
    batch = "" if facts.batch_size is None else voice.count(facts.batch_size)
    if batch and facts.samples_per_prompt is not None:
        batch = f"{batch} × {voice.count(facts.samples_per_prompt)}"
    mark = status_mark(facts, voice)
    made = [
        Fact(
            label=voice.say("fact.status"),
            value=mark.word,
            note=voice.shared(f"status.basis.{facts.status_basis}"),
            mark=mark,
            term=LABELS["fact.status"],
        ),
        Fact(label=voice.say("fact.jobs"), value=voice.count(len(run.jobs)) if run.jobs else ""),
        _steps_fact(facts, voice),
        _trials_fact(given, voice),
        Fact(label=voice.say("fact.framework"), value=_framework(run, voice)),
        Fact(label=voice.say("fact.base-model"), value=facts.base_model or "", code=True),
        Fact(label=voice.say("fact.dataset"), value=facts.dataset or "", code=True),
        Fact(
            label=voice.say("fact.algorithm"),
            value=facts.algorithm or "",
            value_term=algorithm_entry(facts.algorithm),
        ),
        Fact(label=voice.say("fact.batch"), value=batch, term=LABELS["fact.batch"]),
        Fact(label=voice.say("fact.lr"), value="" if facts.learning_rate is None else fmt.setting(facts.learning_rate)),
        Fact(label=voice.say("fact.engines"), value="" if facts.engines is None else voice.count(facts.engines)),
        _gpus_fact(given, voice),
        Fact(label=voice.say("fact.tags"), value=voice.listing(_tags(run))),
        Fact(label=voice.say("fact.links"), value="", links=_links(run)),
    ]
    return tuple(fact for fact in made if fact.value or fact.links)


def _tags(run: Run) -> tuple[str, ...]:
    """Tags of `run.toml` and of the model card, as the table of runs has them."""
    return tuple(dict.fromkeys((*run.settings.tags, *(run.card.tags if run.card else ()))))


def _steps_fact(facts: RunFacts, voice: Voice) -> Fact:
    value = voice.count(facts.steps_done)
    if facts.planned_steps is not None:
        value = voice.say("head.of", part=value, whole=voice.count(facts.planned_steps))
    notes = [voice.say("fact.redone", n=voice.count(facts.superseded))] if facts.superseded else []
    if facts.last_step is not None and facts.last_step > facts.steps_done:
        notes.append(voice.say("fact.last-step", step=voice.count(facts.last_step)))
    return Fact(label=voice.say("fact.steps"), value=value, note=voice.listing(notes))


def _trials_fact(given: RunInput, voice: Voice) -> Fact:
    trials, published = given.analysis.trials, given.run.published
    told = published.trials if published else None
    if trials:
        return Fact(label=voice.say("fact.trials"), value=voice.count(trials.total), term=LABELS["fact.trials"])
    if told and told.total is not None:
        return Fact(label=voice.say("fact.trials"), value=voice.count(told.total), note=voice.say("published"))
    return Fact(label=voice.say("fact.trials"), value="")


def _framework(run: Run, voice: Voice) -> str:
    if run.framework is None:
        return ""
    name = FRAMEWORK_NAMES.get(run.framework, run.framework)
    return voice.say("framework-guessed", name=name) if run.framework_guessed else name


FRAMEWORK_NAMES = {
    "skyrl": "SkyRL",
    "verl": "verl",
    "xtuner": "XTuner",
    "trl": "TRL",
    "openrlhf": "OpenRLHF",
    "slime": "slime",
    "nemo-rl": "NeMo-RL",
    "areal": "AReaL",
    "prime-rl": "prime-rl",
    "tinker": "Tinker",
    "llamafactory": "LLaMA-Factory",
}
"""Framework id to the name its makers use."""


def _gpus_fact(given: RunInput, voice: Voice) -> Fact:
    facts, spent = given.analysis.facts, given.analysis.spending
    value = "" if facts.gpus is None else voice.count(facts.gpus)
    note = "" if facts.gpu_hours is None else voice.say("fact.gpu-hours", n=voice.count(round(facts.gpu_hours)))
    if facts.gpu_hours is not None and spent is not None and spent.cost is not None:
        cost = " ".join(part for part in (voice.count(round(spent.cost)), spent.currency) if part)
        note = voice.say("fact.cost", n=voice.count(round(facts.gpu_hours)), cost=cost)
    return Fact(label=voice.say("fact.gpus"), value=value, note=note)


def _links(run: Run) -> tuple[Link, ...]:
    """The links of its `run.toml`, and the address at W&B that its files name."""
    links = dict(run.settings.links)
    tracker = run.facts.get("wandb_url")
    if isinstance(tracker, str) and _WANDB_PAGE.fullmatch(tracker) and tracker not in links.values():
        links.setdefault("W&B", tracker)
    return tuple(
        Link(href=url, text=label, external=True)
        for label, url in links.items()
        if url.startswith(("https://", "http://"))
    )


def _banners(run: Run, voice: Voice, page: PageKind) -> tuple[Note, ...]:
    """All of them on the overview; on the other pages those that bear on what the page shows."""
    banners = []
    notes = (run.settings.notes or "") if page == "index" else ""
    if "synthetic" in run.settings.tags:
        about = notes if "synthetic" in notes.lower() else ""
        banners.append(replace(_banner(voice, "synthetic", "warn"), quote=about))
        notes = "" if about else notes
    if notes:
        banners.append(Note(tone="note", lead=voice.say("banner.note"), text=notes, of_run=True))
    if run.steps_from_report and page in ("index", "metrics"):
        banners.append(_banner(voice, "from-report", "note"))
    if run.absent_or_nonfinite and page in ("index", "metrics"):
        banners.append(_banner(voice, "absent-or-nonfinite", "note"))
    decimals = run.facts.get("rounded_decimals")
    if isinstance(decimals, int) and page == "metrics":
        least = f"{0.5 * 10.0**-decimals:.{decimals + 1}f}"
        banners.append(_banner(voice, "rounded", "note", decimals=voice.count(decimals), least=least))
    if run.config and run.config.assumed and page in ("index", "config", "trials"):
        link = Link(href=voice.urls.page_to(run_page(run.slug, "config")), text=voice.say("tab.config"))
        banners.append(_banner(voice, "assumed", "warn", links=() if page == "config" else (link,)))
    return tuple(banners)


def _banner(voice: Voice, name: str, tone: Tone, *, links: tuple[Link, ...] = (), **values: str) -> Note:
    lead, text = voice.say(f"banner.{name}"), voice.say(f"banner.{name}-text", **values)
    return Note(tone=tone, lead=lead, text=text, links=links)
