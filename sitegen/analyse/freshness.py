"""How old the training data were, how much was thrown away, and whether batches were as full as configured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sitegen.analyse.config_keys import find_int
from sitegen.analyse.facts import RunFacts
from sitegen.analyse.numbers import mean, total
from sitegen.model.run import Run, lineage

STALENESS_LIMITS = ("max_staleness_steps", "staleness_threshold", "max_head_offpolicyness", "max_off_policy_steps")
"""Configuration keys of the greatest staleness: SkyRL, verl, AReaL, prime-rl."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """Staleness, discards and batch size over the lineage; None: not logged or not configured."""

    staleness_mean: float | None
    """Mean over steps of the mean age of the batch, in policy versions."""
    staleness_max: float | None
    """Oldest sample of any step."""
    staleness_limit: int | None
    """The greatest staleness that the configuration allows."""
    discard_rate: float | None
    """Mean over steps of the share of samples discarded (0-1)."""
    discarded: float | None
    """Samples discarded, summed."""
    effective_batch: float | None
    """Mean samples per step that were trained on."""
    smallest_batch: float | None
    """Fewest samples of a step."""
    smallest_step: int | None
    """That step, the first on a tie."""
    configured_batch: int | None
    """Prompts per step x samples per prompt, as configured."""
    short_steps: int | None
    """Steps with fewer samples than configured; None unless both are known."""


def freshness(run: Run, roles: Mapping[str, str], facts: RunFacts) -> Freshness | None:
    """Freshness of a run; None when nothing of it was logged.

    Population: finite values of lineage rows.
    """
    names = ("staleness_mean", "staleness_max", "discard_rate", "discarded", "effective_samples")
    if not any(name in roles for name in names):
        return None
    rows = lineage(run)
    values = {name: rows[roles[name]].to_numpy(dtype="float64") for name in names if name in roles}
    nothing = np.empty(0)
    batch = values.get("effective_samples", nothing)
    kept = np.isfinite(batch)
    sizes, steps = batch[kept], rows["step"].to_numpy(dtype="int64")[kept] if len(batch) else nothing
    low = int(np.argmin(sizes)) if len(sizes) else None
    configured = _product(facts.batch_size, facts.samples_per_prompt)
    oldest = values.get("staleness_max", nothing)
    return Freshness(
        staleness_mean=mean(values.get("staleness_mean", nothing)),
        staleness_max=float(oldest[np.isfinite(oldest)].max()) if np.isfinite(oldest).any() else None,
        staleness_limit=find_int(run.config, *STALENESS_LIMITS),
        discard_rate=mean(values.get("discard_rate", nothing)),
        discarded=total(values.get("discarded", nothing)),
        effective_batch=mean(sizes),
        smallest_batch=None if low is None else float(sizes[low]),
        smallest_step=None if low is None else int(steps[low]),
        configured_batch=configured,
        short_steps=None if configured is None or low is None else int((sizes < configured).sum()),
    )


def _product(prompts: int | None, samples: int | None) -> int | None:
    return None if prompts is None or samples is None else prompts * samples
