"""Runs that charts have to cope with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sitegen.analyse.run_analysis import RunAnalysis, analyse
from sitegen.charts import run_charts
from sitegen.charts.base import Chart
from sitegen.model.run import Run
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_engines, make_nonfinite, make_run, make_steps, make_trials

REWARD = "reward/avg_raw_reward"
PASS = "reward/avg_pass_at_8"
ENTROPY = "policy/policy_entropy"
HOSTILE = 'a.b[0]:c "<b>'


def analysed(run: Run) -> RunAnalysis:
    return analyse(run, SiteSettings())


def charts_of(run: Run) -> dict[str, Chart]:
    return {chart.id: chart for chart in run_charts(run, analysed(run))}


def full_run() -> Run:
    """Two jobs that overlap at step 6, NaN, gaps, a constant, engines, trials, exceptions, a hostile name."""
    rows: list[dict[str, Any]] = [_row(step) for step in range(1, 13)]
    rows.append({**_row(6), "job": "rl_561773", "superseded_last": 1, REWARD: 0.9})
    engines = [
        {
            "job": "rl_561773" if at < 30 else "rl_561774",
            "time": 1000.0 + 60 * at,
            "engine": f"e{at % 2}",
            "running": 10.0 + at % 5,
            "waiting": float(at % 3),
            "generation_tps": 400.0 + at,
            "kv_cache_pct": 40.0,
            "prefix_hit_pct": math.nan if at == 7 else 80.0,
        }
        for at in range(60)
    ]
    trials = [{"reward": float(at % 3 == 0), "turns": float(1 + at % 7)} for at in range(40)]
    return make_run(
        steps=make_steps(rows),
        nonfinite=make_nonfinite(
            [
                {"job": "rl_561773", "step": 4, "row": 4, "metric": ENTROPY, "value": "nan"},
                {"job": "rl_561773", "step": 5, "row": 5, "metric": ENTROPY, "value": "inf"},
            ]
        ),
        engines=make_engines(engines),
        trials=make_trials(trials),
        config=make_config(
            {
                "trainer.hf_save_interval": 2,
                "harbor.enable_error_classification": True,
                "harbor.mask_exceptions": ["DaytonaError"],
                "harbor.passthrough_exceptions": ["AgentTimeoutError"],
            }
        ),
    )


def _row(step: int) -> dict[str, Any]:
    return {
        "job": "rl_561773" if step < 6 else "rl_561774",
        "row": step,
        "step": step,
        REWARD: 0.4 + 0.01 * step,
        PASS: 0.7 + 0.01 * step,
        ENTROPY: math.nan if step in (4, 5) else 0.3 - 0.01 * step,
        "policy/raw_grad_norm": 500.0 if step == 3 else 0.0 if step == 8 else 0.1,
        "policy/ppo_clip_ratio": 0.0,
        "async/staleness_mean": 2.0,
        "async/staleness_min": 1.0,
        "async/staleness_max": 5.0,
        "timing/step": 100.0 + step,
        "timing/wait_for_generation_buffer": math.nan if step == 2 else 80.0,
        "timing/run_training": 10.0,
        "timing/sync_weights": 4.0,
        "batch_errors/total_batches": 2.0,
        "batch_errors/total_AgentTimeoutError": 3.0,
        "batch_errors/total_DaytonaError": math.nan if step == 9 else 1.0,
        HOSTILE: 1.0 / step,
    }


def on_the_clock(run: Run, seconds: Sequence[float]) -> Run:
    """The run with a time at every record: step n at `seconds[n - 1]`, superseded records half a minute before."""
    steps = run.steps.copy()
    early = 30.0 * steps["superseded_last"].to_numpy(dtype="float64")
    steps["time"] = [1.7e9 + seconds[step - 1] for step in steps["step"].tolist()] - early
    return replace(run, steps=steps)


def one_row_run() -> Run:
    return make_run(steps=make_steps([{"step": 7, REWARD: 0.5, "timing/step": 60.0}]))


def long_run(rows: int = 5001) -> Run:
    """A wave of 5 001 steps with one high and one low spike and a gap of one value."""
    values = [math.sin(at / 50) for at in range(rows)]
    values[1234], values[3210], values[2000] = 40.0, -40.0, math.nan
    return make_run(
        steps=make_steps([{"step": at, REWARD: value, "timing/step": 10.0} for at, value in enumerate(values)])
    )
