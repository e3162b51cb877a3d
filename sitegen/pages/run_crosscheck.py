"""Report cross-check on the run's pages: how many published numbers agree, and which do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sitegen import format as fmt
from sitegen.analyse.crosscheck import CrossCheck, Verdict, counts
from sitegen.analyse.printed import alike
from sitegen.model.run import Run
from sitegen.pages.run_published import place_of
from sitegen.pages.run_view import Mark, RunInput, Tone, Voice
from sitegen.text import ui

SHOWN_DIFFERENT = 6
"""Differing numbers on the overview; the sources page has all."""
SHOWN = 9
"""Numbers on the overview."""
ALL_SHOWN = 1200
"""Numbers on the sources page; `run.json` has all of them."""
LOOKS: Mapping[Verdict, tuple[str, Tone]] = {
    "agrees": ("c-eq", "good"),
    "differs": ("c-ne", "bad"),
    "unchecked": ("c-na", "note"),
}
"""Verdict to icon and colour class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One published number."""

    mark: Mark
    """Verdict."""
    name: str
    """Column or label."""
    where: str
    """Section and row, and line of the file."""
    published: str
    """As printed."""
    computed: str
    """Printed alike."""
    how: str
    """How it was reproduced, or why not, with the tolerance."""
    reason: str
    """Likely reason of a difference, or what the label hides; empty without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPart:
    """The numbers of one verdict."""

    verdict: Verdict
    """Which."""
    word: str
    """In words."""
    rows: tuple[CheckRow, ...]
    """In the order of the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheckView:
    """The cross-check of one run."""

    sentence: str
    """How many agree, differ and cannot be checked."""
    note: str
    """What was not checked at all; empty when everything was."""
    rows: tuple[CheckRow, ...]
    """The differing ones first, then some of the others."""
    rest: int
    """How many more there are: on the sources page, or beyond that in `run.json`."""
    parts: tuple[CheckPart, ...]
    """The rows by verdict, differing ones first."""


def crosscheck_view(given: RunInput, voice: Voice, *, everything: bool = False) -> CrossCheckView | None:
    """The section; None when nothing was published or nothing printed can be bound.

    Args:
        given: The run.
        voice: The page.
        everything: All numbers in the order of the report, instead of a choice; of very many those that differ and
            the first of the others.
    """
    checks = given.analysis.crosscheck
    if not checks:
        return None
    found = counts(checks)
    shown = _first(checks) if everything else _chosen(checks)
    numbers = {verdict: voice.count(n) for verdict, n in found.items()}
    said = [voice.shared("crosscheck.sentence", n=voice.count(len(checks)), **numbers)]
    if found["agrees"] and only_report(given.run):
        said.append(voice.shared("crosscheck.own-tables", n=voice.count(found["agrees"])))
    zeros = sum(is_filler(check) for check in checks)
    if zeros:
        said.append(voice.shared("crosscheck.zeros", n=voice.count(zeros)))
    return CrossCheckView(
        sentence=voice.sentences(said),
        note=voice.shared("crosscheck.own-rows") if given.run.steps_from_report else "",
        rows=tuple(check_row(check, voice) for check in shown),
        rest=len(checks) - len(shown),
        parts=_parts(shown, voice),
    )


def only_report(run: Run) -> bool:
    """Whether nothing but the report itself is there to hold its numbers against: its step table, its own sums."""
    return run.steps_from_report and run.trials is None and run.engines is None


def is_filler(check: CrossCheck) -> bool:
    """Whether a number differs only because the report prints 0 for a value that is missing."""
    return check.verdict == "differs" and check.reason == ui("check.missing-as-zero")


def _parts(shown: Iterable[CrossCheck], voice: Voice) -> tuple[CheckPart, ...]:
    """The numbers by verdict: what differs, what cannot be checked, what agrees."""
    rows: dict[Verdict, list[CheckRow]] = {"differs": [], "unchecked": [], "agrees": []}
    for check in shown:
        rows[check.verdict].append(check_row(check, voice))
    return tuple(
        CheckPart(verdict=verdict, word=voice.shared(f"crosscheck.{verdict}"), rows=tuple(found))
        for verdict, found in rows.items()
        if found
    )


def check_row(check: CrossCheck, voice: Voice) -> CheckRow:
    """One number as a row."""
    icon, tone = LOOKS[check.verdict]
    if is_filler(check):
        tone = "warn"
    how = voice.text(check.how)
    if check.tolerance is not None:
        how = voice.shared("crosscheck.how", how=how, tolerance=tolerance(check, voice))
    line = "" if check.line is None else voice.shared("crosscheck.line", line=voice.count(check.line))
    return CheckRow(
        mark=Mark(icon=icon, tone=tone, word=voice.shared(f"crosscheck.{check.verdict}")),
        name=check.name,
        where=voice.listing([part for part in (place_of(check.where), line) if part]),
        published=check.published,
        computed=alike(check.published, check.computed),
        how=how,
        reason=voice.text(check.reason) if check.reason else "",
    )


def tolerance(check: CrossCheck, voice: Voice) -> str:
    """What the values may be apart."""
    return voice.shared("crosscheck.exact") if not check.tolerance else f"±\u00a0{fmt.number(check.tolerance, 2)}"


def _chosen(checks: tuple[CrossCheck, ...]) -> tuple[CrossCheck, ...]:
    """The differing numbers, then those with something to know, then others that agree; one of each label."""
    differing = [check for check in checks if check.verdict == "differs"][:SHOWN_DIFFERENT]
    told = _one_each(check for check in checks if check.verdict != "differs" and check.reason)
    plain = _one_each(check for check in checks if check.verdict == "agrees" and not check.reason)
    known = {check.name for check in told}
    more = [*told, *(check for check in plain if check.name not in known)]
    return tuple(differing + more[: SHOWN - len(differing)])


def _first(checks: tuple[CrossCheck, ...]) -> tuple[CrossCheck, ...]:
    """All numbers; of too many the differing ones and the first of the others, in order."""
    spare = ALL_SHOWN - sum(check.verdict == "differs" for check in checks)
    shown = []
    for check in checks:
        if check.verdict == "differs":
            shown.append(check)
        elif spare > 0:
            shown.append(check)
            spare -= 1
    return tuple(shown)


def _one_each(checks: Iterable[CrossCheck]) -> list[CrossCheck]:
    """The first number of each label."""
    found: dict[str, CrossCheck] = {}
    for check in checks:
        found.setdefault(check.name, check)
    return list(found.values())
