"""The jobs section of the overview: one bar per launch, how it ended, what was re-done."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen import format as fmt
from sitegen.model.run import Job, JobEnd, Run, lineage
from sitegen.pages.base import run_page
from sitegen.pages.log_entries import log_anchors
from sitegen.pages.run_view import Mark, RunInput, Tone, Voice, percent_of

END_MARKS: dict[str, tuple[str, Tone]] = {
    "finished": ("s-done", "good"),
    "stopped_early": ("s-stop", "warn"),
    "time_limit": ("e-time", "warn"),
    "cancelled": ("e-cancel", "note"),
    "out_of_memory": ("e-oom", "bad"),
    "node_failure": ("e-node", "bad"),
    "sandbox_failure": ("e-node", "bad"),
    "hang": ("e-hang", "warn"),
    "crashed": ("v-bad", "bad"),
    "running": ("e-run", "accent"),
    "unknown": ("e-unk", "note"),
}
"""How a job ended to icon and tone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One job."""

    name: str
    """Its name."""
    mark: Mark
    """How it ended."""
    facts: str
    """Duration, steps, gained, re-done."""
    x: str
    """Left end of its bar; empty when it has no place on the axis."""
    width: str
    """Width of its bar."""
    redone_width: str
    """Width of the re-done part at its left end; empty for none."""
    label: str
    """The bar in words."""
    evidence: str
    """The log line that says how it ended; empty without one."""
    where: str
    """File and line of the evidence."""
    log: str
    """Link to the job's entry on the logs page; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One tick of the axis."""

    x: str
    """Its place."""
    text: str
    """Its label."""
    anchor: str
    """Class: start, end or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsView:
    """The jobs section."""

    sentence: str
    """How many, resumed how often, what counts where they overlap."""
    rows: tuple[JobRow, ...]
    """Jobs in lineage order."""
    ticks: tuple[Tick, ...]
    """Axis."""
    has_redone: bool
    """Whether the key for re-done steps is needed."""


@dataclass(frozen=True, slots=True)
class _Axis:
    """Time or steps along the bars."""

    clock: bool
    low: float
    high: float

    def ends(self, job: Job) -> tuple[float, float] | None:
        """Left and right end of a job, None when unknown."""
        if self.clock:
            return None if job.started is None or job.finished is None else (job.started, job.finished)
        if job.first_step is None or job.last_step is None:
            return None
        return job.first_step - 1, job.last_step


def jobs_view(given: RunInput, voice: Voice) -> JobsView | None:
    """The section; None when no job is known."""
    run = given.run
    if not run.jobs:
        return None
    axis = _axis(run)
    logs_page = run_page(run.slug, "logs")
    kept = kept_steps(run)
    links = {name: voice.urls.page_to(logs_page, anchor) for name, anchor in log_anchors(run).items()}
    return JobsView(
        sentence=jobs_sentence(run, voice) + (_clock_sentence(run, voice) if axis.clock else ""),
        rows=tuple(_row(job, axis, voice, (links.get(job.name, ""), kept.get(job.name, 0))) for job in run.jobs),
        ticks=_ticks(axis, voice),
        has_redone=any(job.redone for job in run.jobs),
    )


def jobs_sentence(run: Run, voice: Voice) -> str:
    """Number of jobs and of steps logged more than once."""
    redone = sum(job.redone for job in run.jobs)
    if len(run.jobs) == 1:
        return voice.say("jobs.one")
    if not redone:
        return voice.say("jobs.many", n=voice.count(len(run.jobs)))
    twice = next((job.first_step for job in run.jobs if job.redone), None)
    return voice.say(
        "jobs.overlap-one" if redone == 1 else "jobs.overlap",
        n=voice.count(len(run.jobs)),
        redone=voice.count(redone),
        step=voice.count(twice),
        rule=voice.say(f"overlap.{run.overlap_rule}"),
    )


def _clock_sentence(run: Run, voice: Voice) -> str:
    """What the moments on the axis rest on; empty where the logs' clock names its zone."""
    if run.facts.get("clock_assumed_utc") is not True:
        return ""
    return ("" if voice.lang == "zh" else " ") + voice.say("jobs.clock-assumed")


