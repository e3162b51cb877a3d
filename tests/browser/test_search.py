"""Search in Chromium, over http and from disk: the dialog by keys, the page with all results, touch, no scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Watched, headers_file, served
from tests.pages.site_fixture import write_site

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"
FIELD = "dialog.find-box input"
OPTIONS = "dialog.find-box [role=option]"
CHOSEN = "dialog.find-box [role=option][aria-selected=true]"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Site-level pages of invented runs, from disk and from a host; the host has no pages of runs."""
    root = tmp_path_factory.mktemp("搜索 search")
    write_site(root)
    with served(root, headers_file(root)) as port:
        yield {"http": f"http://127.0.0.1:{port}/", "file": root.as_uri() + "/"}


@pytest.fixture
def opened(places: dict[str, str], watch: Callable[..., Watched]) -> Callable[..., Watched]:
    def make(path: str, way: str = "file", **options: object) -> Watched:
        watched = watch(places[way], **options)
        watched.open(path)
        return watched

    return make


def ask(page: Page, query: str) -> None:
    """Opens the search by its key and types a query."""
    page.keyboard.press("/")
    page.wait_for_selector("dialog.find-box[open]")
    page.keyboard.type(query)
    page.wait_for_function("() => document.querySelector('.find-said').textContent.match(/\\d|[“”]/)")


@pytest.mark.parametrize("way", ["http", "file"])
@pytest.mark.parametrize("lang", ["", "zh/"])
def test_a_metric_is_found_and_opened_by_keys_alone(opened: Callable[..., Watched], way: str, lang: str) -> None:
    watched = opened(f"{lang}about.html", way)
    page = watched.page
    ask(page, "policy ent")
    assert page.inner_text(f"{CHOSEN} .name") == "policy/policy_entropy"
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{lang}glossary/skyrl-policy_entropy.html")
    assert page.get_attribute("html", "lang") == ("zh-CN" if lang else "en")
    watched.expect_clean()


@pytest.mark.parametrize("way", ["http", "file"])
def test_chinese_words_are_found_on_pages_of_both_languages(opened: Callable[..., Watched], way: str) -> None:
    for path in ("index.html", "zh/index.html"):
        watched = opened(path, way)
        ask(watched.page, "策略熵")
        assert watched.page.inner_text(f"{OPTIONS} .name >> nth=0") == "policy/policy_entropy"
        watched.expect_clean()


def test_the_index_is_loaded_when_the_search_is_first_opened_and_once(opened: Callable[..., Watched]) -> None:
    watched = opened("about.html")
    page = watched.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.resource_type == "script" else None)
    assert page.evaluate("document.querySelectorAll('script[src*=search-index]').length") == 0
    ask(page, "reward")
    page.keyboard.press("Escape")
    ask(page, "entropy")
    assert [url.rsplit("/", 1)[-1] for url in asked] == ["search-index.js"]


def test_a_key_right_after_closing_is_not_lost(opened: Callable[..., Watched]) -> None:
    """A closed dialog's field keeps the focus until the next picture, so the next key is sent to it."""
    page = opened("about.html").page
    ask(page, "reward")
    state = """() => {
      const field = document.querySelector('dialog.find-box input');
      field.closest('dialog').close();
      field.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true, cancelable: true}));
      return field.closest('dialog').open;
    }"""
    assert page.evaluate(state)


