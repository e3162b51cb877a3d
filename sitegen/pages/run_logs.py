"""The logs page of a run: per job first and last time, how it ended, and what its log complains of, by shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen import format as fmt
from sitegen.model.run import Job, LogEvent, Run
from sitegen.pages.base import PageHead
from sitegen.pages.log_entries import LogEntry, log_entries
from sitegen.pages.run_cards import data_file
from sitegen.pages.run_header import RunHeader, run_header
from sitegen.pages.run_jobs import end_mark, end_place, job_facts, kept_steps
from sitegen.pages.run_sources import inside
from sitegen.pages.run_view import Mark, RunInput, Tone, Voice, percent_of

TEMPLATE = "pages/run_logs.html"
EVENTS_FILE = "log_events.csv"
PAGE_GROUPS = 600
"""Groups listed on the page, shared out among the jobs; the CSV has all."""
MOST_GROUPS, FEWEST_GROUPS = 40, 5
"""Groups listed per job: most, and fewest where there are very many jobs."""
LINE_LENGTH = 240
"""Characters of a line that are shown unfolded."""
LEVELS: dict[str, tuple[str, Tone]] = {
    "traceback": ("v-bad", "bad"),
    "error": ("v-bad", "bad"),
    "warning": ("v-warn", "warn"),
}
"""Kind of a group to icon and tone, worst first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """Lines of one shape."""

    mark: Mark
    """Traceback, error or warning."""
    line: str
    """The first line of the group, or a traceback's last."""
    whole: str
    """The whole text, to unfold; empty when `line` is all of it."""
    count: str
    """How often, collapsed repeats included."""
    raw_count: int
    """The same, for sorting."""
    where: str
    """First and last line, with the file where a job has several logs."""
    first_line: int
    """First line, for sorting."""
    step: str
    """Train step under way at the first line; `–` unknown."""
    raw_step: str
    """The same, for sorting; empty when unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One group on the strip of steps."""

    x: str
    """Its place."""
    bad: bool
    """Error or traceback; else a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A job's steps on the run's axis, with the first line of each group."""

    label: str
    """In words."""
    x: str
    """Left end of the job's steps."""
    width: str
    """Their width."""
    ticks: tuple[Tick, ...]
    """Groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLog:
    """One job."""

    id: str
    """Anchor."""
    name: str
    """Its name."""
    mark: Mark | None
    """How it ended; None for logs of no job of the run."""
    facts: str
    """First and last time, duration, steps."""
    evidence: str
    """The line that says how it ended; empty without one."""
    where: str
    """File and line of the evidence."""
    files: tuple[str, ...]
    """Its logs."""
    strip: Strip | None
    """None where no group stands at a known step."""
    sentence: str
    """How many tracebacks, errors and warnings."""
    rows: tuple[EventRow, ...]
    """Groups, worst and most frequent first."""
    more: str
    """How many groups only the CSV has; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunLogs:
    """The logs page."""

    head: PageHead
    """For `base.html`."""
    header: RunHeader
    """The run."""
    sentence: str
    """How many jobs, how they ended, how many groups."""
    jobs: tuple[JobLog, ...]
    """Jobs in lineage order, then logs of no job."""
    has_strip: bool
    """Whether the key of the strip is needed."""
    download: str
    """Link to every group as CSV; empty when there is none."""


