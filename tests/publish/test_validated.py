"""What lets a site be found is held against the schemas of its formats and against public validators.

Feed: RELAX NG after RFC 4287 (atom.rng). Sitemap: the schema of sitemaps.org, from the npm package `sitemap`.
Structured data: PyLD as JSON-LD, and the vocabulary of schema.org as the npm package `schema-dts` declares it. Link
previews: the rules of ogp.me. Cards are read by the hub's own client in `test_card`, pages in `test_html_validates`.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from pyld import jsonld
from selectolax.lexbor import LexborHTMLParser

from sitegen.analyse.run_analysis import analyse
from sitegen.charts import run_charts
from sitegen.pages import run_files, site_files
from sitegen.publish.feed import feed
from sitegen.settings import SiteSettings
from sitegen.text import LANGS, same
from tests.factories import make_config, make_run, make_series, make_trials
from tests.pages.rows import many, row
from tests.pages.site_fixture import site_context
from tests.test_html_validates import TOOLS, node

HERE = Path(__file__).parent
BASE = "https://runs.example/x/"
SDO = "https://schema.org/"


@cache
def site() -> Mapping[str, bytes]:
    """The pages of invented runs, and one run's own."""
    context = site_context(base_url=BASE, title=same("Runs"))
    steps = make_series("reward/avg_raw_reward", [0.1, 0.4, 0.3, 0.6])
    run = make_run(
        slug="team/one",
        title="One & only <run> “运行”",
        steps=steps,
        trials=make_trials([{"trial": "a", "reward": 1.0}, {"trial": "b", "reward": 0.0}]),
        config=make_config({"trainer.policy.model.path": "Qwen/Qwen3-8B"}),
    )
    analysis = analyse(run, context.settings)
    files = [*site_files(many(), context), *run_files(run, analysis, run_charts(run, analysis), context)]
    return {file.path: file.content for file in files}


def test_the_feed_keeps_to_atom() -> None:
    schema = etree.RelaxNG(file=str(HERE / "atom.rng"))
    for tongue in ("", "zh/"):
        schema.assertValid(etree.fromstring(site()[f"{tongue}feed.xml"]))
    schema.assertValid(etree.fromstring(feed([], SiteSettings(base_url=BASE), "en").encode()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<updated>2", "<updated>on 2"),
        ("</title>", "</title><title>again</title>"),
        ("<id>tag:", "<id>no-address "),
        ('term="', 'word="'),
        ("<entry>", "<item>"),
        (' href="', ' target="'),
    ],
)
def test_a_feed_that_breaks_a_rule_is_found(old: str, new: str) -> None:
    text = feed([row("a", tags=("x",))], SiteSettings(base_url=BASE), "en")
    broken = text.replace(old, new).replace("</entry>", "</item>" if new == "<item>" else "</entry>")
    assert broken != text
    assert not etree.RelaxNG(file=str(HERE / "atom.rng")).validate(etree.fromstring(broken.encode()))


def test_the_sitemap_keeps_to_its_schema() -> None:
    schema = etree.XMLSchema(file=str(HERE / "sitemap_with_languages.xsd"))
    text = site()["sitemap.xml"]
    schema.assertValid(etree.fromstring(text))
    for old, new in ((b"<lastmod>20", b"<lastmod>in 20"), (b"<loc>", b"<place>"), (b'hreflang="en"', b'hreflang="!"')):
        broken = text.replace(old, new).replace(b"</loc>", b"</place>" if new == b"<place>" else b"</loc>")
        assert not schema.validate(etree.fromstring(broken)), new


def datasets() -> dict[str, Any]:
    """The structured data of the run's first page in both languages."""
    found: dict[str, Any] = {}
    for lang in LANGS:
        page = LexborHTMLParser(site()[f"{'zh/' if lang == 'zh' else ''}runs/team/one/index.html"].decode())
        (block,) = page.css('script[type="application/ld+json"]')
        found[lang] = json.loads(block.text())
    return found


def vocabulary(address: str, options: object) -> dict[str, Any]:
    """In the place of the context that the address names: every word is one of schema.org, these are addresses."""
    assert address == "https://schema.org"
    links = {name: {"@type": "@id"} for name in ("url", "contentUrl")}
    context = {"@vocab": SDO, "id": "@id", "type": "@type", **links}
    return {"contextUrl": None, "documentUrl": address, "document": {"@context": context}}


