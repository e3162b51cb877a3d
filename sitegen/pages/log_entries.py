"""Whose log is whose: a run's console logs and their events, by job."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.model.run import Job, LogEvent, Run

CONSOLE_READER = "console"
"""Name of the reader of console logs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A job with its logs, or logs that belong to no job of the run."""

    id: str
    """Anchor on the logs page."""
    name: str
    """The job's name."""
    job: Job | None
    """None where the run has no such job."""
    files: tuple[str, ...]
    """Paths of its logs, sorted."""
    events: tuple[LogEvent, ...]
    """Its events, in file and line order."""


def has_logs(run: Run) -> bool:
    """Whether the run has a logs page: a console log was read, or there are events."""
    return bool(run.events) or bool(_log_paths(run))


def log_anchors(run: Run) -> dict[str, str]:
    """Job name to its anchor on the logs page, for the jobs that have a log."""
    return {entry.name: entry.id for entry in log_entries(run) if entry.job}


def log_entries(run: Run) -> tuple[LogEntry, ...]:
    """The jobs that have a log, in lineage order, then the logs of no job."""
    logs = _log_paths(run) | {event.path for event in run.events}
    owner = {path: job.name for job in run.jobs for path in job.sources if path in logs}
    by_job: dict[str, list[LogEvent]] = {}
    for event in run.events:
        by_job.setdefault(owner.get(event.path, event.job), []).append(event)
    found: list[tuple[str, Job | None, set[str], list[LogEvent]]] = []
    for job in run.jobs:
        events = by_job.pop(job.name, [])
        files = {path for path in job.sources if path in logs} | {event.path for event in events}
        if files:
            found.append((job.name, job, files, events))
    found += [(name, None, {event.path for event in events}, events) for name, events in by_job.items()]
    return tuple(
        LogEntry(id=f"log-{number}", name=name, job=job, files=tuple(sorted(files)), events=tuple(events))
        for number, (name, job, files, events) in enumerate(found, start=1)
    )


def _log_paths(run: Run) -> frozenset[str]:
    return frozenset(source.path for source in run.sources if source.reader == CONSOLE_READER)
