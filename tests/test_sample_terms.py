"""On every page of the built sample site, in both languages, each name of a run is explained where it stands."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sitegen.glossary.lookup import load_glossary
from sitegen.render import POPOVER_BYTES

NOT_TEXT = {"script", "style", "svg", "title", "head"}
"""Elements whose text nobody reads as part of the page: data, drawings, the window's title."""
AS_GIVEN = {"pre", "doc", "logs", "log", "log-end", "raw-text"}
"""Tags and classes of what is shown as it was found: YAML, lines of logs, published reports and cards."""
CONTROLS = {"button", "select", "option", "acts"}
"""Controls that act on what they name."""
VOID = {"meta", "link", "br", "wbr", "input", "img", "hr", "use", "rect", "path", "circle", "line"}


@dataclass(frozen=True)
class Piece:
    """Neighbouring text of one kind."""

    text: str
    explained: bool
    """Inside a trigger, a link to the name's own entry, or that entry's own heading."""


@dataclass
class Reader(HTMLParser):
    """The visible words of a page, told apart by whether a popover explains them."""

    pieces: list[Piece] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    """Keys of popovers that elements ask for."""
    links: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    """The popovers of the page."""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "data-term" in given:
            self.keys.add(given["data-term"])
        if "href" in given:
            self.links.append(given["href"])
        if tag not in VOID:
            self.stack.append((tag, given))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        while self.stack and self.stack.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1][1].get("id") == "popovers":
            self.data = json.loads(data)
        around = {part for tag, given in self.stack for part in (tag, *given.get("class", "").split())}
        if around & (NOT_TEXT | AS_GIVEN | CONTROLS):
            return
        explained = "h1" in around or any(
            "data-term" in given or (tag == "a" and "/" not in given.get("href", "/").removeprefix("../glossary/"))
            for tag, given in self.stack
        )
        if self.pieces and self.pieces[-1].explained == explained:
            self.pieces[-1] = Piece(self.pieces[-1].text + data, explained)
        else:
            self.pieces.append(Piece(data, explained))


@cache
def read(path: Path) -> Reader:
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader


def names_of(site: Path) -> dict[str, set[str]]:
    """Folder of a run to what it logs and what its trials raise."""
    found = {}
    for path in site.glob("runs/**/run.json"):
        told = json.loads(path.read_text(encoding="utf-8"))
        raised = (told["trials"] or {}).get("exceptions") or {}
        found[path.parent.relative_to(site).as_posix()] = {*told["metrics"], *raised} - {"none"}
    return found


def unexplained(reader: Reader, names: set[str]) -> set[str]:
    """Names that stand in the words of a page without a popover."""
    if not names:
        return set()
    any_name = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w@.-])(?:{any_name})(?![\w/@]|[.-]\w)", re.ASCII)
    return {found for piece in reader.pieces if not piece.explained for found in pattern.findall(piece.text)}


def shorts() -> dict[str, set[str]]:
    """What lists of the glossary print beside a name's link: entries' own sentences, per language."""
    return {lang: {entry.short.of(lang) for entry in load_glossary().entries} for lang in ("en", "zh")}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_name_on_every_page_is_explained_where_it_stands(sample_site: Path, lang: str) -> None:
    root = sample_site if lang == "en" else sample_site / "zh"
    names = names_of(sample_site)
    everything = set().union(*names.values())
    assert len(everything) > 60
    bare, pages = {}, 0
    for path in sorted(root.rglob("*.html")):
        place = path.relative_to(root).as_posix()
        if lang == "en" and place.startswith("zh/"):
            continue
        pages += 1
        run = next((known for folder, known in names.items() if place.startswith(f"{folder}/")), everything)
        found = unexplained(read(path), run)
        if place.startswith(("glossary/index", "glossary/group-")):
            sentences = " ".join(shorts()[lang]).replace("`", "")
            found = {name for name in found if name not in sentences}
        own = load_glossary().entry(path.stem) if place.startswith("glossary/") else None
        found -= set(own.names) if own is not None else set()  # an entry does not lead to itself
        if found:
            bare[place] = sorted(found)
    assert pages > 200
    assert bare == {}


def test_every_trigger_has_its_text_within_the_budget(sample_site: Path) -> None:
    seen = 0
    for path in sorted(sample_site.rglob("*.html")):
        reader = read(path)
        told = reader.data.get("terms", {})
        assert reader.keys <= set(told), path
        size = len(json.dumps(reader.data, ensure_ascii=False, separators=(",", ":")).encode()) if told else 0
        assert size <= POPOVER_BYTES, path
        for text in told.values():
            assert "`" not in text["t"] + text["s"]
            assert all(0 <= place < len(reader.data["facts"]) for place in text["m"])
        seen += len(told)
    assert seen > 2000


def test_a_name_outside_a_trigger_would_be_found() -> None:
    reader = Reader()
    reader.feed(
        "<p>At step 3 <a data-term='x'><code>policy/<wbr>loss</code></a> fell; policy/<wbr>loss, EMA, and a "
        "<code>policy/loss_x</code>, the raw/policy/loss.</p><pre>DaytonaError</pre><p>\u4ee5 DaytonaError \u7ed3</p>"
    )
    assert unexplained(reader, {"policy/loss", "DaytonaError"}) == {"policy/loss", "DaytonaError"}
    explained = Reader()
    explained.feed("<p>Only <a data-term='x'>policy/loss</a> and policy/loss_x.</p><td class='doc'>policy/loss</td>")
    assert unexplained(explained, {"policy/loss"}) == set()


def test_every_concept_is_linked_from_a_page_of_a_run_or_from_an_entry_that_is_no_concept(sample_site: Path) -> None:
    entries = load_glossary().entries
    concepts = {entry.id for entry in entries if entry.kind == "concept"}
    assert len(concepts) >= 40
    linked = {other for entry in entries if entry.kind != "concept" for other in entry.related}
    for path in sorted(sample_site.glob("runs/**/*.html")):
        linked |= {match[1] for link in read(path).links if (match := re.search(r"/glossary/(.+)\.html$", link))}
    assert sorted(concepts - linked) == []


def test_concepts_stand_where_they_matter(sample_site: Path) -> None:
    wanted = {
        "index": {"ema", "pass_at_k", "checkpoint_selection", "lineage", "staleness", "rloo", "masking", "tis"}
        | {"importance_sampling", "mismatch", "prefix_cache", "entropy_collapse", "async_training"},
        "engines": {"kv_cache", "prefix_cache", "prefill_decode"},
        "trials": {"graded", "straggler", "zero_variance_group"},
        "metrics": {"std", "percentiles", "trust_region"},
    }
    run = sample_site / "runs/synthetic-agent-calendar-80-8b"
    for page, concepts in wanted.items():
        links = " ".join(read(run / f"{page}.html").links)
        assert [name for name in sorted(concepts) if f"glossary/common-{name}.html" not in links] == [], page
