"""What trials came to, as far as overview and trials page share it: exceptions, outcomes, turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from sitegen import format as fmt
from sitegen.analyse.trials import ExceptionGroup, TrialSummary, treatment_of
from sitegen.model.run import PublishedTrials
from sitegen.pages.run_course import funnel_more
from sitegen.pages.run_view import (
    Cell,
    RunInput,
    Table,
    Voice,
    column,
    exception_cell,
    number_cell,
    percent_of,
    text_cell,
)

TREATMENT_FILLS = {
    "passthrough": "tr-pass",
    "mask": "tr-mask",
    "zero": "tr-zero",
    "not-classified": "tr-retry",
    "not-stated": "tr-none",
}
"""Treatment to the class of its swatch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRow:
    """One exception type."""

    name: str
    """As given."""
    count: str
    """Trials."""
    raw: int
    """Trials, for sorting."""
    share: str
    """Of all trials, per cent."""
    width: str
    """Width of its bar against the most frequent type."""
    fill: str
    """Class of bar and swatch; empty when the treatment is not known."""
    treatment: str
    """What the configuration does with it."""
    note: str
    """Something about it that surprises."""
    href: str
    """Trials that ended so; empty without a trials page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorsView:
    """The errors section."""

    sentence: str
    """Share of trials with an exception, and the most frequent type."""
    rows: tuple[ErrorRow, ...]
    """Most frequent first."""
    published: bool
    """True when the counts were read in a report."""
    note: str
    """Where the treatment comes from."""
    other_count: str = ""
    """What the chart of exceptions per step counts, where that is not what the table counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialsView:
    """Trials at a glance."""

    sentence: str
    """Solve rate and turns by outcome."""
    steps: tuple[tuple[str, str, str], ...]
    """From attempt to grade: label, count, loss against the line before."""
    groups: Table
    """Turns by outcome and exception."""
    published: bool
    """True when the numbers were read in a report."""
    threshold: str
    """What counts as solved, that partial rewards make it lenient, and over which trials."""
    groups_note: str
    """Whom the table of groups counts."""
    total: str
    """Trials, formatted."""


def errors_view(given: RunInput, voice: Voice, trials_page: str) -> ErrorsView | None:
    """The errors section; None when no trial is known."""
    trials, published = given.analysis.trials, given.run.published
    if trials:
        groups = [group for group in trials.exceptions if group.name != "none"]
        return ErrorsView(
            sentence=errors_sentence([(g.name, g.count) for g in groups], trials.total, voice),
            rows=tuple(_error_row(group, groups, trials_page, voice) for group in groups),
            published=False,
            note=voice.sentences((trials_origin(given, voice), _treatment_note(given, voice) if groups else "")),
            other_count=_other_count(given, trials, voice),
        )
    told = published.trials if published else None
    if told is None or not told.exceptions:
        return None
    counts = sorted(((n, c) for n, c in told.exceptions.items() if n != "none"), key=lambda pair: -pair[1])
    total = told.total or sum(told.exceptions.values())
    return ErrorsView(
        sentence=errors_sentence(counts, total, voice),
        rows=tuple(_published_row(name, count, counts[0][1], total, given, voice) for name, count in counts),
        published=True,
        note=_treatment_note(given, voice),
    )


def _published_row(name: str, count: int, most: int, total: int, given: RunInput, voice: Voice) -> ErrorRow:
    treatment, twice = treatment_of(name, given.run.config)
    return ErrorRow(
        name=name,
        count=voice.count(count),
        raw=count,
        share=fmt.percentage(count / total if total else None),
        width=percent_of(count, 0, most),
        fill=TREATMENT_FILLS[treatment],
        treatment=voice.say(f"treatment.{treatment}"),
        note=voice.say("errors.listed-twice") if twice else "",
        href="",
    )


def _treatment_note(given: RunInput, voice: Voice) -> str:
    config = given.run.config
    return voice.say("errors.assumed") if config and config.assumed else ""


