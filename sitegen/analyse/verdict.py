"""Whether the inference engines are full, and what limits them: a verdict with its rule and its numbers.

A mean of 11 requests in 24 slots with 8 waiting does not say that engines are full: it is what bursts give, or a few
full engines beside idle ones. So the verdict counts intervals, and gives none where the limit is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sitegen.analyse.config_keys import find_int
from sitegen.model.run import Run

Floats = NDArray[np.float64]

Verdict = Literal["saturated", "bursts", "starved", "balanced"]
Limit = Literal["slots", "cache", "arrivals"]
NoVerdict = Literal["never-active", "unknown-limit"]

FULL_SLOTS = 0.9
"""Requests wait while at least this part of `max_num_seqs` runs: the engine is full."""
FULL_CACHE_PCT = 95.0
"""KV cache in use from which an engine is full, per cent."""
FEW_SLOTS = 0.5
"""Nothing waits and less than this part of `max_num_seqs` runs: the engine is starved."""
MOSTLY = 0.5
"""Share of active intervals from which a state is the verdict."""
BURSTS = 0.05
"""Share of active intervals with waiting requests from which bursts are the verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineVerdict:
    """What the engine samples prove. Shares are of active intervals (something runs or waits)."""

    verdict: Verdict | None
    """Saturated: full in at least half of the intervals; bursts: waiting in at least 5 % of them otherwise; starved:
    nothing waits and under half of the slots are used in at least half of them; balanced: none of these."""
    limit: Limit | None
    """What holds generation back: slots or KV cache when saturated, the arrival of requests when starved."""
    reason: NoVerdict | None
    """Why there is no verdict."""
    active: int
    """Active intervals with running and waiting requests known."""
    full_share: float | None
    """Full by slots or by cache."""
    full_cache_share: float | None
    """Full by cache."""
    waiting_share: float | None
    """With waiting requests."""
    starved_share: float | None
    """Nothing waits and few run; None with an unknown limit."""
    max_num_seqs: int | None
    """Slots per engine, from the configuration."""
    limit_assumed: bool
    """True when that configuration is assumed, not this run's record."""
    means_over_engines: bool
    """True when samples are means over engines: single full engines are hidden in them."""


def engine_verdict(run: Run) -> EngineVerdict | None:
    """The verdict; None without engine samples.

    Population: samples with finite running and waiting requests of which one is above 0; a KV cache that is not
    given does not count as full.

    Source: vLLM's scheduler runs at most `max_num_seqs` requests of an engine at once and queues the rest; it preempts
    when the KV cache is full (documentation of vLLM: engine arguments, metrics).
    """
    table = run.engines
    if table is None or table.empty:
        return None
    running, waiting, cache = (_numbers(table[name].to_numpy("float64")) for name in ("running", "waiting", CACHE))
    active = np.isfinite(running) & np.isfinite(waiting) & ((running > 0) | (waiting > 0))
    slots = find_int(run.config, "max_num_seqs")
    slots = slots if slots is not None and slots > 0 else None
    running, waiting, cache = running[active], waiting[active], cache[active]
    by_cache = cache >= FULL_CACHE_PCT
    by_slots = (waiting > 0) & (running >= FULL_SLOTS * slots) if slots else np.zeros(len(running), dtype=bool)
    few = (waiting == 0) & (running < FEW_SLOTS * slots) if slots else None
    shares = _Shares(_share(by_cache | by_slots), _share(by_cache), _share(waiting > 0), _share(few))
    verdict, limit, reason = _judged(shares, known=slots is not None)
    return EngineVerdict(
        verdict=verdict,
        limit=limit,
        reason=reason,
        active=int(active.sum()),
        full_share=shares.full,
        full_cache_share=shares.cache,
        waiting_share=shares.waiting,
        starved_share=shares.starved,
        max_num_seqs=slots,
        limit_assumed=slots is not None and run.config is not None and run.config.assumed,
        means_over_engines=bool(table["engine"].isna().all()),
    )


CACHE = "kv_cache_pct"


@dataclass(frozen=True, slots=True)
class _Shares:
    full: float | None
    cache: float | None
    waiting: float | None
    starved: float | None


def _judged(shares: _Shares, *, known: bool) -> tuple[Verdict | None, Limit | None, NoVerdict | None]:
    full, cache, waiting = shares.full, shares.cache, shares.waiting
    if full is None or cache is None or waiting is None:
        return None, None, "never-active"
    if full >= MOSTLY:
        return "saturated", "cache" if 2 * cache >= full else "slots", None
    if not known:
        return None, None, "unknown-limit"
    if waiting >= BURSTS:
        return "bursts", None, None
    if shares.starved is not None and shares.starved >= MOSTLY:
        return "starved", "arrivals", None
    return "balanced", None, None


def _share(mask: NDArray[np.bool_] | None) -> float | None:
    return None if mask is None or not len(mask) else float(mask.mean())


def _numbers(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
