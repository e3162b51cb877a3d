"""Feed, sitemap, structured data, link previews: what lets a site be found, and what an unlisted one leaves out."""

from __future__ import annotations

import json
import re
import struct
import zlib
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import feedparser
import pytest

from sitegen.pages import site_files
from sitegen.pages.base import PageHead
from sitegen.pages.glossary import book
from sitegen.pages.row import RunRow
from sitegen.pages.search import search_page
from sitegen.publish.feed import ENTRIES, feed
from sitegen.publish.jsonld import VARIABLES, run_dataset
from sitegen.publish.sitemap import sitemaps
from sitegen.publish.social import site_svg, social_path, social_picture, social_svg
from sitegen.render import render
from sitegen.settings import SiteSettings
from sitegen.text import LANGS, Lang, same
from tests.pages.rows import DAY, JUNE, curve, facts, many, metric, row
from tests.pages.site_fixture import site_context

BASE = "https://runs.example/a b/".replace(" ", "%20")
SETTINGS = SiteSettings(base_url=BASE)
ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = '</script><script>alert(1)</script> & "q" \x00\x0b]]> 运行'


def undated(slug: str, **changes: Any) -> RunRow:
    return row(slug, facts=facts(started=None, finished=None), **changes)


def parsed(rows: list[RunRow], lang: Lang = "en", settings: SiteSettings = SETTINGS) -> Any:
    found = feedparser.parse(feed(rows, settings, lang).encode())
    assert found.bozo == 0, found.bozo_exception
    return found


@pytest.mark.parametrize("lang", LANGS)
def test_the_feed_is_what_atom_asks_for(lang: Lang) -> None:
    text = feed(many(), SETTINGS, lang)
    found = parsed(many(), lang)
    assert found.version == "atom10"
    root = ElementTree.fromstring(text)
    for node in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(node.findall(f"{ATOM}{name}")) == 1, name
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", node.findtext(f"{ATOM}updated") or "")
        assert node.find(f"{ATOM}link[@rel='alternate']") is not None
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    ids = [node.text for node in root.iter(f"{ATOM}id")]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"tag:[a-z0-9.-]+,\d{4}:\S+", text or "") for text in ids)
    own = root.find(f"{ATOM}link[@rel='self']")
    assert own is not None
    assert own.get("href") == BASE + ("zh/feed.xml" if lang == "zh" else "feed.xml")


def test_what_changed_last_stands_first() -> None:
    rows = [
        row("old", facts=facts(started=JUNE, finished=JUNE + DAY)),
        row("begun", facts=facts(started=JUNE + 5 * DAY, finished=None)),
        row("new", facts=facts(started=JUNE - DAY, finished=JUNE + 9 * DAY)),
    ]
    found = parsed(rows)
    assert [entry.title for entry in found.entries] == [rows[2].title, rows[1].title, rows[0].title]
    assert found.feed.updated == found.entries[0].updated == "2026-06-10T00:00:00Z"
    assert found.entries[1].updated == "2026-06-06T00:00:00Z"
    assert found.entries[2].link == f"{BASE}runs/old/index.html"


def test_a_run_without_a_date_is_counted_not_dated() -> None:
    found = parsed([row("dated"), undated("a"), undated("b")])
    assert len(found.entries) == 1
    assert found.feed.subtitle.endswith("tell no date: 2.")


def test_a_feed_without_dated_runs_is_still_a_feed() -> None:
    found = parsed([undated("a")])
    assert found.entries == []
    assert found.feed.updated == "1970-01-01T00:00:00Z"


def test_an_entry_keeps_its_id_when_the_run_moves() -> None:
    before, after = parsed([row("first")]), parsed([row("third", aliases=("first", "second"))])
    assert before.entries[0].id == after.entries[0].id
    assert before.entries[0].link != after.entries[0].link


def test_a_feed_is_cut_at_its_end() -> None:
    rows = [row(f"r{n}", facts=facts(started=JUNE + n, finished=JUNE + n)) for n in range(ENTRIES + 5)]
    found = parsed(rows)
    assert len(found.entries) == ENTRIES
    assert found.entries[0].link.endswith(f"/r{ENTRIES + 4}/index.html")


def test_hostile_names_stay_text() -> None:
    found = parsed([replace(row("a"), title=HOSTILE, tags=(HOSTILE,))], settings=replace(SETTINGS, title=same(HOSTILE)))
    assert "alert(1)" in found.entries[0].title
    root = ElementTree.fromstring(feed([replace(row("a"), title=HOSTILE)], SETTINGS, "en"))
    assert root.findtext(f"{ATOM}entry/{ATOM}title") == HOSTILE.replace("\x00", "").replace("\x0b", "")


