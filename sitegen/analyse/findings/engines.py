"""Rules about the inference engines: full, starved, uneven; prefix cache."""

from __future__ import annotations

from sitegen.analyse.config_keys import find_int
from sitegen.analyse.findings.finding import Evidence, Match, Rule, Subject, count, fixed, share, words
from sitegen.analyse.findings.thresholds import (
    BURSTS,
    CACHE_GOOD_PCT,
    CACHE_POOR_PCT,
    FEW_SLOTS,
    FULL_SLOTS,
    MOSTLY,
    UNEVEN_SLOTS,
)
from sitegen.text import ui


def _mean(subject: Subject, field: str, *, active: bool = True) -> float | None:
    engines = subject.analysis.engines
    found = next((item for item in engines.overall.fields if item.field == field), None) if engines else None
    return None if found is None else (found.active_mean if active else found.mean)


def _evidence(subject: Subject, *columns: str) -> Evidence:
    verdict, engines = subject.analysis.verdict, subject.analysis.engines
    rows = verdict.active if verdict else engines.overall.samples if engines else None
    return Evidence(table="engines", metrics=columns, rows=rows)


def saturated(subject: Subject) -> Match | None:
    """Engines were full in at least half of the active intervals."""
    verdict = subject.analysis.verdict
    if verdict is None or verdict.verdict != "saturated" or verdict.limit is None:
        return None
    values = {"share": share(verdict.full_share), "limit": words(verdict.limit, ui(f"finding.limit.{verdict.limit}"))}
    return Match(values=values, evidence=_evidence(subject, "running", "waiting", "kv_cache_pct"))


def starved(subject: Subject) -> Match | None:
    """Nothing waits and most slots are free in at least half of the active intervals."""
    verdict = subject.analysis.verdict
    if verdict is None or verdict.verdict != "starved":
        return None
    values = {
        "share": share(verdict.starved_share),
        "running": fixed(_mean(subject, "running"), 1),
        "slots": count(verdict.max_num_seqs),
    }
    return Match(values=values, evidence=_evidence(subject, "running", "waiting"))


def bursts(subject: Subject) -> Match | None:
    """Requests wait at times while slots are free: bursts, or uneven engines."""
    verdict = subject.analysis.verdict
    if verdict is None or verdict.verdict != "bursts":
        return None
    values = {
        "share": share(verdict.waiting_share),
        "running": fixed(_mean(subject, "running"), 1),
        "slots": count(verdict.max_num_seqs),
    }
    return Match(values=values, evidence=_evidence(subject, "running", "waiting"))


def uneven(subject: Subject) -> Match | None:
    """A report's means show requests waiting beside free slots: its means cannot prove saturation."""
    report, slots = subject.run.published, find_int(subject.run.config, "max_num_seqs")
    if subject.analysis.engines is not None or report is None or not slots or slots < 1:
        return None
    means = [job for job in report.engines.values() if "running" in job and "waiting" in job]
    free = [job for job in means if job["waiting"] > 0 and job["running"] < UNEVEN_SLOTS.value * slots]
    if not free or len(free) < len(means):
        return None
    values = {
        "low": fixed(min(job["running"] for job in free), 1),
        "high": fixed(max(job["running"] for job in free), 1),
        "slots": count(slots),
        "waiting": fixed(max(job["waiting"] for job in free), 1),
    }
    evidence = Evidence(table="report", metrics=("running", "waiting"), rows=len(free))
    return Match(values=values, evidence=evidence, published=True)


def prefix_cache(subject: Subject) -> Match | None:
    """Most prompt tokens came from the prefix cache while engines were active."""
    hit = _mean(subject, "prefix_hit_pct")
    if hit is None or hit < CACHE_GOOD_PCT.value:
        return None
    overall = _mean(subject, "prefix_hit_pct", active=False)
    values = {"hit": share(hit / 100), "overall": share(None if overall is None else overall / 100)}
    return Match(values=values, evidence=_evidence(subject, "prefix_hit_pct"))


def prefix_cache_low(subject: Subject) -> Match | None:
    """Few prompt tokens came from the cache although trials take several turns."""
    hit, trials = _mean(subject, "prefix_hit_pct"), subject.analysis.trials
    if hit is None or hit >= CACHE_POOR_PCT.value or trials is None or (trials.turns.mean or 0) < 2:
        return None
    values = {"hit": share(hit / 100), "turns": fixed(trials.turns.mean, 1)}
    return Match(values=values, evidence=_evidence(subject, "prefix_hit_pct"))


ENGINE_RULES: tuple[Rule, ...] = (
    Rule(
        id="engines-saturated",
        severity="warn",
        section="engines",
        check=saturated,
        thresholds=(FULL_SLOTS, MOSTLY),
    ),
    Rule(
        id="prefix-cache-low", severity="warn", section="engines", check=prefix_cache_low, thresholds=(CACHE_POOR_PCT,)
    ),
    Rule(id="prefix-cache", severity="info", section="engines", check=prefix_cache, thresholds=(CACHE_GOOD_PCT,)),
    Rule(id="engines-starved", severity="info", section="engines", check=starved, thresholds=(FEW_SLOTS, MOSTLY)),
    Rule(id="engines-bursts", severity="info", section="engines", check=bursts, thresholds=(BURSTS, FULL_SLOTS)),
    Rule(id="engines-uneven", severity="info", section="engines", check=uneven, thresholds=(UNEVEN_SLOTS,)),
)
