import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.pages import site_files
from sitegen.pages.glossary import book
from sitegen.pages.search import INDEX_PATH, RunSets, search_data, search_script
from tests.pages.rows import many, metric, row
from tests.pages.site_fixture import glossary, site_context


def index_of(rows: list[Any], **options: Any) -> dict[str, Any]:
    return search_data(rows, book(rows, glossary()), site_context(), **options)


def members(data: dict[str, Any], place: int) -> set[str]:
    """Slugs of the runs of a set, read as the format says."""
    slugs, at, found = data["runs"]["s"], 0, set()
    for turn, length in enumerate(data["sets"][place]):
        if turn % 2:
            found |= set(slugs[at : at + length])
        at += length
    return found


def line(data: dict[str, Any], kind: str, column: str, value: str) -> dict[str, Any]:
    at = data[kind][column].index(value)
    return {key: cells[at] for key, cells in data[kind].items()}


def test_every_run_metric_setting_and_exception_is_there_with_its_runs() -> None:
    rows = many()
    data = index_of(rows)
    assert set(data["runs"]["s"]) == {item.slug for item in rows}
    logs_entropy = {item.slug for item in rows if any(m.name == "policy/policy_entropy" for m in item.metrics)}
    assert members(data, line(data, "metrics", "n", "policy/policy_entropy")["r"]) == logs_entropy
    assert members(data, line(data, "metrics", "n", "critic/score/mean")["r"]) == {"verl-gsm8k"}
    assert data["entries"]["i"][line(data, "metrics", "n", "policy/policy_entropy")["e"]] == "skyrl-policy_entropy"
    assert "AgentTimeoutError" in data["exceptions"]["n"]
    seeds = [at for at, name in enumerate(data["settings"]["n"]) if name == "trainer.seed"]
    assert set().union(*(members(data, data["settings"]["r"][at]) for at in seeds)) == {
        item.slug for item in rows if "trainer.seed" in item.config
    }


def test_values_lead_to_the_runs_that_have_them() -> None:
    data = index_of(many())
    at = [
        place
        for place, (setting, value) in enumerate(zip(data["values"]["k"], data["values"]["v"], strict=True))
        if data["settings"]["n"][setting].endswith("optimizer_config.lr") and value == "2e-5"
    ]
    assert [members(data, data["values"]["r"][place]) for place in at] == [{"calendar"}]


def test_long_values_and_names_of_their_own_are_no_values() -> None:
    rows = [row(f"r{i}", config={"name": f"run-{i}", "prompt": "x" * 33, "flag": True}) for i in range(201)]
    data = index_of(rows)
    assert [data["settings"]["n"][place] for place in data["values"]["k"]] == ["flag"]
    assert data["values"]["v"] == ["true"]


def test_both_languages_are_in_one_index() -> None:
    data = index_of(many())
    entry = line(data, "entries", "i", "common-ema")
    assert entry["te"] == "Exponential moving average (EMA)"
    assert entry["tz"] == "指数滑动平均（EMA）"
    assert "`" not in json.dumps(data, ensure_ascii=False), "texts are shown as they are"
    assert line(data, "pages", "l", "about.html#checkpoint")["tz"] == "所选检查点"


def test_groups_of_runs_lead_to_the_index_filtered() -> None:
    data = index_of(many())
    assert line(data, "facets", "te", "verl")["l"] == "index.html#framework=verl"
    assert line(data, "facets", "te", "baseline")["l"] == "index.html#tag=baseline"
    assert members(data, line(data, "facets", "te", "baseline")["r"]) == {"calendar"}
    assert line(data, "facets", "tz", "已完成")["l"] == "index.html#status=finished"


def test_a_group_that_the_index_has_no_filter_for_is_found_by_its_text() -> None:
    data = index_of([row("a", tags=("odd, tag~",)), row("b")])
    assert line(data, "facets", "te", "odd, tag~")["l"] == "index.html#q=odd%2C%20tag~"
    assert line(data, "facets", "te", "Qwen3-8B")["l"] == "index.html"
    two = index_of([row("a", tags=("x,y~",)), row("b", tags=("z",))])
    assert line(two, "facets", "te", "x,y~")["l"] == "index.html#tag=x~.y~~"


def test_a_name_of_two_frameworks_is_two_results() -> None:
    rows = [
        row("a", framework="skyrl", metrics=(metric("timing/step", 1, 2),)),
        row("b", framework="verl", metrics=(metric("timing/step", 1, 2),)),
    ]
    found = [place for place, name in enumerate(index_of(rows)["metrics"]["n"]) if name == "timing/step"]
    entries = {glossary().explain("timing/step", framework).id for framework in ("skyrl", "verl")}
    assert len(found) == len(entries)


