"""The report's sections about results: engines, trials, checkpoint, phases, findings, differences from a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.analyse.checkpoint import Candidate, CheckpointSelection
from sitegen.analyse.crosscheck import CrossCheck
from sitegen.analyse.engines import EngineGroup
from sitegen.analyse.printed import alike
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.trial_phases import TrialPhases
from sitegen.analyse.trials import NO_EXCEPTION, ExceptionGroup, OutcomeGroup, Spread, TrialSummary
from sitegen.model.run import PublishedTrials, Run
from sitegen.publish.report_table import (
    Cell,
    ReportColumn,
    ReportLine,
    ReportSection,
    ReportTable,
    column,
    count,
    name,
    number,
    percent,
    words,
)
from sitegen.text import Text, same, ui

ENGINE_FIELDS = ("running", "waiting", "generation_tps", "kv_cache_pct", "prefix_hit_pct")
"""Engine fields in the order of the columns."""
TURNS = ("mean", "median", "std", "min", "max", "count")


def result_sections(run: Run, analysis: RunAnalysis) -> Iterator[ReportSection]:
    """Engines, trials, checkpoint, phases, findings, differences."""
    yield _engines(run, analysis)
    yield _trials(run, analysis)
    yield _checkpoint(analysis.checkpoint)
    yield _phases(analysis)
    yield _findings(analysis)
    yield _differences(analysis.crosscheck)


# Engines -------------------------------------------------------------------------------------------------------------


def _engines(run: Run, analysis: RunAnalysis) -> ReportSection:
    title = ui("report.engines")
    if analysis.engines is None:
        told = run.published.engines if run.published else {}
        return ReportSection(key="engines", title=title, tables=tuple(_published_engines(told)) if told else ())
    groups = (*analysis.engines.by_job, analysis.engines.overall)
    means = [(_log_of(group), *(number(_field(group, field)) for field in ENGINE_FIELDS)) for group in groups]
    table = ReportTable(key="means", columns=_engine_columns(), rows=tuple(means), note=ui("report.note.engines"))
    use = ReportTable(
        key="utilisation",
        title=ui("report.utilisation"),
        columns=(
            column("log", ui("report.col.log"), numeric=False),
            column("samples", ui("report.col.samples")),
            column("running_max", ui("report.col.running-max")),
            column("waiting_max", ui("report.col.waiting-max")),
            column("generation_tps_max", ui("report.col.tps-max")),
            column("waiting_share", ui("report.col.waiting-share")),
            column("idle_share", ui("report.col.idle-share")),
        ),
        rows=tuple(_use_row(group) for group in groups),
    )
    return ReportSection(key="engines", title=title, lines=tuple(_verdict(analysis)), tables=(table, use))


def _engine_columns() -> tuple[ReportColumn, ...]:
    log = column("log", ui("report.col.log"), numeric=False)
    return (log, *(column(field, ui(f"report.col.engine.{field}")) for field in ENGINE_FIELDS))


def _log_of(group: EngineGroup) -> Cell:
    return name(group.job) if group.job is not None else words(ui("report.all"), "all")


def _field(group: EngineGroup, field: str, kind: str = "mean") -> float | None:
    found = next((item for item in group.fields if item.field == field), None)
    return None if found is None else getattr(found, kind)


def _use_row(group: EngineGroup) -> tuple[Cell, ...]:
    most = (_field(group, field, "max") for field in ENGINE_FIELDS[:3])
    return (
        _log_of(group),
        count(group.samples),
        *(number(value) for value in most),
        percent(group.waiting_share),
        percent(group.idle_share),
    )


def _verdict(analysis: RunAnalysis) -> Iterator[ReportLine]:
    found = analysis.verdict
    if found is None:
        return
    if found.verdict is None:
        yield ReportLine(key="verdict", text=ui(f"report.verdict.{found.reason or 'unknown-limit'}"))
        return
    text = ui(f"report.verdict.{found.verdict}")
    yield ReportLine(key="verdict", text=ui("report.verdict", verdict=text), value=found.verdict)
    for key in ("full_share", "waiting_share", "starved_share"):
        share = getattr(found, key)
        if share is not None:
            text = ui(f"report.verdict.{key}", share=percent(share).text, n=found.active)
            yield ReportLine(key=key, text=text, value=share)


def _published_engines(told: Mapping[str, Mapping[str, float]]) -> Iterator[ReportTable]:
    rows = [(name(log), *(number(values.get(field)) for field in ENGINE_FIELDS)) for log, values in told.items()]
    note = ui("report.note.published-engines")
    yield ReportTable(key="published", columns=_engine_columns(), rows=tuple(rows), note=note)
    keys = [f"{field}_max" for field in ENGINE_FIELDS[:3]]
    peaks = [(name(log), *(number(values.get(key)) for key in keys)) for log, values in told.items()]
    if any(key in values for values in told.values() for key in keys):
        yield ReportTable(
            key="published_peaks",
            title=ui("report.utilisation"),
            columns=(
                column("log", ui("report.col.log"), numeric=False),
                column("running_max", ui("report.col.running-max")),
                column("waiting_max", ui("report.col.waiting-max")),
                column("generation_tps_max", ui("report.col.tps-max")),
            ),
            rows=tuple(peaks),
            note=note,
        )


# Trials --------------------------------------------------------------------------------------------------------------


def _trials(run: Run, analysis: RunAnalysis) -> ReportSection:
    title = ui("report.trials")
    summary = analysis.trials
    if summary is not None:
        tables = [*_trial_tables(summary), *_trial_phases(analysis.trial_phases)]
        return ReportSection(key="trials", title=title, lines=tuple(_trial_lines(analysis)), tables=tuple(tables))
    told = run.published.trials if run.published else None
    if told is None:
        return ReportSection(key="trials", title=title)
    return ReportSection(
        key="trials",
        title=title,
        lines=tuple(_published_lines(told)),
        tables=tuple(_published_tables(told)),
    )


def _trial_lines(analysis: RunAnalysis) -> Iterator[ReportLine]:
    summary, funnel = analysis.trials, analysis.funnel
    assert summary is not None
    yield ReportLine(key="total", text=ui("report.trials.total", n=summary.total), value=summary.total)
    yield ReportLine(key="graded", text=ui("report.trials.graded", n=summary.graded), value=summary.graded)
    yield from _rewards(summary.mean_reward, summary.success_rate)
    if funnel is not None and funnel.trained_on is not None:
        text = ui("report.trials.trained-on", n=funnel.trained_on, metric=same(funnel.trained_on_metric or ""))
        yield ReportLine(key="trained_on", text=text, value=funnel.trained_on)


def _rewards(mean: float | None, rate: float | None) -> Iterator[ReportLine]:
    if mean is not None:
        yield ReportLine(key="mean_reward", text=ui("report.trials.mean", value=number(mean).text), value=mean)
    if rate is not None:
        yield ReportLine(key="success_rate", text=ui("report.trials.success", value=percent(rate).text), value=rate)


def _trial_tables(summary: TrialSummary) -> Iterator[ReportTable]:
    yield _turn_table({key: getattr(summary.turns, key) for key in TURNS})
    yield _exception_table({group.name: group.count for group in summary.exceptions}, summary.total)
    yield _turns_by(
        "by_exception",
        ui("report.by-exception"),
        ui("report.col.exception"),
        [(_exception(group.name), group.turns) for group in summary.exceptions],
    )
    treated = [group for group in summary.exceptions if group.treatment is not None]
    if treated:
        yield _treatments(treated)
    yield _outcome_table([_outcome_row(group) for group in summary.outcomes if group.count])


def _turn_table(turns: Mapping[str, float | int | None]) -> ReportTable:
    rows = [
        (words(ui(f"report.turns.{key}"), key), (count if key in ("min", "max", "count") else number)(turns.get(key)))
        for key in TURNS
    ]
    return ReportTable(
        key="turns",
        title=ui("report.turns"),
        columns=(
            column("statistic", ui("report.col.statistic"), numeric=False),
            column("value", ui("report.col.value")),
        ),
        rows=tuple(rows),
    )


def _exception_table(exceptions: Mapping[str, int], total: int) -> ReportTable:
    rows = [
        (_exception(kind), count(number_of), percent(number_of / total if total else None))
        for kind, number_of in exceptions.items()
    ]
    return ReportTable(
        key="exceptions",
        title=ui("report.exceptions"),
        columns=(
            column("exception", ui("report.col.exception"), numeric=False),
            column("count", ui("report.col.count")),
            column("share", same("%")),
        ),
        rows=tuple(rows),
    )


def _exception(kind: str) -> Cell:
    return words(ui("report.no-exception"), NO_EXCEPTION) if kind == NO_EXCEPTION else name(kind)


def _turns_by(key: str, title: Text, first: Text, groups: list[tuple[Cell, Spread]]) -> ReportTable:
    """Turns by group, over the trials of each that reported them; groups without such trials are left out."""
    rows = [(cell, number(s.mean), number(s.median), count(s.count)) for cell, s in groups if s.count]
    return ReportTable(key=key, title=title, columns=_turn_columns(first), rows=tuple(rows))


def _turn_columns(first: Text) -> tuple[ReportColumn, ...]:
    return (
        column("group", first, numeric=False),
        column("mean", ui("report.col.mean-turns")),
        column("median", ui("report.col.median-turns")),
        column("count", ui("report.col.count")),
    )


def _treatments(groups: list[ExceptionGroup]) -> ReportTable:
    return ReportTable(
        key="treatments",
        title=ui("report.treatments"),
        columns=(
            column("exception", ui("report.col.exception"), numeric=False),
            column("treatment", ui("report.col.treatment"), numeric=False),
            column("graded", ui("report.col.graded")),
            column("mean_reward", ui("report.col.mean-reward")),
        ),
        rows=tuple(
            (
                name(group.name),
                words(ui(f"run.treatment.{group.treatment}"), group.treatment),
                count(group.graded),
                number(group.mean_reward),
            )
            for group in groups
        ),
    )


def _outcome_row(group: OutcomeGroup) -> tuple[Cell, ...]:
    label = words(ui(f"report.outcome.{group.name}"), group.name)
    return (label, number(group.turns.mean), number(group.turns.median), count(group.count))


def _outcome_table(rows: list[tuple[Cell, ...]]) -> ReportTable:
    return ReportTable(
        key="by_outcome",
        title=ui("report.by-outcome"),
        columns=_turn_columns(ui("report.col.outcome")),
        rows=tuple(rows),
    )


def _trial_phases(phases: TrialPhases | None) -> Iterator[ReportTable]:
    if phases is None:
        return
    rows = [
        (
            words(ui(f"report.phase.{item.name}"), item.name),
            number(item.seconds.mean),
            number(item.seconds.median),
            number(item.seconds.max),
            count(item.seconds.count),
            percent(item.share),
        )
        for item in phases.phases
    ]
    yield ReportTable(
        key="phases",
        title=ui("report.trial-phases"),
        columns=(
            column("phase", ui("report.col.phase"), numeric=False),
            column("mean_s", ui("report.col.mean-s")),
            column("median_s", ui("report.col.median-s")),
            column("max_s", ui("report.col.max-s")),
            column("count", ui("report.col.count")),
            column("share", ui("report.col.share-of-wall")),
        ),
        rows=tuple(rows),
    )


def _published_lines(told: PublishedTrials) -> Iterator[ReportLine]:
    yield ReportLine(key="published", text=ui("report.note.published"), value=True)
    if told.total is not None:
        yield ReportLine(key="total", text=ui("report.trials.total", n=told.total), value=told.total)
    if told.graded is not None:
        yield ReportLine(key="graded", text=ui("report.trials.graded", n=told.graded), value=told.graded)
    yield from _rewards(told.mean_reward, told.success_rate)


def _published_tables(told: PublishedTrials) -> Iterator[ReportTable]:
    if told.turns:
        yield _turn_table(told.turns)
    if told.exceptions and told.total:
        yield _exception_table(told.exceptions, told.total)
    if told.by_exception:
        columns = _turn_columns(ui("report.col.exception"))
        rows = [(_exception(kind), *_published_turns(cells)) for kind, cells in told.by_exception.items()]
        yield ReportTable(key="by_exception", title=ui("report.by-exception"), columns=columns, rows=tuple(rows))
    known = [outcome for outcome in ("success", "failure") if outcome in told.by_outcome]
    if known:
        yield _outcome_table(
            [(words(ui(f"report.outcome.{o}"), o), *_published_turns(told.by_outcome[o])) for o in known]
        )


def _published_turns(cells: Mapping[str, float]) -> tuple[Cell, ...]:
    return (number(cells.get("mean")), number(cells.get("median")), count(cells.get("count")))


# Checkpoint ----------------------------------------------------------------------------------------------------------


def _checkpoint(selection: CheckpointSelection) -> ReportSection:
    title = ui("report.checkpoint", alpha=same(f"{selection.alpha:.3g}"), metric=same(selection.reward_metric or "–"))
    if selection.reward_metric is None:
        return ReportSection(key="checkpoint", title=title)
    lines = []
    if selection.step is None:
        lines.append(ReportLine(key="reason", text=ui(f"run.ckpt.none-{selection.reason or 'no-candidate'}")))
    else:
        text = ui("report.chosen", step=selection.step)
        lines.append(ReportLine(key="step", text=text, value=selection.step))
        if selection.ema is not None:
            text = ui("report.chosen-ema", value=number(selection.ema).text)
            lines.append(ReportLine(key="ema", text=text, value=selection.ema))
        text = ui("report.rule", rule=ui(f"check.rule.{selection.overlap_rule}"))
        lines.append(ReportLine(key="overlap_rule", text=text, value=selection.overlap_rule))
    rows = tuple(_candidate(candidate) for candidate in selection.candidates)
    table = ReportTable(
        key="candidates",
        columns=(
            column("step", ui("report.col.step")),
            column("reward", ui("report.col.reward")),
            column("ema", same("EMA")),
            column("eligible", ui("report.col.eligible"), numeric=False),
            column("exclusion", ui("report.col.why-not"), numeric=False),
        ),
        rows=rows,
    )
    return ReportSection(key="checkpoint", title=title, lines=tuple(lines), tables=(table,) if rows else ())


def _candidate(candidate: Candidate) -> tuple[Cell, ...]:
    yes = ui("report.yes") if candidate.eligible else ui("report.no")
    why = words(ui(f"report.exclusion.{candidate.exclusion}"), candidate.exclusion) if candidate.exclusion else None
    return (
        count(candidate.step),
        number(candidate.reward),
        number(candidate.ema),
        words(yes, candidate.eligible),
        why or Cell(value=None, text=same("")),
    )


# Phases, findings, differences ---------------------------------------------------------------------------------------


def _phases(analysis: RunAnalysis) -> ReportSection:
    phases = analysis.progress.phases if analysis.progress else ()
    rows = tuple(
        (
            words(ui(f"report.run-phase.{phase.kind}"), phase.kind),
            count(phase.first_step),
            count(phase.last_step),
            number(phase.mean),
            count(phase.count),
        )
        for phase in phases
    )
    table = ReportTable(
        key="phases",
        columns=(
            column("kind", ui("report.col.phase"), numeric=False),
            column("first_step", ui("report.col.first-step")),
            column("last_step", ui("report.col.last-step")),
            column("mean", ui("report.col.mean-reward")),
            column("count", ui("report.col.records")),
        ),
        rows=rows,
    )
    return ReportSection(key="phases", title=ui("report.phases"), tables=(table,) if rows else ())


def _findings(analysis: RunAnalysis) -> ReportSection:
    lines = tuple(
        ReportLine(
            key=finding.rule,
            text=ui("report.finding", severity=ui(f"report.severity.{finding.severity}"), text=finding.sentence),
        )
        for finding in analysis.findings
    )
    return ReportSection(key="findings", title=ui("report.findings"), lines=lines)


def _differences(checks: tuple[CrossCheck, ...]) -> ReportSection:
    """Where a published report says otherwise, and why; what only its label hides, too."""
    rows = tuple(
        (
            name(check.where),
            name(check.name),
            name(check.published),
            Cell(value=check.computed, text=same(alike(check.published, check.computed))),
            words(ui("report.because", how=check.how, reason=check.reason) if check.reason else check.how),
        )
        for check in checks
        if check.verdict == "differs" or check.reason is not None
    )
    table = ReportTable(
        key="numbers",
        columns=(
            column("where", ui("report.col.where"), numeric=False),
            column("name", ui("report.col.name"), numeric=False),
            column("published", ui("crosscheck.col.published")),
            column("computed", ui("report.col.here")),
            column("why", ui("report.col.why"), numeric=False),
        ),
        rows=rows,
    )
    return ReportSection(key="differences", title=ui("report.differences"), tables=(table,) if rows else ())
