"""Language, theme and address in Chromium: what a switch keeps, storage that is blocked, frames on other origins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Frame, Page

from tests.browser.conftest import Watched, headers_file, served
from tests.pages.site_fixture import write_site

pytestmark = pytest.mark.browser

HUB = "https://huggingface.co"
SPACE = "https://team-archive.static.hf.space"
DARK = "rgb(15, 18, 22)"
BACKGROUND = "getComputedStyle(document.documentElement).backgroundColor"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Site-level pages of invented runs."""
    root = tmp_path_factory.mktemp("places")
    write_site(root)
    return root


@pytest.fixture(scope="module")
def host(root: Path) -> Iterator[str]:
    """The pages on a host."""
    with served(root, headers_file(root)) as port:
        yield f"http://127.0.0.1:{port}/"


# ---------------------------------------------------------------- languages


def top_element(page: Page, selector: str) -> str:
    """Id of the last element matching a selector that begins above the upper part of the window."""
    script = "s => [...document.querySelectorAll(s)].filter(e => e.getBoundingClientRect().top < 90).at(-1).id"
    return str(page.evaluate(script, selector))


def test_the_language_switch_keeps_the_place_of_a_scrolled_page(host: str, watch: Callable[..., Watched]) -> None:
    watched = watch(host)
    page = watched.open("about.html")
    page.evaluate("document.getElementById('engines').scrollIntoView()")
    page.wait_for_function("() => window.scrollY > 1000")
    before = top_element(page, "main section")
    page.keyboard.press("l")
    page.wait_for_url("**/zh/about.html")
    page.wait_for_function("() => window.scrollY > 500")
    assert top_element(page, "main section") == before == "engines"
    page.click(".foot a[hreflang=en]")
    page.wait_for_url("**/about.html")
    page.wait_for_function("() => window.scrollY > 500 && document.documentElement.lang === 'en'")
    page.reload()
    page.evaluate("window.scrollTo(0, 0)")
    page.goto(host + "about.html")
    assert page.evaluate("window.scrollY") == 0, "the place is taken once"
    watched.expect_clean()


def test_the_switch_keeps_filter_and_place_with_an_explanation_open(host: str, watch: Callable[..., Watched]) -> None:
    watched = watch(host)
    page = watched.open("glossary/index.html#q=policy")
    shown = page.locator("[data-row]:not([hidden])").count()
    assert shown > 3
    page.locator("[data-row]:not([hidden]) >> nth=-1").scroll_into_view_if_needed()
    page.focus("a.term >> nth=0")
    page.wait_for_selector(".pop.open")
    page.keyboard.press("l")
    page.wait_for_url("**/zh/glossary/index.html#q=policy")
    assert page.input_value("input[data-filter]") == "policy"
    assert page.locator("[data-row]:not([hidden])").count() > 3
    assert page.locator(".pop.open").count() == 0
    watched.expect_clean()


def test_the_address_decides_the_language_and_the_one_that_the_browser_prefers_is_offered_once(
    host: str, watch: Callable[..., Watched]
) -> None:
    for path, locale, other in (("index.html", "zh-CN", "zh/"), ("zh/index.html", "en-GB", "")):
        watched = watch(host, locale=locale)
        page = watched.open(f"{path}#q=calendar")
        assert page.url == f"{host}{path}#q=calendar"
        assert page.get_attribute(".offer", "lang") == ("zh-CN" if other else "en")
        assert page.locator("aside.offer").evaluate("box => getComputedStyle(box).position") == "fixed", "nothing moves"
        page.focus(".offer a")
        assert page.evaluate("document.activeElement.href") == f"{host}{other}index.html#q=calendar"
        page.click(".offer button")
        page.reload()
        assert page.locator(".offer").count() == 0
        page.goto(host + "about.html")
        page.evaluate("localStorage.clear()")
        page.reload()
        assert page.locator(".offer").count() == 0, "only the first page offers it"
        watched.expect_clean()


def test_the_language_is_not_offered_in_a_frame_nor_to_who_has_chosen(host: str, watch: Callable[..., Watched]) -> None:
    page = watch(host, locale="zh-CN", bypass_csp=True).open("about.html")
    page.evaluate("document.body.append(Object.assign(document.createElement('iframe'), {src: 'index.html'}))")
    frame = page.wait_for_selector("iframe").content_frame()  # type: ignore[union-attr]
    assert frame is not None
    frame.wait_for_function("() => document.readyState === 'complete' && window.sitegen?.index?.view")
    assert frame.locator(".offer").count() == 0
    page.goto(host + "zh/index.html")
    page.click(".bar a[hreflang=en]")
    page.wait_for_url(host + "index.html")
    page.wait_for_function("() => window.sitegen?.index?.view")
    assert page.locator(".offer").count() == 0


