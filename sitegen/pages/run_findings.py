"""Findings on the overview: what the rules say about a run, most serious first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sitegen.analyse.findings import SHOWN, Finding, Severity
from sitegen.pages.run_view import Mark, PageKind, RunInput, Tone, Voice

LOOKS: Mapping[Severity, tuple[str, Tone]] = {
    "bad": ("v-bad", "bad"),
    "warn": ("v-warn", "warn"),
    "good": ("s-done", "good"),
    "info": ("v-note", "note"),
}
"""Severity to icon and colour class."""

ELSEWHERE: Mapping[str, PageKind] = {
    "stability": "metrics",
    "freshness": "metrics",
    "time": "metrics",
    "errors": "trials",
    "trials": "trials",
    "engines": "engines",
    "problems": "sources",
}
"""Where the evidence of a section is when the overview has no such section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding."""

    mark: Mark
    """Severity."""
    lead: str
    """The statement."""
    text: str
    """Its numbers."""
    advice: str
    """What to do next."""
    href: str
    """Section or page that shows it; empty when none does."""
    section: str
    """Name of that section."""
    rule: str
    """Id of the rule."""
    rule_href: str
    """The rule's description."""
    published: bool
    """True when its numbers were read in a report."""
    names: tuple[str, ...]
    """Logged names that its sentences may hold, explained where they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsView:
    """All findings of a run."""

    shown: tuple[FindingRow, ...]
    """The first ones."""
    rest: tuple[FindingRow, ...]
    """The others, folded."""


def findings_view(
    given: RunInput, voice: Voice, sections: Collection[str], links: Mapping[PageKind, str]
) -> FindingsView:
    """The findings as rows.

    Args:
        given: The run.
        voice: The page.
        sections: Anchors that the page has.
        links: Page kind to link, for the pages that exist.
    """
    rows = tuple(_row(finding, voice, sections, links) for finding in given.analysis.findings)
    return FindingsView(shown=rows[:SHOWN], rest=rows[SHOWN:])


def _row(finding: Finding, voice: Voice, sections: Collection[str], links: Mapping[PageKind, str]) -> FindingRow:
    icon, tone = LOOKS[finding.severity]
    href = f"#{finding.section}"
    if finding.section not in sections:
        href = links.get(ELSEWHERE.get(finding.section, "index"), "")
    return FindingRow(
        mark=Mark(icon=icon, tone=tone, word=voice.shared(f"findings.severity.{finding.severity}")),
        lead=voice.text(finding.lead),
        text=voice.text(finding.text),
        advice=voice.text(finding.advice),
        href=href,
        section=voice.say(f"section.{finding.section}"),
        rule=finding.rule,
        rule_href=voice.urls.page_to("about.html", f"rule-{finding.rule}"),
        published=finding.published,
        names=(*_evidence(finding), *finding.names),
    )


def _evidence(finding: Finding) -> tuple[str, ...]:
    """The logged names of its evidence; columns of other tables have the names of ordinary words."""
    logged = finding.evidence.table in ("steps", "nonfinite")
    return tuple(name for name in finding.evidence.metrics if "/" in name or "_" in name) if logged else ()
