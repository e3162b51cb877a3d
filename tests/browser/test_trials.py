"""The trials of a run in a browser, from disk: filters, tasks, state in the address, and one trial's dialogue."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import Watched
from tests.test_trajectories import HOSTILE, add, said, talk

pytestmark = pytest.mark.browser

RUN = "runs/synthetic-agent-calendar-80-8b/"
AXE = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"
RULES = "async () => (await axe.run()).violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 160)}`)"
COUNT = "[data-trials] [data-trial-count]"
TASKS = "[data-tasks] [data-trial-count]"


def column(page: Page, table: str, number: int) -> list[str]:
    found: list[str] = page.evaluate(
        f"[...document.querySelectorAll('#{table} tbody tr')].map(row => row.cells[{number}].textContent)"
    )
    return found


@pytest.fixture
def watched(watch: Callable[..., Watched], bases: dict[str, str]) -> Watched:
    return watch(bases["file"], viewport={"width": 1440, "height": 900})


@pytest.fixture
def trials(watched: Watched) -> Page:
    page = watched.open(f"{RUN}trials.html")
    expect(page.locator(COUNT)).to_have_text("4,000 of 4,000 trials")
    return page


def test_choices_count_what_they_would_leave(trials: Page, watched: Watched) -> None:
    outcome = trials.locator("[data-trials] [name=outcome] option")
    assert outcome.all_text_contents() == ["any", "Solved (3,613)", "Not solved (261)", "Ungraded (126)"]
    trials.select_option("[name=exception]", "=DaytonaError")
    expect(trials.locator(COUNT)).to_have_text("25 of 4,000 trials")
    assert outcome.all_text_contents() == ["any", "Solved (0)", "Not solved (0)", "Ungraded (25)"]
    assert "no exception (3,805)" in ", ".join(trials.locator("[name=exception] option").all_text_contents()).lower()
    watched.expect_clean()


def test_state_is_in_the_address_and_the_back_button_takes_it_back(trials: Page, watched: Watched) -> None:
    trials.select_option("[data-trials] [name=outcome]", "0")
    trials.select_option("[name=exception]", "none")
    narrowed = trials.text_content(COUNT)
    assert trials.evaluate("location.hash") == "#t-exception=none&t-outcome=0"
    trials.go_back()
    expect(trials.locator(COUNT)).to_have_text("261 of 4,000 trials")
    assert trials.input_value("[name=exception]") == ""
    trials.go_forward()
    expect(trials.locator(COUNT)).to_have_text(narrowed or "")
    again = watched.open(f"{RUN}trials.html#t-exception=none&t-outcome=0")
    again.reload()
    expect(again.locator(COUNT)).to_have_text(narrowed or "")
    watched.expect_clean()


def test_ranges_of_turns_tokens_and_seconds(trials: Page, watched: Watched) -> None:
    trials.click("[data-trial-ranges] summary")
    trials.fill("[name=from]", "11")
    expect(trials.locator(COUNT)).to_have_text("5 of 4,000 trials")
    trials.fill("[name=s-from]", "400")
    expect(trials.locator(COUNT)).to_have_text("2 of 4,000 trials")
    assert column(trials, "all-trials", 8) == ["505.7", "570.3"]
    trials.fill("[name=tok-to]", "1")
    expect(trials.locator(COUNT)).to_have_text("0 of 4,000 trials")
    expect(trials.locator("[data-trials] [data-trial-none]")).to_be_visible()
    watched.expect_clean()


def test_a_task_leads_to_its_trials_and_back_to_all(trials: Page, watched: Watched) -> None:
    attempts = int(column(trials, "tasks-table", 2)[0])
    task = column(trials, "tasks-table", 0)[0]
    trials.click("#tasks-table tbody th a >> nth=0")
    expect(trials.locator(COUNT)).to_have_text(f"{attempts} of 4,000 trials")
    assert set(column(trials, "all-trials", 0)) == {task}
    assert trials.evaluate("location.hash") == f"#t-task={task}"
    assert trials.evaluate("document.activeElement.id") == "all-h"
    expect(trials.locator("#all-h")).to_be_in_viewport()
    trials.click("[data-trial-task] button")
    expect(trials.locator(COUNT)).to_have_text("4,000 of 4,000 trials")
    watched.expect_clean()


def test_tasks_are_filtered_by_kind_and_sorted_by_rate(trials: Page, watched: Watched) -> None:
    expect(trials.locator(TASKS)).to_have_text("640 of 640 tasks")
    trials.select_option("[name=kind]", "1")
    expect(trials.locator(TASKS)).to_have_text("187 of 640 tasks")
    trials.click("#tasks-table thead th:nth-child(6) button")
    trials.click("#tasks-table thead th:nth-child(6) button")
    rates = [float(text.split("\u00a0")[0]) for text in column(trials, "tasks-table", 5)]
    assert rates == sorted(rates)
    assert set(column(trials, "tasks-table", 1)) == {"sometimes"}
    trials.fill("[data-tasks] [name=find]", "calendar-00")
    expect(trials.locator(TASKS)).not_to_have_text("187 of 640 tasks")
    assert all(name.startswith("calendar-00") for name in column(trials, "tasks-table", 0))
    watched.expect_clean()


def test_what_is_shown_is_saved_as_csv(trials: Page, watched: Watched) -> None:
    trials.select_option("[name=exception]", "=DaytonaError")
    expect(trials.locator(COUNT)).to_have_text("25 of 4,000 trials")
    with trials.expect_download() as saving:
        trials.click("[data-trials] [data-trial-csv]")
    rows = list(csv.DictReader(io.StringIO(Path(saving.value.path()).read_text(encoding="utf-8-sig"))))
    assert len(rows) == 25
    assert {row["exception"] for row in rows} == {"DaytonaError"}
    assert {row["outcome"] for row in rows} == {"Ungraded"}
    watched.expect_clean()


def test_pages_by_key(trials: Page, watched: Watched) -> None:
    first = column(trials, "all-trials", 1)[0]
    trials.keyboard.press("n")
    assert trials.evaluate("location.hash") == "#t-page=2"
    assert column(trials, "all-trials", 1)[0] != first
    trials.keyboard.press("p")
    trials.keyboard.press("p")
    assert column(trials, "all-trials", 1)[0] == first
    trials.focus("[data-trials] [name=find]")
    trials.keyboard.type("n")
    expect(trials.locator("[data-trials] [name=find]")).to_have_value("n")
    watched.expect_clean()


def test_the_long_tail_leads_to_the_longest_trials(trials: Page, watched: Watched) -> None:
    trials.click(".tail a.js")
    expect(trials.locator(COUNT)).to_have_text("5 of 4,000 trials")
    assert column(trials, "all-trials", 4) == ["27", "23", "18", "15", "12"]
    watched.expect_clean()


def test_a_dialogue_is_walked_by_keys(trials: Page, watched: Watched) -> None:
    expect(trials.locator("#all-trials tbody a:has(code):not(.term)")).to_have_count(3)
    trials.click("#all-trials tbody a:has(code):not(.term) >> nth=2")
    trials.wait_for_selector("[data-turns]")
    assert trials.locator("[data-turn]").count() == 6
    trials.keyboard.press("n")
    trials.keyboard.press("n")
    assert trials.evaluate("[document.activeElement.id, location.hash]") == ["turn-2", "#turn-2"]
    trials.keyboard.press("p")
    assert trials.evaluate("document.activeElement.id") == "turn-1"
    assert trials.locator("details.fold[open]").count() == 0
    trials.keyboard.press("e")
    assert trials.locator("details.fold:not([open])").count() == 0
    assert trials.locator(".turn pre").last.is_visible()
    trials.keyboard.press("?")
    assert "next entry of the trajectory" in trials.inner_text("dialog.help")
    trials.keyboard.press("Escape")
    trials.click("a:has-text('All trials of this task')")
    expect(trials.locator(COUNT)).to_contain_text(" of 4,000 trials")
    assert trials.evaluate("location.hash").startswith("#t-task=calendar-")
    watched.expect_clean()


def test_a_link_to_a_turn_opens_there_and_survives_the_language_switch(watched: Watched, sample_site: Path) -> None:
    path = min((sample_site / RUN / "trials").glob("*/*.html")).relative_to(sample_site).as_posix()
    page = watched.open(f"{path}#turn-4")
    assert page.evaluate("document.activeElement.id") == "turn-4"
    page.keyboard.press("l")
    page.wait_for_url("**/zh/**")
    assert page.evaluate("location.hash") == "#turn-4"
    watched.expect_clean()


def test_hostile_content_runs_nothing(
    tmp_path: Path, site_of: Callable[[Path], Path], watch: Callable[..., Watched]
) -> None:
    archive = tmp_path / "archive"
    step = said(
        1,
        HOSTILE,
        reasoning_content=HOSTILE,
        tool_calls=[{"tool_call_id": "1", "function_name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}],
        observation={"results": [{"source_call_id": "1", "content": HOSTILE}]},
    )
    add(archive, "t__aaaaaaa", talk(step, said(2, "javascript:alert(1)")), HOSTILE[:60])
    (archive / "sitegen.toml").write_text("trajectories = true\n")
    site = site_of(archive)
    watched = watch(site.as_uri() + "/")
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    watched.page.on("dialog", refuse)
    for path in (min((site / "runs/run/trials").glob("*/*.html")), site / "runs/run/trials.html"):
        page = watched.open(path.relative_to(site).as_posix())
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        page.wait_for_timeout(100)
        assert page.locator("main img").count() == 0
        assert page.locator("main script").count() == 0
    assert asked == []
    watched.expect_clean()


@pytest.fixture
def site_of(tmp_path: Path) -> Callable[[Path], Path]:
    """Builds an archive's site in this process."""
    from click.testing import CliRunner

    from sitegen.cli import cli

    def build(archive: Path) -> Path:
        site = tmp_path / "site"
        done = CliRunner().invoke(cli, ["build", str(archive), "-o", str(site), "--no-cache", "--quiet"])
        assert done.exit_code == 0, done.output
        return site

    return build


