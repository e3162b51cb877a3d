"""Rules about the pages of a site: where their links lead, what they load, what they weigh, in which languages."""

from __future__ import annotations

import gzip
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from urllib.parse import unquote, urlsplit

from sitegen.budgets import PAGE_BYTES
from sitegen.publish.check_site_files import in_mb
from sitegen.publish.host_finding import HostFinding, Severity, Target, finding
from sitegen.publish.site_tree import Page, Reference, SiteTree

LOADED_BYTES = 1_500_000
"""Most bytes as sent of a page with all it loads: runtime, charts, data."""
ALONE = frozenset({"404.html"})
"""Pages that exist once, in all languages."""
_LOCAL_HOSTS = re.compile(r"(?i)(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\])(?::\d+)?$")
_HARMLESS_SCHEMES = frozenset({"mailto", "data", "tel", "about"})
_CSS_URL = re.compile(r"(?i)url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
_LOC = re.compile(r"<loc>([^<]*)</loc>")


def page_findings(tree: SiteTree, target: Target) -> Iterator[HostFinding]:
    """Everything about a site's pages that would break, leak or mislead on a host."""
    site = _Site(tree=tree, folders=tree.folders, base=_base_url(tree), target=target)
    base = site.base
    sizes = partial(_sent, lru_cache(maxsize=None)(partial(_compressed, tree)))
    for page in tree.pages.values():
        seen: set[tuple[str, bool]] = set()
        for reference in page.references:
            key = (reference.url, reference.loads)
            if key not in seen:
                seen.add(key)
                yield from _reference(site, page, reference)
                if base and reference.named and reference.url.startswith(base):
                    yield from _absent(tree, page.path, reference.url, base)
        yield from _inside(page)
        yield from _languages(tree, page)
        yield from _weight(tree, page, sizes)
    yield from _style_sheets(tree)
    yield from _sitemap(tree, base)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    tree: SiteTree
    folders: frozenset[str]
    base: str
    target: Target


def _reference(site: _Site, page: Page, reference: Reference) -> Iterator[HostFinding]:
    url = reference.url
    try:
        parts = urlsplit(url)
    except ValueError:
        yield finding("broken-link", "error", page.path, url=url)
        return
    if parts.scheme or parts.netloc:
        yield from _outside(site, page, reference)
    elif parts.path.startswith("/"):
        yield finding("absolute-link", "error", page.path, url=url)
    else:
        yield from _within(site, page, url)


def _outside(site: _Site, page: Page, reference: Reference) -> Iterator[HostFinding]:
    parts = urlsplit(reference.url)
    scheme = parts.scheme.lower()
    if scheme in _HARMLESS_SCHEMES or scheme == "javascript":  # the latter is code in the page
        return
    if scheme == "file" or _LOCAL_HOSTS.match(parts.netloc.rpartition("@")[2]):
        yield finding("local-address", "error", page.path, url=reference.url)
    elif reference.loads:
        yield finding("third-party", "error", page.path, url=reference.url)
    elif not scheme:
        yield finding("absolute-link", "error", page.path, url=reference.url)
    elif _leaves_the_frame(site, reference):
        yield finding("framed-link", "warning", page.path, url=reference.url)


def _leaves_the_frame(site: _Site, reference: Reference) -> bool:
    """Whether a link opens another site inside the frame of a Space."""
    own = bool(site.base) and reference.url.startswith(site.base)
    return site.target == "hf" and reference.element == "a" and not reference.new_tab and not own


def _within(site: _Site, page: Page, url: str) -> Iterator[HostFinding]:
    tree = site.tree
    path, _, anchor = url.partition("#")
    path = unquote(path.partition("?")[0])
    if page.path in ALONE:  # hosts show it under any address, so it asks for its files at every depth
        path = re.sub(r"^(?:\.\./)+", "", path)
    if path:
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path))
        if path.endswith(("/", "/.", "/..")) or wanted in site.folders or wanted == ".":
            severity: Severity = "error" if site.target in ("hf", "file") else "warning"
            yield finding("directory-link", severity, page.path, url=url)
            return
        if wanted not in tree.files:
            yield finding("broken-link", "error", page.path, url=url)
            return
    else:
        wanted = page.path
    if anchor and wanted in tree.pages and not _leads(tree.pages[wanted], anchor):
        yield finding("broken-anchor", "error", page.path, url=url)


