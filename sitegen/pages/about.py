"""How the numbers are made: definitions, rules and thresholds, with the values in force for this site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sitegen import format as fmt
from sitegen.analyse import verdict
from sitegen.analyse.findings import RULES, Rule
from sitegen.analyse.findings.thresholds import Threshold
from sitegen.glossary.places import RULE_EXCEPTIONS
from sitegen.pages.base import PageHead, SiteContext
from sitegen.text import LANGS, Text, same, ui

SECTIONS = (
    "trust",
    "sources",
    "missing",
    "metrics",
    "reward",
    "checkpoint",
    "findings",
    "overlap",
    "status",
    "time",
    "trials",
    "engines",
    "published",
    "charts",
    "language",
    "glossary",
    "privacy",
    "data-files",
)
"""Sections in order; the texts are `about.<section>` and `about.<section>-text`."""

SEE: Mapping[str, tuple[str, ...]] = {
    "metrics": ("common-std", "common-percentiles"),
    "reward": ("common-ema", "common-pass_at_k"),
    "checkpoint": ("common-checkpoint_selection",),
    "overlap": ("common-lineage",),
    "time": ("common-straggler", "common-weight_sync"),
    "trials": ("common-graded", "common-masking", "common-truncation"),
    "engines": ("common-kv_cache", "common-prefix_cache", "common-prefill_decode"),
}
"""Concepts of the glossary that tell more of a section; concepts have a page in every site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutSection:
    """One section."""

    id: str
    """Anchor."""
    title: Text
    """Heading."""
    paragraphs: tuple[Text, ...]
    """Its text; names in backticks."""
    see: tuple[tuple[str, Text], ...]
    """Glossary entries that tell more: id and title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutRule:
    """One rule that writes findings."""

    id: str
    """Its name."""
    severity: Text
    """Its severity unless its numbers say otherwise."""
    fires: Text
    """When it fires."""
    thresholds: tuple[Text, ...]
    """Deciding numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutPage:
    """View model of `about.html`."""

    head: PageHead
    """Its head."""
    sections: tuple[AboutSection, ...]
    """In order."""
    rules: tuple[AboutRule, ...]
    """All rules, in the order of findings of one severity."""


def about_page(site: SiteContext) -> AboutPage:
    """The view model of the page."""
    settings = site.settings
    values: dict[str, str | Text] = {
        "alpha": "1/3" if abs(settings.ema_alpha - 1 / 3) < 1e-9 else fmt.number(settings.ema_alpha, 3),
        "threshold": fmt.number(settings.success_threshold),
        "rule": ui(f"about.rule-{settings.overlap_rule}"),
        "full": _share(verdict.FULL_SLOTS),
        "cache": _share(verdict.FULL_CACHE_PCT / 100),
        "mostly": _share(verdict.MOSTLY),
        "bursts": _share(verdict.BURSTS),
        "few": _share(verdict.FEW_SLOTS),
    }
    return AboutPage(
        head=PageHead(
            path="about.html",
            title=ui("about.title"),
            description=ui("about.lede"),
            area="about",
            names=dict.fromkeys(RULE_EXCEPTIONS, "exception"),
        ),
        sections=tuple(
            AboutSection(
                id=section,
                title=ui(f"about.{section}"),
                paragraphs=_paragraphs(ui(f"about.{section}-text").format(**values)),
                see=tuple((key, entry.title) for key in SEE.get(section, ()) if (entry := site.glossary.entry(key))),
            )
            for section in SECTIONS
        ),
        rules=tuple(_rule(rule) for rule in RULES),
    )


def _rule(rule: Rule) -> AboutRule:
    return AboutRule(
        id=rule.id,
        severity=ui(f"findings.severity.{rule.severity}"),
        fires=ui(f"finding.{rule.id}.rule"),
        thresholds=tuple(_threshold(item) for item in rule.thresholds),
    )


def _threshold(item: Threshold) -> Text:
    if item.unit == "share":
        value = _share(item.value)
    elif item.unit == "seconds":
        value = Text(*(fmt.duration(item.value, lang) for lang in LANGS))
    else:
        value = same(fmt.number(item.value, 1))
    return ui(f"finding.threshold.{item.id}", value=value)


def _share(value: float) -> Text:
    return Text(*(fmt.percent(value, lang, 0) for lang in LANGS))


def _paragraphs(text: Text) -> tuple[Text, ...]:
    pairs = zip(text.en.strip().split("\n\n"), text.zh.strip().split("\n\n"), strict=True)
    return tuple(Text(en, zh) for en, zh in pairs)
