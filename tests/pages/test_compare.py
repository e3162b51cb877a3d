"""The compare page as it is written: what there is without scripts, and what scripts are given."""

from __future__ import annotations

import json
import re

import pytest

from sitegen.model.run import RunSettings
from sitegen.pages import site_files
from sitegen.pages.base import render_page
from sitegen.pages.compare import UNINTERESTING, compare_page
from sitegen.pages.compare_data import ROLES
from sitegen.pages.index import ArchiveScripts
from sitegen.pages.run_header import run_header
from sitegen.pages.run_view import Voice
from sitegen.text import LANGS, Lang, ui_strings
from tests.factories import make_run
from tests.pages.rows import many
from tests.pages.run_fixture import given
from tests.pages.site_fixture import site_context

DATA = ArchiveScripts(runs="data/runs.0.js", columns="data/columns.0.js", compare="data/compare.0.js")


def html(lang: Lang = "en") -> str:
    site = site_context()
    return render_page("pages/compare.html", compare_page(many(), site, DATA), site, lang).content.decode()


def test_without_scripts_the_page_leads_to_the_table_and_to_the_data() -> None:
    page = html()
    plain = page[page.index('<div class="no-js">') :]
    plain = plain[: plain.index("</div>")]
    assert 'href="../index.html"' in plain
    assert 'href="../archive.json"' in plain
    assert "needs scripts" in plain
    assert "需要脚本" in html("zh")
    assert 'href="../../archive.json"' in html("zh")


def test_scripts_come_in_order_runtime_before_data() -> None:
    found = re.findall(r'<script defer src="\.\./([^"]+)"', html())
    names = [re.sub(r"\.[0-9a-f]+\.js$", "", name) for name in found]
    assert names == ["assets/app", "assets/vega", "assets/charts", "assets/compare", "data/runs", "data/compare"]


def test_the_page_is_in_the_bar_of_every_page_and_in_both_languages() -> None:
    files = {
        file.path: file.content.decode() for file in site_files(many(), site_context()) if file.path.endswith("html")
    }
    assert {"compare/index.html", "zh/compare/index.html"} <= set(files)
    assert 'href="compare/index.html">Compare</a>' in files["index.html"]
    assert 'href="compare/index.html">对比</a>' in files["zh/index.html"]
    assert re.search(r'aria-current="page">Compare</a>', files["compare/index.html"])


@pytest.mark.parametrize("lang", LANGS)
def test_scripts_get_every_word_they_say(lang: Lang) -> None:
    from sitegen.resources import static_bytes

    config = compare_page(many(), site_context(), DATA).config(lang)
    assert [role["id"] for role in config["roles"]] == list(ROLES)
    assert config["ignore"] == list(UNINTERESTING)
    said = set()
    for name in ("compare", "compare_parts", "compare_picker", "compare_tables", "compare_charts"):
        text = static_bytes(f"js/{name}.js").decode()
        said |= set(re.findall(r'\.(?:say|told)\(\s*"([a-z-]+)"', text))
        said |= set(re.findall(r'action\("[a-z-]+", "([a-z-]+)"', text))
    assert len(said) > 40
    assert {f"cmp.{key}" for key in said} <= set(config["texts"])


def test_every_word_given_to_scripts_is_said_by_them() -> None:
    from sitegen.resources import static_bytes

    names = ("compare", "compare_parts", "compare_picker", "compare_tables", "compare_charts")
    text = "".join(static_bytes(f"js/{name}.js").decode() for name in names)
    made = ("rule-", "stat-", "fact-", "better", "worse")  # put together, or the word of a verdict
    for key in ui_strings():
        if key.startswith("cmp.") and not key.removeprefix("cmp.").startswith(made):
            assert f'"{key.removeprefix("cmp.")}"' in text, key


def test_settings_that_matter_are_not_ignored() -> None:
    matters = ["trainer.policy.model.path", "data.train_data", "generator.model_dtype", "trainer.seed", "support.level"]
    for pattern in UNINTERESTING:
        body = re.escape(pattern).replace(r"\*", ".*")
        for key in matters:
            assert not re.fullmatch(rf"(.*\.)?{body}", key), (pattern, key)


def test_an_archive_without_runs_says_nothing_can_be_chosen() -> None:
    site = site_context()
    page = render_page("pages/compare.html", compare_page([], site, DATA), site, "en").content.decode()
    assert "compare-config" not in page
    config = re.search(r'id="compare-config">(.*?)</script>', html())
    assert config is not None
    assert json.loads(config[1])["frameworks"]["skyrl"] == "SkyRL"


@pytest.mark.parametrize(
    ("other", "runs"), [(None, "team/a"), ("team/b", "team/a,team/b"), ("team/a", "team/a"), ("gone", "team/a,gone")]
)
def test_a_run_page_begins_a_comparison_with_the_run_that_run_toml_names(other: str | None, runs: str) -> None:
    run = make_run(slug="team/a", settings=RunSettings(compare_to=other))
    header = run_header(given(run), Voice("zh", "runs/team/a/index.html"), "index")
    assert header.compare == f"../../../compare/index.html#runs={runs}"