def _leads(page: Page, anchor: str) -> bool:
    """Whether a hash names an element of a page, is state that scripts read (`a=b`), or leads to the top."""
    return "=" in anchor or anchor == "top" or anchor in page.anchors or unquote(anchor) in page.anchors


def _inside(page: Page) -> Iterator[HostFinding]:
    for kind in page.inline:
        yield finding(f"inline-{kind}", "error", page.path)
    if not page.policy:
        yield finding("no-policy", "warning", page.path)


def _languages(tree: SiteTree, page: Page) -> Iterator[HostFinding]:
    if page.path in ALONE:
        return
    chinese = page.path.startswith("zh/")
    other = page.path.removeprefix("zh/") if chinese else f"zh/{page.path}"
    if other not in tree.files:
        yield finding("missing-language", "error", page.path, other=other)
    if page.lang.lower().startswith("zh") is not chinese or not page.lang:
        yield finding("wrong-language", "error", page.path, lang=page.lang or "–")


def _weight(tree: SiteTree, page: Page, sent: Callable[[list[str], int], int]) -> Iterator[HostFinding]:
    if sent([page.path], PAGE_BYTES) > PAGE_BYTES:
        size = in_mb(sent([page.path], 0))
        yield finding("heavy-page", "warning", page.path, size=size, most=in_mb(PAGE_BYTES))
    here = posixpath.dirname(page.path)
    urls = {reference.url.partition("?")[0] for reference in page.references if reference.loads}
    loaded = {posixpath.normpath(posixpath.join(here, unquote(url))) for url in urls} & tree.files.keys()
    files = sorted({page.path, *loaded})
    if sum(tree.files[path] for path in files) > LOADED_BYTES and sent(files, LOADED_BYTES) > LOADED_BYTES:
        yield finding("heavy-load", "warning", page.path, size=in_mb(sent(files, 0)), most=in_mb(LOADED_BYTES))


_LEVELS = (0, 1, 6)
"""Levels of compression to try: a size that is small enough needs no better one, and the last takes thrice as long."""


def _sent(compressed: Callable[[str, int], int], files: list[str], enough: int) -> int:
    """Bytes of files as sent, or of a weaker compression where even that is not more than `enough`."""
    size = 0
    for level in _LEVELS:
        size = sum(compressed(path, level) for path in files)
        if size <= enough:
            break
    return size


def _compressed(tree: SiteTree, path: str, level: int) -> int:
    return len(gzip.compress((tree.root / path).read_bytes(), level)) if level else tree.files[path]


def _style_sheets(tree: SiteTree) -> Iterator[HostFinding]:
    for path in tree.files:
        if path.endswith(".css"):
            text = (tree.root / path).read_text(encoding="utf-8", errors="replace")
            for match in _CSS_URL.finditer(text):
                url = (match[1] or match[2]).strip()
                if url.startswith(("http:", "https:", "//")):
                    yield finding("third-party", "error", path, url=url)
                elif not url.startswith(("data:", "#")) and _target(path, url) not in tree.files:
                    yield finding("broken-link", "error", path, url=url)


def _target(path: str, url: str) -> str:
    clean = unquote(re.split(r"[?#]", url, maxsplit=1)[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), clean))


def _base_url(tree: SiteTree) -> str:
    """Where the site says it lies: its first page's canonical address without the page; empty when it does not say."""
    for page in tree.pages.values():
        for reference in page.references:
            if reference.named and reference.url.startswith("http") and reference.url.endswith(f"/{page.path}"):
                return reference.url.removesuffix(page.path)
    return ""


def _absent(tree: SiteTree, path: str, url: str, base: str) -> Iterator[HostFinding]:
    if unquote(url.removeprefix(base).partition("#")[0]) not in tree.files:
        yield finding("broken-link", "error", path, url=url)


def _sitemap(tree: SiteTree, base: str) -> Iterator[HostFinding]:
    if "sitemap.xml" in tree.files and base:
        text = (tree.root / "sitemap.xml").read_text(encoding="utf-8", errors="replace")
        for url in _LOC.findall(text):
            yield from _absent(tree, "sitemap.xml", url.replace("&amp;", "&"), base)