@pytest.mark.parametrize("lang", LANGS)
def test_structured_data_is_json_ld(lang: str) -> None:
    data = datasets()[lang]
    (expanded,) = jsonld.expand(data, {"documentLoader": vocabulary})
    assert expanded["@type"] == [f"{SDO}Dataset"]
    assert expanded["@id"] == f"{BASE}runs/team/one/index.html#data"
    names = {name.removeprefix(SDO) for name in expanded} - {"@id", "@type"}
    assert names == data.keys() - {"@context", "@type", "@id"}, "every word is kept"
    assert expanded[f"{SDO}url"][0]["@id"].startswith(BASE)
    quads = jsonld.normalize(data, {"documentLoader": vocabulary, "format": "application/n-quads"}).splitlines()
    files = [line for line in quads if f"<{SDO}contentUrl>" in line]
    assert len(files) == len(data["distribution"]) > 2
    for line in files:
        address = re.search(r"<(https://runs\.example/x/[^>]+)> \.$", line)
        assert address is not None
        assert address[1].removeprefix(BASE) in site(), "what is offered is there"


def test_structured_data_has_only_words_of_schema_org_where_they_belong(tmp_path: Path) -> None:
    def declared(data: Any) -> str:
        return f"WithContext<Dataset> = {json.dumps(data, ensure_ascii=False)};"

    good = [f"export const good{number}: {declared(data)}" for number, data in enumerate(datasets().values())]
    part = {"@context": "https://schema.org", "@type": "Dataset"}
    wrong = (
        {**part, "nam": "a"},
        {**part, "distribution": [{"@type": "PropertyValue", "name": "a"}]},
        {**part, "includedInDataCatalog": {"@type": "DataCatalog", "contentUrl": "a"}},
        {**part, "isAccessibleForFree": 1},
    )
    bad = [f"export const bad{number}: {declared(data)}" for number, data in enumerate(wrong)]
    (tmp_path / "data.ts").write_text(
        "\n".join(['import type { Dataset, WithContext } from "schema-dts";', *good, *bad]), encoding="utf-8"
    )
    (tmp_path / "node_modules").symlink_to(TOOLS / "node_modules")
    options = {"noEmit": True, "strict": True, "skipLibCheck": True, "module": "esnext", "types": []}
    config = {"compilerOptions": {**options, "moduleResolution": "bundler", "lib": ["es2022"]}, "files": ["data.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    command = [node(), str(TOOLS / "node_modules" / "typescript" / "bin" / "tsc"), "--project", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    lines = {int(line) for line in re.findall(r"^data\.ts\((\d+),", done.stdout, re.MULTILINE)}
    first = 2 + len(good)
    assert lines == {first + number for number in range(len(wrong))}, done.stdout


def properties(path: str) -> dict[str, list[str]]:
    """Every `og:` and `twitter:` property of a page."""
    found: dict[str, list[str]] = {}
    page = LexborHTMLParser(site()[path].decode())
    for node_ in page.css("head meta"):
        name = node_.attributes.get("property") or node_.attributes.get("name") or ""
        if name.startswith(("og:", "twitter:")):
            found.setdefault(name, []).append(node_.attributes.get("content") or "")
    return found


@pytest.mark.parametrize(
    "path",
    ["index.html", "zh/index.html", "glossary/index.html", "runs/team/one/index.html", "zh/runs/team/one/metrics.html"],
)
def test_link_previews_have_what_open_graph_asks_for(path: str) -> None:
    found = properties(path)
    assert {"og:title", "og:type", "og:image", "og:url"} <= found.keys(), "the four required ones of ogp.me"
    assert all(len(values) == 1 and values[0].strip() for values in found.values()), found
    one = {name: values[0] for name, values in found.items()}
    assert one["og:type"] in {"website", "article"}
    assert one["og:url"] == BASE + path
    assert {one["og:locale"], one["og:locale:alternate"]} == {"en_US", "zh_CN"}
    assert one["twitter:card"] == "summary_large_image"
    picture = site()[one["og:image"].removeprefix(BASE)]
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    told = (int(one["og:image:width"]), int(one["og:image:height"]))
    assert struct.unpack(">II", picture[16:24]) == told == (1200, 630), "as large as previews want, 1.91 to 1"
    assert len(picture) < 300_000
    assert one["og:image:alt"]


def test_every_page_that_may_be_found_has_a_preview() -> None:
    for path in site():
        if path.endswith(".html") and not path.endswith("404.html") and "/embed/" not in path:
            assert "og:image" in properties(path), path
