"""What the scripts of the run pages do: the table of all trials, filters, data tables, neighbours by key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser


@pytest.fixture
def run(sample_site: Path) -> str:
    """Site path of the complete synthetic run's folder."""
    found = [path.parent for path in sample_site.glob("runs/**/engines.html")]
    return found[0].relative_to(sample_site).as_posix()


@pytest.fixture
def page(watch: Callable[..., Watched], bases: dict[str, str]) -> Watched:
    return watch(bases["file"])


ROWS = "document.querySelectorAll('#all-trials tbody tr').length"
COUNT = "[data-trials] [data-trial-count]"


def test_all_trials_are_filtered_sorted_and_paged(page: Watched, run: str) -> None:
    opened = page.open(f"{run}/trials.html")
    expect(opened.locator(COUNT)).to_have_text("4,000 of 4,000 trials")
    assert opened.evaluate(ROWS) == 200
    first = opened.text_content("#all-trials tbody tr:first-child")
    opened.click("[data-trials] [data-trial-pager] [data-step='1']")
    assert opened.text_content("#all-trials tbody tr:first-child") != first
    assert opened.text_content("[data-trials] [data-trial-page]") == "201–400"
    opened.select_option("[name=outcome]", "-1")
    expect(opened.locator(COUNT)).to_have_text("126 of 4,000 trials")
    assert opened.evaluate("location.hash") == "#t-outcome=-1"
    opened.click("[data-trials] [data-trial-filters] [type=reset]")
    expect(opened.locator(COUNT)).to_have_text("4,000 of 4,000 trials")
    opened.click("#all-trials thead th:nth-child(5) button")
    turns = opened.evaluate(
        "[...document.querySelectorAll('#all-trials tbody tr')].map((r) => +r.cells[4].textContent)"
    )
    assert turns == sorted(turns, reverse=True)
    page.expect_clean()


def test_an_exception_on_the_overview_leads_to_its_trials(page: Watched, run: str) -> None:
    opened = page.open(f"{run}/index.html")
    name = opened.text_content("#errors-table tbody tr:first-child th code")
    count = opened.text_content("#errors-table tbody tr:first-child td.n a")
    opened.click("#errors-table tbody tr:first-child td.n a")
    expect(opened.locator(COUNT)).to_have_text(f"{count} of 4,000 trials")
    assert opened.input_value("[name=exception]") == f"={name}"
    page.expect_clean()


def test_metrics_are_filtered_and_a_data_table_is_made_on_demand(page: Watched, run: str) -> None:
    opened = page.open(f"{run}/metrics.html")
    opened.fill("input[data-filter]", "grad_norm")
    card = opened.locator(".chart-card:not([hidden])")
    expect(card).to_have_count(1)
    card.hover()
    card.locator("[data-act=table]").click()
    assert card.locator(".card-data tbody tr").count() == 80
    assert card.locator(".card-data tbody tr:nth-child(1) td:nth-child(1)").text_content() == "1"
    page.expect_clean()


def test_the_summary_of_metrics_sorts_by_number_with_missing_last(page: Watched, run: str) -> None:
    opened = page.open(f"{run}/metrics.html")
    opened.click("#summary-train thead th:nth-child(6) button")
    values = opened.evaluate(
        "[...document.querySelectorAll('#summary-train tbody tr')].map((r) => r.cells[5].dataset.v)"
    )
    numbers = [float(value) for value in values if value is not None]
    assert numbers == sorted(numbers, reverse=True)
    assert values[: len(numbers)] == [value for value in values if value is not None]
    page.expect_clean()


def test_settings_are_filtered_and_the_raw_text_is_copied(page: Watched, run: str) -> None:
    opened = page.open(f"{run}/config.html")
    opened.fill("input[data-filter]", "mask_exceptions")
    expect(opened.locator(".settings tbody tr:not([hidden])")).to_have_count(1)
    assert opened.locator("[data-copy=raw-text]").is_visible()
    page.expect_clean()


@pytest.mark.parametrize("kind", ["index", "metrics", "trials", "engines", "config", "sources"])
@pytest.mark.parametrize("width", [390, 1440])
def test_no_page_is_wider_than_the_window(
    watch: Callable[..., Watched], bases: dict[str, str], run: str, kind: str, width: int
) -> None:
    opened = watch(bases["file"], viewport={"width": width, "height": 800}).open(f"{run}/{kind}.html")
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
