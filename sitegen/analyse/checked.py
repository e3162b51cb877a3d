"""One printed number against what the run gives: the verdict, and how it was reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.analyse.printed import Bounded, Printed
from sitegen.text import Text, ui

Verdict = Literal["agrees", "differs", "unchecked"]

FLOAT_NOISE = 1e-9
"""Relative error of binary arithmetic that is allowed on top of the tolerance."""
WHOLE = 0.5
"""Half a unit of a whole number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheck:
    """One published number and what it was checked against."""

    where: str
    """Section and row, as in `PublishedValue.where`."""
    name: str
    """Column or label."""
    published: str
    """As printed."""
    computed: float | None
    """In the printed unit; None when the run has nothing to compute it from."""
    verdict: Verdict
    """Agrees within the tolerance, differs, or nothing in the run is bound to it."""
    tolerance: float | None
    """Half a unit of the last printed digit and what rounding of the inputs adds; None with nothing to compare."""
    how: Text
    """What was computed over which rows; for an unchecked number why nothing was."""
    reason: Text | None = None
    """Likely reason of a difference, or what a label hides although the number agrees."""
    path: str = ""
    """File that prints it."""
    line: int | None = None
    """1-based line in it; None unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A way to compute what a label names."""

    result: Bounded
    """What it gives, in the printed unit."""
    how: Text
    """Aggregator and population."""
    fair: bool = True
    """Whether a number that is reproduced so may bear the label; if not, it differs and this is the likely reason."""
    note: Text | None = None
    """What to know when the number is reproduced so."""


def judge(item: Printed, candidates: Sequence[Candidate], note: Text | None = None) -> CrossCheck:
    """The verdict over candidates, the meaning of the label first.

    Args:
        item: The printed number.
        candidates: In the order they are tried; the first one gives `computed` when the number differs.
        note: What to know about the label in any case.
    """
    first = candidates[0]
    hit = next((candidate for candidate in candidates if _fits(item, candidate.result)), None)
    agrees = hit is not None and hit.fair
    shown = hit if hit is not None and agrees else first
    if hit is not None:
        reason = hit.note if agrees else (hit.note or ui("check.only", how=hit.how))
    elif first.result.value is None:
        reason = ui("check.missing-as-zero") if item.value == 0 else ui("check.no-value")
    else:
        reason = None
    return CrossCheck(
        where=item.where,
        name=item.name,
        published=item.text,
        computed=shown.result.value,
        verdict="agrees" if agrees else "differs",
        tolerance=_tolerance(item, shown.result),
        how=shown.how,
        reason=reason or note,
        path=item.path,
        line=item.line,
    )


def unchecked(item: Printed, why: Text, reason: Text | None = None) -> CrossCheck:
    """A number that nothing in the run is bound to."""
    return CrossCheck(
        where=item.where,
        name=item.name,
        published=item.text,
        computed=None,
        verdict="unchecked",
        tolerance=None,
        how=why,
        reason=reason,
        path=item.path,
        line=item.line,
    )


def _tolerance(item: Printed, result: Bounded) -> float | None:
    """What the values may be apart; 0 where both are whole numbers and nothing was rounded, None without a value."""
    if result.value is None:
        return None
    whole = all(value is not None and value == round(value) for value in (item.value, result.value) if value == value)
    return 0.0 if whole and item.half <= WHOLE and not result.slack else item.half + result.slack


def _fits(item: Printed, result: Bounded) -> bool:
    if math.isnan(item.value) or result.value is None:
        return math.isnan(item.value) and result.value is None
    noise = FLOAT_NOISE * max(abs(item.value), abs(result.value))
    return abs(item.value - result.value) <= item.half + result.slack + noise
