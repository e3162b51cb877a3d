"""`sitemap.xml`: every page to find the site by, each with its other language; `robots.txt`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote
from xml.sax.saxutils import escape

from sitegen.pages.base import SiteFile, localised, run_page
from sitegen.pages.row import RunRow
from sitegen.publish.feed import changed, rfc3339, site_base
from sitegen.settings import SiteSettings
from sitegen.text import LANGS, Lang

MOST_URLS = 50_000
"""Addresses that one sitemap may hold (sitemaps.org); a site with more gets several, and an index of them."""
CODES: dict[Lang, str] = {"en": "en", "zh": "zh-CN"}
"""Language to `hreflang`."""

_URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">'
_INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
_XML = '<?xml version="1.0" encoding="UTF-8"?>'


def robots(settings: SiteSettings) -> str:
    """`robots.txt`: everything may be read; an archive that is not listed says so in each page, which must be read."""
    text = "User-agent: *\nAllow: /\n"
    return f"{text}Sitemap: {site_base(settings)}sitemap.xml\n" if followed(settings) else text


def followed(settings: SiteSettings) -> bool:
    """Whether feed, sitemap and social pictures are made: the site's address is known and it may be listed."""
    return settings.base_url is not None and settings.listed


def sitemaps(rows: Sequence[RunRow], pages: Sequence[str], settings: SiteSettings) -> Iterator[SiteFile]:
    """The site map, in parts where it is too long for one.

    Args:
        rows: the runs, whose pages are dated as their files tell.
        pages: English site paths of the site's other pages.
        settings: `sitegen.toml`, with `base_url`.
    """
    base = site_base(settings)
    dated = [*((page, None) for page in pages), *((run_page(row.slug), changed(row)) for row in rows)]
    entries = [line for page, moment in dated for line in _entry(page, moment, base)]
    parts = [entries[start : start + MOST_URLS] for start in range(0, len(entries), MOST_URLS)]
    if len(parts) == 1:
        yield _file("sitemap.xml", [_URLSET, *entries, "</urlset>"])
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        yield _file(name, [_URLSET, *part, "</urlset>"])
    yield _file(
        "sitemap.xml", [_INDEX, *(f"<sitemap><loc>{base}{name}</loc></sitemap>" for name in names), "</sitemapindex>"]
    )


def _entry(page: str, moment: float | None, base: str) -> Iterator[str]:
    addresses = {lang: escape(base + quote(localised(page, lang))) for lang in LANGS}
    codes = {**{CODES[lang]: addresses[lang] for lang in LANGS}, "x-default": addresses["en"]}
    others = "".join(f'<xhtml:link rel="alternate" hreflang="{code}" href="{href}"/>' for code, href in codes.items())
    modified = "" if moment is None else f"<lastmod>{rfc3339(moment)}</lastmod>"
    for lang in LANGS:
        yield f"<url><loc>{addresses[lang]}</loc>{modified}{others}</url>"


def _file(path: str, lines: Sequence[str]) -> SiteFile:
    return SiteFile(path=path, content="\n".join([_XML, *lines, ""]).encode())
