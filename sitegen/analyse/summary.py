"""Per-metric statistics over a run's logged rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """Statistics of one metric over all train rows that logged it (superseded rows included)."""

    name: str
    """Logged name."""
    kind: str
    """train or eval: the records it was logged in."""
    mean: float | None
    """Arithmetic mean over finite values; None without any."""
    std: float | None
    """Sample standard deviation (ddof 1) over finite values; None below two."""
    min: float | None
    """Smallest finite value."""
    max: float | None
    """Largest finite value."""
    last: float | None
    """Value at the lineage's last step; None when that step did not log it or logged a non-finite value."""
    count: int
    """Finite values."""
    non_finite: int
    """Values logged as NaN or infinite."""
    first_step: int | None
    """First step that logged it."""
    last_step: int | None
    """Last lineage step that logged a finite value of it."""
    constant: bool
    """True when all finite values are equal (and there are at least two)."""
