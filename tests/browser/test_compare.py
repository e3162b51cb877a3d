"""Runs compared in Chromium: choice, shared axis, figures, settings, what is said; from disk and over HTTP."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched, headers_file, served
from tests.pages.compare_runs import RUNS, one, write_compared

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"
RULES = "async () => (await axe.run()).violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 160))])"
PAGE = "compare/index.html"
CELLS = "() => [...document.querySelectorAll('[data-numbers] tr')].map(r => [...r.cells].map(c => c.innerText.trim()))"
KEYS = "() => [...document.querySelectorAll('[data-settings] tbody th[scope=row]')].map(cell => cell.innerText.trim())"
PICTURE = """() => ({
  lines: [...document.querySelectorAll('#cmp-body svg.marks')].map(svg => svg.outerHTML.replace(/clip\\d+/g, 'clip')),
  words: document.querySelector('#main').innerText,
})"""
DRAWN = """() => [...document.querySelectorAll('[data-charts] [data-chart]')]
  .every(box => box.dataset.drawn || box.getBoundingClientRect().top > innerHeight)"""
LABELS = ".role-axis-label text"
LAST_TICK = f"""() => Math.max(...[...document.querySelector('[data-charts] svg.marks').querySelectorAll('{LABELS}')]
  .map(label => Number(label.textContent)).filter(Number.isFinite))"""
FIRST_TICKS = f"""() => [...document.querySelectorAll('[data-charts] svg.marks')]
  .map(svg => svg.querySelector('{LABELS}').textContent)"""
LONG = "policy/a-name-that-none-of-the-runs-logs"


def runs(*numbers: int) -> str:
    return "runs=" + ",".join(f"team/run-{number:02d}" for number in numbers)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_compared(tmp_path_factory.mktemp("对比 compare"), [one(number) for number in range(RUNS)])


@pytest.fixture(scope="module")
def hosts(site: Path) -> Iterator[dict[str, str]]:
    """Where the site can be opened."""
    with served(site.parent, headers_file(site)) as port:
        folder = site.as_uri().rsplit("/", 1)[-1]
        yield {"file": site.as_uri() + "/", "http": f"http://127.0.0.1:{port}/{folder}/"}


@pytest.fixture
def opened(hosts: dict[str, str], watch: Callable[..., Watched]) -> Callable[..., Watched]:
    def make(keys: str, path: str = PAGE, **options: object) -> Watched:
        watched = watch(hosts["file"], **options)
        watched.open(f"{path}#{keys}" if keys else path)
        if keys:
            wait_for_figures(watched.page)
        return watched

    return make


def wait_for_figures(page: Page) -> None:
    page.wait_for_selector("[data-numbers] table")
    page.wait_for_function("() => window.sitegen.registered.terms !== undefined")


def drawn(page: Page) -> None:
    """Every chart near the window is there."""
    page.locator("[data-charts] [data-chart]").first.scroll_into_view_if_needed()
    page.wait_for_selector("[data-charts] [data-chart][data-drawn=true] svg.marks")
    page.wait_for_function(DRAWN)


@pytest.mark.parametrize("host", ["file", "http"])
def test_from_the_index_to_a_comparison_that_another_reader_sees_as_it_was_sent(
    hosts: dict[str, str], watch: Callable[..., Watched], host: str
) -> None:
    view = {"width": 1440, "height": 1600}
    watched = watch(hosts[host], viewport=view)
    page = watched.open("index.html")
    page.fill("input[data-filter]", "run-number_0")
    page.wait_for_function("() => document.querySelectorAll('tbody tr[data-row]').length < 14")
    page.get_by_role("button", name=re.compile("EMA at checkpoint")).first.click()
    for slug in ("team/run-02", "team/run-01"):
        page.check(f"input[data-pick='{slug}']")
    page.click("#picked a.primary")
    wait_for_figures(page)
    expect(page.locator("#cmp-runs li")).to_have_count(2)
    page.select_option("[data-baseline]", "team/run-01")
    page.select_option("[data-stat]", "best")
    page.click("#metric-picker summary")
    page.fill("#metric-picker input[type=search]", "lr")
    page.check("#metric-picker input[data-option='lr']")
    page.keyboard.press("Escape")
    page.select_option("select[data-chart-smooth]", "mean5")
    expect(page.locator("[data-charts] figure")).to_have_count(6)
    page.wait_for_url(re.compile("smooth=mean5"))
    drawn(page)
    sent = page.url
    assert "base=team/run-01" in sent
    assert "at=best" in sent
    other = watch(hosts[host], viewport=view)
    other.page.goto(sent)
    wait_for_figures(other.page)
    drawn(other.page)
    for each in (page, other.page):
        each.mouse.move(2, 2)
        each.evaluate("() => window.scrollTo(0, 0)")
    drawn(page)
    assert other.page.evaluate(PICTURE) == page.evaluate(PICTURE)
    watched.expect_clean()
    other.expect_clean()


def test_only_what_the_chosen_runs_show_is_loaded(hosts: dict[str, str], watch: Callable[..., Watched]) -> None:
    watched = watch(hosts["http"])
    asked: list[str] = []
    watched.page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1].split(".")[0] + request.url))
    watched.open(f"{PAGE}#{runs(0, 1)}&metrics=@reward")
    wait_for_figures(watched.page)
    data = [url for url in asked if "/data/" in url]
    assert not [url for url in data if "/runs/" in url and not re.search(r"/runs/team/run-0[01]/", url)]
    assert sorted(re.sub(r"http.*", "", url) for url in data) == sorted(
        ["runs", "compare", "compare", "compare", "lines-0", "lines-0", "terms-en"]
    )


def test_the_back_button_takes_a_choice_back(opened: Callable[..., Watched]) -> None:
    page = opened(runs(0, 1)).page
    page.get_by_role("button", name=re.compile("^Remove .*_01")).click()
    expect(page.locator("#cmp-runs li")).to_have_count(1)
    expect(page.locator("#cmp-said")).to_contain_text("at least one more")
    page.go_back()
    expect(page.locator("#cmp-runs li")).to_have_count(2)
    expect(page.locator("[data-key-runs] li")).to_have_count(2)


def test_an_empty_address_offers_the_runs_and_the_keyboard_chooses(opened: Callable[..., Watched]) -> None:
    watched = opened("")
    page = watched.page
    expect(page.locator("#cmp-empty")).to_be_visible()
    expect(page.locator("#run-picker")).to_have_attribute("open", "")
    field = page.locator("#run-picker input[type=search]")
    field.focus()
    page.keyboard.type("对照")
    expect(page.locator("#run-picker .opt")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("#cmp-runs li")).to_have_count(1)
    expect(page.locator("#run-picker input[data-option='team/run-04']")).to_be_focused()
    field.fill("number_02")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    wait_for_figures(page)
    assert "runs=team/run-04,team/run-02" in page.url
    page.keyboard.press("Escape")
    expect(page.locator("#run-picker summary")).to_be_focused()
    watched.expect_clean()


def test_more_than_twelve_are_refused_and_what_is_not_there_is_named(opened: Callable[..., Watched]) -> None:
    page = opened(runs(*range(RUNS)) + ",nobody/knows").page
    expect(page.locator("#cmp-runs li")).to_have_count(12)
    said = page.locator("#cmp-said")
    expect(said).to_contain_text("At most 12 runs can be compared. Left out: long-name-of-run-number_12-8B")
    expect(said).to_contain_text("Not in this archive: nobody/knows")
    page.click("#run-picker summary")
    assert page.locator("#run-picker input.cb:not(:checked):not(:disabled)").count() == 0
    swatches = page.eval_on_selector_all(
        "[data-key-runs] .sw", "all => all.map(s => s.className.baseVal + s.firstElementChild.className.baseVal)"
    )
    assert len(set(swatches)) == 12


def test_a_run_looks_the_same_in_every_comparison(opened: Callable[..., Watched]) -> None:
    page = opened(runs(2, 3)).page
    look = "() => document.querySelector('[data-key-runs] .sw').outerHTML"
    first = page.evaluate(look)
    assert opened(runs(2, 5, 6, 7)).page.evaluate(look) == first


def test_curves_end_at_the_last_common_step_unless_all_are_asked_for(opened: Callable[..., Watched]) -> None:
    page = opened(runs(0, 2)).page  # 20 and 40 steps
    expect(page.locator("[data-charts-said]")).to_have_text("Shown up to step 20, the last one that all runs reached.")
    drawn(page)
    assert page.evaluate(LAST_TICK) == 20
    page.select_option("select[data-range]", "all")
    drawn(page)
    page.wait_for_function(f"() => ({LAST_TICK})() === 40")
    assert "steps=all" in page.url
    assert page.locator("[data-range] option").all_inner_texts() == ["to 20, the last common one", "all, to 40"]


def test_one_readout_says_every_run_at_a_step_and_a_drag_moves_all_charts(opened: Callable[..., Watched]) -> None:
    page = opened(f"{runs(0, 2)}&metrics=@reward,@entropy&step=10", viewport={"width": 1440, "height": 900}).page
    drawn(page)
    bar = page.locator("#chart-readout")
    expect(bar).to_contain_text("step 10")
    expect(bar).to_contain_text("Reward")
    expect(bar).to_contain_text("Policy entropy")
    value = 0.4 + 0.05 * -0.5440211108893698  # sin(10), run 0
    expect(bar).to_contain_text(f"{value:.7g}")
    box = page.locator("[data-chart]").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 100, box["y"] + 120)
    page.mouse.down()
    page.mouse.move(box["x"] + 250, box["y"] + 120, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"[#&]x=\d"))
    page.wait_for_function(f"() => new Set(({FIRST_TICKS})()).size === 1")


def test_differences_have_sign_arrow_and_word_in_the_metrics_own_direction(opened: Callable[..., Watched]) -> None:
    page = opened(f"{runs(0, 2)}&metrics=@reward,@step_s,@entropy&at=last").page
    rows = {cells[0].split("\n")[0]: cells[1:] for cells in page.evaluate(CELLS) if len(cells) == 3}
    assert re.fullmatch(r"0\.\d+\nstep 40\n▲\+0\.\d+ better", rows["Reward"][1])
    assert "worse" in rows["Seconds per step"][1]
    assert "▲+" in rows["Seconds per step"][1]
    assert rows["Policy entropy"][1].split("\n")[-1].startswith("▼−")
    assert not re.search("better|worse", rows["Policy entropy"][1])
    assert "better" not in rows["Reward"][0]
    page.select_option("[data-baseline]", "team/run-02")
    page.wait_for_url(re.compile("base="))
    rows = {cells[0].split("\n")[0]: cells[1:] for cells in page.evaluate(CELLS) if len(cells) == 3}
    assert "▼−" in rows["Reward"][0]
    assert "worse" in rows["Reward"][0]


def test_other_rewards_and_samples_are_said_above_and_not_judged(opened: Callable[..., Watched]) -> None:
    watched = opened(f"{runs(0, 3, 5)}&metrics=@reward,@pass_k,@entropy,lr")
    page = watched.page
    said = page.locator("[data-rules]").inner_text()
    assert "reward/avg_raw_reward SkyRL (A, C); critic/score/mean verl (B)" in said
    assert "k = 8 (A); k = 16 (C)" in said
    assert "Samples per prompt differ: 8 (A, B); 16 (C)" in said
    rows = {cells[0].split("\n")[0]: cells[1:] for cells in page.evaluate(CELLS) if len(cells) == 4}
    for title in ("Reward", "Pass@k", "Reward EMA at the selected checkpoint"):
        assert not re.search("better|worse", "".join(rows[title])), title
    assert rows["Reward"][1].endswith("not comparable")
    assert "not comparable" not in "".join(rows["Policy entropy"]), "one role measures one thing"
    card = page.locator("[data-charts] figure", has_text="Pass@k")
    expect(card).to_contain_text("Not logged by B")
    watched.expect_clean()


def test_values_that_are_not_finite_and_metrics_nobody_logs_are_said(opened: Callable[..., Watched]) -> None:
    page = opened(f"{runs(0, 1)}&metrics=@grad_norm,{LONG}").page
    cards = page.locator("[data-charts] figure")
    expect(cards.nth(0)).to_contain_text("Not finite: 1 (A)")
    expect(cards.nth(0)).to_contain_text("Not logged by B")
    expect(cards.nth(1)).to_contain_text("None of these runs logs it.")


def test_settings_that_differ_are_found_by_key_value_and_meaning(opened: Callable[..., Watched]) -> None:
    page = opened(runs(0, 1)).page
    assert page.evaluate(KEYS) == ["trainer.note", "trainer.policy.optimizer_config.lr", "trainer.only_here"]
    page.fill("input[data-filter=settings]", "2e-6")
    page.wait_for_function(f"() => ({KEYS})().length === 1")
    assert page.evaluate(KEYS) == ["trainer.policy.optimizer_config.lr"]
    assert "q=2e-6" in page.url
    zh = opened(f"{runs(0, 1)}&q=学习率", path=f"zh/{PAGE}").page
    assert zh.evaluate(KEYS) == ["trainer.policy.optimizer_config.lr"]


def test_the_list_of_ignored_settings_can_be_changed_and_is_in_the_address(opened: Callable[..., Watched]) -> None:
    page = opened(runs(0, 1)).page
    expect(page.locator("[data-left-out]")).to_have_text("1 left out: names, output folders, ports")
    page.click("details.ignored summary")
    page.fill("[data-ignore]", "lr\n*.note")
    page.click("[data-ignore-apply]")
    page.wait_for_function(f"() => ({KEYS})().includes('trainer.run_name')")
    assert page.evaluate(KEYS) == ["trainer.run_name", "trainer.only_here"]
    assert re.search(r"ignore=lr,(\*|%2A)\.note", page.url)
    page.click("[data-ignore-reset]")
    page.wait_for_function(f"() => !({KEYS})().includes('trainer.run_name')")
    assert "ignore=" not in page.url


def test_a_setting_is_explained_by_keyboard(opened: Callable[..., Watched]) -> None:
    page = opened(runs(0, 1)).page
    term = page.locator("[data-settings] a.term", has_text="optimizer_config.lr")
    term.focus()
    expect(page.locator("#popover")).to_be_visible()
    expect(page.locator("#popover .ps")).not_to_be_empty()
    page.keyboard.press("Escape")
    expect(page.locator("#popover")).to_be_hidden()
    assert "/glossary/" in (term.get_attribute("href") or "")


def test_a_run_without_configuration_is_named(opened: Callable[..., Watched]) -> None:
    page = opened(runs(0, 1, 6)).page
    expect(page.locator("[data-settings-said]")).to_contain_text("No configuration: C.")
    assert "trainer.only_here" in page.evaluate(KEYS)


def test_a_run_without_steps_can_be_compared(opened: Callable[..., Watched]) -> None:
    watched = opened(runs(0, 7))
    page = watched.page
    expect(page.locator("[data-charts] figure").first).to_contain_text("Not logged by B")
    assert ["Steps", "20", "0\n▼−20"] in page.evaluate(CELLS)
    watched.expect_clean()


def test_the_data_of_a_chart_can_be_read_and_saved(opened: Callable[..., Watched]) -> None:
    page = opened(f"{runs(0, 2)}&metrics=@entropy").page
    card = page.locator("[data-charts] figure")
    card.hover()
    card.get_by_role("button", name=re.compile("^Data table")).click()
    assert card.locator(".card-data tbody tr").count() == 40
    assert card.locator(".card-data thead th").all_inner_texts() == ["step", "A", "A EMA", "B", "B EMA"]
    with page.expect_download() as download:
        card.get_by_role("button", name=re.compile("^CSV")).click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["step", *(f"team/run-0{n} {part}" for n in (0, 2) for part in ("raw", "EMA", "mean5"))]
    assert rows[1][:2] == ["1", "0.199"]
    assert rows[40][1:4] == ["", "", ""], "the shorter run has no such step"


def test_the_language_switch_keeps_the_comparison(opened: Callable[..., Watched]) -> None:
    page = opened(f"{runs(0, 2)}&at=mean").page
    page.click("a[hreflang=zh-CN][data-keep-hash]")
    page.wait_for_url(re.compile("/zh/compare/index.html#"))
    wait_for_figures(page)
    expect(page.locator("#cmp-runs li")).to_have_count(2)
    assert page.input_value("[data-stat]") == "mean"
    expect(page.locator("h1")).to_have_text("对比运行")


def test_without_scripts_the_page_says_so(hosts: dict[str, str], watch: Callable[..., Watched]) -> None:
    page = watch(hosts["file"], java_script_enabled=False).open(PAGE)
    expect(page.get_by_text("Comparing needs scripts")).to_be_visible()
    expect(page.get_by_role("link", name=f"Table of all {RUNS} runs")).to_be_visible()
    expect(page.locator("#run-picker")).to_be_hidden()
    expect(page.locator("#cmp-body")).to_be_hidden()


def test_axe_finds_nothing_with_the_pickers_open(opened: Callable[..., Watched]) -> None:
    keys = f"{runs(0, 3, 5)}&metrics=@reward,@pass_k,lr"
    watched = opened(keys, path=f"zh/{PAGE}", color_scheme="dark", viewport={"width": 1440, "height": 1400})
    page = watched.page
    drawn(page)
    page.click("details.ignored summary")
    page.click("#metric-picker summary")
    page.wait_for_selector("#metric-picker .opt")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(RULES)
    assert found == []
    page.keyboard.press("Escape")
    page.click("#run-picker summary")
    page.wait_for_selector("#run-picker .opt")
    found = page.evaluate(RULES)
    assert found == []


@pytest.mark.parametrize("lang", ["", "zh/"])
def test_nothing_is_wider_than_the_window(opened: Callable[..., Watched], lang: str) -> None:
    page = opened(runs(*range(12)), path=lang + PAGE, viewport={"width": 1440, "height": 900}).page
    for width in (1440, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("() => document.documentElement.scrollWidth") == width
        page.click("#run-picker summary")
        page.wait_for_selector("#run-picker .opt")
        panel = page.locator("#run-picker .picker-panel").bounding_box()
        assert panel
        assert panel["x"] >= 0
        assert panel["x"] + panel["width"] <= width
        page.keyboard.press("Escape")


def test_paper_shows_every_chart_also_those_that_nobody_scrolled_to(opened: Callable[..., Watched]) -> None:
    """Charts of a comparison have no static drawing: those far below the window are drawn when it is printed."""
    watched = opened(runs(0, 2), viewport={"width": 800, "height": 500})
    page = watched.page
    page.wait_for_selector("[data-charts] [data-chart]", state="attached")
    page.wait_for_timeout(300)
    shown = "() => [...document.querySelectorAll('[data-charts] [data-chart]')].map(box => box.dataset.drawn || '')"
    before = page.evaluate(shown)
    assert 2 < len(before) <= 12
    assert "" in before
    page.emulate_media(media="print")
    page.wait_for_function(f"() => ({shown})().every(drawn => drawn === 'true')")
    visible = "boxes => boxes.map(box => box.querySelector('svg.marks').checkVisibility())"
    assert all(page.eval_on_selector_all("[data-charts] [data-chart]", visible))
    watched.expect_clean()
