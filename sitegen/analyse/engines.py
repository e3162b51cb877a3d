"""Inference engines: per-engine means. Population: the engine samples as given, unweighted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.analyse.config_keys import find_int
from sitegen.analyse.numbers import mean
from sitegen.model.run import Run

Floats = NDArray[np.float64]

FIELDS = ("running", "waiting", "generation_tps", "prompt_tps", "kv_cache_pct", "prefix_hit_pct")
"""Measured fields, in the order shown."""


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
    """Distinct engines seen in one job, the most of any job (a new job starts new engines); None when rows are
    means over engines."""
    max_num_seqs: int | None
    """Slots per engine, from the configuration."""
    hidden_repeats: int
    """Lines that Ray collapsed."""


def summarise_engines(run: Run) -> EngineSummary | None:
    """Per-engine statistics; None without engine samples.

    Population: the samples as given. A sample counts once whether it is one engine's line or a mean over the engines
    that reported; a sum over engines is never called per-engine.
    """
    table = run.engines
    if table is None or table.empty:
        return None
    named = list(dict.fromkeys([*(job.name for job in run.jobs), *table["job"].dropna().tolist()]))
    parts = {str(name): part for name, part in table.groupby("job", sort=False)}
    return EngineSummary(
        overall=_group(None, table),
        by_job=tuple(_group(name, parts[name]) for name in named if name in parts),
        engines=_distinct(table),
        max_num_seqs=find_int(run.config, "max_num_seqs"),
        hidden_repeats=int(np.nansum(_numbers(table, "hidden_repeats"))),
    )


def _group(job: str | None, samples: pd.DataFrame) -> EngineGroup:
    running, waiting = _numbers(samples, "running"), _numbers(samples, "waiting")
    active = (running > 0) | (waiting > 0)
    both = np.isfinite(running) & np.isfinite(waiting)
    known_waiting = np.isfinite(waiting)
    return EngineGroup(
        job=job,
        samples=len(samples),
        fields=tuple(_field(name, samples, active) for name in FIELDS),
        idle_share=float((~active[both]).mean()) if both.any() else None,
        waiting_share=float((waiting[known_waiting] > 0).mean()) if known_waiting.any() else None,
    )


def _field(name: str, samples: pd.DataFrame, active: NDArray[np.bool_]) -> EngineMean:
    values = _numbers(samples, name)
    kept = values[np.isfinite(values)]
    busy = values[active & np.isfinite(values)]
    peaks = [float(column.max()) for column in (kept, _largest(samples, name)) if len(column)]
    return EngineMean(
        field=name,
        mean=mean(kept),
        active_mean=mean(busy),
        max=max(peaks) if peaks else None,
        count=len(kept),
    )


def _largest(samples: pd.DataFrame, name: str) -> Floats:
    """Finite values of the column that holds the largest of the engines averaged in a row, where there is one."""
    column = f"{name}_max"
    if column not in samples.columns:
        return np.empty(0)
    values = _numbers(samples, column)
    return values[np.isfinite(values)]


def _numbers(samples: pd.DataFrame, column: str) -> Floats:
    values = samples[column].to_numpy(dtype="float64")
    return np.where(np.isfinite(values), values, np.nan)


def _distinct(table: pd.DataFrame) -> int | None:
    seen = table.dropna(subset=["engine"])
    if seen.empty:
        return None
    return int(seen.groupby("job", dropna=False)["engine"].nunique().max())
