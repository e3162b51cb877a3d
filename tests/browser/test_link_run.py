"""The panel "link this run": texts with the address at which the page was opened, copied or selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser

RUN = "runs/synthetic-agent-calendar-80-8b/index.html"
NO_CLIPBOARD = """
Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("denied")) } });
document.execCommand = () => false;
"""


@pytest.mark.parametrize("place", ["http", "file"])
def test_texts_carry_the_address_of_the_page(
    bases: Mapping[str, str], watch: Callable[..., Watched], place: str
) -> None:
    seen = watch(bases[place])
    page = seen.open(f"zh/{RUN}?theme=dark#step=4")
    page.click(".share-open")
    page.wait_for_function("() => !document.getElementById('share-url').textContent.includes('{site}')")
    assert page.text_content("#share-url") == f"{bases[place]}zh/{RUN}"
    folder = RUN.rpartition("/")[0]
    assert f"({bases[place]}{folder}/card/badge.svg)" in str(page.text_content("#share-badge"))
    assert page.is_visible("#share-local")  # both are this machine
    status = page.evaluate(
        """(url) => new Promise((done) => {
          const image = new Image();
          image.onload = () => done(image.naturalWidth);
          image.onerror = () => done(0);
          image.src = url;
        })""",
        f"{bases[place]}{folder}/card/reward-light.svg",
    )
    assert status == 720
    page.keyboard.press("Escape")
    assert not page.is_visible("#share-url")
    seen.expect_clean()


def test_without_the_clipboard_the_text_is_selected(bases: Mapping[str, str], watch: Callable[..., Watched]) -> None:
    seen = watch(bases["file"])
    seen.page.add_init_script(NO_CLIPBOARD)
    page = seen.open(RUN)
    page.click(".share-open")
    page.click("[data-copy=share-markdown]")
    page.wait_for_function("() => String(window.getSelection()).length > 0")
    assert page.evaluate("() => String(window.getSelection()).trim()") == page.text_content("#share-markdown")
    assert "select" in str(page.text_content("[data-copy=share-markdown]"))
    seen.expect_clean()


def test_without_scripts_nothing_is_offered_that_cannot_work(
    bases: Mapping[str, str], watch: Callable[..., Watched]
) -> None:
    seen = watch(bases["file"], java_script_enabled=False)
    page = seen.open(RUN)
    assert not page.is_visible(".share-open")
