"""The facts of a run's header and of its row in the index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["finished", "running", "stopped-early", "failed", "no-steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What a reader wants to know first. None: not known."""

    status: Status
    """Defined in order: no-steps; finished (planned steps reached or a log line says so); running;
    failed (the last job ended in an error); stopped-early."""
    status_guessed: bool
    """True when no log line or plan proves the status."""
    steps_done: int
    """Distinct train steps on the lineage."""
    last_step: int | None
    """Last step of the lineage."""
    planned_steps: int | None
    """From configuration or log."""
    rows: int
    """Train records after merging of sources, superseded ones included."""
    superseded: int
    """Train records off the lineage."""
    base_model: str | None
    """Base model."""
    dataset: str | None
    """Training data."""
    algorithm: str | None
    """Advantage estimator or loss as configured."""
    batch_size: int | None
    """Prompts per step."""
    samples_per_prompt: int | None
    """Samples of one prompt."""
    learning_rate: float | None
    """Policy learning rate as configured."""
    engines: int | None
    """Inference engines as configured."""
    gpus: int | None
    """GPUs (run.toml, else configuration)."""
    gpu_hours: float | None
    """gpus x summed step time / 3600 (superseded included); None when either is unknown."""
    started: float | None
    """Unix s."""
    finished: float | None
    """Unix s."""
    reward_metric: str | None
    """Logged name under the reward role."""
    pass_metric: str | None
    """Logged name under the pass@k role (largest k)."""
    entropy_metric: str | None
    """Logged name under the entropy role."""
    step_time_metric: str | None
    """Logged name under the step_s role."""
    wait_metric: str | None
    """Logged name under the wait_s role."""
