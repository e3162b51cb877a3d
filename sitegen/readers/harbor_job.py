"""What a Harbor job says of its trials: totals, and rewards and exceptions by trial.

A job's `result.json` has the same name as a trial's and other keys (`n_total_trials`). It is a snapshot: the counts
may lag behind the folders, and cancelled trials are in neither. Its `metrics` are not used, because a mean of 0.0 is
written also where nothing was graded. Rewards are keys of an object there, so numbers written as text.

Source: Harbor 0.26.0, `harbor/models/job/result.py` (`JobResult`, `JobStats`, `AgentDatasetStats`); the older form as
of 2025-11 (`n_trials`, `n_errors`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, SourceFile, TrialJob
from sitegen.readers.base import Reader
from sitegen.readers.harbor_json import Oddities, Unusable, read_object
from sitegen.readers.text_file import head_text
from sitegen.text import Text

_JOB_KEY = re.compile(r'"n_total_trials"\s*:')


def sniff(source: SourceFile) -> bool:
    """Whether a result is a job's: it counts its trials."""
    return not source.bundled and _JOB_KEY.search(head_text(source)) is not None


def read(source: SourceFile) -> ReadResult:
    """The job's own counts (`TrialJob`)."""
    oddities = Oddities()
    job = None
    try:
        job = job_of(read_object(str(source.location), source.name, oddities), source.name, oddities)
    except Unusable as reason:
        oddities.add(reason.kind, source.name)
    problems = oddities.problems(source.path)
    if job is not None:
        problems += _retried(source.path, job)
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        trial_job=job,
        rows=0 if job is None else 1,
        problems=tuple(problems),
    )


def job_of(record: Mapping[str, Any], name: str, oddities: Oddities) -> TrialJob:
    """What the job's result says; what is of a wrong type counts as not said."""
    stats = _mapping(record.get("stats"))
    finished = stats.get("n_completed_trials", stats.get("n_trials"))
    rewards: dict[str, dict[str, float]] = {}
    exceptions: dict[str, str] = {}
    for evaluation in _mapping(stats.get("evals")).values():
        given = _mapping(evaluation)
        for key, by_value in _mapping(given.get("reward_stats")).items():
            for text, trial in _named(by_value):
                value = _value(text)
                if value is None:
                    oddities.add("harbor.wrong-type", name)
                else:
                    rewards.setdefault(trial, {})[key] = value
        exceptions |= {trial: kind for kind, trial in _named(given.get("exception_stats"))}
    waiting = [
        count for key in ("n_running_trials", "n_pending_trials") if (count := _count(stats.get(key))) is not None
    ]
    return TrialJob(
        total=_count(record.get("n_total_trials")),
        finished=_count(finished),
        unfinished=sum(waiting) if waiting else None,
        cancelled=_count(stats.get("n_cancelled_trials")),
        retries=_count(stats.get("n_retries")),
        ended=isinstance(record.get("finished_at"), str),
        rewards=rewards,
        exceptions=exceptions,
    )


def _retried(path: str, job: TrialJob) -> list[Problem]:
    return [problem("harbor.retried", path, None, count=job.retries)] if job.retries else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _named(value: object) -> Iterator[tuple[str, str]]:
    """Key and trial of an object whose values are lists of trials."""
    for key, trials in _mapping(value).items():
        if isinstance(trials, list):
            yield from ((key, trial) for trial in trials if isinstance(trial, str))


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _value(text: str) -> float | None:
    """A reward written as text: `1.0`, for whole rewards `1`."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


READER = Reader(
    name="harbor_job",
    title=Text("Harbor job result", "Harbor 作业结果"),
    names=("result.json",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=0,
    version=1,
)
