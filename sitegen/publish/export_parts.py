"""Pages of a run taken apart, so that they can stand in one document."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

_REFERENCES = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "list", "headers", "data-copy")
"""Attributes that name ids, several apart by spaces."""
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_DROPPED = (".tabs", "#share", "script", ".toolbar", "[data-none]")
_REPEATED = (".run-head", ".key", ".readout", "#chart-keys")
"""What every page of a run begins with; kept on the first one."""
_EMPTY = re.compile(r"></(?:line|path|rect|circle|use)>")
"""Closing tags that shapes of a drawing can do without."""
_UNUSED = ("data-text", "data-facets", "data-filter-group")
"""Attributes that only the filters read, which are not put in."""
_TAKEN = ("main", "theme", "popovers", "popover")
"""Ids of the document itself."""


@dataclass(slots=True)
class _Page:
    """One page on its way into the document."""

    path: str
    kind: str
    label: str
    main: LexborNode
    tree: LexborHTMLParser
    renamed: dict[str, str] = field(default_factory=dict)


class Parts:
    """Pages that become one document."""

    def __init__(self, base_url: str | None) -> None:
        """For a site.

        Args:
            base_url: Absolute address of the site, with a slash at its end; None: links into it become plain text.
        """
        self.base_url = base_url
        self.scripts: list[str] = []
        """Site paths of the pages' own data scripts, in order."""
        self.popovers: list[Mapping[str, Any]] = []
        """Explanations of each page."""
        self.symbols: dict[str, str] = {}
        """Icons and patterns by id."""
        self._pages: list[_Page] = []
        self._taken: set[str] = set(_TAKEN)

    @property
    def charted(self) -> bool:
        """Whether any page has a chart."""
        return any(page.main.css_first(".chart") is not None for page in self._pages)

    def add(self, path: str, kind: str, content: bytes) -> None:
        """One page at a site path, in the order of reading."""
        tree = LexborHTMLParser(content.decode())
        main, tab = tree.css_first("main"), tree.css_first('.tabs [aria-current="page"]')
        assert main is not None
        label = tab.text(deep=False).strip() if tab is not None else ""
        page = _Page(path=path, kind=kind, label=label, main=main, tree=tree)
        for node in tree.css("svg.sprite > *"):
            self.symbols[node.attributes["id"] or ""] = node.html or ""
        block = tree.css_first("script#popovers")
        self.popovers += [json.loads(block.text())] if block is not None else []
        sources = (node.attributes.get("src") or "" for node in tree.css("script[src]"))
        paths = (posixpath.normpath(posixpath.join(posixpath.dirname(path), source)) for source in sources)
        self.scripts += [found for found in paths if "/data/" in found and found not in self.scripts]
        for selector in (*_DROPPED, *(_REPEATED if self._pages else ())):
            for node in main.css(selector):
                node.decompose()
        for node in main.css("details.data"):
            if node.css_first("tbody tr") is not None and node.css_first("table") is not None:
                node.decompose()
        for attribute in _UNUSED:
            for node in main.css(f"[{attribute}]"):
                del node.attrs[attribute]
        self._rename(page)
        self._pages.append(page)

    def _rename(self, page: _Page) -> None:
        """Ids that an earlier page has get this one's name in front."""
        self._taken.add(f"page-{page.kind}")
        for node in page.main.css("[id]"):
            name = node.attributes["id"] or ""
            if name in self._taken:
                page.renamed[name] = f"{page.kind}-{name}"
                node.attrs["id"] = page.renamed[name]
            self._taken.add(page.renamed.get(name, name))
        for attribute in _REFERENCES:
            for node in page.main.css(f"[{attribute}]"):
                names = (node.attributes[attribute] or "").split()
                node.attrs[attribute] = " ".join(page.renamed.get(name, name) for name in names)

    def navigation(self) -> Iterator[tuple[str, str]]:
        """Anchor and name of each page."""
        return ((f"page-{page.kind}", page.label) for page in self._pages)

    def sections(self) -> Iterator[tuple[str, str, str]]:
        """Kind, name and HTML of each page."""
        ids = {node.attributes["id"] or "" for page in self._pages for node in page.main.css("[id]")}
        ids |= {anchor for anchor, _ in self.navigation()}
        for page in self._pages:
            for link in page.main.css("a[href]"):
                self._relink(link, page, ids)
            whole = page.main.html or ""
            yield page.kind, page.label, _EMPTY.sub("/>", re.sub(r"\A<main[^>]*>|</main>\Z", "", whole))

    def _relink(self, link: LexborNode, page: _Page, ids: set[str]) -> None:
        href = link.attributes["href"] or ""
        if _ABSOLUTE.match(href):
            return
        target, _, anchor = href.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), target)) if target else page.path
        for other in self._pages:
            if path == other.path:
                anchor = anchor if re.fullmatch(r"[^=&]+", anchor) else ""
                anchor = other.renamed.get(anchor, anchor) or f"page-{other.kind}"
                link.attrs["href"] = f"#{anchor}"
                if anchor not in ids:
                    _unlink(link)
                return
        if self.base_url is not None:
            link.attrs["href"] = f"{self.base_url}{path}{f'#{anchor}' if anchor else ''}"
        else:
            _unlink(link)


def _unlink(link: LexborNode) -> None:
    """What leads nowhere is words; an icon that leads nowhere, or a file that is not there, goes."""
    if "download" in link.attributes or link.css_first("svg") is not None:
        link.decompose()
        return
    del link.attrs["href"]
    if "data-term" in link.attributes:
        link.attrs["tabindex"] = "0"


def merged_popovers(blocks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The explanations of several pages as one block: their facts are named by place."""
    facts: list[str] = []
    terms: dict[str, Any] = {}
    for block in blocks:
        first = len(facts)
        facts += block["facts"]
        for key, popover in block["terms"].items():
            terms.setdefault(key, {**popover, "m": [place + first for place in popover["m"]]})
    return {"facts": facts, "terms": terms}
