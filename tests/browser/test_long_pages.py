"""Finding one's way on long pages and small screens: the list of sections, filters, headings that sort."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser
RUN = "runs/synthetic-agent-calendar-80-8b"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("options", [{}, PHONE], ids=["laptop", "phone"])
def test_the_list_of_sections_leads_to_each_and_keeps_the_state_of_the_charts(
    watch: Callable[..., Watched], bases: dict[str, str], options: dict[str, object]
) -> None:
    watched = watch(bases["file"], **options)
    page = watched.open(f"zh/{RUN}/index.html#smooth=off")
    page.click("button:has-text('目录')")
    listed = page.locator("nav.sections a")
    heads = page.locator("main section > .section-head h2").all_text_contents()
    assert listed.all_text_contents() == ["发现", "奖励", *heads]
    listed.filter(has_text="推理引擎").click()
    expect(page.locator("nav.sections")).to_be_hidden()
    assert page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent") == "H2 推理引擎"
    top = page.evaluate("document.activeElement.getBoundingClientRect().top")
    bottom_of_key = page.evaluate("document.querySelector('.key').getBoundingClientRect().bottom")
    assert bottom_of_key <= top < 200
    assert page.evaluate("location.hash") == "#smooth=off"
    watched.expect_clean()


def test_filters_open_below_their_button_on_a_phone(watch: Callable[..., Watched], bases: dict[str, str]) -> None:
    watched = watch(bases["file"], **PHONE)
    page = watched.open("index.html")
    button = page.locator("[data-open-facets]")
    before = button.bounding_box()
    button.tap()
    panel, after = page.locator("#facets").bounding_box(), button.bounding_box()
    assert before == after
    assert panel is not None
    assert after is not None
    assert panel["y"] >= after["y"] + after["height"]
    watched.expect_clean()


def test_published_numbers_are_filtered_by_verdict_and_the_address_keeps_it(
    watch: Callable[..., Watched], bases: dict[str, str]
) -> None:
    watched = watch(bases["file"])
    page = watched.open("runs/a3-rl-laion_nemotron-gym-knowledge-web-search-mcqa-25-8b/sources.html#verdict=agrees")
    shown = page.locator("#check tbody tr:not([hidden])")
    agrees = page.locator('label:has([value="agrees"]) .count').inner_text()
    expect(shown).to_have_count(int(agrees))
    assert page.locator("#check-agrees").is_visible()  # its fold has opened
    expect(page.locator("[data-filter]")).to_be_in_viewport()
    page.check('[data-facet="verdict"][value="differs"]', force=True)
    page.uncheck('[data-facet="verdict"][value="agrees"]', force=True)
    page.wait_for_function("() => location.hash === '#verdict=differs'")
    expect(shown).to_have_count(int(page.locator('label:has([value="differs"]) .count').inner_text()))
    watched.expect_clean()


def test_a_wide_table_keeps_its_first_column_on_a_phone(watch: Callable[..., Watched], bases: dict[str, str]) -> None:
    watched = watch(bases["file"], **PHONE)
    page = watched.open(f"{RUN}/metrics.html")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    wide = page.evaluate(
        """() => [...document.querySelectorAll('.t-wrap')].filter((box) => box.scrollWidth > box.clientWidth + 80)
          .map((box) => { box.scrollLeft = 60;
            const cell = box.querySelector('tbody tr > :first-child').getBoundingClientRect();
            return cell.left - box.getBoundingClientRect().left; })"""
    )
    assert wide
    assert all(abs(left) < 2 for left in wide)


def test_the_explanation_of_a_heading_that_sorts_leaves_the_rows_in_sight(
    watch: Callable[..., Watched], bases: dict[str, str]
) -> None:
    watched = watch(bases["file"], viewport={"width": 1280, "height": 900})
    page = watched.open("index.html")
    head = page.locator("#runs thead button.lent").first
    head.hover()
    pop = page.locator("#popover")
    expect(pop).to_be_visible()
    box, heading = pop.bounding_box(), head.bounding_box()
    assert box is not None
    assert heading is not None
    assert box["y"] + box["height"] <= heading["y"]
    watched.expect_clean()
