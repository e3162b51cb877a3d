"""The trials page of a run: outcomes, turns, exceptions, tasks, and the table of all trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sitegen import format as fmt
from sitegen.analyse.export import TrialColumns
from sitegen.analyse.tasks import Halves
from sitegen.analyse.trials import LONG_TAIL_TURNS, Spread, TrialSummary
from sitegen.glossary.places import LABELS
from sitegen.pages.base import PageHead
from sitegen.pages.run_cards import chart_cards, data_file
from sitegen.pages.run_course import funnel_more, halves_table, phases_table
from sitegen.pages.run_header import RunHeader, run_header
from sitegen.pages.run_outcomes import (
    ErrorsView,
    errors_view,
    funnel,
    left_out,
    threshold,
    trials_origin,
    trials_sentence,
)
from sitegen.pages.run_tasks import Spreads, long_tail, spreads, task_columns, tasks_data, tasks_table
from sitegen.pages.run_view import (
    Cell,
    ChartCard,
    Fact,
    RunInput,
    Table,
    Voice,
    code_cell,
    column,
    exception_cell,
    number_cell,
    text_cell,
)
from sitegen.pages.trial import trajectory_note

TEMPLATE = "pages/run_trials.html"
STATIC_ROWS = 200
"""Trials in the page itself; the rest come from the data script."""
_NUMBERS = ("reward", "turns", "input_tokens", "output_tokens", "wall_s")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunTrials:
    """The trials page."""

    head: PageHead
    """For `base.html`."""
    header: RunHeader
    """The run."""
    sentence: str
    """Solve rate and turns by outcome."""
    threshold: str
    """What counts as solved."""
    facts: tuple[Fact, ...]
    """Totals."""
    steps: tuple[tuple[str, str, str], ...]
    """From attempt to success."""
    cards: tuple[ChartCard, ...]
    """Charts."""
    turns: Table
    """Turns of all trials, by outcome, by exception."""
    phases: Table | None
    """Phase durations; None when no trial reports one."""
    halves: Table | None
    """Tasks in both halves of the trials; None where trials carry no time."""
    errors: ErrorsView | None
    """Exceptions with treatment."""
    tasks_sentence: str
    """Never, sometimes, always solved."""
    tasks: Table
    """Tasks, most attempts first."""
    task_columns: tuple[str, ...]
    """Keys of the task table's columns, in order."""
    task_total: int
    """Tasks."""
    tail: Table | None
    """The longest trials; None when none is long."""
    tail_note: str
    """How many are long."""
    tail_from: int
    """Fewest turns of a long trial."""
    spreads: tuple[Spreads, ...]
    """Distributions of turns, tokens and durations."""
    trials: Table
    """The first trials."""
    columns: tuple[str, ...]
    """Keys of the trial table's columns, in order."""
    exceptions: tuple[str, ...]
    """Distinct exception types, for the filter."""
    total: int
    """Trials."""
    missing: tuple[str, ...]
    """What the source does not tell, one sentence each."""
    downloads: tuple[tuple[str, str], ...]
    """File name and link."""
    talk_note: str
    """How many trials have a trajectory; empty for none."""


def run_trials(given: RunInput, voice: Voice, head: PageHead, columns: TrialColumns) -> RunTrials:
    """The page's view model; the run has trials."""
    trials = given.analysis.trials
    assert trials is not None
    means = {group.name: group.turns.mean for group in trials.outcomes}
    page = voice.urls.page_to(head.path)
    return RunTrials(
        head=head,
        header=run_header(given, voice, "trials"),
        sentence=trials_sentence(trials.success_rate, trials.graded, means.get("success"), means.get("failure"), voice),
        threshold=voice.sentences((left_out(trials, voice), threshold(trials, voice), trials_origin(given, voice))),
        facts=_facts(trials, voice),
        steps=(*funnel(trials.total, trials.graded, trials.successes, voice), *funnel_more(given, voice)),
        cards=chart_cards(given, voice, given.section("trials", "trials-page"), small=False),
        turns=turns_table(trials, voice),
        phases=phases_table(given, voice),
        halves=halves_table(given, voice),
        errors=errors_view(given, voice, page),
        tasks_sentence=_tasks_sentence(trials, voice),
        tasks=tasks_table(trials, given.analysis.halves, voice),
        task_columns=task_columns(given.analysis.halves),
        task_total=len(trials.tasks),
        tail=long_tail(columns, voice, lambda name, row: _trial_cell(columns, name, row, voice)),
        tail_note=voice.say("tail.note", n=voice.count(trials.long_tail), turns=LONG_TAIL_TURNS),
        tail_from=LONG_TAIL_TURNS + 1,
        spreads=spreads(given, trials.success_threshold, voice),
        trials=trials_table(columns, voice),
        columns=_shown(columns),
        exceptions=columns.names["exception"],
        total=columns.total,
        missing=_missing(columns, voice),
        downloads=tuple((n, voice.urls.to(data_file(given.run.slug, n))) for n in ("trials.csv", "tasks.csv")),
        talk_note=trajectory_note(given.run, given.context, voice),
    )


