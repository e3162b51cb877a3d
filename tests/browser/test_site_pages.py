"""Index and glossary in Chromium: filters, sorting, explanations, keys, language, theme; from disk."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Watched
from tests.pages.rows import many
from tests.pages.site_fixture import write_site

pytestmark = pytest.mark.browser

SHOWN = "() => [...document.querySelectorAll('[data-row]:not([hidden])')].length"
FIRST = "() => document.querySelector('[data-row]:not([hidden]) a').textContent"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Site-level pages of invented runs, written to disk."""
    root = tmp_path_factory.mktemp("站点 site")
    write_site(root)
    return root.as_uri() + "/"


@pytest.fixture
def opened(base: str, watch: Callable[..., Watched]) -> Callable[..., Watched]:
    def make(path: str, **options: object) -> Watched:
        watched = watch(base, **options)
        watched.open(path)
        return watched

    return make


def test_filters_show_counts_and_live_in_the_address(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html")
    page = watched.page
    page.fill("input[data-filter]", "calendar")
    page.wait_for_url("**/index.html#q=calendar")
    assert page.evaluate(SHOWN) == 1
    page.fill("input[data-filter]", "")
    page.wait_for_url(lambda url: "calendar" not in url)
    page.check("input[value=verl]")
    assert page.evaluate(SHOWN) == 1
    assert page.inner_text("[data-found]") == "1 of 7 runs"
    page.go_back()
    page.wait_for_url(lambda url: "verl" not in url)
    assert page.evaluate(SHOWN) == len(many())
    watched.expect_clean()


def test_an_address_with_filters_opens_filtered(opened: Callable[..., Watched]) -> None:
    page = opened("index.html#status=failed,no-steps").page
    assert page.evaluate(SHOWN) == 2
    assert page.is_checked("input[value=failed]")
    page.click("[data-clear]")
    assert page.evaluate(SHOWN) == len(many())


def test_no_run_left_is_said(opened: Callable[..., Watched]) -> None:
    page = opened("index.html#q=no-such-run").page
    assert page.is_visible("[data-none]")


def test_sorting_ranks_rewards_within_their_meaning_and_missing_last(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html")
    page = watched.page
    page.click("th[data-key=ema] button")
    assert page.get_attribute("th[data-key=ema]", "aria-sort") == "descending"
    assert page.evaluate(FIRST) == "synthetic-agent-calendar-80-8B"
    rows = page.evaluate(
        "() => [...document.querySelectorAll('tbody tr')].map(row => (row.querySelector('a') || row).innerText)"
    )
    assert rows.index("demo-swe-r2egym-32B-retry") == 5, "the run without a value comes last of its group"
    assert page.locator("tr.group-row").count() == 3
    page.click("th[data-key=trials] button")
    assert page.locator("tr.group-row").count() == 0
    page.click("th[data-key=trials] button")
    assert page.get_attribute("th[data-key=trials]", "aria-sort") == "ascending"
    assert page.evaluate(
        "() => [...document.querySelectorAll('[data-row]')].at(-1).querySelector('a').innerText"
    ).startswith("demo-gsm8k")
    watched.expect_clean()


def test_a_group_whose_runs_are_filtered_away_has_no_heading(opened: Callable[..., Watched]) -> None:
    page = opened("index.html#framework=verl&sort=-ema").page
    assert page.locator("tr.group-row:visible").all_inner_texts() == ["verl, critic/score/mean"]


ENTRY = "glossary/skyrl-avg_raw_reward.html"


def popover(page: Page) -> bool:
    return page.locator(".pop.open").count() == 1


def test_an_explanation_opens_on_hover_and_focus_and_moves_nothing(opened: Callable[..., Watched]) -> None:
    watched = opened(ENTRY)
    page = watched.page
    before = page.evaluate("document.documentElement.scrollHeight")
    page.hover("a.term >> nth=0")
    page.wait_for_selector(".pop.open")
    assert page.evaluate("document.documentElement.scrollHeight") == before
    page.keyboard.press("Escape")
    assert not popover(page)
    page.mouse.move(0, 0)
    page.focus("a.term >> nth=0")
    assert popover(page)
    assert page.get_attribute("a.term >> nth=0", "aria-describedby") == "popover"
    watched.expect_clean()


def test_the_first_tap_explains_and_the_second_follows(opened: Callable[..., Watched]) -> None:
    watched = opened(ENTRY, has_touch=True, viewport={"width": 390, "height": 800})
    page = watched.page
    page.tap("a.term >> nth=0")
    assert popover(page)
    box = page.locator(".pop.open").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.tap("a.term >> nth=0")
    page.wait_for_url(lambda url: not url.endswith(ENTRY))


def test_keys_lead_through_the_site_and_can_be_switched_off(opened: Callable[..., Watched]) -> None:
    watched = opened(ENTRY)
    page = watched.page
    page.keyboard.press("?")
    assert page.is_visible("dialog.help")
    page.uncheck("dialog.help input")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_timeout(100)
    assert page.url.endswith(ENTRY)
    page.click("[data-open-help]")
    page.check("dialog.help input")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/index.html")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == "synthetic-agent-calendar-80-8B"
    page.keyboard.press("f")
    assert page.evaluate("document.activeElement.hasAttribute('data-filter')")
    page.keyboard.type("j")
    assert page.input_value("input[data-filter]") == "j"
    watched.expect_clean()


def test_the_language_switch_keeps_the_place(opened: Callable[..., Watched]) -> None:
    page = opened("index.html#q=demo&sort=-ema").page
    page.click("a[hreflang=zh-CN]")
    page.wait_for_url("**/zh/index.html#q=demo&sort=-ema")
    assert page.get_attribute("html", "lang") == "zh-CN"
    assert page.evaluate(SHOWN) == 3


def test_the_theme_is_kept_and_set_before_the_first_paint(opened: Callable[..., Watched]) -> None:
    page = opened("index.html", color_scheme="light").page
    page.click("#theme")
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == "dark"
    page.reload()
    assert page.get_attribute("html", "data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(15, 18, 22)"
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") is None


def test_blocked_storage_breaks_nothing(base: str, watch: Callable[..., Watched]) -> None:
    watched = watch(base)
    watched.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked') }})"
    )
    page = watched.open("index.html")
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == "light"
    watched.expect_clean()


def test_the_glossary_is_filtered_by_part_of_a_chinese_word(opened: Callable[..., Watched]) -> None:
    watched = opened("zh/glossary/index.html")
    page = watched.page
    page.fill("input[data-filter]", "截断比")
    page.wait_for_url("**/index.html#q=*")
    assert 0 < page.evaluate(SHOWN) < 30
    groups = page.locator("[data-filter-group]:visible").count()
    assert 0 < groups < page.locator("[data-filter-group]").count()
    watched.expect_clean()


def test_without_scripts_the_table_is_whole_and_dead_controls_are_not_there(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html", java_script_enabled=False)
    page = watched.page
    assert page.locator("tbody tr:visible").count() == len(many())
    assert page.locator("tbody svg.spark:visible").count() == 6
    assert page.locator("input:visible, button:visible").count() == 0
    watched.expect_clean()


def test_nothing_sticks_out_sideways(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html", viewport={"width": 1440, "height": 900})
    for path in ("index.html", "zh/index.html", "glossary/index.html", ENTRY, "about.html", "404.html"):
        page = watched.open(path)
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{path} at {width}"
        tables = "[...document.querySelectorAll('.t-wrap')].every(e => e.scrollWidth <= e.clientWidth + 1)"
        assert page.evaluate(tables), f"a table of {path} is cut at 390"
        page.set_viewport_size({"width": 1440, "height": 900})