def test_axe_finds_nothing_with_everything_unfolded(
    watch: Callable[..., Watched], bases: dict[str, str], sample_site: Path
) -> None:
    watched = watch(bases["file"], color_scheme="dark", viewport={"width": 1280, "height": 900}, bypass_csp=True)
    trial = min((sample_site / RUN / "trials").glob("*/*.html")).relative_to(sample_site).as_posix()
    for path in (f"{RUN}trials.html#t-from=11&t-task=calendar-0209", trial):
        page = watched.open(f"zh/{path}")
        page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
        page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
        assert page.evaluate(RULES) == []


def test_without_scripts_a_dialogue_is_whole(
    watch: Callable[..., Watched], bases: dict[str, str], sample_site: Path
) -> None:
    watched = watch(bases["file"], java_script_enabled=False)
    trial = min((sample_site / RUN / "trials").glob("*/*.html"))
    page = watched.open(trial.relative_to(sample_site).as_posix())
    assert "Trajectory" in page.inner_text("main")
    page.click("details.fold summary >> nth=0")
    assert page.locator("details.fold[open] pre").first.is_visible()
    assert page.locator("[data-unfold]").is_hidden()
    watched.expect_clean()


def test_the_search_index_holds_no_dialogue(sample_site: Path) -> None:
    assert "dentist" not in (sample_site / "search-index.js").read_text(encoding="utf-8").lower()
    assert json.loads((sample_site / "archive.json").read_text(encoding="utf-8"))["runs"]