def test_a_host_that_is_not_ascii() -> None:
    assert "<id>tag:xn--" in feed(many(), SiteSettings(base_url="https://例え.example/"), "en")


def test_sitemap_parts_and_their_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.publish.sitemap.MOST_URLS", 4)
    made = {file.path: file.content for file in sitemaps([row("a"), row("b")], ["index.html"], SETTINGS)}
    assert list(made) == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    assert [node.text for node in ElementTree.fromstring(made["sitemap.xml"]).iter(f"{space}loc")] == [
        f"{BASE}sitemap-1.xml",
        f"{BASE}sitemap-2.xml",
    ]
    assert len(list(ElementTree.fromstring(made["sitemap-1.xml"]).iter(f"{space}url"))) == 4
    assert len(list(ElementTree.fromstring(made["sitemap-2.xml"]).iter(f"{space}url"))) == 2


def test_every_address_of_the_sitemap_names_its_languages_and_is_a_page() -> None:
    made = {file.path: file.content for file in site_files(many(), site_context(base_url=BASE))}
    space, xhtml = "{http://www.sitemaps.org/schemas/sitemap/0.9}", "{http://www.w3.org/1999/xhtml}"
    root = ElementTree.fromstring(made["sitemap.xml"])
    known = {f"{BASE}{path}" for path in made} | {
        f"{BASE}{tongue}runs/{item.slug}/index.html" for item in many() for tongue in ("", "zh/")
    }
    addresses = [url.findtext(f"{space}loc") or "" for url in root.iter(f"{space}url")]
    assert len(addresses) == len(set(addresses))
    assert set(addresses) <= known
    assert any("/glossary/group-" in address for address in addresses)
    assert not any("/old/run-1/" in address for address in addresses), "a redirect is no page to find"
    for url in root.iter(f"{space}url"):
        codes = {link.get("hreflang"): link.get("href") for link in url.iter(f"{xhtml}link")}
        assert list(codes) == ["en", "zh-CN", "x-default"]
        assert codes["x-default"] == codes["en"]
        assert url.findtext(f"{space}loc") in codes.values()
        assert set(codes.values()) <= set(addresses)
    dated = next(url for url in root.iter(f"{space}url") if "runs/calendar/" in (url.findtext(f"{space}loc") or ""))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", dated.findtext(f"{space}lastmod") or "")


def test_pages_name_their_languages_and_their_own_address_absolutely() -> None:
    files = [file for file in site_files([row("a")], site_context(base_url=BASE)) if not file.path.endswith(".png")]
    made = {file.path: file.content.decode() for file in files}
    for path in ("about.html", "zh/about.html"):
        found = dict(re.findall(r'hreflang="([^"]+)" href="(https[^"]+)"', made[path]))
        assert found == {
            "en": f"{BASE}about.html",
            "zh-CN": f"{BASE}zh/about.html",
            "x-default": f"{BASE}about.html",
        }
        assert f'<link rel="canonical" href="{BASE}{path}">' in made[path]
        assert f'<meta property="og:url" content="{BASE}{path}">' in made[path]
    assert 'href="feed.xml"' in made["zh/about.html"]
    assert made["zh/feed.xml"].startswith("<?xml")


def test_an_unlisted_archive_is_not_found() -> None:
    made = {
        file.path: file.content.decode() for file in site_files([row("a")], site_context(base_url=BASE, listed=False))
    }
    assert not {"feed.xml", "zh/feed.xml", "sitemap.xml"} & made.keys()
    for path, text in made.items():
        if path.endswith(".html"):
            assert '<meta name="robots" content="noindex">' in text, path
            assert "og:" not in text, path
    assert "Sitemap" not in made["robots.txt"]
    assert "Disallow" not in made["robots.txt"], "who may not read a page does not see its noindex"
    assert made["_headers"].index("X-Robots-Tag: noindex") < made["_headers"].index("/assets/*")


def test_a_listed_archive_asks_nobody_to_stay_away() -> None:
    made = {file.path: file.content.decode() for file in site_files([row("a")], site_context())}
    assert "noindex" not in made["index.html"]
    assert "X-Robots-Tag" not in made["_headers"]


