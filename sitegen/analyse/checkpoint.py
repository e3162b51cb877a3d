"""Checkpoint selection: the exported step with the best smoothed reward, and every reason against the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.analyse.config_keys import find_int
from sitegen.analyse.progress import ema
from sitegen.analyse.trend import noise
from sitegen.model.run import OverlapRule, Run, lineage
from sitegen.settings import SiteSettings

Floats = NDArray[np.float64]

INTERVAL_KEYS = ("hf_save_interval", "save_freq", "save_steps", "save_period", "hf_interval")
"""Configuration keys that say every how many steps weights are exported, by framework: SkyRL, verl, Hugging Face
trainers, NeMo-RL, XTuner. SkyRL's `ckpt_interval` is no such key: it writes resumable state, not weights to load."""

RULES: tuple[OverlapRule, ...] = ("last", "first")
"""Both overlap rules."""

NOISE_VALUES = 8
"""Fewer finite rewards tell nothing of their noise."""

_Choice = tuple[int | None, float | None]

EXPORT_SPANS = ("timing/save_hf_model",)
"""Timing spans that are logged only at steps at which weights were exported."""

IntervalSource = Literal["run.toml", "sitegen.toml", "config", "exports", "export times"]
Exclusion = Literal["not-a-multiple", "first-save", "after-latest-checkpoint", "not-exported", "no-reward"]
NoSelectionReason = Literal["no-reward", "no-interval", "no-candidate"]
AlternativeRule = Literal[
    "alpha-0.2",
    "window-5",
    "other-overlap",
    "first-save-allowed",
    "best-raw-any",
    "best-raw-eligible",
]


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

    rule: AlternativeRule
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
    interval_assumed: bool = False
    """True when the interval comes from a configuration that is assumed, not this run's record."""
    margin: float | None = None
    """EMA of the selected step less that of the runner-up; None without a runner-up."""
    noise: float | None = None
    """Noise of one step's reward (`trend.noise`); None below eight finite values and for a constant reward."""
    ema_noise: float | None = None
    """Noise of its EMA: `noise` x sqrt(alpha / (2 - alpha)), as for independent values of one level."""


