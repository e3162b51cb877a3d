"""Charts on the pages of a real run: cards' actions, the filter of metrics, and paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"
RUN = "runs/synthetic-agent-calendar-80-8b/"
A4 = {"width": 703, "height": 1032}
"""Pixels of an A4 page inside of margins of 12 mm."""


def shown(page: Page) -> list[str]:
    return page.locator(".chart-card:visible h3").all_text_contents()


def test_metrics_are_filtered_by_words_of_both_languages_and_by_group(
    bases: Mapping[str, str], watch: Callable[..., Watched]
) -> None:
    seen = watch(bases["file"])
    page = seen.open("zh/" + RUN + "metrics.html")
    page.fill("input[data-filter]", "熵")
    page.wait_for_function("() => document.querySelectorAll('.chart-card:not([hidden])').length === 1")
    assert shown(page) == ["policy/policy_entropy"]

    page.fill("input[data-filter]", "entropy")
    page.wait_for_function("() => location.hash.includes('entropy')")
    assert shown(page) == ["policy/policy_entropy"]

    page.click("[data-clear]")
    page.check('input[data-facet="group"][value="reward"]', force=True)
    page.wait_for_function("() => location.hash.includes('group=reward')")
    assert all(name.startswith(("reward/", "loss/")) for name in shown(page))
    again = watch(bases["file"]).open("zh/" + RUN + "metrics.html" + page.evaluate("location.hash"))
    assert shown(again) == shown(page)
    seen.expect_clean()


def test_a_cards_link_leads_back_to_it_with_the_state(bases: Mapping[str, str], watch: Callable[..., Watched]) -> None:
    seen = watch(bases["http"], permissions=["clipboard-read", "clipboard-write"])
    page = seen.open(RUN + "index.html#step=46&x=30-70")
    page.locator('#chart-staleness [data-act="link"]').click(force=True)
    page.wait_for_selector("#chart-staleness .said")
    assert page.evaluate("location.hash") == "#card=staleness&step=46&x=30-70"
    assert page.evaluate("navigator.clipboard.readText()") == page.url

    again = watch(bases["http"]).open(RUN + "index.html" + page.evaluate("location.hash"))
    again.wait_for_selector('[data-chart="staleness"][data-drawn="true"]')
    top = again.evaluate("document.getElementById('chart-staleness').getBoundingClientRect().top")
    assert 0 <= top < 200
    assert again.inner_text('[data-readout="at"]') == "step 46"
    seen.expect_clean()


def test_every_card_has_four_actions_in_one_order(bases: Mapping[str, str], watch: Callable[..., Watched]) -> None:
    page = watch(bases["file"], has_touch=True, viewport={"width": 390, "height": 844}).open(RUN + "index.html")
    cards = page.eval_on_selector_all(
        ".chart-card",
        """cards => cards.map(card => Array.from(card.querySelectorAll('.acts > *')).map(act =>
             act.dataset.act || (act.dataset.chartSvg && 'svg') || (act.hasAttribute('download') && 'csv')))""",
    )

    assert len(cards) > 10
    assert all(actions == ["link", "csv", "svg", "table"] for actions in cards)
    hover = page.evaluate("matchMedia('(hover: hover)').matches")
    opacity = page.eval_on_selector(".chart-card.small .acts", "acts => getComputedStyle(acts).opacity")
    assert opacity == ("0" if hover else "1")


def test_a_small_chart_shows_its_values_as_a_table(bases: Mapping[str, str], watch: Callable[..., Watched]) -> None:
    page = watch(bases["file"]).open("zh/" + RUN + "metrics.html")
    card = page.locator(".chart-card", has_text="policy/policy_entropy").first
    card.locator('[data-act="table"]').click(force=True)
    assert card.locator(".card-data th").all_text_contents() == ["步", "数值", "EMA，α = 1/3", "最近 5 次平均"]
    assert card.locator(".card-data tbody tr").count() == 80
    card.locator('[data-act="table"]').click(force=True)
    assert card.locator(".card-data").count() == 0


@pytest.mark.parametrize("name", ["index", "metrics", "engines"])
def test_paper_has_whole_charts_and_neither_controls_nor_addresses(
    name: str, bases: Mapping[str, str], watch: Callable[..., Watched]
) -> None:
    page = watch(bases["file"], viewport=A4).open(f"{RUN}{name}.html#step=40&x=20-60")
    page.locator("[data-chart]").first.scroll_into_view_if_needed()
    page.wait_for_selector("[data-drawn]")
    page.emulate_media(media="print")
    cards = page.eval_on_selector_all(
        ".chart-card",
        """cards => cards.map(card => {
             const box = card.querySelector('[data-chart]');
             const svg = Array.from(box.querySelectorAll('svg')).find(svg => svg.checkVisibility());
             const frame = box.getBoundingClientRect();
             return {keep: getComputedStyle(card).breakInside, height: card.offsetHeight, width: card.offsetWidth,
                     text: svg ? svg.querySelectorAll('text').length : 0, live: box.querySelector('.chart-live')
                       ? box.querySelector('.chart-live').checkVisibility() : false, right: frame.right}})""",
    )
    clutter = page.eval_on_selector_all(
        ".acts, .readout, select, input, button:not(th button), .chart-rule, .chart-brush, .chart-dots, .tabs, .bar",
        "all => all.filter(one => one.checkVisibility()).map(one => one.className || one.tagName)",
    )
    after = page.eval_on_selector_all("a[href]", "all => all.map(a => getComputedStyle(a, '::after').content)")

    assert cards
    for card in cards:
        assert card["keep"] == "avoid"
        assert card["height"] < A4["height"]
        assert card["right"] <= A4["width"]
        assert card["text"] >= 3
        assert not card["live"]
    assert clutter == []
    assert set(after) <= {"none"}
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_live_charts_and_the_readout_are_accessible(bases: Mapping[str, str], watch: Callable[..., Watched]) -> None:
    look = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    page = watch(bases["http"], bypass_csp=True, **look).open(f"zh/{RUN}metrics.html#step=40")
    page.locator("[data-chart]").first.scroll_into_view_if_needed()
    page.wait_for_selector("[data-drawn]")
    page.add_script_tag(path=AXE)
    violations = page.evaluate(
        "async () => (await axe.run()).violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`)"
    )

    assert violations == []
    roles = page.eval_on_selector_all("[data-chart]", "all => all.map(one => [one.role, one.tabIndex])")
    assert ["application", 0] in roles


def test_a_rate_of_few_graded_trials_says_of_how_many_wherever_it_stands(
    bases: Mapping[str, str], watch: Callable[..., Watched]
) -> None:
    """250 of the 320 trials of the run whose sandboxes failed have no grade; 38 of the others are solved."""
    seen = watch(bases["file"])
    page = seen.open("index.html#sort=solved")
    cell = page.locator("tbody tr[data-row]", has_text="outage").locator("td", has_text="38 of 70 graded · 320 trials")
    cell.wait_for()
    assert cell.inner_text().split("\n")[0] == "54.3"
    page = seen.open("runs/synthetic-web-search-outage/index.html")
    lines = page.locator("dd", has_text="38 of 320").inner_text().split("\n")
    assert lines == ["38 of 320", "54.3\u00a0% of the 70 graded; most trials have no grade"]
    seen.expect_clean()
