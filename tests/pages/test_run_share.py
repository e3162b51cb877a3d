"""Texts and pictures for linking a run from elsewhere."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from sitegen.pages.run_share import HERE, card_files, run_share
from sitegen.pages.run_view import Voice
from sitegen.settings import RunSettings, SiteSettings
from tests.factories import make_run, make_trials
from tests.factories import published_run as published
from tests.pages.run_fixture import files, given, read


def published_run(**fields):
    return replace(published(**fields), slug="run")


HOSTILE = '"><script>alert(1)</script>](x) | `'


def texts(run, base_url=None, lang="en"):
    made = given(run)
    made = replace(made, context=replace(made.context, settings=SiteSettings(base_url=base_url)))
    return {item.id: item.text for item in run_share(made, Voice(lang, "runs/run/index.html")).texts}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_texts_are_whole_where_the_address_is_known(lang):
    found = texts(published_run(), "https://example.org/s/", lang)
    page = f"https://example.org/s/{'zh/' if lang == 'zh' else ''}runs/run/index.html"
    assert found["share-url"] == page
    assert found["share-markdown"].count(f"]({page})") == 1
    assert found["share-badge"].startswith("[![RL training: ")
    assert found["share-badge"].endswith(f"](https://example.org/s/runs/run/card/badge.svg)]({page})")
    assert f'<a href="{page}"><img src="https://example.org/s/runs/run/card/reward-light.svg"' in found["share-html"]


def test_without_one_the_script_puts_it_in():
    assert texts(published_run())["share-url"] == f"{HERE}runs/run/index.html"


def test_a_run_without_a_chart_is_linked_by_its_name():
    assert texts(make_run(title="A & B"), "https://example.org")["share-html"] == (
        '<a href="https://example.org/runs/run/index.html">A &amp; B</a>'
    )


def test_hostile_names_stay_words():
    found = texts(replace(published_run(), title=HOSTILE), "https://example.org")
    html = MarkdownIt("commonmark", {"html": True}).render(found["share-markdown"])
    assert "<script" not in html
    assert unescape(html).count("](x)") == 1
    assert html.count("<a ") == 1
    assert "<script" not in found["share-html"]


def test_every_run_has_a_badge_and_the_pictures_it_has_data_for():
    def names(run):
        return [file.path.removeprefix("runs/run/card/") for file in card_files(given(run))]

    assert names(make_run()) == ["badge.svg"]
    trials = make_trials([{"trial": "a", "exception": "E"}])
    assert names(make_run(trials=trials)) == ["errors-light.svg", "errors-dark.svg", "badge.svg"]
    assert names(published_run(settings=RunSettings(save_interval=5)))[0] == "reward-light.svg"


def test_pictures_are_the_sites_files_and_small():
    made = files(published_run())
    drawn = {path: content for path, content in made.items() if "/card/" in path}
    assert "runs/run/card/reward-dark.svg" in drawn
    for content in drawn.values():
        assert len(content) <= 40_000
        ElementTree.fromstring(content)


def test_the_overview_offers_them_and_other_pages_do_not():
    made = files(published_run())
    overview, metrics = read(made["runs/run/index.html"]), read(made["runs/run/metrics.html"])
    assert {"share-markdown", "share-html", "share-badge", "share-url"} <= set(overview.ids)
    assert "share" not in metrics.ids
    assert read(made["zh/runs/run/index.html"]).text.count("引用此运行") == 1
