"""The model-card kit of a run: a section of Markdown, its pictures, a badge and a YAML fragment.

The section stands between two comment lines that name the run, so that it can be put into a README and refreshed
there (`card_readme`). It is the same for the same run: no clock, no host, no path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape as html_escape
from urllib.parse import urlsplit

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.pictures import THEMES, png
from sitegen.charts.reward import REWARD
from sitegen.errors import SitegenError
from sitegen.model.run import Run
from sitegen.pages.base import localised, run_page
from sitegen.publish.card_metadata import fragment
from sitegen.publish.card_parts import (
    CardRow,
    badge_words,
    error_shares,
    key_rows,
    method_lines,
    plain_lang,
    result_line,
)
from sitegen.publish.card_pictures import BADGE_FILE, badge_svg, run_pictures
from sitegen.publish.report import escaped
from sitegen.text import Lang, Text, ui

SECTION_FILE = "training.md"
METADATA_FILE = "metadata.yaml"
PICTURES = ("reward", "errors")
"""Names of the pictures: each is `<name>-<theme>.svg` and `.png`."""
FILES = (
    SECTION_FILE,
    METADATA_FILE,
    BADGE_FILE,
    *(f"{name}-{theme}.{ending}" for name in PICTURES for theme in THEMES for ending in ("svg", "png")),
)
"""Every file that a card's folder may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A run's card, before it is put into words of one language."""

    slug: str
    """Address of the run."""
    title: str
    """Title of the run."""
    result: Text
    """One sentence of Markdown."""
    rows: tuple[CardRow, ...]
    """Key numbers."""
    methods: tuple[Text, ...]
    """How they were measured."""
    badge: tuple[Text, Text]
    """Label and value."""
    base_url: str | None
    """Absolute address of the site, with a slash at its end; None: no permalink."""
    differs: tuple[Text, ...] = ()
    """Numbers of the published card that the run's files do not give."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """SVG text by file name."""
    errors_caption: Text | None = None
    """What the picture of error shares shows; None without that picture."""

    def permalink(self, lang: Lang) -> str | None:
        """Absolute address of the run's page in a language; None where the site's is not known."""
        return None if self.base_url is None else self.base_url + localised(run_page(self.slug), lang)


def base_address(text: str) -> str:
    """An address of a site as given on the command line, with a slash at its end.

    Raises:
        SitegenError: it is no http or https address of a folder.
    """
    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        fits = False
    if not fits or parts.username is not None or not text.isprintable() or any(mark in text for mark in " <>\"'()"):
        raise SitegenError(
            f"--base-url {text}: must be the http:// or https:// address of the site's folder, as in"
            " https://example.org/runs/"
        )
    return text.rstrip("/") + "/"


def make_card(run: Run, analysis: RunAnalysis, base_url: str | None) -> Card:
    """The card of a run that has passed the privacy border; pure.

    Args:
        run: The run.
        analysis: Its analyses.
        base_url: Absolute address of the site; None for none.
    """
    charts = REWARD.build(run, analysis) if REWARD.needs(run, analysis) else ()
    shares = error_shares(run, analysis)
    return Card(
        slug=run.slug,
        title=run.title,
        result=result_line(analysis),
        rows=key_rows(run, analysis),
        methods=tuple(method_lines(run, analysis)),
        badge=badge_words(analysis),
        base_url=None if base_url is None else base_url.rstrip("/") + "/",
        pictures=run_pictures(run, analysis, charts[0] if charts else None),
        errors_caption=shares.text if shares is not None else None,
    )


def begin_mark(slug: str) -> str:
    """The line that opens the section of a run."""
    return f"<!-- sitegen card: {slug} -->"


def end_mark(slug: str) -> str:
    """The line that closes the section of a run."""
    return f"<!-- sitegen card end: {slug} -->"


# Markdown ------------------------------------------------------------------------------------------------------------


def section(card: Card, lang: Lang, folder: str = "") -> str:
    """The section between its marks, ending in a newline.

    Args:
        card: The card.
        lang: Its language.
        folder: Where the pictures lie, as seen from the file that holds the section: `training/run/`, or empty.
    """
    link = card.permalink(lang)
    parts = [
        begin_mark(card.slug),
        f"## {escaped(ui('card.title', name=card.title).of(lang))}",
        _badge(card, lang, folder, link),
        f"**{card.result.of(lang)}**",
        _picture(card, "reward", plain_lang(card.result, lang), folder, link),
        _table(card, lang),
        _picture(card, "errors", plain_lang(card.errors_caption, lang) if card.errors_caption else "", folder, link),
        _list(ui("card.how").of(lang), [text.of(lang) for text in card.methods]),
        _list(ui("card.differing").of(lang), [text.of(lang) for text in card.differs]),
        ui("card.link", url=link).of(lang) if link else "",
        end_mark(card.slug),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _badge(card: Card, lang: Lang, folder: str, link: str | None) -> str:
    image = f"![{escaped(': '.join(text.of(lang) for text in card.badge))}]({folder}{BADGE_FILE})"
    return f"[{image}]({link})" if link else image


def _picture(card: Card, name: str, words: str, folder: str, link: str | None) -> str:
    """Both themes, of which the hub's style sheet shows one."""
    if f"{name}-light.svg" not in card.pictures:
        return ""
    alt = html_escape("".join(char if char.isprintable() else " " for char in f"{card.title}: {words}"))
    images = "".join(
        f'<img class="{css}" src="{folder}{name}-{theme}.svg" alt="{alt}" width="720">'
        for theme, css in (("light", "dark:hidden"), ("dark", "hidden dark:block"))
    )
    return f'<p><a href="{html_escape(link)}">{images}</a></p>' if link else f"<p>{images}</p>"


def _table(card: Card, lang: Lang) -> str:
    if not card.rows:
        return ""
    head = f"| {ui('card.column.what').of(lang)} | {ui('card.column.value').of(lang)} |"
    return "\n".join([head, "|---|---|", *(f"| {row.label.of(lang)} | {row.value.of(lang)} |" for row in card.rows)])


def _list(title: str, lines: list[str]) -> str:
    return "\n".join([f"### {title}", "", *(f"- {line}" for line in lines)]) if lines else ""


# Folder --------------------------------------------------------------------------------------------------------------


def card_folder(card: Card, run: Run, analysis: RunAnalysis, lang: Lang) -> dict[str, bytes]:
    """Every file of the card's folder by its name."""
    made: dict[str, bytes] = {SECTION_FILE: section(card, lang).encode()}
    made[METADATA_FILE] = fragment(run, analysis, card.permalink(lang)).encode()
    made[BADGE_FILE] = badge_svg(analysis, lang).encode()
    for name, drawn in card.pictures.items():
        made[name] = drawn.encode()
        made[f"{name.removesuffix('.svg')}.png"] = png(drawn)
    return made


def readme_pictures(card: Card, analysis: RunAnalysis, lang: Lang) -> dict[str, bytes]:
    """The files that a section in a README shows: pictures and badge, SVG only."""
    made = {name: drawn.encode() for name, drawn in card.pictures.items()}
    made[BADGE_FILE] = badge_svg(analysis, lang).encode()
    return made
