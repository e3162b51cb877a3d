"""What a run's page offers for linking it from elsewhere: texts to copy, and the pictures that they show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape as html_escape

from sitegen.pages.base import SiteFile, embed_path, localised, run_page
from sitegen.pages.run_view import RunInput, Voice
from sitegen.publish.card_parts import badge_words, plain_lang, result_line
from sitegen.publish.card_pictures import BADGE_FILE, badge_svg, run_pictures
from sitegen.publish.report import escaped

HERE = "{site}/"
"""Stands for the site's address where none is set; the page's script puts in the address that it was opened at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareText:
    """One text to copy."""

    id: str
    """Id of the element that holds it."""
    label: str
    """What it is."""
    text: str
    """The text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The panel "link this run"."""

    texts: tuple[ShareText, ...]
    """Markdown, HTML, badge, URL."""
    absolute: bool
    """Whether the site's address is known, so that the texts are whole without scripts."""


def card_path(slug: str, name: str) -> str:
    """Site path of one of the run's pictures."""
    return f"runs/{slug}/card/{name}"


def card_files(given: RunInput) -> Iterator[SiteFile]:
    """The run's badge, and its pictures in both themes; one set for both languages."""
    leading = next((chart for chart in given.charts if chart.id == "reward"), None)
    for name, drawn in run_pictures(given.run, given.analysis, leading).items():
        yield SiteFile(path=card_path(given.run.slug, name), content=drawn.encode())
    yield SiteFile(path=card_path(given.run.slug, BADGE_FILE), content=badge_svg(given.analysis, "en").encode())


def run_share(given: RunInput, voice: Voice) -> Share:
    """The texts in the page's language."""
    run, base = given.run, given.context.settings.base_url
    site = HERE if base is None else base.rstrip("/") + "/"
    url = site + localised(run_page(run.slug), voice.lang)
    result = plain_lang(result_line(given.analysis), voice.lang)
    badge = ": ".join(words.of("en") for words in badge_words(given.analysis))
    texts = (
        ("markdown", f"[{escaped(run.title)}]({url}): {escaped(result)}"),
        ("html", _html(given, site, url, result)),
        ("badge", f"[![{escaped(badge)}]({site}{card_path(run.slug, BADGE_FILE)})]({url})"),
        ("url", url),
        *_frame(given, site, voice),
    )
    return Share(
        texts=tuple(
            ShareText(id=f"share-{key}", label=voice.shared(f"card.share.{key}"), text=text) for key, text in texts
        ),
        absolute=base is not None,
    )


def _frame(given: RunInput, site: str, voice: Voice) -> Iterator[tuple[str, str]]:
    """The reward's chart in a frame of another page; nothing where there is none."""
    if any(chart.id == "reward" and chart.static_svg is not None for chart in given.charts):
        source = html_escape(site + localised(embed_path(given.run.slug, "reward"), voice.lang))
        title = html_escape(given.run.title)
        size = 'width="100%" height="420" loading="lazy" sandbox="allow-scripts allow-popups"'
        yield "frame", f'<iframe src="{source}" title="{title}" {size}></iframe>'


def _html(given: RunInput, site: str, url: str, result: str) -> str:
    """A link around the reward's picture, around the title where there is none."""
    title = html_escape(given.run.title)
    inside = title
    if any(chart.id == "reward" and chart.static_svg is not None for chart in given.charts):
        source = html_escape(site + card_path(given.run.slug, "reward-light.svg"))
        inside = f'<img src="{source}" alt="{title}: {html_escape(result)}" width="720">'
    return f'<a href="{html_escape(url)}">{inside}</a>'
