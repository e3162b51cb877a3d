"""`run.json`: a run's numbers for scripts, at full precision. Documented field by field in docs/run-json.md.

Strict JSON: absent is null, there is no NaN, keys stand in a fixed order, the same run gives the same bytes. The run
must have passed the privacy border: its strings are written as they are.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sitegen.analyse.checkpoint import CheckpointSelection
from sitegen.analyse.crosscheck import CrossCheck
from sitegen.analyse.evaluations import EvalSet
from sitegen.analyse.findings import Finding
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.spending import Spending
from sitegen.analyse.summary import MetricSummary, merged
from sitegen.analyse.timing import Timing
from sitegen.analyse.trial_phases import TrialPhases
from sitegen.analyse.trials import Spread, TrialSummary
from sitegen.model.problems import Problem
from sitegen.model.run import JobEnd, Published, PublishedMetric, PublishedTrials, Run

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
"""Raised when a field changes its meaning or goes away; fields may be added under the same number."""

STATISTICS = ("mean", "std", "min", "max", "last", "count", "non_finite")
CANDIDATE_FIELDS = ("step", "reward", "ema", "saved", "eligible", "exclusion")
EVIDENCE_FIELDS = ("table", "metrics", "first_step", "last_step", "rows")
PHASE_FIELDS = ("kind", "first_step", "last_step", "mean", "count", "job")
EVALUATION_FIELDS = (
    "metric",
    "measure",
    "first",
    "first_step",
    "last",
    "last_step",
    "highest",
    "highest_step",
    "count",
)
SPENDING_FIELDS = ("outside_s", "redone_s", "gpu_hours", "cost", "currency")
EXCEPTION_FIELDS = ("count", "share", "graded", "mean_reward", "treatment")
FUNNEL_FIELDS = ("attempted", "finished", "graded", "solved", "trained_on", "trained_on_metric", "trained_on_steps")
PHASE_SECONDS = ("mean", "median", "max", "count")
TASK_FIELDS = ("task", "attempts", "graded", "solved", "mean_reward", "exceptions", "mean_turns")
HALF_FIELDS = ("early_graded", "early_solved", "late_graded", "late_solved")
VERDICT_FIELDS = (
    "verdict",
    "limit",
    "reason",
    "active",
    "full_share",
    "full_cache_share",
    "waiting_share",
    "starved_share",
    "max_num_seqs",
)
ENGINE_FIELDS = ("running", "waiting", "generation_tps", "kv_cache_pct", "prefix_hit_pct")
TURNS = ("mean", "median", "std", "min", "max", "count")
TIMING_PREFIXES = ("timing/", "timing_s/", "time/")
EXCEPTION = "exception/"
"""Beginning of the batch table's columns of exceptions."""
BATCH_FIELDS = ("batches", "instances", "successful", "failed", "masked")
STEPS_TABLE = "data/steps.csv"
"""Every logged record as CSV, relative to `run.json`; made where a run logged any metric."""


def run_json(run: Run, analysis: RunAnalysis) -> dict[str, Any]:
    """The document of one run; see docs/run-json.md."""
    metrics = _metrics(analysis.metrics)
    timing = _timing(analysis.timing)
    return {
        "schema": SCHEMA,
        "slug": run.slug,
        "title": run.title,
        "framework": run.framework,
        "status": {
            "status": analysis.facts.status,
            "guessed": analysis.facts.status_guessed,
            "basis": analysis.facts.status_basis,
            "planned_steps": analysis.facts.planned_steps,
        },
        "jobs": [
            {
                "name": job.name,
                "first_step": job.first_step,
                "last_step": job.last_step,
                "rows": job.rows,
                "end": _end(job.end),
            }
            for job in run.jobs
        ],
        "rows": analysis.facts.rows,
        "steps": analysis.facts.steps_done,
        "superseded": analysis.facts.superseded,
        "steps_table": STEPS_TABLE if analysis.metrics else None,
        "metrics": metrics,
        "checkpoint": _checkpoint(analysis.checkpoint),
        "findings": [_finding(item) for item in analysis.findings],
        "phases": [_fields(phase, PHASE_FIELDS) for phase in analysis.progress.phases] if analysis.progress else [],
        "evaluations": [_evaluation(group) for group in analysis.evaluations],
        "timing": timing,
        "batch_errors": _batch_errors(run.batches),
        "spending": _spending(analysis.spending),
        "trials": _trials(analysis),
        "tasks": _tasks(analysis),
        "engines": _engines(analysis),
        "config": {key: _plain(value) for key, value in run.config.values.items()} if run.config else {},
        "published": _published(run.published, analysis, metrics, timing),
        "crosscheck": [crosscheck(item) for item in analysis.crosscheck],
        "problems": [_problem(item) for item in run.problems],
    }


