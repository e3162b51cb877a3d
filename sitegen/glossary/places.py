"""Where pages lead to entries that no logged name leads to: concepts, columns of trials, fields of engines.

Ids of entries of `common`, `harbor` and `vllm`, which every site has.
"""

from __future__ import annotations

from collections.abc import Mapping

CONCEPTS: Mapping[str, tuple[str, ...]] = {
    "reward": ("common-pass_at_k", "common-ema", "common-prompt_group", "common-verifiable_reward"),
    "checkpoint": ("common-ema", "common-checkpoint_selection", "common-lineage"),
    "evaluations": ("common-mean_at_k", "common-pass_at_k"),
    "stability": (
        "common-entropy_collapse",
        "common-clipping",
        "common-kl_estimators",
        "common-importance_sampling",
        "common-tis",
        "common-mismatch",
    ),
    "time": ("common-waiting_share", "common-async_training", "common-weight_sync", "common-straggler"),
    "freshness": ("common-staleness", "common-on_policy", "common-partial_rollout", "common-truncation"),
    "jobs": ("common-lineage",),
    "errors": ("common-masking", "common-graded"),
    "trials": ("common-graded", "common-reward_hacking"),
    "engines": ("common-kv_cache", "common-prefix_cache", "common-prefill_decode"),
    "means": ("common-kv_cache", "common-prefix_cache", "common-prefill_decode"),
    "config": (
        "common-advantage",
        "common-baseline",
        "common-surrogate_objective",
        "common-loss_reduction",
        "common-accumulation",
    ),
    "summary-train": ("common-std", "common-lineage"),
    "turns-section": ("common-std", "common-straggler"),
    "tasks": ("common-zero_variance_group", "common-dynamic_sampling"),
    "g-policy": ("common-entropy", "common-clipping", "common-trust_region", "common-reference_model"),
    "g-loss": ("common-advantage", "common-baseline", "common-zero_variance_group"),
    "g-mismatch": (
        "common-mismatch",
        "common-importance_sampling",
        "common-tis",
        "common-ess",
        "common-router_replay",
    ),
    "g-async": ("common-staleness", "common-async_training", "common-partial_rollout"),
    "g-sampling": ("common-truncation", "common-percentiles"),
}
"""Section of a page (its anchor) to the concepts that it rests on."""

ALGORITHMS: Mapping[str, str] = {
    "grpo": "common-grpo",
    "rloo": "common-rloo",
    "gae": "common-gae",
    "reinforce": "common-reinforce_pp",
    "gspo": "common-loss_variants",
    "cispo": "common-loss_variants",
}
"""Beginning of an algorithm's name in a configuration to the concept."""

LABELS: Mapping[str, str] = {
    "col.std": "common-std",
    "col.mean-turns": "harbor-n_episodes",
    "col.with-turns": "harbor-n_episodes",
    "col.exception": "harbor-exception_type",
    "col.with-exception": "harbor-exception_type",
    "col.treatment": "common-masking",
    "col.graded": "common-graded",
    "col.solved": "common-graded",
    "col.solve-rate": "common-graded",
    "col.mean-reward": "harbor-reward",
    "col.first-half": "common-graded",
    "col.second-half": "common-graded",
    "col.of-wall": "harbor-trial_duration",
    "col.some-waiting": "vllm-waiting",
    "phase.environment_setup": "harbor-environment_setup_duration",
    "phase.agent_setup": "harbor-agent_setup_duration",
    "phase.agent": "harbor-agent_execution_duration",
    "phase.verifier": "harbor-verifier_duration",
    "trial.task": "harbor-task_name",
    "trial.trial": "harbor-trial_name",
    "trial.outcome": "common-graded",
    "trial.reward": "harbor-reward",
    "trial.turns": "harbor-n_episodes",
    "trial.exception": "harbor-exception_type",
    "trial.input_tokens": "harbor-n_input_tokens",
    "trial.output_tokens": "harbor-n_output_tokens",
    "trial.wall_s": "harbor-trial_duration",
    "engine.running": "vllm-running",
    "engine.waiting": "vllm-waiting",
    "engine.generation_tps": "vllm-generation_throughput",
    "engine.prompt_tps": "vllm-prompt_throughput",
    "engine.kv_cache_pct": "vllm-kv_cache_usage",
    "engine.prefix_hit_pct": "vllm-prefix_cache_hit_rate",
    "fact.trials": "harbor-n_trials",
    "fact.batch": "common-accumulation",
    "fact.graded": "common-graded",
    "fact.mean-reward": "harbor-reward",
    "fact.success-rate": "common-graded",
    "fact.long-tail": "common-straggler",
    "fact.input-tokens": "harbor-n_input_tokens",
    "fact.cache-tokens": "harbor-n_cache_tokens",
    "fact.output-tokens": "harbor-n_output_tokens",
    "fact.status": "common-run_status",
    "index.col-status": "common-run_status",
    "index.col-reward": "common-verifiable_reward",
    "index.col-ema": "common-ema",
    "index.col-pass": "common-pass_at_k",
    "index.col-entropy": "common-entropy",
    "index.col-trials": "harbor-n_trials",
    "index.col-solved": "common-graded",
    "index.col-exceptions": "harbor-exception_type",
    "index.col-step": "common-step_time",
    "index.col-waiting": "common-waiting_share",
    "head.ema": "common-ema",
    "head.solved": "common-graded",
}
"""Interface string (those of the run pages without `run.`) to the entry that explains what it names."""


RULE_EXCEPTIONS = ("AgentTimeoutError",)
"""Exceptions that the descriptions of rules name: their entries have a page in every site."""


def algorithm_entry(name: str | None) -> str:
    """Id of the concept behind a configured algorithm; empty when its name tells none."""
    low = (name or "").lower()
    return next((entry for start, entry in ALGORITHMS.items() if low.startswith(start)), "")
