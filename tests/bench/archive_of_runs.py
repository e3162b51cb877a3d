"""A site of any number of invented runs, made by the site's own builders without reading a log.

The rows are what reading would give: frameworks, states, settings that differ, metrics with gaps, names in Chinese.
Everything follows from the number of a run, so that the same size is the same site.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sitegen.analyse.series import Series
from sitegen.pages import site_files
from sitegen.pages.archive_data import archive_files, found_scripts, series_script
from sitegen.pages.assets import site_assets
from sitegen.pages.base import SiteFile
from sitegen.pages.compare_data import compare_script
from sitegen.pages.index import newest_first
from sitegen.pages.row import RunRow
from tests.pages.rows import DAY, JUNE, curve, metric, row
from tests.pages.site_fixture import site_context

FRAMEWORKS = ("skyrl", "skyrl", "skyrl", "verl", "xtuner")
STATES = ("finished", "finished", "finished", "stopped-early", "failed", "running", "no-steps")
MODELS = ("Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "internlm/InternS1-8B", "Qwen/Qwen3-1.7B")
DATASETS = ("nemotron-gym", "r2e-gym", "math-mix", "hotpot-search", "agent-calendar")
TAGS = (*(f"tag-{i}" for i in range(24)), "基线", "消融实验")
REWARDS = {"skyrl": "reward/avg_raw_reward", "verl": "critic/score/mean", "xtuner": "reward/mean"}
OTHERS = ("policy/policy_entropy", "policy/raw_grad_norm", "timing/step", "generate/avg_num_tokens")
MORE = tuple(f"group_{i % 8}/metric_{i}" for i in range(80))


def noise(*numbers: int) -> float:
    """A number between 0 and 1 that follows from others."""
    return random.Random(repr(numbers)).random()


def one(number: int) -> RunRow:
    """The row of a run."""
    framework = FRAMEWORKS[number % len(FRAMEWORKS)]
    state = STATES[number % len(STATES)]
    steps = 0 if state == "no-steps" else 20 + number * 13 % 280
    level = 0.2 + 0.6 * noise(number)
    rate = (1e-6, 3e-6, 8e-6, 2e-5)[number % 4]
    name = f"demo-{DATASETS[number % 5]}-{number:05d}" if number % 11 else f"运行-{number:05d}-对照"
    missing: dict[str, Any] = {"spark": None, "checkpoint_step": None, "checkpoint_ema": None, "entropy": None}
    missing |= {"best_pass": None, "best_pass_step": None, "step_s": None, "waiting_share": None, "metrics": ()}
    values: dict[str, Any] = {
        "title": name,
        "framework": framework,
        "tags": tuple(dict.fromkeys((TAGS[number % len(TAGS)], TAGS[number * 5 % len(TAGS)]))),
        "jobs": 1 + number % 4,
        "spark": curve(min(steps, 120), level) if steps else None,
        "checkpoint_step": max(steps // 20 * 10, 10),
        "checkpoint_ema": level,
        "best_pass": min(level + 0.3, 1.0),
        "best_pass_step": steps // 2,
        "entropy": 0.05 + 0.3 * noise(number, 2),
        "trials": 400 * steps if number % 3 else None,
        "success_rate": level if number % 3 else None,
        "exception_rate": 0.2 * noise(number, 3) if number % 3 else None,
        "step_s": 50 + 1500 * noise(number, 4),
        "waiting_share": 0.4 + 0.5 * noise(number, 5),
        "warnings": number % 5,
        "config": settings(number, rate),
        "metrics": tuple(metric(name, 0.0, 1.0) for name in (REWARDS[framework], *OTHERS, *MORE)),
    }
    facts: dict[str, Any] = {
        "fact_status": state,
        "fact_steps_done": steps,
        "fact_planned_steps": 300,
        "fact_base_model": MODELS[number * 3 % 4],
        "fact_dataset": f"team/{DATASETS[number % 5]}",
        "fact_algorithm": ("rloo_n", "grpo")[number % 2],
        "fact_learning_rate": rate,
        "fact_gpu_hours": 10.0 * steps,
        "fact_started": JUNE - number * DAY / 3 if number % 17 else None,
        "fact_reward_metric": REWARDS[framework],
    }
    return row(f"run-{number:05d}", **(values | facts | ({} if steps else missing)))


def settings(number: int, rate: float) -> dict[str, Any]:
    """The settings of a run: a dozen that differ, a hundred that do not."""
    found: dict[str, Any] = {
        "trainer.policy.optimizer_config.lr": rate,
        "generator.n_samples_per_prompt": (4, 8, 16)[number % 3],
        "generator.num_inference_engines": (4, 16, 32, 48)[number * 3 % 4],
        "generator.sampling_params.temperature": (0.8, 1.0, 1.2)[number * 5 % 3],
        "trainer.algorithm.advantage_estimator": ("rloo_n", "grpo")[number % 2],
        "trainer.algorithm.use_kl_loss": number % 4 == 0,
        "trainer.max_staleness_steps": number % 6,
        "trainer.train_batch_size": (32, 64, 128)[number * 2 % 3],
        "trainer.seed": number,
        "trainer.run_name": f"run-{number:05d}",
    }
    return found | {f"trainer.group_{i % 9}.fixed_{i}": i for i in range(100)}


def series_of(number: int, found: RunRow) -> bytes:
    """The series script of a run."""
    steps = np.arange(1, found.facts.steps_done + 1)
    made = []
    for index, item in enumerate(found.metrics):
        every = 5 if index % 10 == 9 else 1
        at = steps[every - 1 :: every]
        values = np.round(noise(number, index) + 0.1 * np.sin(at * 0.37 + index), 4)
        if len(at):
            made.append(
                Series(
                    name=item.name,
                    kind="train",
                    step=at,
                    value=values,
                    best=float(values.max()) if index < 2 else None,
                    best_step=int(at[values.argmax()]) if index < 2 else None,
                    mean=float(values.mean()),
                    at_checkpoint=float(values[len(at) // 2]),
                )
            )
    file = series_script(found.slug, made)
    return file.content if file else b""


def site_of(runs: int, **settings_: Any) -> list[SiteFile]:
    """The site's own pages, data and assets (the runs have none)."""
    site = site_context(**settings_)
    rows = newest_first([one(number) for number in range(runs)])
    made = {item.slug: series_of(int(item.slug[-5:]), item) for item in rows}
    reads = {slug: partial(bytes, content) for slug, content in made.items() if content}
    files = [*archive_files(rows, site, reads), *compare_script(rows, site, {})]
    data = found_scripts(file.path for file in files)
    files += site_files(rows, site, data=data)
    return files + [SiteFile(path=site.assets[name], content=content) for name, content in site_assets().items()]


def write_site(folder: Path, runs: int, **settings_: Any) -> Path:
    """Writes such a site into a folder."""
    for file in site_of(runs, **settings_):
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
    return folder