def dump(document: Mapping[str, Any]) -> bytes:
    """The document as UTF-8 JSON with two-space indent and a final newline; what is not finite becomes null."""
    text = json.dumps(_strict(document), ensure_ascii=False, allow_nan=False, indent=2)
    return (text + "\n").encode("utf-8", errors="replace")


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _end(end: JobEnd) -> dict[str, Any]:
    return {"cause": end.cause, "guessed": end.guessed, "path": end.path, "line": end.line, "text": end.text}


def _batch_errors(batches: pd.DataFrame | None) -> list[dict[str, Any]]:
    """One entry per job and step that logged batches, in table order; counts are whole numbers or null."""
    if batches is None:
        return []
    types = [name for name in batches.columns if name.startswith(EXCEPTION)]
    entries = []
    for row in batches.to_dict("records"):
        counts = {name: _count(row[name]) for name in BATCH_FIELDS}
        raised = {name.removeprefix(EXCEPTION): _count(row[name]) for name in types if row[name] > 0}
        entries.append({"job": row["job"], "step": row["step"]} | counts | {"exceptions": raised})
    return entries


def _count(value: float) -> int | None:
    return int(value) if math.isfinite(value) else None


def _metrics(summaries: Iterable[MetricSummary]) -> dict[str, Any]:
    """Logged name to statistics over all its rows: a metric of train and evaluation records is taken together."""
    by_name: dict[str, list[MetricSummary]] = {}
    for summary in summaries:
        by_name.setdefault(summary.name, []).append(summary)
    return {name: _statistics(merged(tuple(parts))) for name, parts in by_name.items()}


def _statistics(summary: MetricSummary) -> dict[str, Any]:
    return {name: getattr(summary, name) for name in STATISTICS}


def _checkpoint(selection: CheckpointSelection) -> dict[str, Any] | None:
    if selection.step is None:
        return None
    return {
        "step": selection.step,
        "ema": selection.ema,
        "save_interval": selection.save_interval,
        "overlap_rule": selection.overlap_rule,
        "candidates": [_fields(item, CANDIDATE_FIELDS) for item in selection.candidates],
    }


def _fields(item: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(item, name) for name in names}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "en": finding.sentence.en,
        "zh": finding.sentence.zh,
        "values": dict(finding.values),
        "section": finding.section,
        "published": finding.published,
        "evidence": _fields(finding.evidence, EVIDENCE_FIELDS) | {"metrics": list(finding.evidence.metrics)},
    }


def _evaluation(group: EvalSet) -> dict[str, Any]:
    return {"set": group.name, "metrics": [_fields(item, EVALUATION_FIELDS) for item in group.metrics]}


def _spending(spent: Spending | None) -> dict[str, Any] | None:
    if spent is None:
        return None
    gaps = [_fields(gap, ("before", "after", "seconds")) for gap in spent.gaps]
    return {"gaps": gaps} | _fields(spent, SPENDING_FIELDS)


def _timing(timing: Timing | None) -> dict[str, Any]:
    """Recorded spans only: the computed row is one minus the rest and no span of the trainer."""
    spans = timing.spans if timing else ()
    return {span.name: {"mean_s": span.mean_s, "share_of_step": span.share_of_step} for span in spans if span.metric}


def _trials(analysis: RunAnalysis) -> dict[str, Any] | None:
    summary = analysis.trials
    if summary is None:
        return None
    return {
        "total": summary.total,
        "graded": summary.graded,
        "mean_reward": summary.mean_reward,
        "success_rate": summary.success_rate,
        "turns": _turns(summary.turns),
        "exceptions": {group.name: group.count for group in summary.exceptions},
        "tokens": _tokens(summary),
        "by_exception": {
            group.name: _fields(group, EXCEPTION_FIELDS) | {"turns": _turns(group.turns)}
            for group in summary.exceptions
        },
        "by_outcome": {group.name: {"count": group.count, "turns": _turns(group.turns)} for group in summary.outcomes},
        "funnel": _fields(analysis.funnel, FUNNEL_FIELDS) if analysis.funnel else None,
        "phases": _trial_phases(analysis.trial_phases),
    }


def _tokens(summary: TrialSummary) -> dict[str, Any]:
    """Sums over the trials that reported the quantity, and how many these are."""
    counts = summary.token_counts
    return {
        "input": summary.input_tokens,
        "cache": summary.cache_tokens,
        "output": summary.output_tokens,
        "cost_usd": summary.cost_usd,
        "counts": {
            "input": counts.input,
            "cache": counts.cache,
            "output": counts.output,
            "cost_usd": counts.cost_usd,
        },
    }