def test_an_index_that_grows_too_large_leaves_off_values_and_says_so() -> None:
    rows = many()
    found, site = book(rows, glossary()), site_context()
    whole = search_script(rows, found, site)
    assert '"left":[]' in whole
    small = search_script(rows, found, site, most=1000)
    assert '"left":["values"]' in small
    assert len(small) < len(whole)
    assert index_of(rows, values=False)["values"] == {"k": [], "v": [], "r": []}


def test_hostile_names_cannot_leave_the_script() -> None:
    script = search_script(many(), book(many(), glossary()), site_context())
    assert "</script" not in script
    assert "<" not in script
    assert script.startswith("sitegen.searchIndex = {")


def test_the_index_is_made_once_for_both_languages_and_in_any_order() -> None:
    made = [file for file in site_files(many(), site_context()) if file.path == INDEX_PATH]
    assert len(made) == 1
    again = [file for file in site_files(many()[::-1], site_context(), ["en"]) if file.path == INDEX_PATH]
    assert again[0].content == made[0].content
    assert not [file for file in site_files(many(), site_context(), ["zh"]) if file.path == INDEX_PATH]


def test_an_archive_without_runs_has_its_glossary() -> None:
    data = index_of([])
    assert data["runs"]["s"] == []
    assert "common-ema" in data["entries"]["i"]
    assert data["sets"] == []


@pytest.mark.parametrize("lang", ["", "zh/"])
def test_without_scripts_the_page_leads_to_all_runs_and_entries(lang: str) -> None:
    files = {file.path: file.content.decode() for file in site_files(many(), site_context())}
    page = files[f"{lang}search.html"]
    fallback = page.split('class="no-js"')[1]
    assert 'href="index.html"' in fallback
    assert 'href="glossary/index.html"' in fallback
    assert 'href="search.html"' in files[f"{lang}index.html"]


@given(st.sets(st.integers(min_value=0, max_value=40)))
def test_sets_are_kept_as_alternating_counts(places: set[int]) -> None:
    sets = RunSets([row(f"r{i}") for i in range(41)])
    counts = sets.counts[sets.at(places)]
    at, found = 0, set()
    for turn, length in enumerate(counts):
        if turn % 2:
            found |= set(range(at, at + length))
        at += length
    assert found == places
    assert all(length > 0 for length in counts[1:]) or not places
    assert sets.at(sorted(places)) == 0, "an equal set is kept once"


def test_runs_that_log_the_same_stand_together() -> None:
    rows = [row(f"r{i}", framework=("skyrl", "verl")[i % 2]) for i in range(20)]
    data = index_of(rows)
    frameworks = [about.split(" ")[0] for about in data["runs"]["a"]]
    assert sum(one != other for one, other in pairwise(frameworks)) == 1


def test_everything_found_leads_to_a_page_and_anchor_that_is_there() -> None:
    files = {file.path: file.content.decode() for file in site_files(many(), site_context())}
    data = index_of(many())
    assert {f"glossary/{entry}.html" for entry in data["entries"]["i"]} <= set(files)
    for link in (*data["pages"]["l"], *data["facets"]["l"]):
        page, _, anchor = link.partition("#")
        assert page in files, link
        assert "=" in anchor or not anchor or f'id="{anchor}"' in files[page], link
    for kind in ("metrics", "exceptions", "settings"):
        assert all(-1 <= entry < len(data["entries"]["i"]) for entry in data[kind]["e"])
        assert all(0 <= place < len(data["sets"]) for place in data[kind]["r"])


def test_no_result_shows_the_placeholder_of_a_pattern() -> None:
    name = "batch_errors/avg_AgentTimeoutError"
    rows = [row("a", framework="skyrl", metrics=(metric(name, 0, 2),))]
    data = search_data(rows, book(rows, glossary(), every=True), site_context())
    entry = data["metrics"]["e"][data["metrics"]["n"].index(name)]
    assert "{exception}" in data["entries"]["n"][entry], "its names are the patterns"
    assert "exception" in data["entries"]["te"][entry]
    for column in ("te", "tz", "se", "sz", "fe", "fz"):
        for text, names in zip(data["entries"][column], data["entries"]["n"], strict=True):
            assert not [hole for hole in re.findall(r"\{\w+\}", names) if hole in text], (column, text)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_page_shows_the_placeholder_of_a_pattern(lang: str) -> None:
    name = "batch_errors/total_AgentTimeoutError"
    rows = [row("a", framework="skyrl", metrics=(metric(name, 0, 2),))]
    for file in site_files(rows, site_context(), [lang]):
        if file.path.endswith(".html"):
            shown = re.sub(r"<(script|style|code)\b.*?</\1>", "", file.content.decode(), flags=re.DOTALL)
            assert not re.findall(r"\{[a-z_]+\}", re.sub(r"<[^>]*>", "", shown)), file.path