def run_logs(given: RunInput, voice: Voice, head: PageHead) -> RunLogs:
    """The page's view model."""
    run = given.run
    entries = log_entries(run)
    limit = min(MOST_GROUPS, max(FEWEST_GROUPS, PAGE_GROUPS // max(len(entries), 1)))
    jobs = tuple(_job_log(run, entry, voice, limit) for entry in entries)
    return RunLogs(
        head=head,
        header=run_header(given, voice, "logs"),
        sentence=_sentence(run, entries, voice),
        jobs=jobs,
        has_strip=any(job.strip for job in jobs),
        download=voice.urls.to(data_file(run.slug, EVENTS_FILE)) if run.events else "",
    )


def _sentence(run: Run, entries: Sequence[LogEntry], voice: Voice) -> str:
    jobs = [entry.job for entry in entries if entry.job]
    known = sum(job.end.cause != "unknown" for job in jobs)
    if len(jobs) == 1:
        told = [voice.say("logs.job-known" if known else "logs.job-unknown")]
    else:
        told = [voice.say("logs.jobs", n=voice.count(len(jobs)), known=voice.count(known))] if jobs else []
    return voice.sentence([*told, _counts(run.events, voice)])


def _counts(events: Sequence[LogEvent], voice: Voice) -> str:
    """Lines of each kind and in how many shapes."""
    if not events:
        return voice.say("logs.nothing")
    parts = []
    for level in LEVELS:
        found = [event for event in events if event.level == level]
        if found:
            lines = voice.count(sum(event.count for event in found))
            parts.append(voice.say(f"logs.count.{level}", n=lines, shapes=voice.count(len(found))))
    return voice.listing(parts)


# One job -------------------------------------------------------------------------------------------------------------


def _job_log(run: Run, entry: LogEntry, voice: Voice, limit: int) -> JobLog:
    job = entry.job
    ranked = sorted(entry.events, key=lambda event: (list(LEVELS).index(event.level), -event.count, event.first_line))
    rest = len(ranked) - limit
    return JobLog(
        id=entry.id,
        name=entry.name,
        mark=end_mark(job.end, voice) if job else None,
        facts=_facts(job, kept_steps(run).get(job.name, 0), voice) if job else "",
        evidence=(job.end.text or "") if job else "",
        where=end_place(job.end, voice) if job else "",
        files=tuple(inside(path, run) for path in entry.files),
        strip=_strip(run, entry, voice),
        sentence=_counts(entry.events, voice),
        rows=tuple(_row(event, len(entry.files) > 1, voice) for event in ranked[:limit]),
        more=voice.say("logs.more", n=voice.count(rest)) if rest > 0 else "",
    )


def _facts(job: Job, kept: int, voice: Voice) -> str:
    """First and last time, then what the overview says of it."""
    times = [None if value is None else fmt.clock(value, voice.lang) for value in (job.started, job.finished)]
    parts = [voice.say(f"logs.{name}", time=time) for name, time in zip(("first", "last"), times, strict=True) if time]
    return " · ".join([*parts, job_facts(job, kept, voice)])


def _row(event: LogEvent, several: bool, voice: Voice) -> EventRow:
    icon, tone = LEVELS[event.level]
    lines = [line for line in event.example.splitlines() if line.strip()] or [event.shape]
    line = lines[-1] if event.level == "traceback" else lines[0]
    shown = line if len(line) <= LINE_LENGTH else f"{line[:LINE_LENGTH]}…"
    first, last = voice.count(event.first_line), voice.count(event.last_line)
    where = first if event.first_line == event.last_line else f"{first}–{last}"
    return EventRow(
        mark=Mark(icon=icon, tone=tone, word=voice.say(f"logs.level.{event.level}")),
        line=shown.strip(),
        whole=event.example if len(lines) > 1 or shown != line else "",
        count=voice.count(event.count),
        raw_count=event.count,
        where=f"{event.path.rsplit('/', 1)[-1]}:{where}" if several else where,
        first_line=event.first_line,
        step=voice.count(event.first_step),
        raw_step="" if event.first_step is None else str(event.first_step),
    )


def _strip(run: Run, entry: LogEntry, voice: Voice) -> Strip | None:
    """Where on the run's steps the first line of each group stands."""
    placed = [(event.first_step, event.level) for event in entry.events if event.first_step is not None]
    spans = [(job.first_step, job.last_step) for job in run.jobs]
    known = [(first, last) for first, last in spans if first is not None and last is not None]
    if not placed or not known or entry.job is None or entry.job.first_step is None or entry.job.last_step is None:
        return None
    low, high = min(first for first, _ in known) - 1, max(last for _, last in known)
    first, last = entry.job.first_step, entry.job.last_step
    marks = sorted({(step, level != "warning") for step, level in placed})
    return Strip(
        label=voice.say("logs.strip", n=voice.count(len(placed)), first=voice.count(first), last=voice.count(last)),
        x=percent_of(first - 1, low, high),
        width=percent_of(low + last - first + 1, low, high),
        ticks=tuple(Tick(x=percent_of(step - 0.5, low, high), bad=bad) for step, bad in marks),
    )
