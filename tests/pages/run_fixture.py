"""Run pages for tests: a run of the factories through analysis, charts and pages, as bytes and as text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from sitegen.analyse.run_analysis import analyse
from sitegen.charts import run_charts
from sitegen.model.run import Run
from sitegen.pages.assets import hashed
from sitegen.pages.base import SiteContext
from sitegen.pages.run_files import run_files
from sitegen.pages.run_view import RunInput
from sitegen.settings import SiteSettings
from tests.pages.site_fixture import glossary

ASSETS = (
    *("sitegen.css", "app.js", "run.js", "theme.js", "icon.svg", "vega.js", "charts.js"),
    *("embed.js", "embed_size.js"),
)


def context() -> SiteContext:
    """A site without its assets' bytes."""
    paths = hashed({name: name.encode() for name in ASSETS})
    return SiteContext(settings=SiteSettings(), assets=paths, glossary=glossary(), version="0")


def given(run: Run) -> RunInput:
    """What builders take."""
    site = context()
    analysis = analyse(run, site.settings)
    return RunInput(run=run, analysis=analysis, charts=run_charts(run, analysis), context=site)


def files(run: Run) -> dict[str, bytes]:
    """Every file of a run by site path."""
    made = given(run)
    return {file.path: file.content for file in run_files(run, made.analysis, made.charts, made.context)}


@dataclass
class Page:
    """A parsed page."""

    text: str
    """Visible words, white space collapsed."""
    ids: list[str]
    """Every id."""
    links: list[str]
    """Every href and src."""
    attributes: list[tuple[str, str]]
    """Every (tag, attribute)."""
    tags: list[str]
    """Every tag."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page("", [], [], [], [])
        self.words: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.tags.append(tag)
        self.silent += tag in ("script", "style")
        for name, value in attrs:
            self.page.attributes.append((tag, name))
            if name == "id" and value:
                self.page.ids.append(value)
            if name in ("href", "src") and value:
                self.page.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.words.append(data)


def read(content: bytes) -> Page:
    """A page as a browser without scripts would take it."""
    reader = _Reader()
    reader.feed(re.sub(r"(?<=[a-z])<wbr>(?=[A-Z])", "", content.decode()))
    reader.close()
    reader.page.text = re.sub(r"\s+", " ", " ".join(reader.words))
    return reader.page


def text_of(made: dict[str, bytes], kind: str, slug: str = "run", lang: str = "en") -> str:
    """Visible words of one page."""
    return read(made[("zh/" if lang == "zh" else "") + f"runs/{slug}/{kind}.html"]).text
