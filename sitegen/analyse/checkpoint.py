"""Checkpoint selection: the exported step with the best smoothed reward, and every reason against the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sitegen.model.run import OverlapRule

IntervalSource = Literal["run.toml", "sitegen.toml", "config", "exports", "export times"]
Exclusion = Literal["not-a-multiple", "first-save", "after-latest-checkpoint", "not-exported", "no-reward"]
NoSelectionReason = Literal["no-reward", "no-interval", "no-candidate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One step that was, or could have been, saved."""

    step: int
    """Train step."""
    reward: float | None
    """Raw reward at the step under the rule; None when not logged or not finite."""
    ema: float | None
    """Smoothed reward at the step."""
    saved: bool | None
    """Whether an export exists; None when exports are not known."""
    eligible: bool
    """Whether it may be selected."""
    exclusion: Exclusion | None
    """Why not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """What another rule would have selected."""

    rule: Literal[
        "alpha-0.2",
        "window-5",
        "other-overlap",
        "first-save-allowed",
        "best-raw-any",
        "best-raw-eligible",
    ]
    """What is changed: EMA with alpha 0.2; mean of the last 5 rows; the other overlap rule; the first save allowed;
    the best raw value of any step; the best raw value of an eligible step."""
    step: int | None
    """Selected step under it."""
    value: float | None
    """Its value under that rule."""
    changes: bool
    """Whether the step differs from the selected one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSelection:
    """The selected checkpoint, or why there is none."""

    step: int | None
    """Selected step; None without a selection."""
    ema: float | None
    """Its smoothed reward."""
    reward_metric: str | None
    """Logged name of the reward used."""
    save_interval: int | None
    """Steps between exports."""
    interval_source: IntervalSource | None
    """Where the interval comes from."""
    overlap_rule: OverlapRule
    """Rule in force."""
    alpha: float
    """EMA weight of the newest value."""
    latest_checkpoint: int | None
    """Cap from `latest_ckpt_global_step.txt`."""
    candidates: tuple[Candidate, ...]
    """Multiples of the interval, plus every other exported step, rising."""
    alternatives: tuple[Alternative, ...]
    """Other rules, in the order of `Alternative.rule`."""
    runner_up: int | None
    """Eligible step with the next best EMA."""
    reason: NoSelectionReason | None
    """Why there is no selection; None when there is one."""
    by_rule: tuple[tuple[OverlapRule, int | None, float | None], ...]
    """Selected step and EMA under each overlap rule: ("last", step, ema), ("first", step, ema)."""
