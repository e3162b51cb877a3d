"""Rows of invented runs for the tests of site-level pages."""

from __future__ import annotations

import math
from typing import Any

from sitegen.analyse.facts import RunFacts
from sitegen.pages.row import MetricRange, RunRow, Spark

DAY = 86400.0
JUNE = 1780272000.0  # 2026-06-01 00:00 UTC


def facts(**changes: Any) -> RunFacts:
    """Facts of a finished run of 80 steps."""
    values: dict[str, Any] = {
        "status": "finished",
        "status_guessed": False,
        "status_basis": "planned",
        "steps_done": 80,
        "last_step": 80,
        "planned_steps": 80,
        "rows": 81,
        "superseded": 1,
        "base_model": "Qwen/Qwen3-8B",
        "dataset": "team/nemotron-gym",
        "algorithm": "rloo_n",
        "batch_size": 64,
        "samples_per_prompt": 8,
        "learning_rate": 8e-6,
        "engines": 48,
        "gpus": 56,
        "gpu_hours": 1323.4,
        "started": JUNE,
        "finished": JUNE + DAY,
        "reward_metric": "reward/avg_raw_reward",
        "pass_metric": "reward/avg_pass_at_8",
        "entropy_metric": "policy/policy_entropy",
        "step_time_metric": "timing/step",
        "wait_metric": "timing/wait_for_generation_buffer",
    }
    return RunFacts(**(values | changes))


def curve(steps: int = 80, level: float = 0.5, gap: range = range(0)) -> Spark:
    """A wavy reward curve with an optional gap."""
    raw = [None if i in gap else level + 0.08 * math.sin(i * 1.7) for i in range(steps)]
    ema = [None if value is None else level + 0.03 * math.sin(i * 0.4) for i, value in enumerate(raw)]
    return Spark(step=tuple(range(1, steps + 1)), raw=tuple(raw), ema=tuple(ema))


def metric(name: str, low: float, high: float, **changes: Any) -> MetricRange:
    """The range of one metric."""
    values: dict[str, Any] = {
        "name": name,
        "kind": "train",
        "mean": (low + high) / 2,
        "median": (low + high) / 2,
        "min": low,
        "max": high,
        "last": high,
        "count": 80,
        "non_finite": 0,
    }
    return MetricRange(**(values | changes))


def row(slug: str = "mcqa-25-8b", **changes: Any) -> RunRow:
    """A complete row; `fact_<name>` changes a fact."""
    fact_changes = {key.removeprefix("fact_"): changes.pop(key) for key in list(changes) if key.startswith("fact_")}
    values: dict[str, Any] = {
        "slug": slug,
        "path": slug,
        "title": slug,
        "notes": "",
        "tags": (),
        "aliases": (),
        "framework": "skyrl",
        "framework_guessed": False,
        "jobs": 2,
        "facts": facts(**fact_changes),
        "spark": curve(),
        "checkpoint_step": 25,
        "checkpoint_ema": 0.5281,
        "best_pass": 0.8906,
        "best_pass_step": 64,
        "pass_k": 8,
        "entropy": 0.1849,
        "trials": 43795,
        "graded": 43482,
        "success_rate": 0.4853,
        "exception_rate": 0.1184,
        "step_s": 895.3,
        "waiting_share": 0.8784,
        "published": (),
        "errors": 0,
        "warnings": 4,
        "infos": 0,
        "metrics": (
            metric("reward/avg_raw_reward", 0.36, 0.64),
            metric("reward/avg_pass_at_8", 0.64, 0.89),
            metric("policy/policy_entropy", 0.18, 0.24),
            metric("policy/ppo_clip_ratio", 0.0, 0.0),
            metric("timing/step", 700.0, 3038.0),
        ),
        "names": (),
        "exceptions": ("AgentTimeoutError",),
        "config": {"trainer.policy.optimizer_config.lr": 8e-6, "trainer.seed": 1},
    }
    return RunRow(**(values | changes))


def many() -> list[RunRow]:
    """An archive of different runs: frameworks, states, gaps, damage, Chinese and hostile names."""
    return [
        row(
            "a3-rl-laion_nemotron-gym-knowledge-web-search-mcqa-25-8b",
            title="a3-rl-laion_nemotron-gym-knowledge-web-search-mcqa-25-8B",
            published=("trials", "success_rate"),
            fact_started=None,
            fact_finished=None,
        ),
        row(
            "calendar",
            title="synthetic-agent-calendar-80-8B",
            tags=("synthetic", "baseline"),
            spark=curve(80, 0.8, range(30, 36)),
            checkpoint_step=80,
            checkpoint_ema=0.912,
            best_pass=1.0,
            warnings=0,
            config={"trainer.policy.optimizer_config.lr": 2e-5},
        ),
        row(
            "short",
            title="demo-swe-r2egym-32B-retry",
            fact_status="no-steps",
            fact_steps_done=0,
            fact_planned_steps=120,
            fact_gpu_hours=None,
            fact_base_model="Qwen/Qwen3-32B",
            spark=None,
            checkpoint_step=None,
            checkpoint_ema=None,
            best_pass=None,
            best_pass_step=None,
            entropy=None,
            step_s=None,
            waiting_share=None,
            errors=19,
            fact_started=JUNE - 20 * DAY,
            metrics=(),
            jobs=1,
        ),
        row(
            "stopped",
            title="demo-mcqa-25-8B-lr2e-5",
            fact_status="stopped-early",
            fact_status_guessed=True,
            fact_status_basis="no-line",
            fact_steps_done=41,
            spark=curve(41, 0.3),
            success_rate=0.339,
            fact_started=JUNE - 5 * DAY,
            fact_dataset="r2e-gym",
        ),
        row(
            "verl-gsm8k",
            title="demo-gsm8k-1.7B",
            framework="verl",
            fact_reward_metric="critic/score/mean",
            fact_algorithm="grpo",
            fact_base_model="Qwen/Qwen3-1.7B",
            spark=curve(105, 0.7),
            trials=None,
            graded=None,
            success_rate=None,
            exception_rate=None,
            pass_k=None,
            best_pass=None,
            best_pass_step=None,
            warnings=0,
            fact_started=JUNE - 30 * DAY,
            metrics=(
                metric("critic/score/mean", 0.1, 0.8),
                metric("actor/pg_clipfrac", 0.001, 0.02),
                metric("actor/kl_loss", 0.1, 0.2),
            ),
        ),
        row(
            "hostile",
            title="</script><img src=x onerror=alert(1)>",
            framework=None,
            fact_status="failed",
            fact_reward_metric='a.b[0]:c "<b>',
            spark=curve(12, 0.1),
            errors=2,
            metrics=(metric('a.b[0]:c "<b>', 0.0, 1.0),),
            fact_started=JUNE - 2 * DAY,
            fact_planned_steps=None,
        ),
        row(
            "yun-xing-a1b2c3",
            title="运行 一",
            fact_status="running",
            fact_started=JUNE + 2 * DAY,
            spark=curve(20, 0.45),
            warnings=0,
            infos=1,
            aliases=("old/run-1",),
        ),
    ]
