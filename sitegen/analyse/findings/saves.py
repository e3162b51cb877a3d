"""How often a run saved the state from which it can go on, and the last such save before a step."""

from __future__ import annotations

import math

from sitegen.analyse.checkpoint import timed_steps
from sitegen.analyse.config_keys import find_int
from sitegen.model.run import Run, train_rows

STATE_KEYS = ("ckpt_interval", "save_freq", "save_steps", "save_period", "checkpoint_interval")
"""Configuration keys that say every how many steps resumable state is saved: SkyRL, verl, Hugging Face trainers,
NeMo-RL, XTuner."""
SAVE_SPANS = ("timing/save_checkpoints", "timing_s/save_checkpoint", "time/save_ckpt")
"""Timing spans logged only at steps at which state was saved: SkyRL, verl, XTuner and prime-rl."""


def saved_steps(run: Run) -> tuple[int, ...]:
    """Steps at which the log timed a save of state, rising."""
    return timed_steps(train_rows(run), SAVE_SPANS)


def state_interval(run: Run) -> int | None:
    """Steps between saves of state, from the timed saves, else from the run's own configuration; None unknown.

    An assumed configuration counts too: it is what the reader is shown as the run's settings, marked so.
    """
    steps = saved_steps(run)
    if len(steps) > 1:
        return math.gcd(*steps)
    configured = find_int(run.config, *STATE_KEYS)
    return configured if configured is not None and configured > 0 else None
