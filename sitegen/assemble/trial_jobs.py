"""What batches of trials say of themselves, held against the trials that are there. Nothing is added from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, TrialJob


def job_problems(results: Sequence[ReadResult]) -> list[Problem]:
    """By how much each batch's own counts, rewards and exceptions differ from its trials' results."""
    found: dict[str, list[pd.DataFrame]] = {}
    for result in results:
        if result.trials is not None:
            found.setdefault(_above(_above(result.source)), []).append(result.trials)
    problems: list[Problem] = []
    for result in results:
        if result.trial_job is not None:
            trials = _by_name(found.get(_above(result.source), []))
            problems += _counts(result.source, result.trial_job, trials)
            problems += _disagreements(result.source, result.trial_job, trials)
    return problems


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _by_name(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    named = [table[table["trial"].notna()] for table in tables]
    whole = pd.concat(named, ignore_index=True) if named else pd.DataFrame({"trial": [], "exception": []})
    return whole.drop_duplicates("trial", keep="last").set_index("trial")


def _counts(source: str, job: TrialJob, trials: pd.DataFrame) -> list[Problem]:
    count = len(trials)
    if job.finished is not None and job.finished != count:
        named = {*job.rewards, *job.exceptions}
        values = {
            "finished": f"{job.finished:,}",
            "total": "?" if job.total is None else f"{job.total:,}",
            "found": f"{count:,}",
            "lacking": f"{len(named - set(trials.index)):,}",
            "extra": f"{len(set(trials.index) - named):,}" if named else "0",
        }
        return [problem("harbor.job-counts-others", source, None, **values)]
    if job.total is not None and job.total != count:
        return [problem("harbor.job-incomplete", source, None, total=f"{job.total:,}", found=f"{count:,}")]
    return []


def _disagreements(source: str, job: TrialJob, trials: pd.DataFrame) -> list[Problem]:
    apart = [*_exceptions(job.exceptions, trials), *_rewards(job.rewards, trials)]
    if not apart:
        return []
    trial, mine, theirs = min(apart)
    count = len({name for name, _, _ in apart})
    return [problem("harbor.job-disagrees", source, None, count=count, trial=trial, mine=mine, theirs=theirs)]


def _exceptions(said: Mapping[str, str], trials: pd.DataFrame) -> list[tuple[str, str, str]]:
    own = trials["exception"].to_dict()
    return [(name, kind, own[name] or "–") for name, kind in said.items() if name in own and own[name] != kind]


def _rewards(said: Mapping[str, Mapping[str, float]], trials: pd.DataFrame) -> list[tuple[str, str, str]]:
    apart: list[tuple[str, str, str]] = []
    for key in sorted({key for rewards in said.values() for key in rewards}):
        column = f"reward/{key}"
        own = trials[column].to_dict() if column in trials.columns else dict.fromkeys(trials.index, math.nan)
        for name, rewards in said.items():
            if name in own and key in rewards and not math.isclose(own[name], rewards[key], rel_tol=1e-6, abs_tol=1e-9):
                shown = "–" if math.isnan(own[name]) else f"{own[name]:.6g}"
                apart.append((name, f"{key} {rewards[key]:.6g}", shown))
    return apart