# ---------------------------------------------------------------- themes


def test_the_theme_is_there_before_anything_is_drawn(host: str, watch: Callable[..., Watched]) -> None:
    watched = watch(host, color_scheme="light")
    page = watched.open("about.html")
    page.evaluate("localStorage.setItem('sitegen-theme', 'dark')")
    page.add_init_script(
        "new MutationObserver((_, o) => { if (document.body) { o.disconnect();"
        " window.atBody = document.documentElement.dataset.theme; } })"
        ".observe(document, {childList: true, subtree: true})"
    )
    page.reload()
    assert page.evaluate("window.atBody") == "dark"
    assert page.evaluate(BACKGROUND) == DARK
    watched.expect_clean()


def test_without_a_choice_the_page_follows_the_system(host: str, watch: Callable[..., Watched]) -> None:
    watched = watch(host, color_scheme="dark")
    page = watched.open("about.html")
    assert page.evaluate(BACKGROUND) == DARK
    page.emulate_media(color_scheme="light")
    assert page.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    names = []
    for _ in range(3):
        page.click("#theme")
        names.append(page.inner_text("#theme .sr"))
    assert names == ["Theme: light", "Theme: dark", "Theme: as the system"]
    assert page.evaluate("localStorage.getItem('sitegen-theme')") is None


def test_other_pages_that_are_open_follow_the_theme(host: str, watch: Callable[..., Watched]) -> None:
    one = watch(host, color_scheme="light").open("about.html")
    other = one.context.new_page()
    other.goto(host + "index.html")
    one.click("#theme")
    one.click("#theme")
    other.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    assert other.inner_text("#theme .sr") == "Theme: dark"


# ---------------------------------------------------------------- frames and blocked storage


