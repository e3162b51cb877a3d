"""How the numbers are made: definitions, rules and thresholds, with the values in force for this site."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen import format as fmt
from sitegen.pages.base import PageHead, SiteContext
from sitegen.text import Text, ui

SECTIONS = (
    "trust",
    "missing",
    "metrics",
    "reward",
    "checkpoint",
    "overlap",
    "status",
    "time",
    "trials",
    "engines",
    "published",
    "charts",
    "glossary",
    "privacy",
    "data-files",
)
"""Sections in order; the texts are `about.<section>` and `about.<section>-text`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutSection:
    """One section."""

    id: str
    """Anchor."""
    title: Text
    """Heading."""
    paragraphs: tuple[Text, ...]
    """Its text; names in backticks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutPage:
    """View model of `about.html`."""

    head: PageHead
    """Its head."""
    sections: tuple[AboutSection, ...]
    """In order."""


def about_page(site: SiteContext) -> AboutPage:
    """The view model of the page."""
    settings = site.settings
    values = {
        "alpha": "1/3" if abs(settings.ema_alpha - 1 / 3) < 1e-9 else fmt.number(settings.ema_alpha, 3),
        "threshold": fmt.number(settings.success_threshold),
        "rule": ui(f"about.rule-{settings.overlap_rule}"),
    }
    return AboutPage(
        head=PageHead(path="about.html", title=ui("about.title"), description=ui("about.lede"), area="about"),
        sections=tuple(
            AboutSection(
                id=section,
                title=ui(f"about.{section}"),
                paragraphs=_paragraphs(ui(f"about.{section}-text").format(**values)),
            )
            for section in SECTIONS
        ),
    )


def _paragraphs(text: Text) -> tuple[Text, ...]:
    pairs = zip(text.en.strip().split("\n\n"), text.zh.strip().split("\n\n"), strict=True)
    return tuple(Text(en, zh) for en, zh in pairs)