def _other_count(given: RunInput, trials: TrialSummary, voice: Voice) -> str:
    """The trials of the table against those of the batches; empty when both tell of as many exceptions."""
    batches = given.analysis.batch_exceptions
    if batches is None or batches.exceptions == sum(g.count for g in trials.exceptions if g.name != "none"):
        return ""
    told = voice.say(
        "errors.two-counts" if batches.attempted is not None else "errors.two-counts-short",
        total=voice.count(trials.total),
        steps=voice.count(batches.steps),
        attempted=voice.count(batches.attempted),
        n=voice.count(batches.exceptions),
    )
    alone = [g.name for g in trials.exceptions if g.name != "none" and g.count and g.name not in batches.by_type]
    if alone:
        only = voice.say("errors.table-only", names=voice.listing(alone), n=voice.count(len(alone)))
    else:
        only = voice.say("errors.sample")
    told = voice.sentences((told, only))
    more = [group for group in trials.exceptions if group.count > batches.by_type.get(group.name, group.count)]
    if not more:
        return told
    largest = max(more, key=lambda group: group.count - batches.by_type[group.name])
    contradiction = voice.say(
        "errors.more-than-all",
        name=largest.name,
        part=voice.count(largest.count),
        whole=voice.count(batches.by_type[largest.name]),
    )
    return voice.sentences((told, contradiction))


def errors_sentence(counts: list[tuple[str, int]], total: int, voice: Voice) -> str:
    """Share of trials with an exception, and the most frequent type."""
    failed = sum(count for _, count in counts)
    if not failed or not total:
        return voice.say("errors.no-exception", n=voice.count(total))
    name, most = max(counts, key=lambda pair: pair[1])
    key = "errors.sentence" if len(counts) > 1 else "errors.sentence-one"
    return voice.say(
        key,
        share=voice.percent(failed / total),
        clean=voice.percent(1 - failed / total),
        n=voice.count(failed),
        total=voice.count(total),
        name=name,
        most=voice.count(most),
    )


def _error_row(group: ExceptionGroup, groups: list[ExceptionGroup], trials_page: str, voice: Voice) -> ErrorRow:
    treatment = group.treatment or "not-stated"
    return ErrorRow(
        name=group.name,
        count=voice.count(group.count),
        raw=group.count,
        share=fmt.percentage(group.share),
        width=percent_of(group.count, 0, max(other.count for other in groups)),
        fill=TREATMENT_FILLS[treatment],
        treatment=voice.say(f"treatment.{treatment}"),
        note=voice.say("errors.listed-twice") if group.listed_twice else "",
        href=f"{trials_page}#t-exception={quote('=' + group.name, safe='')}" if trials_page else "",
    )


def trials_view(given: RunInput, voice: Voice) -> TrialsView | None:
    """Trials at a glance; None when no trial is known."""
    trials, published = given.analysis.trials, given.run.published
    if trials:
        return _computed(given, trials, voice)
    told = published.trials if published else None
    return _published(told, voice) if told and told.total else None


def _computed(given: RunInput, trials: TrialSummary, voice: Voice) -> TrialsView:
    turns = {group.name: group.turns.mean for group in trials.outcomes}
    return TrialsView(
        sentence=trials_sentence(trials.success_rate, trials.graded, turns.get("success"), turns.get("failure"), voice),
        steps=(*funnel(trials.total, trials.graded, trials.successes, voice), *funnel_more(given, voice)),
        groups=groups_table(trials, voice),
        published=False,
        threshold=voice.sentences((left_out(trials, voice), threshold(trials, voice), trials_origin(given, voice))),
        groups_note=voice.say("trials.groups-note"),
        total=voice.count(trials.total),
    )


def threshold(trials: TrialSummary, voice: Voice) -> str:
    """What counts as solved, with a word that partial rewards make it lenient."""
    return voice.say("trials.threshold", value=voice.number(trials.success_threshold))


def left_out(trials: TrialSummary, voice: Voice) -> str:
    """What the solved share leaves out, and what it would be with these counted as unsolved.

    Where the configuration scores some of the exceptions 0, these are counted; else all ungraded trials. Empty when
    every trial is graded or none is.
    """
    ungraded = trials.total - trials.graded
    if not ungraded or not trials.graded:
        return ""
    kinds = {
        treatment: sum(group.count - group.graded for group in trials.exceptions if group.treatment == treatment)
        for treatment in ("zero", "passthrough", "mask")
    }
    counted = kinds["zero"] or ungraded
    parts = [voice.say(f"trials.left-{name}", n=voice.count(n)) for name, n in kinds.items() if n]
    whole = trials.graded + counted
    return voice.say(
        "trials.left-out" if parts else "trials.left-out-plain",
        n=voice.count(ungraded),
        parts=voice.listing(parts),
        counted=voice.count(counted),
        solved=voice.count(trials.successes),
        whole=voice.count(whole),
        share=voice.percent(trials.successes / whole),
    )