def _facts(trials: TrialSummary, voice: Voice) -> tuple[Fact, ...]:
    made = [
        ("fact.trials", voice.count(trials.total)),
        ("fact.graded", voice.count(trials.graded)),
        ("fact.mean-reward", "" if trials.mean_reward is None else fmt.fixed(trials.mean_reward, 4)),
        ("fact.success-rate", "" if trials.success_rate is None else voice.percent(trials.success_rate)),
        ("fact.long-tail", voice.count(trials.long_tail)),
        ("fact.input-tokens", "" if trials.input_tokens is None else voice.count(trials.input_tokens)),
        ("fact.cache-tokens", "" if trials.cache_tokens is None else voice.count(trials.cache_tokens)),
        ("fact.output-tokens", "" if trials.output_tokens is None else voice.count(trials.output_tokens)),
    ]
    return tuple(Fact(label=voice.say(key), value=value, term=LABELS[key]) for key, value in made if value)


def turns_table(trials: TrialSummary, voice: Voice) -> Table:
    """Turns of all trials, by outcome and by exception: mean, median, spread, extremes, trials that report them."""
    groups: list[tuple[Cell, Spread]] = [(text_cell(voice.say("all-trials")), trials.turns)]
    groups += [(text_cell(voice.say(f"outcome.{g.name}")), g.turns) for g in trials.outcomes]
    for group in trials.exceptions:
        name = text_cell(voice.say("no-exception")) if group.name == "none" else exception_cell(group.name)
        groups.append((name, group.turns))
    titles = ("mean", "median", "std", "min", "max", "with-turns")
    return Table(
        id="turns",
        caption=voice.say("trials.turns"),
        columns=(
            column(voice, "col.group"),
            *(column(voice, f"col.{name}", numeric=True) for name in titles),
        ),
        rows=tuple((name, *_spread(spread, voice)) for name, spread in groups),
        sortable=True,
    )


def _spread(spread: Spread, voice: Voice) -> tuple[Cell, ...]:
    values = (spread.mean, spread.median, spread.std, spread.min, spread.max)
    cells = [number_cell(value, voice.number(value, 3)) for value in values]
    return (*cells, number_cell(spread.count, voice.count(spread.count)))


def _tasks_sentence(trials: TrialSummary, voice: Voice) -> str:
    return voice.say(
        "tasks.sentence",
        n=voice.count(len(trials.tasks)),
        never=voice.count(trials.never_solved),
        some=voice.count(trials.sometimes_solved),
        always=voice.count(trials.always_solved),
    )


def _shown(columns: TrialColumns) -> tuple[str, ...]:
    order = ("task", "trial", "outcome", "reward", "turns", "exception", "input_tokens", "output_tokens", "wall_s")
    return tuple(name for name in order if name in columns.columns)


def trials_table(columns: TrialColumns, voice: Voice) -> Table:
    """The first trials in table order."""
    names = _shown(columns)
    count = min(columns.total, STATIC_ROWS)
    return Table(
        id="all-trials",
        caption=voice.say("trials.all"),
        columns=tuple(column(voice, f"trial.{name}", numeric=name in _NUMBERS) for name in names),
        rows=tuple(tuple(_trial_cell(columns, name, row, voice) for name in names) for row in range(count)),
        classes="dense",
    )


def _trial_cell(columns: TrialColumns, name: str, row: int, voice: Voice) -> Cell:
    value = columns.columns[name][row]
    if name in ("task", "exception"):
        made = exception_cell if name == "exception" else code_cell
        return made(columns.names[name][value]) if value >= 0 else text_cell(voice.number(None), dim=True)
    if name == "outcome":
        return text_cell(voice.say(("outcome.failure", "outcome.success", "outcome.ungraded")[value]))
    if name == "trial":
        cell = code_cell(value) if value is not None else text_cell(voice.number(None), dim=True)
        page = columns.pages.get(row, "")
        return replace(cell, href=page) if page else cell
    return number_cell(value, voice.number(value))


def _missing(columns: TrialColumns, voice: Voice) -> tuple[str, ...]:
    known = {"started": "time", "trial": "trial", "job": "job", "wall_s": "wall", "agent_s": "phases"}
    known |= {"input_tokens": "tokens", "cost_usd": "cost", "turns": "turns", "reward": "reward"}
    return tuple(voice.say(f"missing.{word}") for name, word in known.items() if name in columns.missing)


def trials_data(columns: TrialColumns, trials: TrialSummary, halves: Halves | None) -> Mapping[str, Any]:
    """What the data script of the trials page registers: trials and tasks as columns."""
    data: dict[str, Any] = {"names": dict(columns.names), "columns": dict(columns.columns)}
    return {"total": columns.total, "pages": dict(columns.pages), **data, "tasks": tasks_data(trials, halves)}
