"""Explanations and the glossary's pages in a browser, opened from files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser

RUN = "runs/synthetic-agent-calendar-80-8b/"
SHOWN = "() => [...document.querySelectorAll('[data-row]')].filter(row => row.offsetParent).map(row => row.id)"
LINES = """
() => [...document.querySelectorAll('[data-term]')].filter(term => term.offsetParent).flatMap(term => {
  term.focus();
  const pop = document.querySelector('.pop.open');
  if (!pop) return [[term.dataset.term, 'does not open']];
  const title = pop.querySelector('.pt'), text = pop.querySelector('.ps');
  const lines = node => Math.round(node.offsetHeight / parseFloat(getComputedStyle(node).lineHeight));
  const cut = text.scrollHeight > text.clientHeight + 1;
  const box = pop.getBoundingClientRect();
  const outside = box.left < 0 || box.right > document.documentElement.clientWidth + 1;
  return lines(title) + lines(text) > 4 || cut || outside
    ? [[term.dataset.term, lines(title), lines(text), cut, outside]] : [];
})
"""


@pytest.fixture
def opened(bases: dict[str, str], watch: Callable[..., Watched]) -> Callable[..., Watched]:
    """A page of the sample site, from its file."""

    def go(path: str, **options: object) -> Watched:
        watched = watch(bases["file"], **options)
        watched.open(path)
        return watched

    return go


def is_open(page: Page) -> bool:
    return page.locator(".pop.open").count() == 1


@pytest.mark.timeout(120)
@pytest.mark.parametrize("lang", ["", "zh/"])
@pytest.mark.parametrize("page", ["index.html", "metrics.html", "trials.html", "engines.html", "config.html"])
@pytest.mark.parametrize("width", [390, 1440])
def test_every_explanation_is_four_lines_at_most_and_whole(
    opened: Callable[..., Watched], lang: str, page: str, width: int
) -> None:
    watched = opened(f"{lang}{RUN}{page}", viewport={"width": width, "height": 900})
    assert watched.page.evaluate("() => document.querySelectorAll('[data-term]').length") > 10
    assert watched.page.evaluate(LINES) == []
    watched.expect_clean()


def test_a_heading_that_sorts_also_explains(opened: Callable[..., Watched]) -> None:
    watched = opened(f"{RUN}trials.html")
    page = watched.page
    page.click(".turn-figures summary")
    head = page.locator("#turns thead th button.lent").first
    head.hover()
    page.wait_for_selector(".pop.open")
    assert page.locator(".pop .pl a").get_attribute("href").endswith("glossary/common-std.html")
    head.click()
    assert page.locator("#turns thead th[aria-sort]").inner_text() == head.inner_text()
    page.keyboard.press("Escape")
    assert not is_open(page)
    watched.expect_clean()


def test_a_tap_on_a_heading_sorts_and_explains(opened: Callable[..., Watched]) -> None:
    watched = opened(f"{RUN}trials.html", has_touch=True, viewport={"width": 1200, "height": 900})
    page = watched.page
    page.tap(".turn-figures summary")
    page.tap("#turns thead th button.lent >> nth=0")
    assert is_open(page)
    assert page.locator("#turns thead th[aria-sort]").count() == 1
    page.tap("h1")
    assert not is_open(page)
    watched.expect_clean()


def test_a_name_in_a_finding_opens_by_tap_and_then_leads_to_its_entry(opened: Callable[..., Watched]) -> None:
    watched = opened(f"{RUN}index.html", has_touch=True)
    page = watched.page
    page.tap("ol.findings a.term >> nth=0")
    assert is_open(page)
    assert f"{RUN}index.html" in page.url
    page.tap(".pop .pl a")
    page.wait_for_url("**/glossary/*.html")
    watched.expect_clean()


def test_trials_drawn_by_the_script_are_explained_as_those_in_the_page(opened: Callable[..., Watched]) -> None:
    watched = opened(f"{RUN}trials.html#t-exception==DaytonaError")
    page = watched.page
    page.wait_for_function("() => document.querySelectorAll('#all-trials tbody a.term').length === 25")
    page.focus("#all-trials tbody a.term >> nth=0")
    assert is_open(page)
    assert page.get_attribute("#all-trials tbody a.term >> nth=0", "href").endswith("glossary/harbor-daytonaerror.html")
    watched.expect_clean()


@pytest.mark.parametrize("place", ["glossary/index.html", "glossary/group-policy.html"])
def test_the_filter_finds_chinese_substrings(opened: Callable[..., Watched], place: str) -> None:
    watched = opened(f"zh/{place}")
    page = watched.page
    page.fill("input[data-filter]", "略熵")
    page.wait_for_function("() => location.hash.includes('q=')")
    assert "skyrl-policy_entropy" in page.evaluate(SHOWN)
    assert "skyrl-raw_grad_norm" not in page.evaluate(SHOWN)
    watched.expect_clean()


def test_the_language_switch_keeps_the_anchor_and_the_filter(opened: Callable[..., Watched]) -> None:
    watched = opened("glossary/index.html#skyrl-policy_entropy")
    page = watched.page
    page.click("a[hreflang='zh-CN'][data-keep-hash]")
    page.wait_for_url("**/zh/glossary/index.html#skyrl-policy_entropy")
    assert page.evaluate("document.querySelector(':target').id") == "skyrl-policy_entropy"
    page.goto(watched.base + "glossary/group-time.html#q=wait")
    page.click("a[hreflang='zh-CN'][data-keep-hash]")
    page.wait_for_url("**/zh/glossary/group-time.html#q=wait")
    assert page.input_value("input[data-filter]") == "wait"
    watched.expect_clean()


def test_a_strip_leads_to_the_metric_on_the_page_of_its_run(opened: Callable[..., Watched]) -> None:
    watched = opened("glossary/skyrl-policy_entropy.html")
    page = watched.page
    page.click(".strip-row a >> nth=0")
    page.wait_for_url("**/metrics.html#q=policy*")
    shown = "() => [...document.querySelectorAll('figure[data-text]')].filter(card => card.offsetParent).length"
    page.wait_for_function(f"({shown})() === 1")
    watched.expect_clean()


@pytest.mark.parametrize("lang", ["", "zh/"])
def test_formulas_are_drawn_without_scripts(
    sample_site: Path, bases: dict[str, str], watch: Callable[..., Watched], lang: str
) -> None:
    watched = watch(bases["file"], java_script_enabled=False)
    page = watched.open(f"{lang}glossary/skyrl-avg_pass_at_n.html")
    box = page.locator("math").bounding_box()
    assert box is not None
    assert box["height"] > 20
    assert page.locator("math mfrac").count() == 1
    assert "\\frac" not in page.inner_text("main")


def test_groups_are_reached_from_the_index_the_entries_and_the_metrics_of_a_run(opened: Callable[..., Watched]) -> None:
    watched = opened("glossary/index.html")
    page = watched.page
    page.click("#policy-h a")
    page.wait_for_url("**/glossary/group-policy.html")
    page.click("text=policy/policy_entropy")
    page.wait_for_url("**/glossary/skyrl-policy_entropy.html")
    page.click(".crumbs a >> nth=1")
    page.wait_for_url("**/glossary/group-policy.html")
    page.goto(f"{watched.base}{RUN}metrics.html")
    page.click("#g-policy .section-head a.more")
    page.wait_for_url("**/glossary/group-policy.html")
    watched.expect_clean()


@pytest.mark.parametrize("lang", ["", "zh/"])
def test_the_columns_of_the_index_are_explained_and_still_sort(opened: Callable[..., Watched], lang: str) -> None:
    watched = opened(f"{lang}index.html", viewport={"width": 1440, "height": 900})
    page = watched.page
    page.hover("th[data-key=ema] button.lent")
    page.wait_for_selector(".pop.open")
    assert page.locator(".pop .pl span").count() == 0, "a concept is neither better nor worse"
    page.click("th[data-key=ema] button.lent")
    page.wait_for_function("() => document.querySelector('th[data-key=ema]').ariaSort === 'descending'")
    page.hover("th[data-key=solved] button.lent")
    page.wait_for_function("() => document.querySelector('.pop.open a')?.href.endsWith('common-graded.html')")
    watched.expect_clean()
