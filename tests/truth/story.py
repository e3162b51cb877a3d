"""What a run is made of: what happened, not how it is written or analysed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Form = Literal["mirror", "legacy"]
End = Literal[
    "finished",
    "stopped_early",
    "time_limit",
    "cancelled",
    "out_of_memory",
    "node_failure",
    "sandbox_failure",
    "hang",
    "crashed",
    "unknown",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One `Batch generation complete` line with the breakdown before it."""

    successful: int
    instances: int
    failed: int
    masked: int
    exceptions: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The metrics of one step, with the batch lines printed before them. Compared by identity in `lineage_truth`."""

    step: int
    values: Mapping[str, float]
    """Logged name to value; NaN and infinities are logged as such."""
    time: float
    """Unix s."""
    kind: Literal["train", "eval"] = "train"
    batches: tuple[Batch, ...] = ()
    lost: bool = False
    """The step was trained but its lines are not in the log."""
    parts: int = 1
    """Lines that the metrics are spread over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One start of the trainer: it loads the weights of a step and goes on from there."""

    resumed: int
    """Step of the weights it loaded; 0 from scratch."""
    says_so: bool
    """Whether the log names that step."""
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One line of an engine's statistics."""

    engine: int
    time: float
    prompt_tps: float
    generation_tps: float
    running: int
    waiting: int
    kv_cache_pct: float
    prefix_hit_pct: float | None
    repeats: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """The console log of one job."""

    number: int
    started: float | None
    """Unix s of the first dated line; None for an empty log."""
    finished: float | None
    launches: tuple[Launch, ...] = ()
    samples: tuple[Sample, ...] = ()
    end: End = "unknown"
    form: Form = "mirror"
    """`legacy` prints four decimals; a story's values are then of four decimals."""
    survived: bool = False
    """Whether it ran out of memory once before its last record, and went on."""

    @property
    def records(self) -> tuple[Record, ...]:
        """What the log holds, in order."""
        return tuple(record for launch in self.launches for record in launch.records if not record.lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One trial; None: its result does not say."""

    task: str
    name: str
    batch: str
    turns: int | None = None
    input_tokens: int | None = None
    cache_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    exception: str | None = None
    reward: float | None = None
    started: float | None = None
    """Unix s."""
    finished: float | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    """`environment_setup`, `agent_setup`, `agent`, `verifier` to seconds, for the phases that it reached."""
    ended: bool = True
    """Whether it has a result at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A run and the site's settings that it is looked at with."""

    logs: tuple[Log, ...] = ()
    trials: tuple[Trial, ...] = ()
    config: Mapping[str, Any] | None = None
    """Flat dotted keys; None without a configuration."""
    assumed: bool = False
    """Whether the configuration says that it is assumed."""
    exports: tuple[int, ...] | None = None
    latest_checkpoint: int | None = None
    planned: int | None = None
    """Steps that the progress bar counts to."""
    gpus: int | None = None
    """`run.toml`."""
    run_interval: int | None = None
    """`save_interval` of `run.toml`."""
    site_interval: int | None = None
    """`save_interval` of `sitegen.toml`."""
    overlap_rule: Literal["last", "first"] = "last"
    alpha: float = 1 / 3
    threshold: float = 0.0
    price: float | None = None
    currency: str | None = None

    def job(self, log: Log) -> str:
        """The job's name: its log's, without the suffix."""
        return f"{RUN}_{log.number}"


RUN = "truth-run"
"""Name of every story's folder."""