def test_arrows_home_and_end_move_the_choice_and_the_field_keeps_the_focus(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html")
    page = watched.page
    ask(page, "reward")
    assert page.get_attribute(FIELD, "role") == "combobox"
    assert page.get_attribute(FIELD, "aria-expanded") == "true"
    count = page.locator(OPTIONS).count()
    assert count > 3

    def chosen() -> int:
        assert page.evaluate("document.activeElement.getAttribute('role')") == "combobox"
        active = page.get_attribute(FIELD, "aria-activedescendant")
        assert page.get_attribute(CHOSEN, "id") == active, "one option is chosen, and it is the one that is said"
        return int((active or "-1").rsplit("-", 1)[-1])

    assert chosen() == 0
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.selectionStart") == 0, "Home is the field's own until a key has moved"
    for key, expected in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", count - 1), ("ArrowDown", 0)):
        page.keyboard.press(key)
        assert chosen() == expected, key
    page.keyboard.press("ArrowUp")
    assert chosen() == count - 1, "the list goes round"
    page.keyboard.press("Home")
    assert chosen() == 0
    page.keyboard.type("zzz")
    page.wait_for_function(f"() => document.querySelectorAll('{OPTIONS}').length === 0")
    assert page.get_attribute(FIELD, "aria-expanded") == "false"
    assert page.get_attribute(FIELD, "aria-activedescendant") is None
    watched.expect_clean()


def test_escape_closes_and_the_focus_is_where_it_was(opened: Callable[..., Watched]) -> None:
    page = opened("about.html").page
    page.focus(".gl-nav a >> nth=2")
    ask(page, "ema")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert page.evaluate("document.activeElement.matches('.gl-nav a')")


def test_the_button_opens_it_by_mouse_and_by_keys(opened: Callable[..., Watched]) -> None:
    page = opened("about.html").page
    button = page.get_by_role("button", name="Search", exact=True)
    button.click()
    assert page.is_visible("dialog.find-box")
    page.keyboard.press("Escape")
    for key in ("Enter", " "):
        button.focus()
        page.keyboard.press(key)
        assert page.is_visible("dialog.find-box"), key
        page.keyboard.press("Escape")


def test_the_filter_of_the_page_has_a_key_of_its_own(opened: Callable[..., Watched]) -> None:
    page = opened("glossary/index.html").page
    page.keyboard.press("f")
    assert page.evaluate("document.activeElement.hasAttribute('data-filter')")
    page.keyboard.type("/f?j")
    assert page.input_value("input[data-filter]") == "/f?j", "keys typed into a field are text"
    assert page.locator("dialog[open]").count() == 0


def test_keys_that_are_switched_off_do_not_open_it_but_the_button_does(opened: Callable[..., Watched]) -> None:
    page = opened("about.html").page
    page.keyboard.press("?")
    rows = page.locator("dialog.help dt").all_inner_texts()
    assert ["".join(row.split()) for row in rows] == ["/", "f", "j", "k", "gi", "gg", "l", "Esc", "?"]
    page.uncheck("dialog.help input")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.locator("dialog[open]").count() == 0
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 0
    page.reload()
    page.keyboard.press("/")
    assert page.locator("dialog[open]").count() == 0, "the choice is kept"
    page.click("[data-open-search]")
    assert page.is_visible("dialog.find-box")


def test_keys_of_charts_are_listed_where_there_are_charts(opened: Callable[..., Watched]) -> None:
    page = opened("zh/about.html").page
    page.evaluate("document.querySelector('main section').dataset.chart = 'reward'")
    page.keyboard.press("?")
    rows = page.locator("dialog.help dt").all_inner_texts()
    assert ["".join(row.split()) for row in rows][-4:] == ["←→", "+-", "[]", "0"]
    assert "图表" in page.inner_text("dialog.help dd >> nth=-1")


def test_names_from_a_run_are_text(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html")
    ask(watched.page, "onerror")
    assert watched.page.inner_text(f"{CHOSEN} .name") == "</script><img src=x onerror=alert(1)>"
    assert watched.page.locator("dialog.find-box img").count() == 0
    watched.page.goto(watched.base + "search.html#q=onerror")
    watched.page.wait_for_selector(".found-item")
    assert watched.page.locator("main img").count() == 0
    watched.expect_clean()


def test_an_index_that_does_not_come_is_said(places: dict[str, str], watch: Callable[..., Watched]) -> None:
    page = watch(places["http"]).page
    page.route("**/search-index.js", lambda route: route.abort())
    page.goto(places["http"] + "index.html")
    page.keyboard.press("/")
    page.wait_for_function("() => document.querySelector('.find-said').textContent.includes('could not be loaded')")


def test_all_results_are_on_a_page_with_an_address(opened: Callable[..., Watched]) -> None:
    watched = opened("zh/index.html")
    page = watched.page
    ask(page, "lr=2e-5")
    page.click(".find-all")
    page.wait_for_url("**/zh/search.html#q=lr%3D2e-5")
    page.wait_for_selector(".found-item")
    assert page.inner_text(".found-item .name") == "trainer.policy.optimizer_config.lr=2e-5"
    link = page.locator(".found-runs a")
    assert link.all_inner_texts() == ["synthetic-agent-calendar-80-8B"]
    target = "runs/calendar/config.html#q=trainer.policy.optimizer_config.lr"
    assert str(link.get_attribute("href")).endswith(target)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search-field", "here the key goes to the page's own field"
    page.keyboard.type("reward")
    page.wait_for_url("**/zh/search.html#q=reward")
    page.wait_for_function("() => document.querySelectorAll('.found-kind').length > 1")
    page.click(".bar a[hreflang=en]")
    page.wait_for_url("**/search.html#q=reward")
    page.wait_for_selector(".found-item")
    assert page.input_value("#search-field") == "reward"
    watched.expect_clean()


def test_an_address_without_a_query_says_what_can_be_asked(opened: Callable[..., Watched]) -> None:
    page = opened("search.html").page
    assert page.evaluate("document.activeElement.id") == "search-field"
    assert "lr=2e-5" in page.inner_text("#search-results")
    assert page.locator(".no-js:visible").count() == 0


def test_a_tap_opens_it_and_it_fits_a_phone(opened: Callable[..., Watched]) -> None:
    watched = opened("zh/index.html", has_touch=True, viewport={"width": 390, "height": 800})
    page = watched.page
    page.tap("[data-open-search]")
    page.fill(FIELD, "reward")
    page.wait_for_selector(OPTIONS)
    box = page.locator("dialog.find-box").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert page.evaluate("(e => e.scrollWidth <= e.clientWidth)(document.querySelector('.find-list'))")
    page.tap(f"{OPTIONS} >> nth=-1")
    page.wait_for_url(lambda url: not url.endswith("zh/index.html"))


def test_an_address_that_does_not_exist_leads_on_from_any_depth(
    places: dict[str, str], watch: Callable[..., Watched]
) -> None:
    page = watch(places["http"], viewport={"width": 390, "height": 800}).page
    missing = page.request.get(places["http"] + "404.html").text()
    page.route("**/gone-*/**", lambda route: route.fulfill(status=404, content_type="text/html", body=missing))
    page.goto(places["http"] + "zh/runs/old/gone-calendar/metrics.html#q=entropy")
    page.wait_for_selector("section:first-of-type[lang=zh-CN] [data-meant]:not([hidden]) a")
    assert page.evaluate("getComputedStyle(document.querySelector('.btn')).borderRadius") == "8px", "it has the style"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("[data-lost]:visible").count() == 0
    ways = page.eval_on_selector_all(".ways a", "all => all.map(a => a.href)")
    assert f"{places['http']}zh/glossary/index.html" in ways
    assert f"{places['http']}index.html" in ways
    page.click("[data-meant] a >> nth=0")
    page.wait_for_url("**/zh/search.html#q=gone-calendar")


def test_without_scripts_the_button_is_a_link_to_a_page_that_leads_everywhere(opened: Callable[..., Watched]) -> None:
    watched = opened("zh/index.html", java_script_enabled=False)
    page = watched.page
    page.click("[data-open-search]")
    page.wait_for_url("**/zh/search.html")
    assert page.locator("input:visible").count() == 0
    assert page.locator(".no-js a:visible").count() == 2
    watched.expect_clean()


@pytest.mark.parametrize(
    ("path", "scheme"),
    [("zh/about.html", "dark"), ("search.html#q=reward", "dark"), ("zh/search.html#q=reward", "light")],
)
def test_accessibility_rules_hold(opened: Callable[..., Watched], path: str, scheme: str) -> None:
    page = opened(path, color_scheme=scheme, bypass_csp=True).page
    if "search" in path:
        page.wait_for_selector(".found-item")
    else:
        ask(page, "reward")
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "async () => (await axe.run()).violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 160)}`)"
    )
    assert found == []
