"""Names as TRL, OpenRLHF, slime, NeMo-RL and prime-rl log them: which entry explains them, do values fit its unit."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.glossary.lookup import load_glossary

SAMPLES = Path(__file__).parents[2].parent / "shared" / "samples"

NAMES = [
    # TRL: plain, as W&B rewrites them, patterns beside exact names of the same shape
    ("trl", "reward", "trl-reward"),
    ("trl", "train/reward", "trl-reward"),
    ("trl", "rewards/format_reward/mean", "trl-rewards-mean"),
    ("trl", "train/rewards/format_reward/std", "trl-rewards-std"),
    ("trl", "rewards/hint_reward", "trl-rewards-plain"),
    ("trl", "rewards/chosen", "trl-rewards-chosen"),
    ("trl", "completion_length", "trl-completions-mean_length"),
    ("trl", "completions/mean_length", "trl-completions-mean_length"),
    ("trl", "completions/max_terminated_length", "trl-completions-terminated"),
    ("trl", "clip_ratio", "trl-clip_ratio"),
    ("trl", "clip_ratio/low_min", "trl-clip_ratio-low_min"),
    ("trl", "profiling/Time taken: GRPOTrainer.transformers.generate", "trl-profiling-generate"),
    ("trl", "profiling/Time taken: GRPOTrainer.format_reward", "trl-profiling-any"),
    ("trl", "eval_loss", "trl-eval_loss"),
    ("trl", "eval_kl", "trl-eval-any"),
    ("trl", "eval_completions/mean_length", "trl-eval-any2"),
    ("trl", "eval/rewards/format_reward/mean", "trl-eval-rewards"),
    ("trl", "objective/kl", "trl-ppo-kl"),
    # OpenRLHF
    ("openrlhf", "reward", "openrlhf-reward"),
    ("openrlhf", "train/rollout/reward_mean", "openrlhf-rollout-reward_mean"),
    ("openrlhf", "eval_gsm8k_pass1", "openrlhf-eval-pass1"),
    ("openrlhf", "eval/eval_gsm8k_pass8", "openrlhf-eval-passn"),
    ("openrlhf", "eval_gsm8k_truncated_rate", "openrlhf-eval-dataset-truncated"),
    ("openrlhf", "eval_truncated_rate", "openrlhf-eval-truncated"),
    # slime
    ("slime", "rollout/response_len/median", "slime-rollout-response_len"),
    ("slime", "rollout/response_lengths", "slime-rollout-response_lengths"),
    ("slime", "rollout/zero_std/count_0.5", "slime-rollout-zero_std"),
    ("slime", "rollout/dynamic_filter/drop_zero_std_1.0", "slime-rollout-drop"),
    ("slime", "rollout/something_own", "slime-rollout-any"),
    ("slime", "train/lr-pg_1", "slime-train-lr"),
    ("slime", "train/critic-grad_norm", "slime-train-grad_norm"),
    ("slime", "train/loss", "slime-train-loss"),
    ("slime", "perf/step_time", "slime-perf-step_time"),
    ("slime", "perf/eval_time", "slime-perf-any"),
    ("slime", "perf/prefill/transfer_speed_gb_s/mean", "slime-perf-transfer_speed"),
    ("slime", "perf/decode/forward_duration/max", "slime-perf-pd"),
    ("slime", "eval/aime", "slime-eval-dataset"),
    ("slime", "eval/aime-pass@4", "slime-eval-pass"),
    ("slime", "eval/aime/truncated_ratio", "slime-eval-truncated"),
    ("slime", "eval/aime/zero_std/count_1", "slime-eval-any2"),
    # NeMo-RL: tracker names and the labels of its console
    ("nemo-rl", "train/loss", "nemo-rl-loss"),
    ("nemo-rl", "Loss", "nemo-rl-loss"),
    ("nemo-rl", "Avg Filtered Reward", "nemo-rl-filtered_reward"),
    ("nemo-rl", "train/probs_ratio_clamped_max", "nemo-rl-probs_ratio_max"),
    ("nemo-rl", "policy_training", "nemo-rl-time-policy_training"),
    ("nemo-rl", "timing/train/policy_training", "nemo-rl-time-policy_training"),
    ("nemo-rl", "timing/train/idle/refit_bubble", "nemo-rl-time-idle-refit_bubble"),
    ("nemo-rl", "timing/train/own_part", "nemo-rl-time-any"),
    ("nemo-rl", "prepare_for_generation/total", "nemo-rl-time-prepare_for_generation-total"),
    ("nemo-rl", "Throughputs (per GPU)/E2E (Tokens/sec/gpu)", "nemo-rl-tokens_per_sec_per_gpu"),
    ("nemo-rl", "Throughputs (per Group)/E2E (Tokens/sec)", "nemo-rl-tokens_per_sec"),
    ("nemo-rl", "validation/accuracy", "nemo-rl-val-accuracy"),
    ("nemo-rl", "ray/node.0.gpu.7.util", "nemo-rl-ray-util"),
    # prime-rl: console lines of single environments, which share the shape of a tracker's name
    ("prime-rl", "batch/math", "prime-rl-batch-env"),
    ("prime-rl", "batch/Turns", "prime-rl-batch-env"),
    ("prime-rl", "math/Reward", "prime-rl-train-reward"),
    ("prime-rl", "math/Turns", "prime-rl-num_turns"),
    ("prime-rl", "math/Error", "prime-rl-console-rates"),
    ("prime-rl", "math/Cancelled", "prime-rl-console-cancelled"),
    ("prime-rl", "math/Ratio", "prime-rl-console-ratio"),
    ("prime-rl", "math/Time", "prime-rl-console-eval_time"),
    ("prime-rl", "time/step", "prime-rl-time-step"),
]


@pytest.mark.parametrize(("framework", "name", "entry"), NAMES, ids=lambda value: value)
def test_a_logged_name_leads_to_its_entry(framework: str, name: str, entry: str) -> None:
    found = load_glossary().explain(name, framework)
    assert (found.id, found.notice) == (entry, None)


def test_what_a_pattern_matched_stands_in_the_texts() -> None:
    glossary = load_glossary()
    assert "pass@4" in glossary.explain("eval/aime-pass@4", "slime").title.en.lower()
    assert "`format_reward`" in glossary.explain("rewards/format_reward/mean", "trl").short.zh


def logged() -> Iterator[tuple[str, str, float]]:
    """Framework, name and value of everything the sample runs of these trainers logged."""
    for path in sorted((SAMPLES / "trl").glob("trainer_state_*.json")):
        for row in json.loads(path.read_text("utf-8"))["log_history"]:
            yield from (("trl", name, value) for name, value in row.items() if name != "step")
    for path in sorted((SAMPLES / "wandb_online").glob("*/files/wandb-summary.json")):
        for name, value in json.loads(path.read_text("utf-8")).items():
            if name.startswith(("train/", "profiling/")):
                yield "trl", name, value
    text = (SAMPLES / "console" / "slime_rollout_perf.log").read_text("utf-8")
    yield from (("slime", name, float(value)) for name, value in re.findall(r"'([\w/]+)': ([\d.]+)", text))


@pytest.mark.skipif(not SAMPLES.exists(), reason="the sample runs are not beside this checkout")
def test_names_and_values_of_the_sample_runs_fit_their_entries() -> None:
    glossary = load_glossary()
    seen = set()
    for framework, name, value in logged():
        entry = glossary.explain(name, framework)
        assert entry.notice is None, name
        unit = glossary.units[entry.unit]
        assert math.isnan(value) or unit.low is None or value >= unit.low, name
        assert math.isnan(value) or unit.high is None or value <= unit.high, name
        seen.add(entry.id)
    assert len(seen) > 30
