"""Parts of pages about the course of a run: evaluations, phases of trials, tasks by halves, engine verdict."""

from __future__ import annotations

from sitegen import format as fmt
from sitegen.analyse.evaluations import EvalMetric
from sitegen.analyse.trial_phases import TrialPhase
from sitegen.model.roles import direction_of
from sitegen.pages.run_view import (
    Cell,
    RunInput,
    Table,
    Voice,
    column,
    label_cell,
    metric_cell,
    number_cell,
    text_cell,
)

EVALUATION_ROWS = 200
"""Evaluation metrics shown; the metrics page has all of them."""
HALVES_ROWS = 60
"""Tasks shown by halves, largest change first."""


def evaluations_table(given: RunInput, voice: Voice) -> Table | None:
    """Held-out evaluations, one row per metric, grouped by data set; None without any."""
    rows = [(group.name, item) for group in given.analysis.evaluations for item in group.metrics]
    if not rows:
        return None
    titles = ("first", "last", "highest", "evaluations")
    return Table(
        id="evaluations-table",
        caption=voice.say("evaluations.caption"),
        columns=(
            column(voice, "col.data-set"),
            column(voice, "col.metric"),
            *(column(voice, f"col.{name}", numeric=True) for name in titles),
        ),
        rows=tuple(_evaluation_row(name, item, voice) for name, item in rows[:EVALUATION_ROWS]),
        sortable=True,
        classes="dense",
    )


def _evaluation_row(name: str, item: EvalMetric, voice: Voice) -> tuple[Cell, ...]:
    values = ((item.first, item.first_step), (item.last, item.last_step), (item.highest, item.highest_step))
    return (
        text_cell(name or voice.say("evaluations.unnamed")),
        metric_cell(item.metric),
        *(
            number_cell(value, voice.number(value), note=voice.say("evaluations.at", step=voice.count(step)))
            for value, step in values
        ),
        number_cell(item.count, voice.count(item.count)),
    )


def evaluations_sentence(given: RunInput, voice: Voice) -> str:
    """How many sets and metrics; first to last of the first metric that has a better direction."""
    sets = given.analysis.evaluations
    metrics = [item for group in sets for item in group.metrics]
    if not metrics:
        return ""
    lead = next((item for item in metrics if direction_of(item.metric) == "up"), metrics[0])
    return voice.say(
        "evaluations.sentence",
        sets=voice.count(len(sets)),
        metrics=voice.count(len(metrics)),
        metric=lead.metric,
        first=voice.number(lead.first),
        first_step=voice.count(lead.first_step),
        last=voice.number(lead.last),
        last_step=voice.count(lead.last_step),
    )


def phases_table(given: RunInput, voice: Voice) -> Table | None:
    """Phase durations of trials against wall clock; None when no trial reports a phase."""
    phases = given.analysis.trial_phases
    if phases is None:
        return None
    seconds = (column(voice, f"col.{name}", numeric=True, unit="s") for name in ("mean", "median", "max"))
    return Table(
        id="phases-table",
        caption=voice.say("phases.caption"),
        columns=(
            column(voice, "col.phase"),
            *seconds,
            column(voice, "col.of-wall", numeric=True),
            column(voice, "col.trials", numeric=True),
        ),
        rows=tuple(_phase_row(phase, voice) for phase in phases.phases),
    )


def _phase_row(phase: TrialPhase, voice: Voice) -> tuple[Cell, ...]:
    spread = phase.seconds
    return (
        label_cell(voice, f"phase.{phase.name}"),
        *(number_cell(value, voice.number(value, 3)) for value in (spread.mean, spread.median, spread.max)),
        number_cell(phase.share, voice.percent(phase.share)),
        number_cell(spread.count, voice.count(spread.count)),
    )


def halves_table(given: RunInput, voice: Voice) -> Table | None:
    """Solve rates of tasks in the first and second half of the trials; None where trials carry no time."""
    halves = given.analysis.halves
    both = [task for task in halves.tasks if task.early_graded and task.late_graded] if halves else []
    if not both:
        return None
    rows = []
    for task in both:
        early, late = task.early_solved / task.early_graded, task.late_solved / task.late_graded
        counts = (task.early_graded, task.late_graded)
        rows.append((-abs(late - early), task.task, early, late, counts))
    return Table(
        id="halves-table",
        caption=voice.say("halves.caption"),
        columns=(
            column(voice, "col.task"),
            column(voice, "col.first-half", numeric=True),
            column(voice, "col.second-half", numeric=True),
            column(voice, "col.change", numeric=True, unit="%"),
        ),
        rows=tuple(_half_row(name, early, late, n, voice) for _, name, early, late, n in sorted(rows)[:HALVES_ROWS]),
        sortable=True,
        classes="dense",
    )


def _half_row(name: str, early: float, late: float, counts: tuple[int, int], voice: Voice) -> tuple[Cell, ...]:
    shares = zip((early, late), counts, strict=True)
    return (
        Cell(text=name, kind="code", sort=name.lower()),
        *(
            number_cell(value, voice.percent(value), note=voice.say("halves.of", n=voice.count(n)))
            for value, n in shares
        ),
        number_cell(late - early, fmt.signed(100 * (late - early), 1)),
    )


def funnel_more(given: RunInput, voice: Voice) -> tuple[tuple[str, str, str], ...]:
    """The stage after grading: samples trained on, as the log counts them; nothing where it does not.

    More of them than trials of the table, or than the log's own batches attempted, is no stage after the others: the
    line says that the counts come from different sources.
    """
    funnel, batches = given.analysis.funnel, given.analysis.batch_exceptions
    if funnel is None or funnel.trained_on is None:
        return ()
    steps, trained = voice.count(funnel.trained_on_steps), voice.count(funnel.trained_on)
    tried = None if batches is None else batches.attempted
    if tried is not None and tried < funnel.trained_on:
        label = voice.say("funnel.trained-on-attempted", n=steps, attempted=voice.count(tried))
    elif funnel.trained_on > funnel.attempted:
        label = voice.say("funnel.trained-on-other", n=steps)
    else:
        label = voice.say("funnel.trained-on", n=steps)
    return ((label, trained, ""),)


def verdict_text(given: RunInput, voice: Voice) -> str:
    """The engine verdict with its rule and its numbers, or why there is none; empty without samples."""
    verdict = given.analysis.verdict
    if verdict is None:
        return ""
    if verdict.verdict is None:
        return voice.say(f"verdict.{verdict.reason}", waiting=voice.percent(verdict.waiting_share))
    limit = voice.shared(f"finding.limit.{verdict.limit}") if verdict.limit else ""
    text = voice.say(
        f"verdict.{verdict.verdict}",
        full=voice.percent(verdict.full_share),
        waiting=voice.percent(verdict.waiting_share),
        starved=voice.percent(verdict.starved_share),
        active=voice.count(verdict.active),
        limit=limit,
    )
    notes = [text]
    if verdict.means_over_engines:
        notes.append(voice.say("verdict.means"))
    if verdict.limit_assumed:
        notes.append(voice.say("verdict.assumed"))
    return (" " if voice.lang == "en" else "").join(notes)
