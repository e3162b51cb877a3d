"""Which framework trained a run, where no source says so: by the families of its metrics, then its configuration."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sitegen.model.run import ReadResult, RunConfig
from sitegen.model.tables import STEPS

FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "skyrl",
        ("reward/avg_raw_reward", "policy/policy_", "policy/final_loss", "generate/", "async/staleness", "diag/"),
    ),
    ("verl", ("actor/", "critic/score/", "critic/rewards/", "val-core/", "val-aux/", "timing_s/", "response_length/")),
    ("xtuner", ("train_metrics/", "rollout_is/", "mismatch/", "response/advantages/", "task_time/")),
    ("trl", ("rewards/", "completions/", "completion_length", "train_runtime", "clip_ratio/", "num_tokens")),
    ("tinker", ("env/all/", "test/env/all/", "optim/", "progress/done_frac")),
    ("slime", ("rollout/raw_reward", "rollout/log_probs", "perf/", "train/pg_loss")),
)
"""Framework to beginnings of the names that only it logs."""
CONFIG_KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("verl", ("actor_rollout_ref.",)),
    ("skyrl", ("terminal_bench.", "context_budget.", "generator.", "trainer.algorithm.")),
    ("nemo-rl", ("grpo.", "distillation.", "policy.megatron_cfg")),
)
"""Framework to beginnings of the keys that only its configurations have."""


def framework_of(
    results: Sequence[ReadResult], used: Collection[str], metrics: Sequence[str], config: RunConfig | None
) -> tuple[str | None, bool]:
    """The framework, and whether it is a guess.

    Args:
        results: Best first.
        used: Sources whose tables are shown; what they say counts before all others.
        metrics: Logged names.
        config: The run's configuration.
    """
    for result in results:
        if result.framework is not None and result.source in used:
            return result.framework, False
    guess = _most(metrics, FAMILIES)
    if guess is None and config is not None:
        said = [result.framework for result in results if result.config is config and result.framework is not None]
        guess = said[0] if said else _most(config.values, CONFIG_KEYS)
    if guess is None:
        said = [result.framework for result in results if result.framework is not None]
        guess = said[0] if said else None
    return guess, guess is not None


def foreign_names(
    results: Sequence[ReadResult], used: Collection[str], framework: str | None, metrics: Sequence[str]
) -> dict[str, str]:
    """Logged name to its framework, for names that only files of other frameworks than the run's hold.

    Of several the one of the best file is meant.
    """
    holders: dict[str, list[str]] = {}
    for result in results:
        if result.framework is not None and result.steps is not None and result.source in used:
            for name in STEPS.measures(result.steps):
                holders.setdefault(name, []).append(result.framework)
    told = {name: holders[name] for name in metrics if name in holders}
    return {name: owners[0] for name, owners in told.items() if framework not in owners}


def _most(names: Iterable[str], families: Sequence[tuple[str, tuple[str, ...]]]) -> str | None:
    """The framework with the most matching names; none where nothing matches."""
    listed = list(names)
    counts = [(sum(name.startswith(starts) for name in listed), framework) for framework, starts in families]
    best = max(count for count, _ in counts)
    return next(framework for count, framework in counts if count == best) if best else None
