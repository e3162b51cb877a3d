"""The report's sections about training records: overview, summaries, progression, time, comparison of logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from sitegen.analyse.numbers import mean, std
from sitegen.analyse.per_log import LogMetric, LogSummary, per_log
from sitegen.analyse.report_rows import BATCH_COUNTS, BATCH_PREFIX, ReportRows
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.summary import MetricSummary, merged
from sitegen.analyse.timing import Span, Timing
from sitegen.model.run import PublishedMetric, Run, train_rows
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

PROGRESSION_ROLES = (
    "reward",
    "pass_k",
    "kl",
    "entropy",
    "grad_norm",
    "clip_ratio",
    "loss",
    "length_mean",
    "staleness_mean",
    "step_s",
    "wait_s",
)
"""Roles whose metrics make the columns of the progression, as far as the run logged them."""
PROGRESSION_METRICS = ("policy/final_loss",)
"""Further metrics with a column."""
COMPARED_ROLES = ("reward", "pass_k", "step_s", "wait_s", "length_mean", "staleness_mean")
"""Roles whose metrics are compared between logs."""
HEADINGS = {
    "reward/avg_raw_reward": "Reward",
    "policy/policy_kl": "KL",
    "policy/final_loss": "Loss",
    "policy/policy_loss": "PolicyLoss",
    "policy/policy_entropy": "Entropy",
    "policy/raw_grad_norm": "GradNorm",
    "policy/ppo_clip_ratio": "PPOClip",
    "timing/step": "Step Time (s)",
    "timing/wait_for_generation_buffer": "Gen Wait (s)",
}
"""Logged names with a short heading in the progression; others stand under their own."""
COMPARED_HEADINGS = {
    "reward/avg_raw_reward": "Avg Reward",
    "timing/step": "Step Time (s)",
    "timing/wait_for_generation_buffer": "Gen Wait Time (s)",
    "generate/avg_num_tokens": "Avg Tokens",
    "async/staleness_mean": "Staleness",
}
"""The same in the comparison of logs."""
_PASS = re.compile(r"reward/avg_pass_at_(\d+)")
BATCH_FAMILY = BATCH_PREFIX.rstrip("/")
"""Family of the counts of batch lines, which the log parser adds to its tables one step late."""
STATISTICS = ("mean", "std", "min", "max", "count")


def metric_sections(run: Run, analysis: RunAnalysis) -> Iterator[ReportSection]:
    """Overview, a section per family, progression, timing, comparison."""
    logs = per_log(run)
    yield _overview(run, analysis, logs)
    yield from _families(run, analysis)
    yield _batch_errors(run)
    yield _progression(run, analysis)
    yield _timing(run, analysis.timing)
    yield _comparison(run, analysis, logs)


def heading_of(metric: str, known: dict[str, str]) -> str:
    """A short heading for a metric; its logged name where there is none."""
    match = _PASS.fullmatch(metric)
    return f"Pass@{match[1]}" if match else known.get(metric, metric)


# Overview ------------------------------------------------------------------------------------------------------------


def _overview(run: Run, analysis: RunAnalysis, logs: tuple[LogSummary, ...]) -> ReportSection:
    reward, step_time = analysis.roles.get("reward", ""), analysis.roles.get("step_s", "")
    entropy = analysis.roles.get("entropy", "")
    columns = [
        column("log", ui("report.col.log"), numeric=False),
        column("first_step", ui("report.col.first-step")),
        column("last_step", ui("report.col.max-step")),
        column("records", ui("report.col.records")),
        column("superseded", ui("report.col.superseded")),
        column("reward_mean", ui("report.col.reward-mean")),
        column("reward_last", ui("report.col.reward-last")),
        column("reward_max", ui("report.col.reward-max")),
        column("entropy_last", ui("report.col.entropy-last")),
        column("time_s", ui("report.col.time")),
    ]
    rows = []
    for log in logs:
        rewards, steps, ends = (log.metrics.get(metric) for metric in (reward, step_time, entropy))
        rows.append(
            (
                name(log.job),
                count(log.first_step),
                count(log.last_step),
                count(log.records),
                count(log.superseded),
                number(rewards.mean if rewards else None),
                number(rewards.last if rewards else None),
                number(rewards.max if rewards else None),
                number(ends.last if ends else None),
                number(steps.sum if steps else None),
            )
        )
    table = ReportTable(key="logs", columns=tuple(columns), rows=tuple(rows), note=ui("report.note.overview"))
    return ReportSection(
        key="overview",
        title=ui("report.overview"),
        lines=tuple(_facts(run, analysis)),
        tables=(table,) if rows else (),
    )


def _facts(run: Run, analysis: RunAnalysis) -> Iterator[ReportLine]:
    facts = analysis.facts
    status = ui(f"status.{facts.status}")
    if facts.status_guessed:
        status = ui("status.guessed", status=status)
    basis = ui(f"status.basis.{facts.status_basis}")
    yield ReportLine(key="status", text=ui("report.status", status=status, basis=basis))
    if run.framework:
        yield ReportLine(key="framework", text=ui("report.framework", name=same(run.framework)))
    if facts.rows:
        values = {"steps": facts.steps_done, "rows": facts.rows, "superseded": facts.superseded}
        yield ReportLine(key="records", text=ui("report.records", **values))
    if analysis.roles.get("reward"):
        yield ReportLine(key="reward_metric", text=ui("report.reward-metric", name=same(analysis.roles["reward"])))
    if run.steps_from_report:
        yield ReportLine(key="from_report", text=ui("report.from-report"), value=True)


# Summaries -----------------------------------------------------------------------------------------------------------


def _families(run: Run, analysis: RunAnalysis) -> Iterator[ReportSection]:
    """Mean, spread, range and count of every metric, by the family that its name begins with."""
    by_name: dict[str, list[MetricSummary]] = {}
    for item in analysis.metrics:
        by_name.setdefault(item.name, []).append(item)
    own = {metric: merged(tuple(parts)) for metric, parts in by_name.items()}
    logged = {metric: item for metric, item in own.items() if item.count or item.non_finite}
    told = {m: item for m, item in (run.published.metrics if run.published else {}).items() if m not in logged}
    for family in dict.fromkeys(_family(metric) for metric in (*logged, *told)):
        mine = [_summary_row(m, item) for m, item in logged.items() if _family(m) == family]
        theirs = [_summary_row(m, item) for m, item in told.items() if _family(m) == family]
        late = ui("report.note.late") if mine and family == BATCH_FAMILY else None
        tables = [_summary_table("metrics", mine, late)] if mine else []
        tables += [_summary_table("published", theirs, ui("report.note.published"))] if theirs else []
        lines = tuple(_not_finite(m, item) for m, item in logged.items() if _family(m) == family and item.non_finite)
        title = ui("report.family", name=same(family.title() if family else "Other"))
        yield ReportSection(key=f"metrics.{family or 'other'}", title=title, lines=lines, tables=tuple(tables))


def _batch_errors(run: Run) -> ReportSection:
    """Batch lines of the logs, each counted to the step whose header follows it; nothing where no log has any."""
    title, table = ui("report.family", name=same(BATCH_FAMILY.title())), run.batches
    if table is None or table.empty:
        return ReportSection(key="batches", title=title)
    size = table["batches"].to_numpy(dtype="float64")
    names = {name: name for name in BATCH_COUNTS}
    names |= {str(c): str(c).removeprefix("exception/") for c in table.columns if str(c).startswith("exception/")}
    rows = []
    for source, kind in names.items():
        values = table[source].to_numpy(dtype="float64")
        rows += _batch_row(f"{BATCH_PREFIX}total_{kind}", values)
        if source != kind:
            rows += _batch_row(f"{BATCH_PREFIX}avg_{kind}", values / np.where(size > 0, size, np.nan))
    found = _summary_table("steps", rows, ui("report.note.batches"))
    return ReportSection(key="batches", title=title, tables=(found,) if rows else ())


def _batch_row(metric: str, values: np.ndarray) -> list[tuple[Cell, ...]]:
    kept = values[np.isfinite(values)]
    if not len(kept):
        return []
    statistics = (mean(kept), std(kept), float(kept.min()), float(kept.max()))
    return [(name(metric), *(number(value) for value in statistics), count(len(kept)))]


def _family(metric: str) -> str:
    return metric.partition("/")[0] if "/" in metric else ""


def _summary_table(key: str, rows: list[tuple[Cell, ...]], note: Text | None) -> ReportTable:
    columns = [column("metric", same(""), numeric=False)]
    columns += [column(item, ui(f"report.col.{item}")) for item in STATISTICS]
    return ReportTable(key=key, columns=tuple(columns), rows=tuple(rows), note=note)


def _summary_row(metric: str, item: MetricSummary | PublishedMetric) -> tuple[Cell, ...]:
    values = (item.mean, item.std, item.min, item.max)
    return (name(metric), *(number(value) for value in values), count(item.count))


def _not_finite(metric: str, item: MetricSummary) -> ReportLine:
    text = ui("report.not-finite", name=same(metric), n=item.non_finite)
    return ReportLine(key=f"not_finite.{metric}", text=text, value=item.non_finite)


# Progression ---------------------------------------------------------------------------------------------------------


def _progression(run: Run, analysis: RunAnalysis) -> ReportSection:
    """Every train record, log by log, in the order in which each wrote them."""
    metrics = [analysis.roles[role] for role in PROGRESSION_ROLES if role in analysis.roles]
    metrics += [metric for metric in PROGRESSION_METRICS if metric in run.steps.columns]
    metrics = [metric for metric in dict.fromkeys(metrics) if metric in run.steps.columns]
    rows = train_rows(run).sort_values(["source", "row"], kind="stable")
    parts = {str(job): part for job, part in rows.groupby("job", sort=False)}
    tables = [_log_table(run, job.name, parts[job.name], metrics) for job in run.jobs if job.name in parts]
    return ReportSection(key="progression", title=ui("report.progression"), tables=tuple(tables))


def _log_table(run: Run, job: str, rows: pd.DataFrame, metrics: list[str]) -> ReportTable:
    columns = [column("step", ui("report.col.step"))]
    columns += [column(metric, same(heading_of(metric, HEADINGS))) for metric in metrics]
    shown = rows[metrics].to_numpy(dtype="float64")
    cells = [
        (count(int(step)), *(number(float(v) if np.isfinite(v) else None) for v in values))
        for step, values in zip(rows["step"], shown, strict=True)
    ]
    replaced = rows.loc[rows[f"superseded_{run.overlap_rule}"] != 0, "step"].tolist()
    note = None
    if replaced:
        note = ui("report.note.superseded", steps=same(", ".join(str(step) for step in replaced)))
    return ReportTable(key=job, title=same(job), columns=tuple(columns), rows=tuple(cells), note=note)


# Time ----------------------------------------------------------------------------------------------------------------


def _timing(run: Run, timing: Timing | None) -> ReportSection:
    title = ui("report.timing")
    told = _published_shares(run, timing)
    if timing is None:
        return ReportSection(key="timing", title=title, tables=told)
    inside = [span for span in timing.spans if span.inside and span.depth and span.share_of_step is not None]
    shares = ReportTable(
        key="shares",
        title=ui("report.shares"),
        columns=(
            column("span", ui("report.col.component"), numeric=False),
            column("mean_share", ui("report.col.mean-share")),
        ),
        rows=tuple((_span_name(span), percent(span.share_of_step)) for span in inside),
        note=ui("report.note.shares"),
    )
    spans = ReportTable(
        key="spans",
        title=ui("report.spans"),
        columns=(
            column("span", ui("report.col.span"), numeric=False),
            column("inside", ui("report.col.lies-in"), numeric=False),
            column("mean_s", ui("report.col.mean-s")),
            column("total_share", ui("report.col.share-of-total")),
            column("share_of_parent", ui("report.col.share-of-parent")),
            column("records", ui("report.col.records")),
        ),
        rows=tuple(_span_row(span) for span in timing.spans),
        note=ui("report.note.outside") if any(not span.inside for span in timing.spans) else None,
    )
    return ReportSection(
        key="timing", title=title, lines=tuple(_times(timing)), tables=(*([shares] if inside else []), spans, *told)
    )


def _published_shares(run: Run, timing: Timing | None) -> tuple[ReportTable, ...]:
    """Shares of spans that only a report knows."""
    known = {span.name for span in timing.spans} if timing else set()
    told = {span: share for span, share in (run.published.timing if run.published else {}).items() if span not in known}
    if not told:
        return ()
    table = ReportTable(
        key="published",
        columns=(
            column("span", ui("report.col.component"), numeric=False),
            column("mean_share", ui("report.col.mean-share")),
        ),
        rows=tuple((name(span), percent(share)) for span, share in told.items()),
        note=ui("report.note.published-shares"),
    )
    return (table,)


def _times(timing: Timing) -> Iterator[ReportLine]:
    for key, value in (
        ("total_step_s", timing.total_step_s),
        ("median_step_s", timing.median_step_s),
        ("redone_s", timing.redone_s or None),
        ("cold_start_s", timing.cold_start_s),
    ):
        if value is not None:
            yield ReportLine(key=key, text=ui(f"report.{key}", value=number(value).text), value=value)


def _span_name(span: Span) -> Cell:
    return name(span.name) if span.metric else words(ui(f"report.span.{span.name}"), span.name)


def _span_row(span: Span) -> tuple[Cell, ...]:
    place = name(span.parent) if span.parent or span.inside else words(ui("report.beside"), "beside the step")
    return (
        _span_name(span),
        place,
        number(span.mean_s),
        percent(span.total_share if span.inside else None),
        percent(span.share_of_parent),
        count(span.count),
    )


# Comparison ----------------------------------------------------------------------------------------------------------


def _comparison(run: Run, analysis: RunAnalysis, logs: tuple[LogSummary, ...]) -> ReportSection:
    """Means per log of the metrics that tell logs apart; a log that did not log one has no number there."""
    metrics = [analysis.roles[role] for role in COMPARED_ROLES if role in analysis.roles]
    columns: list[ReportColumn] = [column("log", ui("report.col.log"), numeric=False)]
    columns += [column(metric, same(heading_of(metric, COMPARED_HEADINGS))) for metric in metrics]
    rows = [(name(log.job), *(number(_mean(log.metrics.get(metric))) for metric in metrics)) for log in logs]
    table = ReportTable(key="means", columns=tuple(columns), rows=tuple(rows), note=ui("report.note.comparison"))
    tables = ((table,) if len(rows) > 1 and metrics else ()) + _published_means(run, analysis)
    return ReportSection(key="comparison", title=ui("report.comparison"), tables=tables)


def _published_means(run: Run, analysis: RunAnalysis) -> tuple[ReportTable, ...]:
    """Means per log that only a report knows: of metrics that its summaries list and no record holds."""
    if run.published is None:
        return ()
    compared = ReportRows(run=run, published=run.published).compared
    logged = {item.name for item in analysis.metrics if item.count}
    told = {m: means for m, means in compared.items() if m in run.published.metrics and m not in logged}
    if not told:
        return ()
    columns = [column("log", ui("report.col.log"), numeric=False)]
    columns += [column(metric, same(heading_of(metric, COMPARED_HEADINGS))) for metric in told]
    logs = dict.fromkeys(log for means in told.values() for log in means)
    rows = [(name(log), *(number(means[log][0] if log in means else None) for means in told.values())) for log in logs]
    note = ui("report.note.published")
    return (ReportTable(key="published", columns=tuple(columns), rows=tuple(rows), note=note),)


def _mean(metric: LogMetric | None) -> float | None:
    return metric.mean if metric else None
