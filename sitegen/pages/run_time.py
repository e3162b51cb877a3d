"""The time section of the overview: the tree of spans, the slowest steps, the cold start."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen import format as fmt
from sitegen.analyse.timing import SlowStep, Span, Timing
from sitegen.pages.row import timing_name
from sitegen.pages.run_view import Column, RunInput, Table, Voice, metric_cell, number_cell


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanRow:
    """One row of the timing tree."""

    name: str
    """Span without its prefix."""
    metric: str | None
    """Logged name; None for computed rows."""
    depth: int
    """Indent, 0-4."""
    mean: str
    """Mean seconds."""
    of_step: str
    """Mean of per-step shares, per cent."""
    of_parent: str
    """Share of the span that holds it, per cent."""
    logged: str
    """Rows that logged it, where not all did."""
    x: str
    """Left end of its bar; empty without a bar."""
    width: str
    """Width of its bar."""
    fill: str
    """Class of its bar."""
    declared: bool
    """False when no table says where the span lies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeView:
    """The time section."""

    sentence: str
    """Where the time goes, in one sentence."""
    rows: tuple[SpanRow, ...]
    """The step and what it holds."""
    outside: tuple[SpanRow, ...]
    """Spans that lie outside of the step, each followed by what it holds."""
    undeclared: bool
    """Whether some span's place is not known."""
    remarks: tuple[str, ...]
    """Cold start, slowest steps, time lost to superseded steps."""
    caption: str
    """Over how many records the means are."""


def time_view(given: RunInput, voice: Voice) -> TimeView | None:
    """The section; None when no step time was logged."""
    timing = given.analysis.timing
    if timing is None:
        return None
    inside = [span for span in timing.spans if span.inside or span.metric == timing.step_metric]
    outside = [span for span in timing.spans if span not in inside]
    bars = _bars(inside, timing)
    return TimeView(
        sentence=time_sentence(given, timing, voice),
        rows=tuple(_row(span, timing, bars.get(span.name), voice) for span in inside),
        outside=tuple(_row(span, timing, None, voice) for span in outside),
        undeclared=any(not span.declared for span in timing.spans),
        remarks=_remarks(timing, voice),
        caption=voice.say(
            "time.caption-redone" if given.analysis.facts.superseded else "time.caption", n=voice.count(timing.rows)
        ),
    )


def time_sentence(given: RunInput, timing: Timing, voice: Voice) -> str:
    """Share of waiting, what it is the mean of, and the median step."""
    wait = next((span for span in timing.spans if span.name == timing.wait_span), None)
    median = voice.duration(timing.median_step_s)
    if wait is None or wait.share_of_step is None:
        return voice.say("time.sentence", median=median, total=voice.duration(timing.total_step_s))
    key = "time.records"
    if len(given.run.jobs) > 1:
        key = "time.records-redone" if given.analysis.facts.superseded else "time.records-jobs"
    return voice.say(
        "time.sentence-wait",
        share=voice.percent(wait.share_of_step),
        wait=wait.metric,
        step=timing.step_metric,
        records=voice.say(key, n=wait.count, jobs=len(given.run.jobs)),
        median=median,
    )


def _bars(spans: list[Span], timing: Timing) -> dict[str, tuple[float, float, str]]:
    """Left end and width (0-1 of the step) and fill of each span that has a share, laid out in tree order."""
    bars: dict[str, tuple[float, float, str]] = {}
    used: dict[str, float] = {}
    for span in spans:
        if span.metric == timing.step_metric:
            bars[span.name] = (0.0, 1.0, "bar")
            continue
        share, parent = span.share_of_step, span.parent
        if share is None or not span.metric or parent not in bars:
            continue
        start, _, fill = bars[parent]
        left = start + used.get(parent, 0.0)
        used[parent] = used.get(parent, 0.0) + share
        bars[span.name] = (left, share, _fill(span, timing) if fill == "bar" else fill)
    return bars


def _fill(span: Span, timing: Timing) -> str:
    if span.name == timing.wait_span:
        return "a-wait"
    if "train" in span.name and "convert" not in span.name:
        return "a-train"
    return "a-sync" if "sync" in span.name else "a-other"


def _row(span: Span, timing: Timing, bar: tuple[float, float, str] | None, voice: Voice) -> SpanRow:
    computed = not span.metric
    x = width = fill = ""
    if bar:
        left = min(max(bar[0], 0.0), 1.0)
        x, width = f"{100 * left:.4g}%", f"{100 * max(min(bar[1], 1 - left), 0.0035):.4g}%"
        fill = bar[2]
    return SpanRow(
        name=voice.say(f"time.{span.name}") if computed else span.name,
        metric=span.metric or None,
        depth=min(span.depth, 4),
        mean=_mean(span.mean_s, timing.median_step_s, voice),
        of_step=fmt.percentage(span.share_of_step) if span.share_of_step is not None else "",
        of_parent=fmt.percentage(span.share_of_parent) if span.share_of_parent is not None else "",
        logged="" if computed or span.count == timing.rows else _logged(span, timing, voice),
        x=x,
        width=width,
        fill=fill,
        declared=span.declared,
    )


def _mean(seconds: float, step_s: float, voice: Voice) -> str:
    """Seconds with as many decimals as every span of the table has: the longer the step, the fewer."""
    places = 1 if step_s >= 100 else 2 if step_s >= 1 else 4
    least = 10.0**-places
    return f"< {voice.fixed(least, places)}" if 0 < seconds < least / 2 else voice.fixed(seconds, places)


def _logged(span: Span, timing: Timing, voice: Voice) -> str:
    return voice.say("of-n", part=voice.count(span.count), whole=voice.count(timing.rows))


def _remarks(timing: Timing, voice: Voice) -> tuple[str, ...]:
    remarks = []
    if timing.cold_start_s is not None:
        remarks.append(voice.say("time.cold", time=voice.duration(timing.cold_start_s)))
    if timing.slowest:
        remarks.append(_slowest(timing.slowest, voice))
    if timing.redone_s > 0:
        remarks.append(voice.say("time.redone", time=voice.duration(timing.redone_s)))
    return tuple(remarks)


def _slowest(steps: tuple[SlowStep, ...], voice: Voice) -> str:
    """The slowest steps; what they spent it on is said once when it is the same for all."""
    spans = {item.main_span for item in steps}
    shared = next(iter(spans)) if len(spans) == 1 else None
    named = []
    for item in steps:
        key = "time.slow" if item.main_span is None or shared is not None else "time.slow-span"
        if item.superseded:
            key += "-superseded"
        values = {"step": voice.count(item.step), "time": voice.duration(item.seconds), "span": item.main_span or ""}
        named.append(voice.say(key, **values))
    text = voice.listing(named)
    return (
        voice.say("time.slowest", steps=text)
        if shared is None
        else voice.say("time.slowest-in", steps=text, span=shared)
    )


def published_timing(given: RunInput, voice: Voice) -> Table | None:
    """Shares of step time that only a report gives; None when there are none."""
    published = given.run.published
    if published is None:
        return None
    known = {span.name for span in given.analysis.timing.spans} if given.analysis.timing else set()
    rows = [(name, share) for name, share in published.timing.items() if name.rsplit("/", 1)[-1] not in known]
    if not rows:
        return None
    return Table(
        id="published-timing",
        caption=voice.say("time.published"),
        columns=(
            Column(title=voice.say("col.span")),
            Column(title=voice.say("col.of-step"), numeric=True, unit="%"),
        ),
        rows=tuple((metric_cell(timing_name(name)), number_cell(share, fmt.percentage(share))) for name, share in rows),
    )