def _axis(run: Run) -> _Axis:
    spans = [(job.started, job.finished) for job in run.jobs]
    known = [(start, end) for start, end in spans if start is not None and end is not None]
    if known and len(known) == len(spans) and max(end for _, end in known) > min(start for start, _ in known):
        return _Axis(True, min(start for start, _ in known), max(end for _, end in known))
    firsts = [job.first_step for job in run.jobs if job.first_step is not None]
    lasts = [job.last_step for job in run.jobs if job.last_step is not None]
    return _Axis(False, float(min(firsts, default=1) - 1), float(max(lasts, default=1)))


def kept_steps(run: Run) -> dict[str, int]:
    """Steps of each job whose record is on the lineage; a superseded one gained nothing."""
    rows = lineage(run)
    return {str(name): int(count) for name, count in rows.groupby("job")["step"].nunique().items()}


def _row(job: Job, axis: _Axis, voice: Voice, found: tuple[str, int]) -> JobRow:
    """A job; `found` is the address of its log and its steps on the lineage."""
    log, kept = found
    ends = axis.ends(job)
    x = width = redone = ""
    if ends:
        x = percent_of(ends[0], axis.low, axis.high)
        width = percent_of(axis.low + ends[1] - ends[0], axis.low, axis.high)
        if job.redone and not axis.clock:
            redone = percent_of(axis.low + min(job.redone, ends[1] - ends[0]), axis.low, axis.high)
    facts = job_facts(job, kept, voice)
    return JobRow(
        name=job.name,
        mark=end_mark(job.end, voice),
        facts=facts,
        x=x,
        width=width,
        redone_width=redone,
        label=f"{job.name}: {facts}",
        evidence=job.end.text or "",
        where=end_place(job.end, voice),
        log=log,
    )


def end_mark(end: JobEnd, voice: Voice) -> Mark:
    """How a job ended, as a shape with a word."""
    icon, tone = END_MARKS[end.cause]
    word = voice.say(f"end.{end.cause}")
    return Mark(icon=icon, tone=tone, word=voice.shared("status.guessed", status=word) if end.guessed else word)


def end_place(end: JobEnd, voice: Voice) -> str:
    """File and line that say how a job ended; empty without one."""
    if end.path is None:
        return ""
    name = end.path.rsplit("/", 1)[-1]
    if end.line is None:
        return name
    place = voice.say("at-line", name=name, line=voice.count(end.line))
    if end.last_line is None:
        return place
    return voice.say("jobs.ended-at", place=place, line=voice.count(end.last_line))


def job_facts(job: Job, kept: int, voice: Voice) -> str:
    """Duration, steps, how many of them are on the lineage, re-done, resumed from."""
    parts = []
    if job.started is not None and job.finished is not None:
        parts.append(voice.duration(job.finished - job.started))
    if job.first_step is None or job.last_step is None:
        parts.append(voice.say("jobs.no-steps"))
    else:
        first, last = voice.count(job.first_step), voice.count(job.last_step)
        parts.append(voice.say("jobs.steps", first=first, last=last))
        parts.append(voice.say("jobs.gained", n=voice.count(kept)))
    if job.redone:
        parts.append(voice.say("jobs.redone", n=voice.count(job.redone)))
    if job.resumed_from is not None:
        parts.append(voice.say("jobs.resumed", step=voice.count(job.resumed_from)))
    return " · ".join(parts)


def _ticks(axis: _Axis, voice: Voice) -> tuple[Tick, ...]:
    places = _round_places(axis.low, axis.high, clock=axis.clock)
    ticks = []
    for place in places:
        share = (place - axis.low) / (axis.high - axis.low) if axis.high > axis.low else 0.0
        anchor = "start" if share < 0.03 else "end" if share > 0.97 else ""
        text = fmt.clock(place, voice.lang).removesuffix(" UTC") if axis.clock else voice.count(place)
        if not axis.clock and place == places[-1]:
            text = voice.say("step-n", step=text)
        ticks.append(Tick(x=percent_of(place, axis.low, axis.high), text=text, anchor=anchor))
    return tuple(ticks)


def _round_places(low: float, high: float, *, clock: bool) -> list[float]:
    """At most six round places on the axis, both ends of a step axis kept near."""
    units = (600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400) if clock else (1, 2, 5, 10, 20, 50, 100, 200, 500)
    span = max(high - low, 1.0)
    longest = float(units[-1])
    unit = next((float(u) for u in units if span / u <= 5), longest * max(1.0, round(span / 5 / longest)))
    first = unit * -(-low // unit)
    return [first + unit * i for i in range(int((high - first) // unit) + 1)]
