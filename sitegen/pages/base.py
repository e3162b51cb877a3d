"""What every page shares: its address, its language, the site it stands in, and how it becomes a file.

A page is a frozen view model with a `head: PageHead`; its template extends `base.html` and sees `page`, `site`,
`lang`, `urls` and what `sitegen.render` gives every template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

from sitegen.render import render
from sitegen.settings import SiteSettings
from sitegen.text import Lang, Text

if TYPE_CHECKING:
    from sitegen.glossary.entry import EntryKind
    from sitegen.glossary.lookup import Glossary
    from sitegen.glossary.observed import Observed


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFile:
    """One file of the site."""

    path: str
    """POSIX path relative to the site root."""
    content: bytes
    """Its bytes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SiteContext:
    """What pages need to know of the site; the same for every run and every worker."""

    settings: SiteSettings
    """`sitegen.toml`."""
    assets: Mapping[str, str]
    """Logical asset name (`sitegen.css`, `app.js`, `vega.js`, `charts.js`) to its site path with a content hash."""
    glossary: Glossary
    """All entries, the archive's own included."""
    version: str
    """Version of sitegen, for the footer."""

    def urls(self, page: str, lang: Lang) -> Urls:
        """Links as seen from the page at an English site path, in a language."""
        return Urls(localised(page, lang), lang)


Area = Literal["runs", "compare", "glossary", "about", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead:
    """What `base.html` needs of every page."""

    path: str
    """English site path."""
    title: Text
    """Title, without the site's name."""
    description: Text | None = None
    """One sentence for search engines; None for none."""
    area: Area = ""
    """Entry of the site navigation it belongs to."""
    framework: str | None = None
    """Framework whose logged names the page shows; None for any."""
    entries: frozenset[str] | None = None
    """Glossary entries that may be linked, on pages that show names of several frameworks; None: every entry of the
    page's framework and of the common ones has its page."""
    names: Mapping[str, EntryKind] = field(default_factory=dict)
    """Names that the page's run logs or raises, and their kind: explained where running text holds them."""
    frameworks: Mapping[str, str] = field(default_factory=dict)
    """Logged name to its framework, where that is not the page's."""
    observed: Mapping[str, Observed] = field(default_factory=dict)
    """Logged name to its values in the run, against which a guessed explanation is held."""
    run: str | None = None
    """Slug of the run that the page is about; the keys `j` and `k` go to its neighbours."""
    scripts: tuple[str, ...] = ()
    """Site paths of further deferred scripts (Vega runtime, chart forms, data), in order."""
    translated: bool = True
    """Whether the page exists in both languages."""
    picture: str | None = None
    """Site path of the picture that link previews show, 1200 by 630; None for none."""
    dataset: Mapping[Lang, Mapping[str, Any]] | None = None
    """What the page says of its run to search engines (schema.org `Dataset`), by language; None for nothing."""


class View(Protocol):
    """Any page's view model."""

    @property
    def head(self) -> PageHead:
        """Its head."""
        ...


def render_page(template: str, page: View, site: SiteContext, lang: Lang) -> SiteFile:
    """One page in one language as a file of the site; `template` is relative to `templates/`."""
    return SiteFile(path=localised(page.head.path, lang), content=render(template, page, site, lang))


class Urls:
    """Makes every address. Site paths are root-relative without a leading slash; links are relative and name a file."""

    def __init__(self, page: str, lang: Lang) -> None:
        """For links from the page at site path `page` (with its `zh/` when Chinese)."""
        self.page = page
        self.lang = lang

    def to(self, site_path: str) -> str:
        """Relative link from this page to a site path (an asset, a data file)."""
        return relative(site_path, self.page.rpartition("/")[0])

    def page_to(self, page: str, anchor: str = "") -> str:
        """Relative link to an English site path's page in this page's language."""
        return self.to(localised(page, self.lang)) + (f"#{anchor}" if anchor else "")

    def alternate(self, lang: Lang) -> str:
        """Relative link to this page in another language."""
        bare = self.page.removeprefix("zh/") if self.lang == "zh" else self.page
        return self.to(localised(bare, lang))


@lru_cache(maxsize=65536)
def relative(site_path: str, folder: str) -> str:
    """Link from a folder of the site to a site path; both without leading slash, `.` or empty for the root."""
    target = [part for part in site_path.split("/") if part not in ("", ".")]
    start = [part for part in folder.split("/") if part]
    shared = 0
    while shared < min(len(start), len(target)) and start[shared] == target[shared]:
        shared += 1
    return "/".join([".."] * (len(start) - shared) + target[shared:]) or "."


def localised(page: str, lang: Lang) -> str:
    """Site path of a page in a language: English at the root, Chinese under `zh/`."""
    return page if lang == "en" else f"zh/{page}"


def run_page(slug: str, kind: str = "index") -> str:
    """Site path of a run's page: index, metrics, trials, engines, config, logs, sources."""
    return f"runs/{slug}/{kind}.html"


def embed_path(slug: str, chart_id: str) -> str:
    """Site path of a chart's page for frames."""
    return f"runs/{slug}/embed/{chart_id}.html"


COMPARE_PATH = "compare/index.html"
"""English site path of the page that compares runs."""


def glossary_page(entry_id: str) -> str:
    """Site path of a glossary entry's page."""
    return f"glossary/{entry_id}.html"


def group_page(group: str) -> str:
    """Site path of the page of a glossary group."""
    return f"glossary/group-{group}.html"
