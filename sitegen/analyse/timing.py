"""Where step time goes: the tree of timing spans, per-step shares, what no span accounts for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One timing span."""

    name: str
    """Span without its prefix (`timing/`, `timing_s/`, `time/`)."""
    metric: str
    """Logged name; empty for the computed `unattributed` and `overlap` rows."""
    parent: str | None
    """Containing span that was recorded; None for the root (`step`) and for spans outside of it."""
    depth: int
    """0 for the root and for spans outside, 1 for its children, …"""
    inside: bool
    """Whether it lies in `step`."""
    declared: bool
    """False when no table says where the span lies."""
    mean_s: float
    """Mean over all rows that logged it."""
    count: int
    """Rows that logged it."""
    share_of_step: float | None
    """Mean over rows of span/step (0-1), over the rows where both are finite and step > 0; None without such."""
    total_share: float | None
    """Sum of span over sum of step, over the same rows."""
    share_of_parent: float | None
    """Mean span over mean parent, over rows where both are finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowStep:
    """A step that took much longer than the median."""

    step: int
    """Train step."""
    job: str
    """Job that ran it."""
    seconds: float
    """Step time."""
    main_span: str | None
    """Depth-1 span with the largest excess over its own median."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Time analysis of a run."""

    spans: tuple[Span, ...]
    """Tree order: step, its children (largest first) each followed by its own, `unattributed` or `overlap`,
    then spans outside."""
    rows: int
    """Rows with a step time."""
    step_metric: str
    """Logged name of the step time."""
    median_step_s: float
    """Median step time over the lineage."""
    total_step_s: float
    """Sum of step times, superseded rows included."""
    redone_s: float
    """Step time of superseded rows."""
    slowest: tuple[SlowStep, ...]
    """At most five, slowest first; only steps above 1.5 times the median."""
    wait_span: str | None
    """Span that is waiting for generation."""
    cold_start_s: float | None
    """Time of the first step beyond the median of the rest, when above 1.5 times that median; None otherwise."""
