"""A finished site as the preflight sees it: its files with their sizes, and what its pages refer to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitegen.errors import SitegenError
from sitegen.resources import hash_source

OWN_FOLDERS = frozenset({".git"})
"""Folders that no host publishes."""
OWN_FILES = frozenset({".sitegen-manifest.json"})
"""Files beside the site that no host is given."""
_LOADING = frozenset({"script", "img", "iframe", "source", "video", "audio", "track", "embed", "object", "input"})
"""Elements whose addresses the browser fetches by itself."""
_LOADED_RELATIONS = frozenset({"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest"})
"""Relations of a `link` that the browser fetches."""
_TELLING = (
    r"script, style, meta, [href], [src], [data], [poster], [action], [xlink\:href], [srcset], [style], [http-equiv]"
)
"""Elements that refer to something or hold code, handlers apart: few of a page's thousands."""
_HANDLER = re.compile(rb"(?i)[\s/\"'\x00]on[^\s=>]*\s*=")
"""What a handler's attribute looks like in a page, or a word of its text: then every element is looked at."""
_ADDRESSES = ("href", "src", "data", "poster", "action", "xlink:href")
_SCRIPT_TYPES = frozenset({"", "text/javascript", "module", "application/javascript"})
_REFRESH = re.compile(r"(?i)^\s*[\d.]+\s*[;,]\s*url\s*=\s*['\"]?([^'\"]*)")
_ABSOLUTE_META = frozenset({"og:url", "og:image", "twitter:image"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One address in a page."""

    url: str
    """As written, without white space around it."""
    element: str
    """Name of the element that holds it."""
    loads: bool
    """Whether the browser fetches it by itself."""
    named: bool = False
    """Whether it only says where something lies (canonical address, other language, social picture)."""
    new_tab: bool = False
    """Whether it opens a tab of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One HTML file."""

    path: str
    """POSIX path relative to the site."""
    lang: str
    """Language that it says it is in; empty without."""
    anchors: frozenset[str]
    """What a hash can lead to."""
    references: tuple[Reference, ...]
    """Every address, in order."""
    inline: tuple[str, ...]
    """Kinds of code in the page itself that its policy does not name by their hash: script, style, handler."""
    policy: bool
    """Whether it holds a Content-Security-Policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteTree:
    """All files of a site, and its pages."""

    root: Path
    """The site's folder."""
    files: Mapping[str, int]
    """POSIX path to bytes, in path order."""
    pages: Mapping[str, Page]
    """POSIX path to page, in path order."""

    @property
    def folders(self) -> frozenset[str]:
        """Every folder that holds something, the root as an empty text."""
        found = {""}
        for path in self.files:
            while "/" in path:
                path = path.rpartition("/")[0]
                if path in found:
                    break
                found.add(path)
        return frozenset(found)


def listed(site: Path) -> dict[str, int]:
    """The files of a site: POSIX path to bytes, in path order.

    Raises:
        SitegenError: the folder is no site, or cannot be read.
    """
    if not site.is_dir():
        raise SitegenError(f"{site}: is not a folder; build one with: sitegen build ARCHIVE -o SITE")
    try:
        return dict(sorted(_files(site, "")))
    except OSError as error:
        raise SitegenError(f"{error.filename}: cannot be read: {error.strerror}") from None


def read_site(site: Path) -> SiteTree:
    """The files and pages of a site.

    Raises:
        SitegenError: the folder is no site, or a file of it cannot be read.
    """
    files = listed(site)
    try:
        pages = {path: read_page(path, (site / path).read_bytes()) for path in files if path.endswith(".html")}
    except OSError as error:
        raise SitegenError(f"{error.filename}: cannot be read: {error.strerror}") from None
    return SiteTree(root=site, files=files, pages=pages)


def _files(folder: Path, prefix: str) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if prefix or entry.name not in OWN_FOLDERS:
                    yield from _files(Path(entry.path), f"{prefix}{entry.name}/")
            elif prefix or entry.name not in OWN_FILES:
                yield f"{prefix}{entry.name}", entry.stat().st_size


def read_page(path: str, content: bytes) -> Page:
    """What a page refers to and can be led to, as a browser would parse it."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(content)
    anchors: set[str] = set()
    references: list[Reference] = []
    inline: list[tuple[str, str]] = []
    policy = ""
    found = tree.css("*" if _HANDLER.search(content) else _TELLING)
    for node in {node.mem_id: node for node in found}.values():  # one that fits twice is found twice
        attributes: dict[str, Any] = node.attributes
        tag = node.tag or ""
        references += _references(tag, attributes)
        inline += [(kind, hash_source(node.text())) for kind in _inline(tag, attributes)]
        if (attributes.get("http-equiv") or "").lower() == "content-security-policy":
            policy = policy or attributes.get("content") or "empty"
    for node in tree.css("[id], a[name]"):
        anchors |= _anchors(node.tag or "", node.attributes)
    root = tree.root
    lang = (root.attributes.get("lang") if root is not None else None) or ""
    return Page(
        path=path,
        lang=lang,
        anchors=frozenset(anchors),
        references=tuple(references),
        inline=tuple(dict.fromkeys(kind for kind, allowance in inline if allowance not in policy)),
        policy=bool(policy),
    )


def _anchors(tag: str, attributes: Mapping[str, str | None]) -> set[str]:
    names = [attributes.get("id"), attributes.get("name") if tag == "a" else None]
    return {name for name in names if name}


def _references(tag: str, attributes: Mapping[str, str | None]) -> Iterator[Reference]:
    relations = set((attributes.get("rel") or "").lower().split())
    loads = tag in _LOADING or (tag == "link" and bool(relations & _LOADED_RELATIONS))
    named = tag == "link" and not loads
    for key in _ADDRESSES:
        value = attributes.get(key)
        if value is not None and (key in ("href", "src", "xlink:href") or _holds(tag, key)):
            tab = (attributes.get("target") or "").lower() == "_blank"
            yield Reference(url=value.strip(), element=tag, loads=loads, named=named, new_tab=tab)
    for candidate in (attributes.get("srcset") or "").split(","):
        if candidate.strip():
            yield Reference(url=candidate.split()[0], element=tag, loads=True)
    if tag == "meta":
        yield from _meta(attributes)


def _holds(tag: str, key: str) -> bool:
    return (tag, key) in {("object", "data"), ("video", "poster"), ("form", "action")}


def _meta(attributes: Mapping[str, str | None]) -> Iterator[Reference]:
    content = attributes.get("content") or ""
    if (attributes.get("http-equiv") or "").lower() == "refresh" and (found := _REFRESH.match(content)):
        yield Reference(url=found[1].strip(), element="meta", loads=False)
    elif (attributes.get("property") or attributes.get("name")) in _ABSOLUTE_META:
        yield Reference(url=content.strip(), element="meta", loads=False, named=True)


def _inline(tag: str, attributes: Mapping[str, str | None]) -> Iterator[str]:
    kind = (attributes.get("type") or "").strip().lower()
    if tag == "script" and "src" not in attributes and kind in _SCRIPT_TYPES:
        yield "script"
    if tag == "style" or "style" in attributes:
        yield "style"
    if any(key.startswith("on") for key in attributes):
        yield "handler"
    if (attributes.get("href") or "").strip().lower().startswith("javascript:"):
        yield "handler"
