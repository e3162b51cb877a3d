"""Every link and anchor of the built sample site leads somewhere inside it."""

from __future__ import annotations

import posixpath
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None or tag == "use":
                continue
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id":
                self.ids.append(value)


@cache
def parsed(site: Path) -> dict[str, Links]:
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path.relative_to(site).as_posix()] = links = Links()
        links.feed(path.read_text(encoding="utf-8"))
    return pages


def test_links_and_anchors(sample_site: Path) -> None:
    pages = parsed(sample_site)
    files = {path.relative_to(sample_site).as_posix() for path in sample_site.rglob("*") if path.is_file()}
    broken = []
    for page, found in pages.items():
        for link in found.links:
            if link.startswith(("https://", "http://", "mailto:", "data:")):
                continue
            path, _, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(path))) if path else page
            if path.startswith("/") or target not in files:  # a folder is no file: a static Space shows none
                broken.append(f"{page}: {link}")
            elif anchor and "=" not in anchor and target in pages and anchor not in pages[target].ids:
                broken.append(f"{page}: {link} (no such anchor)")
    assert len(pages) > 50
    assert broken == []


def test_no_id_is_used_twice_on_a_page(sample_site: Path) -> None:
    twice = {
        page: sorted({i for i in found.ids if found.ids.count(i) > 1}) for page, found in parsed(sample_site).items()
    }
    assert {page: ids for page, ids in twice.items() if ids} == {}
