"""Runs that make rules fire, and runs that must not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sitegen.analyse.findings import Finding
from sitegen.analyse.run_analysis import RunAnalysis, analyse
from sitegen.model.run import Published, PublishedMetric, PublishedTrials, Run
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_engines, make_run, make_steps, make_trials

REWARD, PASS = "reward/avg_raw_reward", "reward/avg_pass_at_8"
nan = math.nan


def steps_of(columns: dict[str, Any], *, jobs: list[str] | None = None, first: int = 1):
    """A steps table from columns of equal length, one row per step."""
    size = len(next(iter(columns.values())))
    rows = [{name: float(values[i]) for name, values in columns.items()} | {"step": first + i} for i in range(size)]
    return make_steps([row | ({"job": jobs[i]} if jobs else {}) for i, row in enumerate(rows)])


def flat(level: float, size: int, *, seed: int = 0, spread: float = 0.02) -> np.ndarray:
    """A level with normal noise."""
    return level + spread * np.random.default_rng(seed).standard_normal(size)


def trials_of(*groups: tuple[int, dict[str, Any]]):
    """A trial table from (how many, row)."""
    return make_trials([row for number, row in groups for _ in range(number)])


def findings(run: Run, **site: Any) -> dict[str, Finding]:
    """The findings of a run by rule."""
    return {item.rule: item for item in analysed(run, **site).findings}


def analysed(run: Run, **site: Any) -> RunAnalysis:
    """The analyses of a run."""
    return analyse(run, SiteSettings(**site))


def engines_of(running: float, waiting: float, *, rows: int = 20, hit: float = 40.0, cache: float = 30.0):
    """Equal engine samples."""
    sample = {"running": running, "waiting": waiting, "prefix_hit_pct": hit, "kv_cache_pct": cache}
    return make_engines([sample] * rows)


def quiet_run(seed: int, *, size: int = 40, level: float = 0.5) -> Run:
    """A healthy flat run: noise around levels in everything that trainers log, two jobs, few exceptions."""
    rng = np.random.default_rng(seed)

    def noisy(value: float, part: float = 0.05) -> np.ndarray:
        return value * (1 + part * rng.standard_normal(size))

    step_s = noisy(400)
    columns = {
        REWARD: level + 0.03 * rng.standard_normal(size),
        PASS: np.clip(level + 0.25 + 0.03 * rng.standard_normal(size), 0, 1),
        "policy/policy_entropy": noisy(0.25),
        "policy/raw_grad_norm": 0.04 * np.exp(0.3 * rng.standard_normal(size)),
        "policy/policy_loss": 0.01 * rng.standard_normal(size),
        "policy/ppo_clip_ratio": noisy(0.01),
        "policy/tis/imp_ratio_mean": 1 + 0.01 * rng.standard_normal(size),
        "policy/tis/log_ratio_abs_mean": noisy(0.012),
        "async/staleness_mean": noisy(3),
        "async/staleness_max": noisy(8),
        "async/discard_rate": np.abs(noisy(0.005)),
        "async/effective_batch_samples": np.full(size, 512.0),
        "timing/step": step_s,
        "timing/wait_for_generation_buffer": 0.3 * step_s,
        "timing/run_training": 0.6 * step_s,
        "timing/save_checkpoints": np.full(size, 5.0),
    }
    rewards = rng.random(600) < level
    rows = [
        {
            "task": f"task-{index % 60}",
            "turns": float(rng.integers(1, 7)),
            "reward": float(solved),
            "exception": "AgentTimeoutError" if index % 150 == 0 else None,
        }
        for index, solved in enumerate(rewards)
    ]
    samples = [
        {"running": float(rng.integers(14, 20)), "waiting": 0.0, "prefix_hit_pct": 45.0, "kv_cache_pct": 50.0}
        for _ in range(100)
    ]
    jobs = ["a"] * (size // 2) + ["b"] * (size - size // 2)
    return make_run(
        steps=steps_of(columns, jobs=jobs),
        trials=make_trials(rows),
        engines=make_engines(samples),
        config=make_config(
            {
                "trainer.train_batch_size": 64,
                "generator.n_samples_per_prompt": 8,
                "generator.max_num_seqs": 24,
                "fully_async.max_staleness_steps": 16,
                "enable_error_classification": True,
                "passthrough_exceptions": ["AgentTimeoutError"],
            }
        ),
    )


def report(**fields: Any) -> Published:
    """A published report with the given parts."""
    plain: dict[str, Any] = {
        "path": "run/report.md",
        "metrics": {},
        "timing": {},
        "engines": {},
        "trials": None,
        "checkpoint_step": None,
        "values": (),
    }
    return Published(**(plain | fields))


def report_trials(**fields: Any) -> PublishedTrials:
    """The trial section of a report."""
    plain: dict[str, Any] = {
        "total": 1000,
        "graded": 990,
        "mean_reward": 0.5,
        "success_rate": 0.5,
        "turns": {},
        "exceptions": {"none": 1000},
        "by_exception": {},
        "by_outcome": {},
    }
    return PublishedTrials(**(plain | fields))


def metric(mean: float, count: int) -> PublishedMetric:
    """One row of a report's summary."""
    return PublishedMetric(mean=mean, std=None, min=None, max=None, count=count)
