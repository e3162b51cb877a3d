"""All pages and files of the site as a whole: everything that is not one run's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from sitegen.pages.about import about_page
from sitegen.pages.archive_data import archive_files, found_scripts
from sitegen.pages.base import PageHead, SiteContext, SiteFile, View, localised, render_page, run_page
from sitegen.pages.compare import compare_page
from sitegen.pages.compare_data import compare_script
from sitegen.pages.glossary import Book, book, entry_pages, glossary_index, group_pages
from sitegen.pages.index import ArchiveScripts, index_page, list_pages, newest_first
from sitegen.pages.row import RunRow
from sitegen.pages.search import INDEX_PATH, search_page, search_script
from sitegen.render import CSP, js_text
from sitegen.text import LANGS, Lang, same, ui

ARCHIVE_SCHEMA = 1
"""Version of `archive.json`; `docs/archive-json.md` says what it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainPage:
    """A page with nothing but its head: `404.html`."""

    head: PageHead
    """Its head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedirectPage:
    """An old address that leads to a run."""

    head: PageHead
    """Its head; the path is the old address."""
    target: str
    """Page it leads to."""


SITE_PAGES: tuple[tuple[str, Callable[[Sequence[RunRow], Book, SiteContext], View]], ...] = (
    ("pages/glossary_index.html", lambda rows, found, site: glossary_index(found, rows, site)),
    ("pages/about.html", lambda rows, found, site: about_page(site)),
    ("pages/search.html", lambda rows, found, site: search_page(rows, found)),
)
"""The pages that every site has beside its index: template, and what makes its view model of the rows (newest first)
and the glossary. `docs/adding-a-page.md` says how to add one."""


def site_files(
    rows: Sequence[RunRow],
    site: SiteContext,
    langs: Sequence[Lang] = LANGS,
    data: ArchiveScripts | None = None,
) -> Iterator[SiteFile]:
    """Every site-level page, and the files beside them.

    Args:
        rows: one row per run.
        site: the site.
        langs: the languages wanted, so that each can be made in a process of its own; the files that have no
            language come with English.
        data: the scripts about all runs; None to make them here, from the rows alone.
    """
    ordered = newest_first(rows)
    if data is None:
        made = [*archive_files(ordered, site, {}), *compare_script(ordered, site, {})]
        data = found_scripts(file.path for file in made)
        yield from made
    found = book(ordered, site.glossary, every=site.settings.glossary == "all")
    for template, view in _views(ordered, found, site, data):
        for lang in langs:
            yield render_page(template, view, site, lang)
    if "en" in langs:
        yield _file(INDEX_PATH, search_script(ordered, found, site))
        yield from _plain_files(ordered, site)


def _views(
    ordered: Sequence[RunRow], found: Book, site: SiteContext, data: ArchiveScripts
) -> Iterator[tuple[str, View]]:
    """Template and view model of every page."""
    yield "pages/index.html", index_page(ordered, site, data)
    yield "pages/compare.html", compare_page(ordered, site, data)
    for part in list_pages(ordered, site):
        yield "pages/run_list.html", part
    for template, build in SITE_PAGES:
        yield template, build(ordered, found, site)
    for group in group_pages(found, ordered, site):
        yield "pages/glossary_group.html", group
    for page in entry_pages(found, site):
        yield "pages/glossary_entry.html", page
    for redirect in _redirects(ordered):
        yield "pages/redirect.html", redirect


def _redirects(rows: Sequence[RunRow]) -> Iterator[RedirectPage]:
    """A page for each old address that no run has now; the first run that claims one gets it."""
    taken = {row.slug for row in rows}
    for row in sorted(rows, key=lambda row: row.slug):
        for alias in row.aliases:
            if alias not in taken:
                taken.add(alias)
                head = PageHead(path=run_page(alias), title=same(row.title))
                yield RedirectPage(head=head, target=run_page(row.slug))


def _plain_files(rows: Sequence[RunRow], site: SiteContext) -> Iterator[SiteFile]:
    archive = json.dumps(archive_data(rows, site), ensure_ascii=False, allow_nan=False, indent=1)
    yield _file("archive.json", archive + "\n")
    yield _file("archive.js", f"sitegen.runs = {js_text([row.slug for row in rows])};\n")
    missing = PlainPage(head=PageHead(path="404.html", title=ui("missing.title"), translated=False))
    yield render_page("pages/not_found.html", missing, site, "en")
    yield _file("_headers", HEADERS)
    yield _file(".nojekyll", "")
    yield _file("robots.txt", robots(site))
    if site.settings.base_url:
        yield _file("sitemap.xml", sitemap(rows, site.settings.base_url))


def _file(path: str, text: str) -> SiteFile:
    return SiteFile(path=path, content=text.encode())


HEADERS = f"""/*
  Content-Security-Policy: {CSP}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
/assets/*
  Cache-Control: public, max-age=31536000, immutable
"""
"""Headers for hosts that read `_headers` (Netlify, Cloudflare Pages)."""


def robots(site: SiteContext) -> str:
    """`robots.txt`: everything may be read."""
    base = site.settings.base_url
    return "User-agent: *\nAllow: /\n" + (f"Sitemap: {base.rstrip('/')}/sitemap.xml\n" if base else "")


def sitemap(rows: Sequence[RunRow], base_url: str) -> str:
    """`sitemap.xml`: the pages to find the site by, each with its other language."""
    pages = [
        "index.html",
        "compare/index.html",
        "glossary/index.html",
        "about.html",
        *(run_page(row.slug) for row in rows),
    ]
    base = base_url.rstrip("/")
    links: dict[Lang, str] = {"en": "en", "zh": "zh-CN"}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">'
    )
    for page in pages:
        addresses = {lang: escape(f"{base}/{localised(page, lang)}", {'"': "&quot;"}) for lang in LANGS}
        alternates = "".join(
            f'<xhtml:link rel="alternate" hreflang="{links[lang]}" href="{addresses[lang]}"/>' for lang in LANGS
        )
        lines += [f"<url><loc>{addresses[lang]}</loc>{alternates}</url>" for lang in LANGS]
    return "\n".join([*lines, "</urlset>", ""])


def archive_data(rows: Sequence[RunRow], site: SiteContext) -> dict[str, Any]:
    """The content of `archive.json`."""
    title = site.settings.title
    return {
        "schema": ARCHIVE_SCHEMA,
        "title": {"en": title.en, "zh": title.zh},
        "runs": [_archive_run(row) for row in rows],
    }


def _archive_run(row: RunRow) -> dict[str, Any]:
    facts = row.facts
    checkpoint: Mapping[str, Any] | None = None
    if row.checkpoint_step is not None:
        checkpoint = {"step": row.checkpoint_step, "ema": row.checkpoint_ema}
    return {
        "slug": row.slug,
        "title": row.title,
        "page": run_page(row.slug),
        "data": f"runs/{row.slug}/run.json",
        "framework": row.framework,
        "status": facts.status,
        "tags": list(row.tags),
        "base_model": facts.base_model,
        "dataset": facts.dataset,
        "algorithm": facts.algorithm,
        "started": facts.started,
        "finished": facts.finished,
        "jobs": row.jobs,
        "steps": facts.steps_done,
        "planned_steps": facts.planned_steps,
        "gpu_hours": facts.gpu_hours,
        "reward_metric": facts.reward_metric,
        "checkpoint": checkpoint,
        "best_pass": row.best_pass,
        "best_pass_step": row.best_pass_step,
        "pass_k": row.pass_k,
        "trials": row.trials,
        "graded": row.graded,
        "success_rate": row.success_rate,
        "exception_rate": row.exception_rate,
        "median_step_s": row.step_s,
        "waiting_share": row.waiting_share,
        "published": list(row.published),
        "problems": {"error": row.errors, "warning": row.warnings, "info": row.infos},
    }
