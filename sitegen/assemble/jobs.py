"""Jobs of a run: what several sources say of one, and the order in which they ran."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sitegen.assemble.sources import same_job
from sitegen.model.problems import Problem, problem
from sitegen.model.run import UNKNOWN_END, Job, JobEnd, JobRecord, ReadResult
from sitegen.text import Text

_NUMBER = re.compile(r"(?:^|[_.-])(?!(?:19|20)\d\d(?!\d))(\d{4,})(?=$|[._-])")
"""A job's number in its name; a year is none."""
_WANDB_RUN = re.compile(r"(?:offline-)?run-\d{8}_\d{6}-")
_SAME: Mapping[str, str] = {}
_START = Text("start time", "开始时间")
_JOB_NUMBER = Text("job number", "作业号")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOrder:
    """Jobs in order of time."""

    jobs: tuple[JobRecord, ...]
    """One merged record per job."""
    sources: dict[str, tuple[str, ...]]
    """Job to the paths that speak of it."""
    problems: tuple[Problem, ...]
    """Ties and jobs that ran in parallel."""

    @property
    def names(self) -> tuple[str, ...]:
        """The jobs' names."""
        return tuple(job.name for job in self.jobs)


def ordered_jobs(
    path: str,
    results: Sequence[ReadResult],
    steps: pd.DataFrame,
    set_aside: Collection[str] = (),
    names: Mapping[str, str] = _SAME,
) -> JobOrder:
    """All jobs by start time if all have one, else by number if all have one, else by first step, then by name.

    Args:
        path: The run's path, for problems.
        results: Best first.
        steps: `tables.STEPS` of the run, jobs under their final names.
        set_aside: Sources whose steps are not used: a job that only they name is no further job.
        names: Jobs of sources that stand under another name in the steps.
    """
    logged = [name for name in steps["job"].unique() if name is not None]
    records: dict[str, JobRecord] = {name: JobRecord(name=name) for name in logged}
    sources: dict[str, list[str]] = {name: [] for name in logged}
    for name, source in steps[["job", "source"]].drop_duplicates().itertuples(index=False, name=None):
        sources[name].append(source)
    for result in results:
        for record in result.jobs:
            name = same_job(names.get(record.name, record.name), list(records))
            if name not in records:
                name = _of_wandb(record, records) or ""
                if not name or (name not in records and result.source in set_aside):
                    continue
            records[name] = _merged(records.get(name, JobRecord(name=name)), record)
            sources.setdefault(name, []).append(record.source or result.source)
    records = {name: _numbered(record) for name, record in records.items()}
    jobs, by = _sorted(records, _first_steps(steps))
    return JobOrder(
        jobs=tuple(jobs),
        sources={name: tuple(sorted(set(paths) - {""})) for name, paths in sources.items()},
        problems=(*_ties(path, jobs, by), *_parallel(path, jobs, by)),
    )


def entities(order: JobOrder, steps: pd.DataFrame) -> tuple[Job, ...]:
    """The jobs as the run's page shows them, with what they logged in the stitched steps."""
    train = steps[steps["kind"] == "train"]
    by_job = {name: rows["step"].to_numpy() for name, rows in train.groupby("job", sort=False)}
    done: set[int] = set()
    jobs: list[Job] = []
    for record in order.jobs:
        logged = by_job.get(record.name, np.zeros(0, dtype="int64"))
        distinct = set(logged.tolist())
        jobs.append(
            Job(
                name=record.name,
                first_step=int(logged.min()) if len(logged) else None,
                last_step=int(logged.max()) if len(logged) else None,
                rows=len(logged),
                redone=len(distinct & done),
                started=record.started,
                finished=record.finished,
                number=record.number,
                resumed_from=record.resumed_from,
                end=record.end,
                sources=order.sources.get(record.name, ()),
            )
        )
        done |= distinct
    return tuple(jobs)


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in which `v2` comes before `v10`."""
    parts = [part for part in re.split(r"(\d+)", name) if part]
    return (*((1, int(part), part) if part.isdecimal() else (0, 0, part.casefold()) for part in parts), (0, 0, name))


def _of_wandb(record: JobRecord, known: Mapping[str, JobRecord]) -> str | None:
    """The job a record speaks of: W&B names launches after its own folders, logs name them otherwise.

    A W&B launch is the job whose log lies in its folder, or the one with its scheduler number; else a further job,
    unless logs have named the jobs: then it is one of those and cannot be told which (None).
    """
    if not _WANDB_RUN.match(record.name):
        return record.name
    inside = [name for name in known if name.startswith(f"{record.name}/")]
    if len(inside) == 1:
        return inside[0]
    others = [_numbered(job) for job in known.values() if not _WANDB_RUN.match(job.name)]
    same = [job.name for job in others if record.number is not None and job.number == record.number]
    return same[0] if same else None if others else record.name


def _merged(known: JobRecord, more: JobRecord) -> JobRecord:
    """The better source's record, completed by the other's."""
    return replace(
        known,
        started=known.started if known.started is not None else more.started,
        finished=known.finished if known.finished is not None else more.finished,
        number=known.number if known.number is not None else more.number,
        resumed_from=known.resumed_from if known.resumed_from is not None else more.resumed_from,
        end=_better_end(known.end, more.end),
    )


def _better_end(known: JobEnd, more: JobEnd) -> JobEnd:
    """The better source's, unless it does not know or only guesses what the other one says."""
    told = more.cause != UNKNOWN_END.cause
    if known.cause == UNKNOWN_END.cause or (known.guessed and told and not more.guessed):
        return more
    return known


def _numbered(record: JobRecord) -> JobRecord:
    if record.number is not None or _WANDB_RUN.match(record.name):
        return record  # W&B's own names hold a date and a time, no number
    found = _NUMBER.findall(record.name)
    return replace(record, number=int(found[-1][:18])) if found else record


def _first_steps(steps: pd.DataFrame) -> dict[str, int]:
    train = steps[steps["kind"] == "train"]
    first = train.groupby("job", sort=False)["step"].min()
    return {str(name): int(step) for name, step in first.items()}


def _sorted(records: dict[str, JobRecord], first: dict[str, int]) -> tuple[list[JobRecord], Text | None]:
    """The records in order, and what decided (None: steps and names)."""
    jobs = sorted(records.values(), key=lambda job: natural(job.name))
    if jobs and all(job.started is not None for job in jobs):
        return sorted(jobs, key=lambda job: job.started or 0.0), _START
    if jobs and all(job.number is not None for job in jobs):
        return sorted(jobs, key=lambda job: job.number or 0), _JOB_NUMBER
    last = max(first.values(), default=0) + 1
    return sorted(jobs, key=lambda job: first.get(job.name, last)), None


def _ties(path: str, jobs: Sequence[JobRecord], by: Text | None) -> Iterable[Problem]:
    if by is None:
        return
    for one, two in itertools.pairwise(jobs):
        if (one.started == two.started) if by is _START else (one.number == two.number):
            yield problem("assemble.same-start", path, None, first=one.name, second=two.name, by=by)


def _parallel(path: str, jobs: Sequence[JobRecord], by: Text | None) -> Iterable[Problem]:
    if by is not _START:
        return
    for one, two in itertools.pairwise(jobs):
        if one.finished is not None and two.started is not None and one.started != two.started < one.finished:
            yield problem("assemble.parallel-jobs", path, None, first=one.name, second=two.name)
