"""Invented runs to compare: of two frameworks, of different lengths, with other rewards, samples and settings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sitegen.analyse.run_analysis import analyse
from sitegen.charts.assets import charts_script, vega_script
from sitegen.model.run import Run
from sitegen.pages import site_files
from sitegen.pages.archive_data import archive_files, found_scripts
from sitegen.pages.assets import hashed, site_assets
from sitegen.pages.base import SiteContext, SiteFile
from sitegen.pages.compare_data import compare_files, compare_script
from sitegen.pages.index import newest_first
from sitegen.pages.row import run_row
from sitegen.settings import SiteSettings
from tests.factories import make_config, make_nonfinite, make_run, make_steps
from tests.pages.site_fixture import glossary

RUNS = 14


def one(number: int) -> Run:
    """A run: every fourth is verl's, number 5 has 16 samples per prompt, number 6 no configuration, 7 no steps."""
    verl = number % 4 == 3
    reward = "critic/score/mean" if verl else "reward/avg_raw_reward"
    length = 0 if number == 7 else 20 + 10 * (number % 3)
    rows = [
        {"step": step, reward: 0.4 + 0.03 * number + 0.05 * math.sin(step), "lr": 1e-6 * step}
        | _more(number, step, verl)
        for step in range(1, length + 1)
    ]
    settings = {
        "trainer.policy.optimizer_config.lr": f"{number + 1}e-6",
        "generator.n_samples_per_prompt": 16 if number == 5 else 8,
        "trainer.train_batch_size": 64,
        "data.train_data": ["org/tasks"],
        "trainer.placement.policy_num_nodes": 2,
        "trainer.placement.policy_num_gpus_per_node": 8,
        "trainer.placement.colocate_all": True,
        "trainer.run_name": f"run-{number}",
        "trainer.hf_save_interval": 5,
        "trainer.note": '<b onmouseover="x">&</b>' if number == 0 else "plain",
        **({"trainer.only_here": True} if number == 0 else {}),
    }
    bad = [{"step": 4, "metric": "policy/raw_grad_norm", "value": math.nan}] if number == 0 else []
    return make_run(
        slug=f"team/run-{number:02d}",
        path=f"team/run-{number:02d}",
        name=f"run-{number:02d}",
        title=f"对照 {number}" if number == 4 else f"long-name-of-run-number_{number:02d}-8B",
        framework="verl" if verl else "skyrl",
        steps=make_steps(rows),
        nonfinite=make_nonfinite(bad),
        config=None if number == 6 else make_config(settings),
    )


def _more(number: int, step: int, verl: bool) -> dict[str, Any]:
    if verl:
        return {"actor/entropy": 0.3 - 0.001 * step}
    found = {"policy/policy_entropy": 0.2 - 0.001 * step, "timing/step": 100.0 + number + step % 7}
    if number != 1:
        found["policy/raw_grad_norm"] = math.nan if step == 4 and number == 0 else 0.05
    return found | {f"reward/avg_pass_at_{16 if number == 5 else 8}": min(0.5 + 0.01 * step, 1.0)}


def compared_site(runs: Sequence[Run]) -> Iterator[SiteFile]:
    """The site's own pages with everything that the compare page loads; the runs' pages are left out."""
    assets = {**site_assets(), "charts.js": charts_script(), "vega.js": vega_script()}
    paths = hashed(assets)
    site = SiteContext(settings=SiteSettings(), assets=paths, glossary=glossary(), version="0.1.0")
    rows, scripts = [], {}
    for run in runs:
        analysis = analyse(run, SiteSettings())
        rows.append(run_row(run, analysis))
        made = list(compare_files(run, analysis, glossary()))
        scripts[run.slug] = made[-1].path
        yield from made
    ordered = newest_first(rows)
    data = [*archive_files(ordered, site, {}), *compare_script(ordered, site, scripts)]
    yield from data
    yield from site_files(rows, site, data=found_scripts(file.path for file in data))
    for name, content in assets.items():
        yield SiteFile(path=paths[name], content=content)


def write_compared(folder: Path, runs: Sequence[Run]) -> Path:
    """Writes such a site into a folder."""
    for file in compared_site(runs):
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
    return folder
