"""The facts of a run's header and of its row in the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sitegen.analyse.clocks import main_clock
from sitegen.analyse.config_keys import find_float, find_int, find_text
from sitegen.model.run import UNKNOWN_END, EndCause, Run, RunConfig, lineage

Status = Literal["finished", "running", "stopped-early", "failed", "no-steps"]
StatusBasis = Literal[
    "line",
    "last-lines",
    "planned",
    "planned-config",
    "planned-assumed",
    "below-plan",
    "below-assumed",
    "no-line",
    "no-steps",
]
GUESSES: tuple[StatusBasis, ...] = ("last-lines", "planned-assumed", "below-assumed", "no-line")
"""What a status rests on that does not prove it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What a reader wants to know first. None: not known."""

    status: Status
    """Defined in order: no-steps; finished (planned steps reached or a log line says so); running;
    failed (the last job ended in an error); stopped-early."""
    status_guessed: bool
    """True when neither a log line nor a plan of this run's own proves the status."""
    status_basis: StatusBasis
    """What the status rests on: a line that says how the last job ended (`line`), or a mere exception at the end of the
    log (`last-lines`); the planned steps reached, as a log or table gives them (`planned`), the run's configuration
    (`planned-config`) or an assumed one (`planned-assumed`); the last step below the plan and no line that says why
    (`below-plan`, `below-assumed`); neither line nor plan (`no-line`); no train step at all (`no-steps`)."""
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
    config_assumed: bool = False
    """True when the configuration is assumed, not this run's record: what comes from it is a guess."""
    planned_from_config: bool = False
    """True when the planned steps come from the configuration, False when a log or table says them."""


FAILED: frozenset[EndCause] = frozenset({"out_of_memory", "node_failure", "sandbox_failure", "hang", "crashed"})
"""Ends of the last job that make the run a failed one."""
STOPPED: frozenset[EndCause] = frozenset({"stopped_early", "time_limit", "cancelled"})
"""Ends of the last job that prove that the run stopped before its plan was done."""

PLANNED_STEPS = ("trainer.max_steps", "total_training_steps", "max_num_steps", "max_steps", "num_rollout")
BASE_MODEL = (
    "trainer.policy.model.path",
    "actor_rollout_ref.model.path",
    "policy.model_name",
    "model_name_or_path",
    "model.name",
    "model_name",
    "hf_checkpoint",
    "pretrain",
    "model_path",
)
DATASET = (
    "train_data_sources",
    "data.train_data",
    "data.train_files",
    "train_data",
    "dataset_name",
    "prompt_data",
    "dataset",
)
ALGORITHM = ("advantage_estimator", "adv_estimator", "loss_type", "rl_algorithm")
BATCH_SIZE = ("trainer.train_batch_size", "data.train_batch_size", "num_prompts_per_step", "rollout_batch_size")
SAMPLES_PER_PROMPT = (
    "generator.n_samples_per_prompt",
    "rollout.n",
    "n_samples_per_prompt",
    "num_generations_per_prompt",
    "num_generations",
    "group_size",
)
LEARNING_RATE = (
    "trainer.policy.optimizer_config.lr",
    "policy.optimizer_config.lr",
    "actor.optim.lr",
    "policy.optimizer.kwargs.lr",
    "trainer.optim.lr",
    "actor_learning_rate",
    "learning_rate",
)
ENGINES = ("num_inference_engines", "vllm_num_engines", "rollout_num_engines")
"""Configuration keys by fact, in the order tried: SkyRL, verl, NeMo-RL, Hugging Face trainers, prime-rl, slime,
OpenRLHF. Checked against those projects' example configurations."""


def run_facts(run: Run, roles: Mapping[str, str], total_step_s: float | None = None) -> RunFacts:
    """The header facts of a run.

    Args:
        run: The run.
        roles: Role to logged name, as `role_metrics` gives it.
        total_step_s: Summed step time, superseded rows included; None when no step time was logged.
    """
    config, card = run.config, run.card
    along = main_clock(run, lineage(run))
    train = run.steps["kind"] == "train"
    last_step = int(along["step"].iloc[-1]) if len(along) else None
    planned, from_config = _planned(run)
    status, basis = _status(run, last_step, planned, _plan(from_config, config))
    gpus = run.settings.gpus if run.settings.gpus is not None else configured_gpus(config)
    started, finished = _times(run)
    return RunFacts(
        status=status,
        status_guessed=basis in GUESSES,
        status_basis=basis,
        steps_done=int(along["step"].nunique()),
        last_step=last_step,
        planned_steps=planned,
        rows=int(train.sum()),
        superseded=int((train & (run.steps[f"superseded_{run.overlap_rule}"] != 0)).sum()),
        base_model=_text(config, BASE_MODEL, card.base_models if card else ()),
        dataset=_text(config, DATASET, card.datasets if card else ()),
        algorithm=find_text(config, *ALGORITHM),
        batch_size=_positive(config, BATCH_SIZE),
        samples_per_prompt=_positive(config, SAMPLES_PER_PROMPT),
        learning_rate=find_float(config, *LEARNING_RATE),
        engines=_positive(config, ENGINES),
        gpus=gpus,
        gpu_hours=None if gpus is None or total_step_s is None else gpus * total_step_s / 3600,
        started=started,
        finished=finished,
        reward_metric=roles.get("reward"),
        pass_metric=roles.get("pass_k"),
        entropy_metric=roles.get("entropy"),
        step_time_metric=roles.get("step_s"),
        wait_metric=roles.get("wait_s"),
        config_assumed=_assumed(config),
        planned_from_config=from_config,
    )


