"""Fixtures shared by the whole suite: the site of the sample archive, built once per session."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "runs"


settings.register_profile("gate", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
"""The gate tries the same cases every time; `HYPOTHESIS_PROFILE=search` looks for new ones."""


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site of `runs/`, built by the command line as a user would; its path has a space and Chinese in it.

    All workers share one: whoever needs it first builds it, the others wait. Tests only read it.
    """
    own = tmp_path_factory.getbasetemp()
    shared = (own if worker_id == "master" else own.parent) / "sample"
    folder = shared / "站点 out"
    with FileLock(f"{shared}.lock"):
        if not folder.exists():
            shared.mkdir(exist_ok=True)
            subprocess.run(
                [sys.executable, "-m", "sitegen", "build", str(RUNS), "-o", str(folder), "--quiet", "--no-cache"],
                check=True,
                cwd=ROOT,
                timeout=110,
            )
    return folder


SLOW_FIRST = ("tests/browser/", "tests/truth/", "tests/test_", "tests/publish/", "tests/readers/")
"""Where files take longest, so that no worker is left with one of them at the end; a file stays on one worker."""


def _slow_first(item: pytest.Item) -> int:
    return next((place for place, start in enumerate(SLOW_FIRST) if item.nodeid.startswith(start)), len(SLOW_FIRST))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the long forms (`full`) unless `-m` asks for them, and puts slow files first."""
    items.sort(key=_slow_first)
    if "full" in (config.getoption("-m") or ""):
        return
    long_forms = [item for item in items if item.get_closest_marker("full")]
    if long_forms:
        config.hook.pytest_deselected(items=long_forms)
        items[:] = [item for item in items if not item.get_closest_marker("full")]
