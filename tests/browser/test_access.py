"""Access to every kind of page: rules of WCAG 2.2 AA, keys alone, forced colours, reduced motion, zoom.

The gate looks at every view of `tests/screenshots/views.py` in one of its eight variants, in turn, so that a template
is seen in several, and then at the same page four times as large; `-m full` looks at all eight of each.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.bench.archive_of_runs import write_site
from tests.browser.conftest import Watched
from tests.screenshots.views import CALENDAR, OUTAGE, VIEWS, SiteName, View, nothing, open_view

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES = """async tags => {
  const rules = {'target-size': {enabled: true}, region: {enabled: false}};
  const options = {runOnly: tags, rules, resultTypes: ['violations']};
  const found = (await axe.run(options)).violations;
  return found.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')}`);
}"""
EVERY = [(lang, theme, width) for lang in ("en", "zh") for theme in ("light", "dark") for width in (390, 1440)]
IN_TURN = (("en", "light", 1440), ("zh", "dark", 390), ("en", "dark", 1440), ("zh", "light", 390))
"""The variants of the gate: the first view is seen in the first, the second in the second, and so on."""
WIDE = """() => {
  const page = document.documentElement;
  if (page.scrollWidth <= page.clientWidth) return [];
  return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > page.clientWidth + 1)
    .slice(0, 3).map(e => e.outerHTML.slice(0, 120));
}"""


@pytest.fixture(scope="module")
def roots(sample_site: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[SiteName, Path]:
    """Where the sites of the views lie."""
    return {
        "sample": sample_site,
        "many": write_site(tmp_path_factory.mktemp("access many"), 110),
    }


@pytest.fixture
def opened(roots: dict[SiteName, Path], watch: Callable[..., Watched]) -> Callable[..., Page]:
    def make(view: View, lang: str = "en", **options: object) -> Page:
        watched = watch(roots[view.site].as_uri() + "/", bypass_csp=True, **options)
        open_view(watched.page, view, roots[view.site], lang)
        return watched.page

    return make


def violations(page: Page, view: View, lang: str, theme: str, width: int) -> list[str]:
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(RULES, TAGS)
    return [f"{view.name}, {lang}, {theme}, {width}: {item}" for item in found]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_no_rule_is_broken_and_four_times_as_large_all_is_in_one_column(
    opened: Callable[..., Page], view: View
) -> None:
    """WCAG 1.4.10: 1280 pixels at 400 % are 320; only what needs two dimensions may scroll, in a box of its own."""
    lang, theme, width = IN_TURN[VIEWS.index(view) % len(IN_TURN)]
    page = opened(view, lang, color_scheme=theme, viewport={"width": width, "height": 900})
    assert violations(page, view, lang, theme, width) == []
    if view.act is nothing:
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate(WIDE) == []


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_no_rule_is_broken_in_any_variant(opened: Callable[..., Page], view: View) -> None:
    found: list[str] = []
    for lang, theme, width in EVERY:
        page = opened(view, lang, color_scheme=theme, viewport={"width": width, "height": 900})
        found += violations(page, view, lang, theme, width)
        page.context.close()
    assert found == []


# ---------------------------------------------------------------- keys alone

STOP = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const shown = at.closest('.is-focus') || (at.closest('.search, .find-head') ?? at);
  const marked = s => s.boxShadow !== 'none' || (s.outlineStyle !== 'none' && !/, 0\\)$/.test(s.outlineColor));
  const style = getComputedStyle(shown), own = getComputedStyle(at), box = shown.getBoundingClientRect();
  return {
    name: (at.getAttribute('aria-label') || at.textContent || at.value || '').trim(),
    href: at.getAttribute('href') || '',
    seen: marked(style) || marked(own) ? box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight
      && box.right > 0 && box.left < innerWidth : false,
    what: at.outerHTML.slice(0, 120),
  };
}"""
FARTHEST = 150
"""Presses of Tab that a reader has patience for."""


def tab_to(page: Page, name: str = "", href: str = "") -> None:
    """Presses Tab until the focus is on what is meant; every stop on the way has to be seen."""
    for _ in range(FARTHEST):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None:
            continue
        assert stop["seen"], f"the focus cannot be seen: {stop['what']}"
        path = stop["href"].partition("#")[0]
        if name in stop["name"] and (not href or path == href or path.endswith(f"/{href}")):
            return
    raise AssertionError(f"{FARTHEST} presses of Tab do not lead to {name or href}")


def test_keys_alone_lead_from_the_index_to_a_comparison(opened: Callable[..., Page]) -> None:
    page = opened(VIEWS[0], viewport={"width": 1440, "height": 900})
    page.keyboard.press("Tab")
    assert page.evaluate(STOP)["href"] == "#main"
    assert page.evaluate(STOP)["seen"], "the link to the content shows itself"
    page.keyboard.press("Enter")
    tab_to(page, href=f"runs/{CALENDAR}/index.html")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{CALENDAR}/index.html")
    tab_to(page, href="trials.html")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{CALENDAR}/trials.html")
    tab_to(page, name="Compare with")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/index.html#*")
    page.wait_for_selector("#cmp-runs li")
    tab_to(page, name="Choose runs")
    page.keyboard.press("Enter")
    page.wait_for_selector("#run-picker .opt")
    page.keyboard.type("outage")
    page.wait_for_function("() => document.querySelectorAll('#run-picker .opt').length === 1")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.wait_for_selector("[data-numbers] table")
    page.keyboard.press("Escape")
    assert page.evaluate(STOP)["seen"], "the focus is still somewhere"
    assert OUTAGE in page.url
    assert CALENDAR in page.url


def test_every_stop_of_a_run_s_pages_is_seen(opened: Callable[..., Page]) -> None:
    for name in ("overview", "trial"):
        page = opened(view_of(name), viewport={"width": 390, "height": 844})
        for _ in range(25):
            page.keyboard.press("Tab")
            stop = page.evaluate(STOP)
            assert stop is None or stop["seen"], f"{name}: the focus cannot be seen: {stop['what']}"


def view_of(name: str) -> View:
    return next(view for view in VIEWS if view.name == name)


# ---------------------------------------------------------------- what a reader's system asks for


def test_forced_colours_leave_focus_and_the_current_tab(opened: Callable[..., Page]) -> None:
    page = opened(view_of("overview"), forced_colors="active")
    tab_to(page, href="metrics.html")
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
    borders = page.eval_on_selector_all(".tabs a", "all => all.map(a => getComputedStyle(a).borderBottomColor)")
    current = page.eval_on_selector(".tabs a[aria-current]", "a => getComputedStyle(a).borderBottomColor")
    assert borders.count(current) == 1


def test_nothing_moves_by_itself_where_motion_is_not_wanted(opened: Callable[..., Page]) -> None:
    moving = """() => [...document.querySelectorAll('*')].filter(e => {
      const s = getComputedStyle(e);
      return s.scrollBehavior === 'smooth' || [s.transitionDuration, s.animationDuration]
        .some(all => all.split(',').some(one => parseFloat(one) > 0));
    }).map(e => e.outerHTML.slice(0, 120)).slice(0, 3)"""
    for name in ("overview", "trial", "index"):
        page = opened(view_of(name), reduced_motion="reduce")
        assert page.evaluate(moving) == [], name
