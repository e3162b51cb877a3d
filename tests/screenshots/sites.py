"""The sites that are looked at: the sample archive, and the index of many runs."""

from __future__ import annotations

from pathlib import Path

from sitegen.build import BuildOptions, build_site
from tests.bench.archive_of_runs import write_site
from tests.screenshots.views import SiteName

RUNS = Path(__file__).parents[2] / "runs"
MANY = 230


def write_sites(folder: Path) -> dict[SiteName, Path]:
    """Both sites, in a folder."""
    build_site(RUNS, folder / "sample", BuildOptions(workers=1, keep=False))
    return {"sample": folder / "sample", "many": write_site(folder / "many", MANY)}
