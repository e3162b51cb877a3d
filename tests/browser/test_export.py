"""A run in one file, opened from disk without a network."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from sitegen import cli

pytestmark = pytest.mark.browser

RUN = Path(__file__).parents[2] / "runs" / "synthetic-agent-calendar-80-8B"


@pytest.mark.parametrize(("lang", "theme", "width"), [("en", "light", 1440), ("zh", "dark", 390)])
def test_it_opens_from_disk_and_asks_for_nothing(
    browser: Browser, tmp_path: Path, lang: str, theme: str, width: int
) -> None:
    file = tmp_path / "报告 one" / "run #1.html"
    file.parent.mkdir()
    assert cli.run(["export", str(RUN), "-o", str(file), "--lang", lang]) == 0
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme, offline=True)  # type: ignore[arg-type]
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda r: faults.append(r.url) if r.url != file.as_uri() and r.url[:5] != "data:" else None)
    page.goto(file.as_uri())
    page.locator("#chart-reward").scroll_into_view_if_needed()
    page.wait_for_selector('#chart-reward .chart[data-drawn="true"]')
    page.locator("#page-metrics .chart").nth(4).scroll_into_view_if_needed()
    page.wait_for_selector('#page-metrics .chart[data-drawn="true"]')
    ground = page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if theme == "light" else "rgb(15, 18, 22)")
    page.click("#theme")
    page.keyboard.press("j")
    page.keyboard.press("/")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    term = page.locator("#page-index [data-term]").first
    term.focus()
    page.wait_for_selector(".pop.open")
    assert faults == []
    context.close()
