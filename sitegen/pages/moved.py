"""Old addresses of a run: every page of it is found there too, and so are the pictures that others show.

A static host cannot lead a whole folder elsewhere, so each page has one that leads to it, in both languages: those of
charts in frames and of single trials as well. Badge and pictures are copied, because no page stands around them that
could lead on. Data files are not: `archive.json` and the pages tell where they are now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sitegen.model.run import Run
from sitegen.pages.base import PageHead, SiteContext, SiteFile, render_page
from sitegen.text import Lang, same

TEMPLATE = "pages/redirect.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class RedirectPage:
    """An old address that leads to a page of a run."""

    head: PageHead
    """Its head; the path is the old address."""
    target: str
    """English site path of the page that it leads to."""


def with_old_addresses(files: Iterable[SiteFile], run: Run, site: SiteContext) -> Iterator[SiteFile]:
    """The files of a run, each followed by what stands for it at the run's old addresses.

    Args:
        files: Everything that the run has in the site.
        run: The run; its settings tell the old addresses.
        site: The site.
    """
    old = [alias for alias in dict.fromkeys(run.settings.aliases) if alias != run.slug]
    for file in files:
        yield file
        for alias in old:
            yield from _at(alias, file, run, site)


def _at(alias: str, file: SiteFile, run: Run, site: SiteContext) -> Iterator[SiteFile]:
    lang: Lang = "zh" if file.path.startswith("zh/") else "en"
    page = file.path.removeprefix("zh/")
    below = page.removeprefix(f"runs/{run.slug}/")
    place = f"runs/{alias}/{below}"
    if below == page:
        return
    if page.endswith(".html"):
        head = PageHead(path=place, title=same(run.title))
        yield render_page(TEMPLATE, RedirectPage(head=head, target=page), site, lang)
    elif below.startswith("card/") and page.endswith(".svg"):
        yield SiteFile(path=place, content=file.content)