def _turns(turns: Spread) -> dict[str, Any]:
    return {name: getattr(turns, name) for name in TURNS}


def _trial_phases(phases: TrialPhases | None) -> dict[str, Any]:
    if phases is None:
        return {}
    return {item.name: {"share": item.share} | _fields(item.seconds, PHASE_SECONDS) for item in phases.phases}


def _tasks(analysis: RunAnalysis) -> list[dict[str, Any]]:
    """Tasks in name order, with their halves where trials carry a time."""
    if analysis.trials is None:
        return []
    halves = {item.task: item for item in analysis.halves.tasks} if analysis.halves else {}
    return [
        _fields(task, TASK_FIELDS)
        | {name: getattr(halves[task.task], name) if task.task in halves else None for name in HALF_FIELDS}
        for task in sorted(analysis.trials.tasks, key=lambda item: item.task)
    ]


def _engines(analysis: RunAnalysis) -> dict[str, Any] | None:
    summary, verdict = analysis.engines, analysis.verdict
    if summary is None:
        return None
    means = {item.field: item.mean for item in summary.overall.fields}
    return (
        {"samples": summary.overall.samples}
        | {name: means[name] for name in ENGINE_FIELDS}
        | {"verdict": _fields(verdict, VERDICT_FIELDS) if verdict else None}
    )


def _published(
    published: Published | None, analysis: RunAnalysis, metrics: Mapping[str, Any], timing: Mapping[str, Any]
) -> dict[str, Any] | None:
    """What only the report says, in the shapes of the computed fields."""
    if published is None:
        return None
    known = {name for name, item in metrics.items() if item["count"] or item["non_finite"]}
    only_trials = published.trials if analysis.trials is None else None
    only_engines = published.engines if analysis.engines is None else {}
    only_step = published.checkpoint_step if analysis.checkpoint.step is None else None
    return {
        "path": published.path,
        "metrics": {name: _published_metric(item) for name, item in published.metrics.items() if name not in known},
        "checkpoint": None
        if only_step is None
        else {"step": only_step, "ema": None, "save_interval": None, "overlap_rule": None},
        "timing": _published_timing(published, timing),
        "trials": _published_trials(only_trials),
        "engines": {
            job: {"samples": None} | {name: values.get(name) for name in ENGINE_FIELDS}
            for job, values in only_engines.items()
        }
        or None,
    }


def _published_metric(item: PublishedMetric) -> dict[str, Any]:
    return {name: getattr(item, name, None) for name in STATISTICS}


def _published_timing(published: Published, timing: Mapping[str, Any]) -> dict[str, Any]:
    """Spans of the report's share table, and of its summary of timing metrics, that were not computed."""
    means = {_span(name): item.mean for name, item in published.metrics.items() if name != _span(name)}
    shares = {_span(name): share for name, share in published.timing.items()}
    names = [name for name in dict.fromkeys([*shares, *means]) if name not in timing]
    return {name: {"mean_s": means.get(name), "share_of_step": shares.get(name)} for name in names}


def _span(name: str) -> str:
    prefix = next((prefix for prefix in TIMING_PREFIXES if name.startswith(prefix)), "")
    return name.removeprefix(prefix)


def _published_trials(trials: PublishedTrials | None) -> dict[str, Any] | None:
    if trials is None:
        return None
    return {
        "total": trials.total,
        "graded": trials.graded,
        "mean_reward": trials.mean_reward,
        "success_rate": trials.success_rate,
        "turns": {name: trials.turns.get(name) for name in TURNS},
        "exceptions": dict(trials.exceptions),
    }


def crosscheck(item: CrossCheck) -> dict[str, Any]:
    """One published number against the run."""
    return {
        "where": item.where,
        "name": item.name,
        "published": item.published,
        "computed": item.computed,
        "verdict": item.verdict,
        "tolerance": item.tolerance,
        "how": item.how.en,
        "reason": item.reason.en if item.reason else None,
        "path": item.path,
        "line": item.line,
    }


def _problem(item: Problem) -> dict[str, Any]:
    return {
        "severity": item.severity,
        "path": item.path,
        "line": item.line,
        "what": item.what.en,
        "effect": item.effect.en,
    }


def _plain(value: Any) -> Any:
    """A configuration value as JSON: numbers, text, lists; dates as ISO text, what is not finite as YAML writes it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else (".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf")
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(str(item) for item in value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
