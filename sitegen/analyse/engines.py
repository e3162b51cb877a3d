"""Inference engines: per-engine means. Population: the engine samples as given, unweighted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineMean:
    """One measured field over some samples."""

    field: str
    """Column of `tables.ENGINES`."""
    mean: float | None
    """Mean over samples that carry it; each sample counts once, however many engines it averages."""
    active_mean: float | None
    """Mean over samples with running or waiting requests; None without such."""
    max: float | None
    """Largest (over `*_max` columns where given)."""
    count: int
    """Samples that carry it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineGroup:
    """Engine statistics of a job, or of all."""

    job: str | None
    """Job; None for all."""
    samples: int
    """Rows as given."""
    fields: tuple[EngineMean, ...]
    """running, waiting, generation_tps, prompt_tps, kv_cache_pct, prefix_hit_pct."""
    idle_share: float | None
    """Share of samples with nothing running and nothing waiting."""
    waiting_share: float | None
    """Share of samples with waiting requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSummary:
    """Engine analysis of a run."""

    overall: EngineGroup
    """All samples."""
    by_job: tuple[EngineGroup, ...]
    """Per job, lineage order."""
    engines: int | None
    """Distinct engines seen; None when rows are means."""
    max_num_seqs: int | None
    """Slots per engine, from the configuration."""
    hidden_repeats: int
    """Lines that Ray collapsed."""
