"""Every number that decides whether a rule fires, in one place, each with what it is based on.

What a threshold means is said for readers under `finding.threshold.<id>` (interface strings), shown on the page about
the site. "Ours" marks a judgement that nobody published: chosen so that a run of nothing but noise fires no rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sitegen.analyse import stability, timing, verdict

Unit = Literal["number", "share", "seconds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """One deciding number."""

    id: str
    """Its name."""
    value: float
    """The number."""
    unit: Unit = "number"
    """How it is printed."""
    source: str
    """What it is based on."""


FLAT_STEPS = Threshold(id="flat-steps", value=50, source="Ours: below, an interval is too wide to say anything.")
FLAT_CEILING = Threshold(id="flat-ceiling", value=0.9, source="Ours: a reward in 0-1 above it has no room to rise.")
TREND_STEPS = Threshold(id="trend-steps", value=20, source="Ours: two means of at least six steps.")
CHANGE_SIGMAS = Threshold(
    id="change-sigmas", value=3, source="Three-sigma rule (Shewhart 1931), of one step's noise: 6.7 of a mean of ten."
)
RISE_PART = Threshold(id="rise-part", value=0.9, unit="share", source="Ours: as the settling time of a step response.")
EARLY_PART = Threshold(id="early-part", value=0.5, unit="share", source="Ours.")
PASS_LEAD_STEPS = Threshold(id="pass-lead-steps", value=10, source="Ours: beyond the reach of the EMA of weight 1/3.")
PASS_LEVEL = Threshold(id="pass-level", value=0.9, source="Ours: lower levels are often there from the first step.")
ZERO_STEPS = Threshold(id="zero-steps", value=2, source="Ours: one batch may fail by chance, two in a row do not.")
OUTAGE_SHARE = Threshold(id="outage-share", value=0.3, unit="share", source="Ours.")
SLOW_BEFORE = Threshold(id="slow-before", value=3, source="Ours: steps between a slow step and what it may explain.")
START_STEPS = Threshold(
    id="start-steps", value=3, source="Ours: a low value among the first steps may be a cold start."
)
WAIT_SHARE = Threshold(
    id="wait-share", value=0.5, unit="share", source="By definition: more waiting than everything else together."
)
COLD_MEDIANS = Threshold(
    id="cold-medians", value=timing.COLD_FACTOR, source="Ours: twice the factor 1.5 from which a step is slow."
)
COSTLY_SHARE = Threshold(id="costly-share", value=0.1, unit="share", source="Ours: a tenth of all step time.")
GAP_SECONDS = Threshold(id="gap-seconds", value=3600, unit="seconds", source="Ours: an hour of idle GPUs.")
MANY_TRIALS = Threshold(id="many-trials", value=50, source="Ours: below, a share of trials moves by 2 % per trial.")
EXCEPTION_SHARE = Threshold(id="exception-share", value=0.01, unit="share", source="Ours.")
EXCEPTIONS_BAD = Threshold(id="exceptions-bad", value=0.1, unit="share", source="Ours.")
TIMEOUT_SHARE = Threshold(id="timeout-share", value=0.05, unit="share", source="Ours.")
UNGRADED_SHARE = Threshold(id="ungraded-share", value=0.1, unit="share", source="Ours.")
MASKED_SHARE = Threshold(id="masked-share", value=0.05, unit="share", source="Ours.")
EARLY_TURNS = Threshold(id="early-turns", value=2, source="Ours: the shortest exchange is act, then answer.")
LONG_TAIL_SHARE = Threshold(id="long-tail-share", value=0.02, unit="share", source="Ours; more than 10 turns.")
TASK_ATTEMPTS = Threshold(
    id="task-attempts", value=4, source="Ours: a task solved half of the time is missed once in 8."
)
TASKS_SHARE = Threshold(id="tasks-share", value=0.5, unit="share", source="Ours: most tasks.")
NEVER_SHARE = Threshold(id="never-share", value=0.2, unit="share", source="Ours.")
CACHE_GOOD_PCT = Threshold(
    id="cache-good", value=60, source="Ours: per cent of prompt tokens; turns repeat the prompt."
)
CACHE_POOR_PCT = Threshold(id="cache-poor", value=20, source="Ours: per cent; below, several turns should reuse more.")
VERDICT = "Ours; the rule of the engine verdict (sitegen/analyse/verdict.py)."
FULL_SLOTS = Threshold(id="full-slots", value=verdict.FULL_SLOTS, unit="share", source=VERDICT)
FEW_SLOTS = Threshold(id="few-slots", value=verdict.FEW_SLOTS, unit="share", source=VERDICT)
MOSTLY = Threshold(id="mostly", value=verdict.MOSTLY, unit="share", source=VERDICT)
BURSTS = Threshold(id="bursts", value=verdict.BURSTS, unit="share", source=VERDICT)
UNEVEN_SLOTS = Threshold(
    id="uneven-slots", value=0.6, unit="share", source="Ours: with free slots nothing should wait."
)
ENTROPY_FALL = Threshold(
    id="entropy-fall", value=0.7, unit="share", source="Ours; collapse: a fast fall to about 0 (arXiv 2505.22617)."
)
ENTROPY_RISE = Threshold(id="entropy-rise", value=1.0, unit="share", source="Ours: twice the entropy of the start.")
ENTROPY_SIGMAS = Threshold(id="entropy-sigmas", value=6, source="Ours: twice the three-sigma rule.")
SPIKE_MEDIANS = Threshold(
    id="spike-medians", value=stability.SPIKE_MEDIANS, source="Ours; robust to the spikes themselves."
)
IMPORTANCE_OFF = Threshold(id="importance-off", value=0.1, source="Ours: 1 when trainer and sampler agree.")
MISMATCH_HIGH = Threshold(
    id="mismatch-high", value=0.1, source="Ours, in nats: the probability of a token is off by a tenth."
)
STALE_PART = Threshold(id="stale-part", value=0.5, unit="share", source="Ours: half of the configured limit.")
DISCARD_SHARE = Threshold(id="discard-share", value=0.05, unit="share", source="Ours.")
BATCH_SHARE = Threshold(id="batch-share", value=0.95, unit="share", source="Ours.")
PROBLEM_COUNT = Threshold(id="problem-count", value=5, source="Ours: warnings; one error is enough.")

THRESHOLDS: tuple[Threshold, ...] = (
    FLAT_STEPS,
    FLAT_CEILING,
    TREND_STEPS,
    CHANGE_SIGMAS,
    RISE_PART,
    EARLY_PART,
    PASS_LEAD_STEPS,
    PASS_LEVEL,
    ZERO_STEPS,
    OUTAGE_SHARE,
    SLOW_BEFORE,
    START_STEPS,
    WAIT_SHARE,
    COLD_MEDIANS,
    COSTLY_SHARE,
    GAP_SECONDS,
    MANY_TRIALS,
    EXCEPTION_SHARE,
    EXCEPTIONS_BAD,
    TIMEOUT_SHARE,
    UNGRADED_SHARE,
    MASKED_SHARE,
    EARLY_TURNS,
    LONG_TAIL_SHARE,
    TASK_ATTEMPTS,
    TASKS_SHARE,
    NEVER_SHARE,
    CACHE_GOOD_PCT,
    CACHE_POOR_PCT,
    FULL_SLOTS,
    FEW_SLOTS,
    MOSTLY,
    BURSTS,
    UNEVEN_SLOTS,
    ENTROPY_FALL,
    ENTROPY_RISE,
    ENTROPY_SIGMAS,
    SPIKE_MEDIANS,
    IMPORTANCE_OFF,
    MISMATCH_HIGH,
    STALE_PART,
    DISCARD_SHARE,
    BATCH_SHARE,
    PROBLEM_COUNT,
)
"""All of them, in the order of the rules."""
