"""Where a trial's wall clock goes: environment setup, agent setup, agent, verifier, and what none of them covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sitegen.analyse.trials import Spread, spread
from sitegen.model.run import Run

Floats = NDArray[np.float64]
PhaseName = Literal["environment_setup", "agent_setup", "agent", "verifier", "unattributed", "overlap"]

PHASES: tuple[PhaseName, ...] = ("environment_setup", "agent_setup", "agent", "verifier")
"""Phases of a trial in order; their columns are `<phase>_s`."""
ROUNDING = 1e-3
"""Phases may exceed the wall clock by this part of it before that is called overlap: printed seconds are rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPhase:
    """One phase over the trials that reported it."""

    name: PhaseName
    """Phase, or the computed remainder."""
    seconds: Spread
    """Distribution of its seconds."""
    share: float | None
    """Sum of it over sum of wall clock, over the trials that reported both (0-1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPhases:
    """Phase durations of the trials of a run."""

    phases: tuple[TrialPhase, ...]
    """Those reported, in order, then `unattributed` or `overlap`."""
    wall: Spread
    """Whole trials."""
    compared: int
    """Trials with a wall clock and at least one phase: the population of shares and remainder."""


def trial_phases(run: Run) -> TrialPhases | None:
    """Phase durations against wall clock; None when no trial reports a phase.

    Population: each phase over the trials that reported it (finite, not negative). The remainder is wall clock minus
    the phases reported, over trials with a wall clock above 0; a phase that a trial did not reach took no time.
    """
    table = run.trials
    if table is None or table.empty:
        return None
    seconds = {name: _seconds(table[f"{name}_s"].to_numpy(dtype="float64")) for name in PHASES}
    seconds = {name: values for name, values in seconds.items() if np.isfinite(values).any()}
    if not seconds:
        return None
    wall = _seconds(table["wall_s"].to_numpy(dtype="float64"))
    some = np.any([np.isfinite(values) for values in seconds.values()], axis=0)
    both = some & np.isfinite(wall) & (wall > 0)
    phases = [
        TrialPhase(name=name, seconds=spread(values), share=_share(values, wall)) for name, values in seconds.items()
    ]
    if both.any():
        phases.append(_rest(list(seconds.values()), wall, both))
    return TrialPhases(phases=tuple(phases), wall=spread(wall), compared=int(both.sum()))


def _seconds(values: Floats) -> Floats:
    """The values, NaN for what is no length of time."""
    return np.where(np.isfinite(values) & (values >= 0), values, np.nan)


def _share(part: Floats, wall: Floats) -> float | None:
    kept = np.isfinite(part) & np.isfinite(wall) & (wall > 0)
    if not kept.any():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        share = float(part[kept].sum() / wall[kept].sum())
    return share if np.isfinite(share) else None


def _rest(parts: list[Floats], wall: Floats, both: NDArray[np.bool_]) -> TrialPhase:
    """What the phases leave of the wall clock, or by how much they exceed it in sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        rest = wall[both] - np.sum([np.nan_to_num(part[both]) for part in parts], axis=0)
        overlap = float(rest.sum()) < -ROUNDING * float(wall[both].sum())
    signed = -rest if overlap else rest
    return TrialPhase(
        name="overlap" if overlap else "unattributed",
        seconds=spread(signed),
        share=_share(signed, wall[both]),
    )