def select_checkpoint(run: Run, settings: SiteSettings, reward_metric: str | None) -> CheckpointSelection:
    """The exported step with the highest smoothed reward, the first on a tie, with all that was considered.

    Population: lineage rows (under the run's overlap rule) with a finite reward. A step may be selected when it is a
    multiple of the save interval, at least twice the interval, not beyond the latest checkpoint, and among the
    exports when these are known.

    Source: the rule of the training team's own selection script; formula and example in docs/design.md.
    """
    if reward_metric is not None and reward_metric not in run.steps.columns:
        reward_metric = None
    interval, source = _interval(run, settings)
    series = {rule: _series(run, reward_metric, rule) for rule in RULES}
    here = series[run.overlap_rule]
    candidates = _candidates(run, interval, here, ema(here.reward, settings.ema_alpha))
    best = _pick(candidates)
    second = _pick(tuple(candidate for candidate in candidates if candidate is not best))
    by_rule = tuple(
        (rule, *_judged(run, interval, series[rule], ema(series[rule].reward, settings.ema_alpha))) for rule in RULES
    )
    chosen = best.step if best else None
    spread = (noise(here.reward) if len(here.reward) >= NOISE_VALUES else 0.0) or None
    return CheckpointSelection(
        step=chosen,
        ema=best.ema if best else None,
        reward_metric=reward_metric,
        save_interval=interval,
        interval_source=source,
        overlap_rule=run.overlap_rule,
        alpha=settings.ema_alpha,
        latest_checkpoint=run.latest_checkpoint,
        candidates=candidates,
        alternatives=_alternatives(run, settings, interval, series, chosen),
        runner_up=second.step if second else None,
        reason=None if best else _reason(here, interval),
        by_rule=by_rule,
        interval_assumed=source == "config" and run.config is not None and run.config.assumed,
        margin=None if best is None or second is None else (best.ema or 0.0) - (second.ema or 0.0),
        noise=spread,
        ema_noise=None if spread is None else spread * math.sqrt(settings.ema_alpha / (2 - settings.ema_alpha)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Series:
    """The lineage under one overlap rule: every logged step, and the reward where it is finite."""

    logged: frozenset[int]
    step: NDArray[np.int64]
    reward: Floats


def _series(run: Run, metric: str | None, rule: OverlapRule) -> _Series:
    rows = lineage(run, rule)
    steps = rows["step"].to_numpy(dtype="int64")
    reward = rows[metric].to_numpy(dtype="float64") if metric is not None else np.full(len(rows), np.nan)
    kept = np.isfinite(reward)
    return _Series(frozenset(steps.tolist()), steps[kept], reward[kept])


def _interval(run: Run, settings: SiteSettings) -> tuple[int | None, IntervalSource | None]:
    """Steps between exports, and the first source that tells."""
    configured = (find_int(run.config, key) for key in INTERVAL_KEYS)
    from_config = next((value for value in configured if value is not None and value > 0), None)
    found: tuple[tuple[int | None, IntervalSource], ...] = (
        (run.settings.save_interval, "run.toml"),
        (settings.save_interval, "sitegen.toml"),
        (from_config, "config"),
        (_common_interval(run, run.exports or ()), "exports"),
        (_common_interval(run, timed_steps(run.steps, EXPORT_SPANS)), "export times"),
    )
    return next(((value, source) for value, source in found if value is not None and value > 0), (None, None))


def timed_steps(rows: pd.DataFrame, spans: Sequence[str]) -> tuple[int, ...]:
    """Steps at which any of some spans took time, rising; spans that are no column are passed over.

    Args:
        rows: Records as in `tables.STEPS`.
        spans: Names of timing metrics, in seconds.
    """
    steps: set[int] = set()
    for span in spans:
        if span in rows.columns:
            seconds = rows[span].to_numpy(dtype="float64")
            taken = np.isfinite(seconds) & (seconds > 0)
            steps.update(rows.loc[taken, "step"].tolist())
    return tuple(sorted(steps))


def _common_interval(run: Run, steps: tuple[int, ...]) -> int | None:
    """The largest interval that explains all exported steps; None for fewer than two.

    The run's last step is left out when other exports remain two or more: trainers export once more at the end.
    """
    saved = sorted(step for step in steps if step > 0)
    if len(saved) < 2:
        return None
    if len(saved) > 2 and len(run.steps) and saved[-1] == int(run.steps["step"].max()):
        saved = saved[:-1]
    return math.gcd(*saved)


def _exclusion(run: Run, step: int, interval: int, *, has_reward: bool, first: int = 2) -> Exclusion | None:
    if step % interval:
        return "not-a-multiple"
    if step < first * interval:
        return "first-save"
    if run.latest_checkpoint is not None and step > run.latest_checkpoint:
        return "after-latest-checkpoint"
    if run.exports is not None and step not in run.exports:
        return "not-exported"
    return None if has_reward else "no-reward"


def _candidates(
    run: Run, interval: int | None, series: _Series, smooth: Floats, *, first: int = 2
) -> tuple[Candidate, ...]:
    """Logged multiples of the interval and all exported steps above 0, with the value they are judged by."""
    if interval is None:
        return ()
    rewards = dict(zip(series.step.tolist(), series.reward.tolist(), strict=True))
    averages = dict(zip(series.step.tolist(), smooth.tolist(), strict=True))
    exports = frozenset(run.exports or ())
    steps = sorted(step for step in series.logged | exports if step > 0 and (step % interval == 0 or step in exports))
    found: list[Candidate] = []
    for step in steps:
        exclusion = _exclusion(run, step, interval, has_reward=step in rewards, first=first)
        found.append(
            Candidate(
                step=step,
                reward=rewards.get(step),
                ema=averages.get(step),
                saved=None if run.exports is None else step in exports,
                eligible=exclusion is None,
                exclusion=exclusion,
            )
        )
    return tuple(found)


def _pick(candidates: tuple[Candidate, ...]) -> Candidate | None:
    """The eligible candidate with the highest value it is judged by (`ema`), the first on a tie."""
    eligible = [candidate for candidate in candidates if candidate.eligible and candidate.ema is not None]
    return max(eligible, key=lambda candidate: candidate.ema or 0.0) if eligible else None


def _judged(run: Run, interval: int | None, series: _Series, values: Floats, *, first: int = 2) -> _Choice:
    """The step that would be selected if candidates were judged by these values, and its value."""
    best = _pick(_candidates(run, interval, series, values, first=first))
    return (best.step, best.ema) if best else (None, None)


def _alternatives(
    run: Run, settings: SiteSettings, interval: int | None, series: dict[OverlapRule, _Series], chosen: int | None
) -> tuple[Alternative, ...]:
    here = series[run.overlap_rule]
    other = series["first" if run.overlap_rule == "last" else "last"]
    smooth = ema(here.reward, settings.ema_alpha)
    found: tuple[tuple[AlternativeRule, _Choice], ...] = (
        ("alpha-0.2", _judged(run, interval, here, ema(here.reward, 0.2))),
        ("window-5", _judged(run, interval, here, trailing_mean(here.reward, 5))),
        ("other-overlap", _judged(run, interval, other, ema(other.reward, settings.ema_alpha))),
        ("first-save-allowed", _judged(run, interval, here, smooth, first=1)),
        ("best-raw-any", _best_raw(here)),
        ("best-raw-eligible", _judged(run, interval, here, here.reward)),
    )
    return tuple(
        Alternative(rule=rule, step=step, value=value, changes=step != chosen) for rule, (step, value) in found
    )


_SUM_OVERFLOWS = 1e300
"""Of values beyond it, a few add up to more than the largest float."""


def trailing_mean(values: Floats, window: int) -> Floats:
    """Mean of the last `window` values up to each one (of fewer at the beginning); the values must be finite."""
    scale = 2.0**-16 if np.abs(values).max(initial=0.0) > _SUM_OVERFLOWS else 1.0
    scaled = values * scale
    mean: Floats = np.array([scaled[max(0, end - window) : end].mean() for end in range(1, len(values) + 1)])
    return mean / scale


def _best_raw(series: _Series) -> _Choice:
    if not len(series.reward):
        return (None, None)
    index = int(np.argmax(series.reward))
    return int(series.step[index]), float(series.reward[index])


def _reason(series: _Series, interval: int | None) -> NoSelectionReason:
    if not len(series.reward):
        return "no-reward"
    return "no-interval" if interval is None else "no-candidate"
