"""What is true of a story's engines: means, shares of intervals, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.truth.plain import mean
from tests.truth.story import Sample, Story

FIELDS = ("running", "waiting", "generation_tps", "prompt_tps", "kv_cache_pct", "prefix_hit_pct")


def samples(story: Story) -> list[Sample]:
    """All lines of engines."""
    return [sample for log in story.logs for sample in log.samples]


def summary(story: Story) -> dict[str, Any] | None:
    """Means over the samples, each counted once."""
    found = samples(story)
    if not found:
        return None
    logs = [log for log in story.logs if log.samples]
    return {
        "overall": _group(None, found),
        "by_job": [_group(story.job(log), log.samples) for log in logs],
        "engines": max(len({sample.engine for sample in log.samples}) for log in logs),
        "max_num_seqs": (story.config or {}).get("generator.max_num_seqs"),
        "hidden_repeats": sum(sample.repeats for sample in found),
    }


def _group(job: str | None, found: Sequence[Sample]) -> dict[str, Any]:
    return {
        "job": job,
        "samples": len(found),
        "fields": [_field(name, found) for name in FIELDS],
        "idle_share": sum(not sample.running and not sample.waiting for sample in found) / len(found),
        "waiting_share": sum(sample.waiting > 0 for sample in found) / len(found),
    }


def _field(name: str, found: Sequence[Sample]) -> dict[str, Any]:
    told = [(value, sample) for sample in found if (value := getattr(sample, name)) is not None]
    return {
        "field": name,
        "mean": mean(value for value, _ in told),
        "active_mean": mean(value for value, sample in told if sample.running or sample.waiting),
        "max": max((value for value, _ in told), default=None),
        "count": len(told),
    }


def verdict(story: Story) -> dict[str, Any] | None:
    """Saturated, bursts, starved or balanced, by shares of the intervals in which something runs or waits."""
    if not samples(story):
        return None
    active = [sample for sample in samples(story) if sample.running or sample.waiting]
    slots = (story.config or {}).get("generator.max_num_seqs")
    by_cache = [sample.kv_cache_pct >= 95 for sample in active]
    by_slots = [slots is not None and bool(s.waiting) and s.running >= 0.9 * slots for s in active]
    full = _share([one or two for one, two in zip(by_cache, by_slots, strict=True)])
    cache, waiting = _share(by_cache), _share([sample.waiting > 0 for sample in active])
    starved = None if slots is None else _share([not s.waiting and s.running < 0.5 * slots for s in active])
    said, limit, reason = None, None, None
    if full is None or cache is None or waiting is None:
        reason = "never-active"
    elif full >= 0.5:
        said, limit = "saturated", "cache" if cache >= full / 2 else "slots"
    elif slots is None:
        reason = "unknown-limit"
    elif waiting >= 0.05:
        said = "bursts"
    elif starved is not None and starved >= 0.5:
        said, limit = "starved", "arrivals"
    else:
        said = "balanced"
    return {
        "verdict": said,
        "limit": limit,
        "reason": reason,
        "active": len(active),
        "full_share": full,
        "full_cache_share": cache,
        "waiting_share": waiting,
        "starved_share": starved,
        "max_num_seqs": slots,
        "limit_assumed": slots is not None and story.assumed,
        "means_over_engines": False,
    }


def _share(states: Sequence[bool]) -> float | None:
    return sum(states) / len(states) if states else None
