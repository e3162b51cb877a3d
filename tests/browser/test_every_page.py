"""Every page of the sample site: no fault, every chart draws, and without scripts the numbers are still there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser

DRAW_ALL = """
async () => {
  const boxes = [...document.querySelectorAll('[data-chart]')];
  const failed = [];
  for (const box of boxes) {
    for (const folded of document.querySelectorAll('details:has([data-chart])')) folded.open = true;
    box.scrollIntoView({block: 'center'});
    for (let tries = 0; tries < 150 && box.dataset.drawn !== 'true'; tries++)
      await new Promise(resolve => setTimeout(resolve, 20));
    const marks = box.querySelectorAll('svg .marks path, svg .mark-group path, svg path, canvas').length;
    if (box.dataset.drawn !== 'true' || marks === 0) failed.push(box.dataset.chart);
  }
  return {charts: boxes.length, failed};
}
"""


def pages(site: Path) -> list[str]:
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))


def one_in_thirty_entries(site: Path) -> list[str]:
    """Every page, but of the glossary's entries and the charts for frames, each one template, one in thirty."""
    found = pages(site)
    alike = [path for path in found if re.search(r"glossary/(?!index\.html|group-)|/embed/", path)]
    return sorted(set(found) - set(alike) | set(alike[::30]))


def in_one_language(site: Path, first: int) -> list[str]:
    """The pages of `one_in_thirty_entries`, each in one of its languages: in turn, the `first` to begin with."""
    kept = {path.removeprefix("zh/") for path in one_in_thirty_entries(site)}
    both = [(path, f"zh/{path}") for path in sorted(kept)]
    chosen = [pair[(place + first) % 2] for place, pair in enumerate(both)]
    return [path if (site / path).is_file() else path.removeprefix("zh/") for path in chosen]


@pytest.mark.parametrize("way", ["http", "file"])
@pytest.mark.timeout(400)
def test_no_fault_on_any_page_and_every_chart_draws(
    way: str, sample_site: Path, bases: dict[str, str], watch: Callable[..., Watched]
) -> None:
    watched = watch(bases[way], viewport={"width": 1440, "height": 900})
    drawn = 0
    for path in in_one_language(sample_site, 0)[::2] if way == "http" else in_one_language(sample_site, 1):
        page = watched.open(path)
        result = page.evaluate(DRAW_ALL)
        assert result["failed"] == [], f"{path}: charts did not draw"
        drawn += result["charts"]
        assert watched.faults == [], f"{path}: {watched.faults}"
    assert drawn > (30 if way == "http" else 60), "the sample archive shows far fewer charts than it has metrics"


@pytest.mark.timeout(300)
def test_without_scripts_every_page_shows_its_numbers_and_leading_charts(
    sample_site: Path, bases: dict[str, str], watch: Callable[..., Watched]
) -> None:
    watched = watch(bases["file"], java_script_enabled=False)
    for path in in_one_language(sample_site, 0):
        page = watched.open(path)
        text = page.inner_text("body")
        assert len(text) > 40, f"{path} is empty without scripts"
        if "runs/" in path:
            assert re.search(r"\d", text), f"{path} shows no number without scripts"
        if re.search(r"runs/.+/index\.html$", path) and page.locator("[data-chart]").count():
            static = page.locator("[data-chart] svg, svg.chart-svg, [data-chart] img")
            assert static.count() >= 1, f"{path} shows no static chart"
            box = static.first.bounding_box()
            assert box is not None
            assert box["height"] > 60, f"{path}: the static chart has no room"
        assert watched.faults == [], f"{path}: {watched.faults}"


@pytest.mark.full
@pytest.mark.timeout(900)
def test_no_fault_on_any_page_in_either_language(
    sample_site: Path, bases: dict[str, str], watch: Callable[..., Watched]
) -> None:
    watched = watch(bases["file"])
    for path in pages(sample_site):
        watched.open(path)
        assert watched.faults == [], f"{path}: {watched.faults}"