class Framed:
    """A page of another origin that shows the site in a frame and keeps every message it is sent."""

    def __init__(self, browser: Browser, root: Path, origin: str, frame: str) -> None:
        self.context = browser.new_context(color_scheme="light")
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type in {"error", "warning"} else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        body = (
            "<!doctype html><title>parent</title><script>messages = [];"
            "addEventListener('message', e => messages.push([e.origin, e.data]))</script>" + frame
        )
        self.page.route(f"{SPACE}/**", lambda route: route.fulfill(path=root / urlsplit(route.request.url).path[1:]))
        self.page.route(f"{origin}/**", lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8"))
        self.page.goto(f"{origin}/spaces/team/archive")

    def frame(self, address: str) -> Frame:
        """The frame once it shows an address."""
        self.page.wait_for_function("() => frames.length === 1")
        found = self.page.frames[1]
        found.wait_for_url(address)
        found.wait_for_load_state("load")
        return found

    def messages(self) -> list[Any]:
        """What the parent was sent."""
        found: list[Any] = self.page.evaluate("messages")
        return found


@pytest.fixture
def framed(browser: Browser, root: Path) -> Iterator[Callable[[str, str], Framed]]:
    made: list[Framed] = []

    def make(origin: str, frame: str) -> Framed:
        made.append(Framed(browser, root, origin, frame))
        return made[-1]

    yield make
    for each in made:
        each.context.close()


def test_a_sandboxed_frame_without_storage_has_everything_but_the_memory(
    framed: Callable[[str, str], Framed],
) -> None:
    outer = framed("https://cards.example", f'<iframe sandbox="allow-scripts" src="{SPACE}/index.html"></iframe>')
    frame = outer.frame(f"{SPACE}/index.html")
    assert frame.evaluate("(() => { try { return localStorage.length } catch { return 'blocked' } })()") == "blocked"
    frame.click("#theme")
    frame.click("#theme")
    assert frame.evaluate(BACKGROUND) == DARK
    frame.click("[data-open-help]")
    frame.uncheck("dialog.help input")
    frame.press("dialog.help", "Escape")
    frame.press("#theme", "/")
    assert frame.locator("dialog[open]").count() == 0, "the choice holds as long as the page"
    frame.click("[data-open-help]")
    frame.check("dialog.help input")
    frame.press("dialog.help", "Escape")
    frame.press("#theme", "/")
    assert frame.locator("dialog.find-box[open]").count() == 1, "keys reach the frame at all"
    frame.press("dialog.find-box input", "Escape")
    frame.click("[data-open-search]")
    frame.fill("dialog.find-box input", "entropy")
    frame.wait_for_selector("dialog.find-box [role=option]")
    frame.press("dialog.find-box input", "Enter")
    frame.wait_for_url(lambda url: "/glossary/" in url)
    frame.click(".bar a[hreflang=zh-CN]")
    frame.wait_for_url(lambda url: "/zh/glossary/" in url)
    assert outer.faults == []
    assert outer.messages() == [], "only the model hub is told anything"


def test_where_nothing_can_be_left_for_the_next_page_the_switch_keeps_the_section(
    framed: Callable[[str, str], Framed],
) -> None:
    outer = framed(
        "https://cards.example",
        f'<iframe sandbox="allow-scripts" width="900" height="600" src="{SPACE}/about.html"></iframe>',
    )
    frame = outer.frame(f"{SPACE}/about.html")
    frame.evaluate("document.getElementById('overlap').scrollIntoView()")
    frame.press("#overlap a.term >> nth=0", "l")
    frame.wait_for_url(lambda url: "/zh/about.html#" in url)
    assert frame.url.endswith(("#overlap", "#overlap-h"))


def test_blocked_storage_keeps_choices_as_long_as_the_page(host: str, watch: Callable[..., Watched]) -> None:
    watched = watch(host)
    for name in ("localStorage", "sessionStorage"):
        watched.page.add_init_script(f"Object.defineProperty(window, '{name}', {{get() {{ throw new Error('no') }}}})")
    page = watched.open("about.html")
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == "light"
    page.keyboard.press("?")
    page.uncheck("dialog.help input")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.locator("dialog[open]").count() == 0
    page.click(".bar a[hreflang=zh-CN]")
    page.wait_for_url("**/zh/about.html")
    watched.expect_clean()


# ---------------------------------------------------------------- the model hub's page around a static Space


def test_the_hub_is_told_page_and_state(framed: Callable[[str, str], Framed]) -> None:
    outer = framed(HUB, f'<iframe width="1200" height="800" src="{SPACE}/glossary/index.html#q=loss"></iframe>')
    frame = outer.frame(f"{SPACE}/glossary/index.html#q=loss")
    assert frame.input_value("input[data-filter]") == "loss", "the first state is taken as given"
    frame.fill("input[data-filter]", "entropy")
    outer.page.wait_for_function("() => messages.length > 1")
    origin = SPACE
    assert outer.messages() == [
        [origin, {"queryString": "page=glossary/index.html", "hash": "#q=loss"}],
        [origin, {"queryString": "page=glossary/index.html", "hash": "#q=entropy"}],
    ]
    frame.click(".bar nav a >> nth=0")
    frame.wait_for_url(f"{SPACE}/index.html")
    assert outer.faults == []


def test_the_hub_is_not_told_what_it_has_just_said(framed: Callable[[str, str], Framed]) -> None:
    outer = framed(HUB, f'<iframe width="1200" height="800" src="{SPACE}/index.html#status=failed"></iframe>')
    frame = outer.frame(f"{SPACE}/index.html#status=failed")
    outer.page.wait_for_timeout(200)
    assert outer.messages() == []
    frame.evaluate("sitegen.state.set({q: 'demo'})")
    outer.page.wait_for_function("() => messages.length === 1")
    assert outer.messages()[0][1] == {"queryString": "", "hash": "#q=demo&status=failed"}


def test_an_address_of_the_hub_opens_the_page_it_names(framed: Callable[[str, str], Framed]) -> None:
    source = f"{SPACE}/index.html?page=zh/glossary/index.html#q=熵"
    outer = framed(HUB, f'<iframe width="1200" height="800" src="{source}"></iframe>')
    frame = outer.frame(lambda url: url.startswith(f"{SPACE}/zh/glossary/index.html#q="))  # type: ignore[arg-type]
    assert frame.input_value("input[data-filter]") == "熵"
    assert outer.faults == []


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/a.html", "//evil.example/a.html", "../a.html", "javascript:a.html"]
)
def test_an_address_leads_nowhere_but_into_the_site(host: str, watch: Callable[..., Watched], wanted: str) -> None:
    watched = watch(host)
    page = watched.open(f"index.html?page={wanted}")
    page.wait_for_timeout(150)
    assert page.url == f"{host}index.html?page={wanted}"
    watched.expect_clean()


def test_an_embedding_page_of_another_origin_is_told_nothing(framed: Callable[[str, str], Framed]) -> None:
    outer = framed("https://evil.example", f'<iframe width="1200" height="800" src="{SPACE}/index.html"></iframe>')
    frame = outer.frame(f"{SPACE}/index.html")
    frame.evaluate("sitegen.state.set({q: 'demo'})")
    outer.page.wait_for_timeout(200)
    assert outer.messages() == []
    assert outer.faults == []