@pytest.mark.parametrize("lang", LANGS)
def test_a_run_as_a_data_set(lang: Lang) -> None:
    item = row("a", metrics=(metric("reward", 0.0, 1.0), replace(metric("odd", 0, 0), min=None, max=None)))
    data = run_dataset(item, ["runs/a/run.json", "runs/a/data/steps.csv"], SETTINGS, lang)
    assert data["@context"] == "https://schema.org"
    assert data["@type"] == "Dataset"
    assert 50 <= len(data["description"]) <= 5000 or lang == "zh"
    assert data["url"] == f"{BASE}{'zh/' if lang == 'zh' else ''}runs/a/index.html"
    assert data["temporalCoverage"] == "2026-06-01T00:00:00Z/2026-06-02T00:00:00Z"
    assert [(file["contentUrl"], file["encodingFormat"]) for file in data["distribution"]] == [
        (f"{BASE}runs/a/run.json", "application/json"),
        (f"{BASE}runs/a/data/steps.csv", "text/csv"),
    ]
    assert data["variableMeasured"] == [
        {"@type": "PropertyValue", "name": "reward", "minValue": 0.0, "maxValue": 1.0},
        {"@type": "PropertyValue", "name": "odd"},
    ]
    assert not {"license", "creator", "datePublished"} & data.keys(), "nothing is made up"
    json.dumps(data, allow_nan=False)


def test_a_data_set_without_dates_and_with_many_metrics() -> None:
    item = undated("a", metrics=tuple(metric(f"m{n}", 0, 1) for n in range(VARIABLES + 3)))
    data = run_dataset(item, [], SETTINGS, "en")
    assert "temporalCoverage" not in data
    assert "distribution" not in data
    assert len(data["variableMeasured"]) == VARIABLES


def test_structured_data_cannot_leave_its_block() -> None:
    item = replace(row("a"), title=HOSTILE)
    data = {lang: run_dataset(item, [], SETTINGS, lang) for lang in LANGS}
    head = PageHead(
        path="runs/a/index.html", title=same("a"), description=same("b"), dataset=data, picture=social_path("a")
    )
    site = site_context(base_url=BASE)
    view = replace(search_page([item], book([item], site.glossary)), head=head)
    html = render("pages/search.html", view, site, "en").decode()
    block = re.search(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    assert block is not None
    assert json.loads(block[1])["name"] == HOSTILE
    assert html.count("alert(1)</script>") == 0
    assert f'<meta property="og:image" content="{BASE}runs/a/card/social.png">' in html
    assert '<meta name="twitter:card" content="summary_large_image">' in html


def test_the_picture_is_a_png_of_the_size_it_says_and_always_the_same() -> None:
    item = row("a", spark=curve(gap=range(20, 30)))
    picture = social_picture(item, "Runs")
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)
    assert picture == social_picture(item, "Runs")
    assert len(picture) < 150_000
    place, kinds = 8, []
    while place < len(picture):
        size = int.from_bytes(picture[place : place + 4], "big")
        body = picture[place + 4 : place + 8 + size]
        assert zlib.crc32(body) == int.from_bytes(picture[place + 8 + size : place + 12 + size], "big")
        kinds.append(body[:4])
        place += size + 12
    assert kinds[0] == b"IHDR"
    assert kinds[-2:] == [b"IDAT", b"IEND"]


@pytest.mark.parametrize(
    "item",
    [
        replace(row("a"), title=HOSTILE * 20),
        replace(row("a"), title="很" * 200),
        row("a", spark=None, checkpoint_step=None, best_pass=None),
        row("a", spark=curve(1)),
        row("a", spark=replace(curve(3), raw=(0.5,) * 3, ema=(0.5,) * 3)),
        row("a", spark=replace(curve(3), raw=(None, 0.5, None), ema=(None, 0.5, None))),
        replace(row("a"), title="x"),
    ],
    ids=["hostile", "chinese", "nothing", "one-step", "flat", "lonely", "short"],
)
def test_any_run_has_a_picture(item: RunRow) -> None:
    for drawn in (social_svg(item, HOSTILE), site_svg([item, row("b")] * 9, item.title)):
        root = ElementTree.fromstring(drawn)
        assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {"svg", "rect", "path", "text"}
        assert not any(name.startswith("on") or "href" in name for node in root.iter() for name in node.attrib)
        assert "nan" not in drawn.lower().replace("nano", "")
    assert len(social_picture(item, HOSTILE)) > 1000


def test_the_picture_of_the_site_says_what_is_in_it() -> None:
    words = [node.text or "" for node in ElementTree.fromstring(site_svg(many(), "Our runs")).iter() if node.text]
    assert words[:2] == ["Our runs", f"{len(many())} runs  ·  skyrl  ·  verl"]
    assert len(words) <= 2 + 8
    assert "1 run  ·  skyrl" in site_svg([row("a", spark=None)], "Our runs")
    assert ">0 runs<" in site_svg([], "Our runs")


def test_a_gap_is_drawn_as_a_gap() -> None:
    def lines(item: RunRow) -> int:
        return social_svg(item, "Runs").count('stroke-linejoin="round"')

    assert lines(row("a", spark=curve())) == 2
    assert lines(row("a", spark=curve(gap=range(20, 30)))) == 4