def trials_origin(given: RunInput, voice: Voice) -> str:
    """Over which trials shares are taken: how many, from which file or how many files; empty without a table."""
    table = given.run.trials
    if table is None:
        return ""
    sources = sorted(set(table["source"]))
    if len(sources) == 1:
        return voice.say("trials.origin-file", total=len(table), name=sources[0].rsplit("/", 1)[-1])
    return voice.say("trials.origin-files", total=len(table), n=len(sources))


def trials_sentence(
    rate: float | None, graded: int | None, solved: float | None, unsolved: float | None, voice: Voice
) -> str:
    """Solve rate, and turns by outcome where known."""
    if rate is None:
        return voice.say("trials.ungraded")
    key = "trials.sentence" if solved is None or unsolved is None else "trials.sentence-turns"
    return voice.say(
        key,
        rate=voice.percent(rate),
        graded=voice.count(graded),
        solved=fmt.fixed(solved, 1),
        unsolved=fmt.fixed(unsolved, 1),
    )


def funnel(total: int, graded: int | None, solved: int | None, voice: Voice) -> tuple[tuple[str, str, str], ...]:
    """From attempt to success: label, count, loss against the line before."""
    known = [("parsed", total), ("graded", graded), ("solved", solved)]
    steps: list[tuple[str, str, str]] = []
    before: int | None = None
    for name, value in known:
        if value is None:
            continue
        loss = "" if before is None or before == value else fmt.signed(float(value - before), 0)
        steps.append((voice.say(f"funnel.{name}"), voice.count(value), loss))
        before = value
    return tuple(steps)


def groups_table(trials: TrialSummary, voice: Voice) -> Table:
    """Turns by outcome and by exception."""
    found = [(text_cell(voice.say(f"outcome.{group.name}")), group.turns) for group in trials.outcomes]
    found += [(_group_name(group.name, voice), group.turns) for group in trials.exceptions]
    return _turns_table([(name, turns.count, turns.mean, turns.median) for name, turns in found], voice)


def _published(told: PublishedTrials, voice: Voice) -> TrialsView:
    rows = []
    for name, values in (*told.by_outcome.items(), *told.by_exception.items()):
        cell = text_cell(voice.say(f"outcome.{name}")) if name in ("success", "failure") else _group_name(name, voice)
        rows.append((cell, values.get("count"), values.get("mean"), values.get("median")))
    means = {name: values.get("mean") for name, values in told.by_outcome.items()}
    solved = told.by_outcome.get("success", {}).get("count")
    return TrialsView(
        sentence=trials_sentence(told.success_rate, told.graded, means.get("success"), means.get("failure"), voice),
        steps=funnel(told.total or 0, told.graded, None if solved is None else int(solved), voice),
        groups=_turns_table(rows, voice),
        published=True,
        threshold=voice.say("trials.origin-report"),
        groups_note=voice.say("trials.groups-note"),
        total=voice.count(told.total),
    )


def _group_name(name: str, voice: Voice) -> Cell:
    return text_cell(voice.say("no-exception")) if name == "none" else exception_cell(name)


def _turns_table(rows: Sequence[tuple[Cell, float | None, float | None, float | None]], voice: Voice) -> Table:
    return Table(
        id="turns-by-group",
        caption=voice.say("trials.groups"),
        columns=(
            column(voice, "col.group"),
            column(voice, "col.with-turns", numeric=True),
            column(voice, "col.mean-turns", numeric=True),
            column(voice, "col.median", numeric=True),
        ),
        rows=tuple(
            (
                name,
                number_cell(count, voice.count(count)),
                number_cell(mean, fmt.fixed(mean, 1)),
                number_cell(median, voice.number(median, 3)),
            )
            for name, count, mean, median in rows
        ),
    )
