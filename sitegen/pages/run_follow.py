"""What a run's first page says of itself elsewhere: link previews and structured data, where the site is followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.pages.base import PageHead, SiteFile
from sitegen.pages.row import run_row
from sitegen.pages.run_view import PageKind, RunInput
from sitegen.publish.feed import summary
from sitegen.publish.jsonld import run_dataset
from sitegen.publish.sitemap import followed
from sitegen.publish.social import social_path, social_picture
from sitegen.text import LANGS


def social_files(given: RunInput) -> Iterator[SiteFile]:
    """The picture that link previews show; none where nobody can be led to the site."""
    settings = given.context.settings
    if followed(settings):
        row = run_row(given.run, given.analysis)
        yield SiteFile(path=social_path(row.slug), content=social_picture(row, settings.title.en))


def followed_head(given: RunInput, kind: PageKind, head: PageHead, files: Sequence[str]) -> PageHead:
    """A page's head with its picture, and on the first page with the run as a data set.

    Args:
        given: the run.
        kind: which of its pages.
        head: what the page says already.
        files: site paths of the run's downloads.
    """
    settings = given.context.settings
    if not followed(settings):
        return head
    head = replace(head, picture=social_path(given.run.slug))
    if kind != "index":
        return head
    row = run_row(given.run, given.analysis)
    data = {lang: run_dataset(row, files, settings, lang) for lang in LANGS}
    return replace(head, dataset=data, description=head.description or summary(row))
