"""Names of any length and content: the page stays as wide as the window, and no name becomes markup or script."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.build import BuildOptions, build_site
from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser

NAMES = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "__proto__",
    "x" * 3000,
    "\u202ex",
    "{{7*7}}",
)


@pytest.mark.timeout(120)
def test_hostile_task_and_exception_names(tmp_path: Path, watch: Callable[..., Watched]) -> None:
    table = tmp_path / "archive" / "run" / "trial_stats.csv"
    table.parent.mkdir(parents=True)
    with table.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["task_name", "trial_name", "n_episodes", "exception_type", "reward"])
        rows.writerows([name, f"{name}__{n}", n, name if n % 2 else "", n % 2] for name in NAMES for n in range(6))
    site = tmp_path / "site"
    build_site(table.parent.parent, site, BuildOptions(keep=False, workers=1))
    watched = watch(site.as_uri() + "/", viewport={"width": 1280, "height": 800})
    for path in ("index.html", "runs/run/index.html", "runs/run/trials.html", "zh/runs/run/trials.html"):
        page = watched.open(path)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        assert watched.faults == [], path