def configured_gpus(config: RunConfig | None) -> int | None:
    """GPUs that the configuration asks for; None when it does not tell.

    A launcher's nodes x GPUs per node; else, for SkyRL, the policy's GPUs, plus those of the inference engines when
    these are not on the same ones.
    """
    for nodes, per_node in (("num_nodes", "gpus_per_node"), ("trainer.nnodes", "trainer.n_gpus_per_node")):
        count, each = find_int(config, nodes), find_int(config, per_node)
        if count and each and count > 0 and each > 0:
            return count * each
    policy_nodes = find_int(config, "placement.policy_num_nodes")
    policy_each = find_int(config, "placement.policy_num_gpus_per_node")
    colocated = config.values.get("trainer.placement.colocate_all") if config else None
    if not policy_nodes or not policy_each or not isinstance(colocated, bool):
        return None
    if colocated:
        return policy_nodes * policy_each
    engines = find_int(config, "num_inference_engines")
    width = find_int(config, "inference_engine_tensor_parallel_size")
    return policy_nodes * policy_each + engines * width if engines and width else None


def _assumed(config: RunConfig | None) -> bool:
    return config is not None and config.assumed


def _planned(run: Run) -> tuple[int | None, bool]:
    """Planned steps, and whether the configuration says so."""
    logged = run.facts.get("planned_steps")
    if isinstance(logged, int | float) and not isinstance(logged, bool) and 0 < logged < float("inf"):
        return int(logged), False
    configured = _positive(run.config, PLANNED_STEPS)
    return configured, configured is not None


Plan = Literal["planned", "planned-config", "planned-assumed"]


def _plan(from_config: bool, config: RunConfig | None) -> Plan:
    """Who says how many steps are planned."""
    if not from_config:
        return "planned"
    return "planned-assumed" if _assumed(config) else "planned-config"


def _status(run: Run, last_step: int | None, planned: int | None, plan: Plan) -> tuple[Status, StatusBasis]:
    """Status and what it rests on; the order of the tests is its definition."""
    if last_step is None:
        return "no-steps", "no-steps"
    end = run.jobs[-1].end if run.jobs else UNKNOWN_END
    told: StatusBasis = "last-lines" if end.guessed else "line"
    if end.cause == "finished":
        return "finished", told
    if planned is not None and last_step >= planned:
        return "finished", plan
    if end.cause == "running":
        return "running", told
    if end.cause in FAILED:
        return "failed", told
    if end.cause in STOPPED:
        return "stopped-early", told
    if planned is None:
        return "stopped-early", "no-line"
    return "stopped-early", "below-assumed" if plan == "planned-assumed" else "below-plan"


def _times(run: Run) -> tuple[float | None, float | None]:
    """First and last moment known of the run: job clocks, else record clocks. Engine clocks have no year."""
    logged = run.steps["time"].to_numpy(dtype="float64")
    logged = logged[np.isfinite(logged)]
    started = [job.started for job in run.jobs if job.started is not None]
    finished = [job.finished for job in run.jobs if job.finished is not None]
    first = min(started) if started else (float(logged.min()) if len(logged) else None)
    last = max(finished) if finished else (float(logged.max()) if len(logged) else None)
    return first, last


def _text(config: RunConfig | None, keys: tuple[str, ...], stated: tuple[str, ...]) -> str | None:
    """From the configuration, else the model card; the card comes first when the configuration is assumed."""
    configured = find_text(config, *keys)
    on_card = ", ".join(stated) or None
    return (on_card or configured) if _assumed(config) else (configured or on_card)


def _positive(config: RunConfig | None, keys: tuple[str, ...]) -> int | None:
    for key in keys:
        value = find_int(config, key)
        if value is not None and value > 0:
            return value
    return None
