"""All pages and files of the site as a whole: everything that is not one run's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sitegen.pages.about import about_page
from sitegen.pages.archive_data import archive_files, found_scripts
from sitegen.pages.base import SiteContext, SiteFile, View, localised, render_page, run_page
from sitegen.pages.compare import compare_page
from sitegen.pages.compare_data import compare_script
from sitegen.pages.glossary import Book, book, entry_pages, glossary_index, group_pages
from sitegen.pages.index import ArchiveScripts, index_page, list_pages, newest_first
from sitegen.pages.missing import missing_page
from sitegen.pages.row import RunRow
from sitegen.pages.search import INDEX_PATH, search_page, search_script
from sitegen.publish.feed import FEED_PATH, feed
from sitegen.publish.sitemap import followed, robots, sitemaps
from sitegen.publish.social import SITE_PICTURE, site_picture
from sitegen.render import js_text
from sitegen.text import LANGS, Lang

ARCHIVE_SCHEMA = 1
"""Version of `archive.json`; `docs/archive-json.md` says what it holds."""


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
    pages: list[str] = []
    for template, view in _views(ordered, found, site, data):
        pages.append(view.head.path)
        for lang in langs:
            yield render_page(template, view, site, lang)
    if "en" in langs:
        yield _file(INDEX_PATH, search_script(ordered, found, site))
        yield from _plain_files(ordered, site)
        if followed(site.settings):
            yield from sitemaps(ordered, pages, site.settings)
            yield SiteFile(path=SITE_PICTURE, content=site_picture(ordered, site.settings.title.en))
            yield from (_file(localised(FEED_PATH, lang), feed(ordered, site.settings, lang)) for lang in LANGS)


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


def _plain_files(rows: Sequence[RunRow], site: SiteContext) -> Iterator[SiteFile]:
    archive = json.dumps(archive_data(rows, site), ensure_ascii=False, allow_nan=False, indent=1)
    yield _file("archive.json", archive + "\n")
    yield _file("archive.js", f"sitegen.runs = {js_text([row.slug for row in rows])};\n")
    missing = missing_page(site)
    yield render_page("pages/not_found.html", missing, site, "en")
    yield _file("_headers", headers(site, missing.policy))
    yield _file(".nojekyll", "")
    yield _file("robots.txt", robots(site.settings))


def _file(path: str, text: str) -> SiteFile:
    return SiteFile(path=path, content=text.encode())


HEADERS = """/*
  Content-Security-Policy: {policy}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
/assets/*
  Cache-Control: public, max-age=31536000, immutable
"""
"""Headers for hosts that read `_headers` (Netlify, Cloudflare Pages). They go with `404.html` too, wherever it is
shown, so their policy is that page's; every other page narrows it by its own."""


def headers(site: SiteContext, policy: str) -> str:
    """`_headers`; an archive that is not listed asks search engines to leave all of its files out, data too."""
    found = HEADERS.format(policy=policy)
    if site.settings.listed:
        return found
    return found.replace("/assets/*", "  X-Robots-Tag: noindex\n/assets/*")


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
