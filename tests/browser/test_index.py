"""The index as a place to work: columns, filters, ranges, the wall, setting against outcome, selection; from disk."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.bench.archive_of_runs import one, write_site
from tests.browser.conftest import ARGUMENTS, CHROMIUM, Watched
from tests.screenshots.views import CALENDAR

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"
RUNS = 230
REWARD = "reward/avg_raw_reward"
NAMES = "() => [...document.querySelectorAll('tbody tr[data-row] a.name')].map(link => link.textContent)"
CELLS = "() => [...document.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim()))"
HEADS = "() => [...document.querySelectorAll('thead th[data-key]')].map(head => head.dataset.key)"
USUAL = "status,steps,reward,ema,trials,solved,exceptions,step,started,problems"
SHARED = (
    f"index.html#cols=status,ema,best.{REWARD},step30.timing/step,set.trainer.policy.optimizer_config.lr"
    f"&ema=0.3..0.7&framework=skyrl&q=lr=8e-6&sel=run-00001,run-00002&sort=-best.{REWARD}"
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_site(tmp_path_factory.mktemp("站点 index"), RUNS).as_uri() + "/"


@pytest.fixture
def opened(base: str, watch: Callable[..., Watched]) -> Callable[..., Watched]:
    def make(path: str, **options: object) -> Watched:
        watched = watch(base, **options)
        watched.open(path)
        watched.page.wait_for_function("() => window.sitegen.index.view !== undefined")
        return watched

    return make


def wait_for_column(page: Page, key: str) -> None:
    page.wait_for_selector(f"thead th[data-key='{key}']", state="attached")


def shown(page: Page) -> list[str]:
    """Titles of the rows, once those out of view are there too."""
    page.wait_for_selector("table.runs:not([aria-busy])", state="attached")
    found: list[str] = page.evaluate(NAMES)
    return found


def titles(*numbers: int) -> list[str]:
    return [one(number).title for number in numbers]


def test_the_table_that_scripts_draw_says_what_the_page_says(
    opened: Callable[..., Watched], base: str, watch: Callable[..., Watched]
) -> None:
    for path in ("index.html", "zh/index.html"):
        static = watch(base, java_script_enabled=False, viewport={"width": 1440, "height": 900})
        static.open(path)
        plain = static.page.locator("tbody tr").all_inner_texts()
        drawn = opened(f"{path}#cols={USUAL}", viewport={"width": 1440, "height": 900})
        drawn.page.wait_for_selector("table.runs:not([aria-busy])")
        texts = drawn.page.locator("tbody tr").all_inner_texts()
        assert [line.split() for line in texts] == [line.split() for line in plain]
        assert len(plain) == 100
        marks = "() => [...document.querySelectorAll('tbody svg.spark')].map(svg => svg.getAttribute('aria-label'))"
        assert len(set(drawn.page.evaluate(marks))) > 50
        drawn.expect_clean()


def test_a_shared_address_gives_the_same_picture(opened: Callable[..., Watched]) -> None:
    first = opened(SHARED)
    wait_for_column(first.page, f"best.{REWARD}")
    first.page.wait_for_function("() => sitegen.index.configData() && sitegen.index.view.rows.length > 0")
    expected = [
        item.title
        for item in map(one, range(RUNS))
        if item.framework == "skyrl"
        and item.config["trainer.policy.optimizer_config.lr"] == 8e-6
        and item.checkpoint_ema is not None
        and 0.3 <= item.checkpoint_ema <= 0.7
    ]
    assert sorted(shown(first.page)) == sorted(expected), "all fit one page"
    again = opened("index.html" + first.page.url.partition("index.html")[2])
    wait_for_column(again.page, f"best.{REWARD}")
    again.page.wait_for_function("() => sitegen.index.configData() && sitegen.index.view.rows.length > 0")
    assert again.page.evaluate(CELLS) == first.page.evaluate(CELLS)
    assert again.page.inner_text("#picked") == first.page.inner_text("#picked")
    first.expect_clean()
    again.expect_clean()


def test_filter_sort_select_compare(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html", viewport={"width": 1440, "height": 900})
    page = watched.page
    page.check("input[data-facet=model][value='Qwen3-8B']")
    page.click("th[data-key=trials] button")
    assert page.get_attribute("th[data-key=trials]", "aria-sort") == "descending"
    page.locator("tbody input[data-pick]").nth(0).check()
    assert page.is_visible("#picked")
    assert page.locator("#picked a").count() == 0, "one run cannot be compared"
    page.locator("tbody input[data-pick]").nth(2).check()
    chosen = page.evaluate("() => sitegen.index.view.picked")
    assert len(chosen) == 2
    link = page.get_attribute("#picked a.primary", "href") or ""
    assert link.endswith(f"compare/index.html#runs={chosen[0]},{chosen[1]}")
    spark = page.get_attribute("tr.sel svg.spark >> nth=0", "class") or ""
    assert spark != "spark r0", "a ticked run has its colour"
    assert page.get_attribute("tbody tr:not(.sel) svg.spark >> nth=0", "class") == "spark r0"
    page.go_back()
    assert page.evaluate("() => sitegen.index.view.picked") == chosen[:1]
    page.go_back()
    assert page.is_hidden("#picked")
    page.go_back()
    assert page.get_attribute("th[data-key=started]", "aria-sort") == "descending"
    watched.expect_clean()


def test_the_selection_leads_to_the_page_of_its_language_and_ends_at_twelve(opened: Callable[..., Watched]) -> None:
    slugs = ",".join(f"run-{number:05d}" for number in range(1, 14))
    page = opened(f"zh/index.html#sel={slugs}").page
    assert page.locator("#picked a.primary").count() == 0
    assert "12" in page.inner_text("#picked")
    page.click("#picked li button >> nth=0")
    assert (page.get_attribute("#picked a.primary", "href") or "").startswith(
        "../zh/compare/index.html#runs=run-00002,"
    )


def test_columns_are_picked_by_name_and_kept_in_the_address(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html", viewport={"width": 1440, "height": 900})
    page = watched.page
    page.click("details.picker summary")
    page.wait_for_selector(f"[data-option='metric:{REWARD}']")
    assert "metrics" in (page.get_attribute(".picker-panel input[type=search]", "placeholder") or "")
    page.uncheck("[data-option=trials]")
    page.fill(".picker-panel input[type=search]", "timing")
    page.check("[data-option='metric:timing/step']")
    wait_for_column(page, "last.timing/step")
    page.select_option(".stat select", "step")
    page.fill(".stat input", "40")
    page.press(".stat input", "Enter")
    wait_for_column(page, "step40.timing/step")
    page.fill(".picker-panel input[type=search]", "seed")
    page.check("[data-option='set.trainer.seed']")
    wait_for_column(page, "set.trainer.seed")
    keys = page.evaluate(HEADS)
    assert "trials" not in keys
    assert keys[-2:] == ["step40.timing/step", "set.trainer.seed"]
    assert "cols=status,steps,reward,ema," in page.url, "readable"
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.tagName") == "SUMMARY"
    page.go_back()
    page.wait_for_function("() => !document.querySelector(\"thead th[data-key='set.trainer.seed']\")")
    page.reload()
    wait_for_column(page, "step40.timing/step")
    watched.expect_clean()


def test_at_step_n_a_run_that_did_not_get_there_has_no_value(opened: Callable[..., Watched]) -> None:
    page = opened("index.html#cols=steps,step100.timing/step&framework=skyrl&sort=-step100.timing/step").page
    wait_for_column(page, "step100.timing/step")
    found = page.evaluate(
        "() => sitegen.index.view.rows.map(r => [sitegen.index.runs.numbers.steps[r], "
        "sitegen.index.column('step100.timing/step').cells[r]])"
    )
    assert {steps >= 100 for steps, value in found if value is not None} == {True}
    assert {steps < 100 for steps, value in found if value is None} == {True}
    values = [value for _, value in found]
    assert values == sorted((v for v in values if v is not None), reverse=True) + [None] * values.count(None)


def test_a_metric_of_several_frameworks_is_ranked_within_each(opened: Callable[..., Watched]) -> None:
    page = opened("index.html#cols=last.timing/step&sort=-last.timing/step").page
    wait_for_column(page, "last.timing/step")
    page.wait_for_selector("tr.group-row")
    heads = page.locator("tr.group-row").all_inner_texts()
    assert "verl, timing/step" in heads or any("SkyRL" in head for head in heads)
    explained = page.locator("tr.group-row a[data-term]")
    assert explained.count() == len(heads) - heads.count("Not logged"), "each meaning has its own explanation"


def test_columns_that_a_reader_adds_are_explained_and_nothing_is_loaded_before(opened: Callable[..., Watched]) -> None:
    watched = opened("zh/index.html", viewport={"width": 1440, "height": 900})
    page = watched.page
    page.hover("th[data-key=step] button")
    assert "单步耗时" in page.inner_text(".pop.open .pt")
    assert page.locator("script[src*='/terms-']").count() == 0
    page.evaluate(f"sitegen.state.set({{cols: 'ema,last.{REWARD},set.trainer.policy.optimizer_config.lr'}})")
    page.wait_for_function("() => sitegen.registered.terms")
    assert page.locator("script[src*='/terms-zh']").count() == 1
    for key, words in ((f"last.{REWARD}", "奖励"), ("set.trainer.policy.optimizer_config.lr", "学习率")):
        button = page.locator(f"th[data-key='{key}'] button")
        button.focus()
        assert words in page.inner_text(".pop.open .pt")
        assert "/zh/glossary/" in (page.get_attribute(".pop.open a", "href") or "")
        page.keyboard.press("Escape")
    watched.expect_clean()


def test_a_range_filters_by_keyboard_and_can_be_taken_back(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html", viewport={"width": 1440, "height": 900})
    page = watched.page
    page.select_option("[data-range] select", "solved")
    page.focus("[data-range] input[data-end=from]")
    page.keyboard.type("60")
    page.keyboard.press("Enter")
    page.wait_for_url("**#solved=60..")
    expected = [i for i in map(one, range(RUNS)) if i.success_rate is not None and i.success_rate >= 0.6]
    assert page.inner_text("[data-found]") == f"{len(expected)} of {RUNS} runs"
    assert "≥ 60" in page.inner_text(".chip")
    page.click(".chip button")
    assert page.inner_text("[data-found]") == f"{RUNS} of {RUNS} runs"
    watched.expect_clean()


def test_dates_are_ranges_too(opened: Callable[..., Watched]) -> None:
    page = opened("index.html#started=2026-05-20..2026-05-20").page
    dates = page.locator("tbody time").all_inner_texts()
    assert set(dates) == {"20\u00a0May\u00a02026"}


def test_settings_are_found_by_the_field_of_text(opened: Callable[..., Watched]) -> None:
    page = opened("index.html").page
    page.fill("input[data-filter]", "seed=17")
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length < 20")
    assert sorted(shown(page)) == sorted(titles(17, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179))
    page.fill("input[data-filter]", "对照 grpo")
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length !== 11")
    assert all("对照" in name for name in shown(page))


def test_rows_come_in_pages_and_every_run_is_on_a_plain_page_without_scripts(
    opened: Callable[..., Watched], base: str, watch: Callable[..., Watched]
) -> None:
    page = opened("index.html").page
    assert page.inner_text("[data-pager] span") == "1–100 of 230"
    page.click("[data-pager] button >> nth=1")
    page.click("[data-pager] button >> nth=1")
    assert len(shown(page)) == 30
    assert "page=3" in page.url
    page.check("input[data-facet=framework][value=verl]")
    assert "page=" not in page.url
    static = watch(base, java_script_enabled=False)
    static.open("index.html")
    static.page.click("text='1' >> nth=-1")
    assert static.page.locator("tbody tr").count() == RUNS
    static.expect_clean()


def test_the_wall_shows_what_passes_and_ticks_runs(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html#framework=verl")
    page = watched.page
    page.click("[data-view=wall]")
    assert page.is_hidden("#runs")
    expect(page.locator("article.tile")).to_have_count(sum(one(number).framework == "verl" for number in range(RUNS)))
    page.locator("article.tile input").nth(0).check()
    assert page.locator("article.tile.sel").count() == 1
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('.tile') === document.querySelectorAll('.tile')[1]")
    watched.expect_clean()


def test_the_visible_table_is_saved_as_csv(opened: Callable[..., Watched]) -> None:
    page = opened("index.html#framework=xtuner&cols=status,ema,solved,started&sort=-ema").page
    with page.expect_download() as waiting:
        page.click("[data-csv]")
    text = waiting.value.path().read_bytes().decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["Run", "slug", "Status", "EMA at checkpoint", "step", "Solved, %", "Started"]
    assert [line[0] for line in rows[1:]] == shown(page)
    number = int(rows[1][1][-5:])
    made = one(number)
    assert made.checkpoint_ema is not None
    assert float(rows[1][3]) == pytest.approx(made.checkpoint_ema, abs=1e-6)
    assert int(rows[1][4]) == made.checkpoint_step


def test_setting_against_outcome_is_drawn_and_walked_by_keyboard(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html#framework=skyrl&sel=run-00001", viewport={"width": 1440, "height": 900})
    page = watched.page
    page.locator("#outcome").scroll_into_view_if_needed()
    page.wait_for_selector("svg.scatter a")
    assert page.locator("svg.scatter a.on").count() == 1
    assert page.locator("svg.scatter a[tabindex='0']").count() == 1
    page.focus("svg.scatter a[tabindex='0']")
    before = page.inner_text(".plot-says >> nth=0")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".plot-says >> nth=0") != before
    assert "optimizer_config.lr" in before
    page.select_option("[data-choice=setting]", "trainer.algorithm.advantage_estimator")
    page.wait_for_url("**setting=trainer.algorithm.advantage_estimator*")
    page.wait_for_function(
        "() => [...document.querySelectorAll('svg.scatter text.tx')].some(t => t.textContent === 'grpo')"
    )
    assert page.locator("svg.par a").count() > 50
    page.click("#outcome details.axes summary")
    page.check("input[data-axis='trainer.seed']")
    page.wait_for_function(
        "() => [...document.querySelectorAll('svg.par text.h')].some(t => t.textContent.startsWith('seed'))"
    )
    page.focus("svg.par a[tabindex='0']")
    with page.expect_request("**/runs/run-*/index.html"):
        page.keyboard.press("Enter")


def test_outcomes_that_mean_different_things_are_not_put_on_one_axis(opened: Callable[..., Watched]) -> None:
    page = opened("index.html").page
    page.locator("#outcome").scroll_into_view_if_needed()
    page.wait_for_selector("svg.scatter a")
    slugs = page.evaluate("() => [...document.querySelectorAll('svg.scatter a')].map(a => a.dataset.run)")
    codes = page.evaluate("() => sitegen.index.runs.meaning.at")
    assert len({codes[int(run)] for run in slugs}) == 1
    assert "most frequent meaning" in page.inner_text("[data-lede]")


@pytest.mark.parametrize("width", [390, 768, 1000, 1440])
def test_nothing_sticks_out_sideways(opened: Callable[..., Watched], width: int) -> None:
    for path in ("index.html", "zh/index.html"):
        page = opened(path, viewport={"width": width, "height": 900}).page
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        wide = "[...document.querySelectorAll('.t-wrap')].filter((e) => e.scrollWidth > e.clientWidth + 1)"
        assert page.evaluate(wide + ".map((e) => [e.id, e.scrollWidth, e.clientWidth])") == []


def test_letters_twice_as_large_make_no_page_wider_than_the_window(
    base: str, bases: dict[str, str], browser: Browser
) -> None:
    large = browser.browser_type.launch(
        executable_path=CHROMIUM, args=[*ARGUMENTS, "--blink-settings=defaultFontSize=32"]
    )
    page = large.new_page(viewport={"width": 1280, "height": 900})
    for url in (f"{base}index.html", f"{base}zh/index.html", f"{bases['file']}runs/{CALENDAR}/index.html"):
        page.goto(url)
        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), url
    large.close()


def test_accessibility_rules_hold_with_everything_open(opened: Callable[..., Watched]) -> None:
    state = "&cols=status,reward,ema,best.reward/avg_raw_reward,set.trainer.seed"
    page = opened(
        f"index.html#framework=verl&sel=run-00003,run-00008&ema=0.1..{state}",
        color_scheme="dark",
        bypass_csp=True,
        viewport={"width": 1440, "height": 900},
    ).page
    page.locator("#outcome").scroll_into_view_if_needed()
    page.wait_for_selector("svg.par a")
    page.evaluate("() => scrollTo(0, 0)")
    page.click("details.picker summary")
    page.wait_for_selector(f"[data-option='metric:{REWARD}']")
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    rules = "async () => (await axe.run()).violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 160)}`)"
    assert page.evaluate(rules) == []
    page.keyboard.press("Escape")
    page.click("[data-view=wall]")
    assert page.evaluate(rules) == []


def test_both_cards_of_setting_against_outcome_have_the_four_actions(opened: Callable[..., Watched]) -> None:
    watched = opened("index.html#framework=skyrl&sel=run-00001", viewport={"width": 1440, "height": 900})
    page = watched.page
    page.locator("#outcome").scroll_into_view_if_needed()
    page.wait_for_selector("svg.par a")
    for card, drawn in (("setting-outcome", "circle"), ("settings-that-differ", "path")):
        box = page.locator(f"[data-card={card}]")
        acts = box.locator(".acts [data-act]")
        assert acts.evaluate_all("nodes => nodes.map(node => node.dataset.act)") == ["link", "csv", "svg", "table"]
        with page.expect_download() as saved:
            box.locator("[data-act=csv]").click()
        lines = list(csv.reader(saved.value.path().read_text(encoding="utf-8-sig").splitlines()))
        assert lines[0][0] == "run"
        assert len(lines) > 50
        assert all(line[0].startswith("run-") for line in lines[1:])
        with page.expect_download() as saved:
            box.locator("[data-act=svg]").click()
        root = ElementTree.parse(saved.value.path()).getroot()
        assert root.findall(f".//{{*}}{drawn}")
        looks = {node.get("stroke") for node in root.iter() if node.tag.endswith(drawn)}
        assert any(look.startswith(("rgb(", "color(")) for look in looks if look)
        assert not [node for node in root.iter() if node.get("href") or node.get("class")]
        box.locator("[data-act=table]").click()
        box.locator("details.data table tbody tr").nth(50).wait_for()
    page.select_option("[data-choice=setting]", "trainer.seed")
    page.wait_for_url("**setting=trainer.seed*")
    page.click("[data-card=settings-that-differ] [data-act=link]")
    page.wait_for_url("**card=settings-that-differ*")
    again = opened(page.url[len(watched.base) :]).page
    again.wait_for_selector("[data-card=settings-that-differ].linked svg.par a")
    assert again.eval_on_selector("[data-choice=setting]", "node => node.value") == "trainer.seed"
    assert again.locator("[data-card=settings-that-differ]").evaluate(
        "node => node.getBoundingClientRect().top < innerHeight"
    )
    watched.expect_clean()


@pytest.mark.parametrize("width", [1100, 1440])
def test_cards_of_setting_against_outcome_end_with_their_last_line(opened: Callable[..., Watched], width: int) -> None:
    page = opened("index.html", viewport={"width": width, "height": 900}).page
    page.locator("#outcome").scroll_into_view_if_needed()
    page.wait_for_selector("svg.par a")
    empty = """() => [...document.querySelectorAll('#outcome .card')].map(card =>
      card.getBoundingClientRect().bottom - card.lastElementChild.getBoundingClientRect().bottom)"""
    assert all(17 - 2 <= band <= 17 + 24 for band in page.evaluate(empty))
    page.click("#outcome details.axes summary")
    assert all(17 - 2 <= band <= 17 + 24 for band in page.evaluate(empty))
