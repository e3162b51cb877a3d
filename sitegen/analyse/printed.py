"""Printed numbers: how exact they are, and what their rounding adds to statistics that are computed from them.

A number printed as `0.4832` stands for any value within half a unit of its last digit. Statistics of printed numbers
carry the rounding of every one of them; the bounds here are never above the worst case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SIGNIFICANT = 6
"""Digits of the general format (`%g`), in which pandas' Markdown tables print floats."""
SIGMAS = 6.0
"""Rounding errors of a sum are taken as independent and uniform, and bounded by so many standard deviations (exceeded
once in 500 million); values printed alike are taken to err alike."""

TINY = 1e-300
"""A whole that rounding may have taken to 0 bounds nothing."""

_NUMBER = re.compile(r"[-+\u2212]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_GROUPS = re.compile(r"(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))")
_MARK = re.compile(r"(?<=\d)[, \u00a0\u202f](?=\d{3}(?!\d))")
_UNIT = re.compile(r"\s*(?:%|tok/s|tokens/s|s)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """One printed number with its place."""

    where: str
    """Section and row."""
    name: str
    """Column or label."""
    text: str
    """As printed."""
    value: float
    """In the printed unit; NaN where `nan` was printed."""
    half: float
    """Half a unit of the last printed digit."""
    path: str
    """File."""
    line: int | None
    """1-based line; None unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """A value and by how much the rounding of its inputs may have moved it."""

    value: float | None
    """None: there is nothing to compute it from."""
    slack: float = 0.0
    """0 for inputs at full precision."""


NOTHING = Bounded(value=None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """The values of one metric over some rows, in row order."""

    values: Floats
    """NaN where the row has none."""
    half: Floats
    """Half a unit of the last digit each was printed with; 0 at full precision."""

    def finite(self) -> Column:
        """The rows that have a finite value."""
        kept = np.isfinite(self.values)
        return Column(values=self.values[kept], half=self.half[kept])

    def zeros_for_gaps(self) -> Column:
        """Every row, 0 where it has no value."""
        kept = np.isfinite(self.values)
        return Column(values=np.where(kept, self.values, 0.0), half=np.where(kept, self.half, 0.0))

    def at(self, rows: NDArray[np.bool_]) -> Column:
        """Some of the rows."""
        return Column(values=self.values[rows], half=self.half[rows])


def parse(text: str) -> tuple[float, float] | None:
    """The number in a text and half a unit of its last digit; NaN for `nan`, None for words.

    Digits may be grouped by commas or spaces; a unit (`%`, `tok/s`, `s`) may follow.
    """
    plain = _GROUPS.sub("", text.strip())
    if plain.lower() == "nan":
        return math.nan, 0.0
    match = _NUMBER.match(plain)
    if match is None or _UNIT.fullmatch(plain, match.end()) is None:
        return None
    digits = match[0].replace(",", "").replace("\u2212", "-")
    value = float(digits)
    return (value, _half_unit(digits)) if math.isfinite(value) else None


def _half_unit(digits: str) -> float:
    mantissa, _, exponent = digits.lower().partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def is_general(texts: Iterable[str]) -> bool:
    """Whether numbers are printed in the general format, with six significant digits and no trailing zeros.

    Every number must read the same in that format, and at least one must have all six digits.
    """
    full = False
    for text in texts:
        parsed = parse(text)
        if parsed is None or math.isnan(parsed[0]):
            continue
        if f"{parsed[0]:.{SIGNIFICANT}g}" != text.strip():
            return False
        full |= sum(char.isdigit() for char in text.lower().partition("e")[0].lstrip("-0.")) == SIGNIFICANT
    return full


def half_of_general(value: float) -> float:
    """Half a unit of the sixth significant digit; 0 for 0, which this format prints only for 0 itself."""
    if value == 0 or not math.isfinite(value):
        return 0.0
    return 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) - SIGNIFICANT + 1)


def alike(text: str, value: float | None) -> str:
    """A value written as a text writes its number: as many decimals, digits grouped alike, the same unit; else `–`."""
    if value is None or not math.isfinite(value):
        return "–"
    value += 0.0  # no sign on 0
    plain = _GROUPS.sub("", text.strip())
    match = _NUMBER.match(plain)
    if match is None:
        return f"{value:.{SIGNIFICANT}g}"
    if "e" in match[0].lower() or (_NUMBER.fullmatch(plain) is None and _UNIT.fullmatch(plain, match.end()) is None):
        return f"{value:.{SIGNIFICANT}g}"
    places = len(match[0].partition(".")[2])
    shown = f"{value:.{places}f}"
    if (
        places < 4
        and float(shown) == float(match[0].replace(",", "").replace("\u2212", "-"))
        and abs(value - float(shown)) > 1e-9 * max(1.0, abs(value))
    ):
        shown = f"{value:.{places + 2}f}"
    mark = _MARK.search(text)
    if mark is not None:
        shown = f"{Decimal(shown):,}".replace(",", mark[0])
    return shown + plain[match.end() :]


# Statistics ----------------------------------------------------------------------------------------------------------


def count(column: Column) -> Bounded:
    """Finite values."""
    return Bounded(value=float(np.isfinite(column.values).sum()))


def mean(column: Column) -> Bounded:
    """Mean of the finite values."""
    kept = column.finite()
    if not len(kept.values):
        return NOTHING
    return _bounded(kept.values.mean(), _sum_slack(kept) / len(kept.values))


def total(column: Column) -> Bounded:
    """Sum of the finite values."""
    kept = column.finite()
    return _bounded(kept.values.sum(), _sum_slack(kept)) if len(kept.values) else NOTHING


def std(column: Column, ddof: int = 1) -> Bounded:
    """Standard deviation of the finite values.

    The spread is a seminorm: rounding moves it by no more than the spread of the rounding errors themselves.
    """
    kept = column.finite()
    size = len(kept.values)
    if size <= ddof:
        return NOTHING
    return _bounded(kept.values.std(ddof=ddof), float(kept.half.max()) * math.sqrt(size / (size - ddof)))


def largest(column: Column) -> Bounded:
    """Largest finite value."""
    kept = column.finite()
    return _bounded(kept.values.max(), kept.half.max()) if len(kept.values) else NOTHING


def smallest(column: Column) -> Bounded:
    """Smallest finite value."""
    kept = column.finite()
    return _bounded(kept.values.min(), kept.half.max()) if len(kept.values) else NOTHING


def median(column: Column) -> Bounded:
    """Median of the finite values."""
    kept = column.finite()
    return _bounded(np.median(kept.values), kept.half.max()) if len(kept.values) else NOTHING


def last(column: Column) -> Bounded:
    """Value of the last row; nothing when that row has none."""
    if not len(column.values) or not np.isfinite(column.values[-1]):
        return NOTHING
    return _bounded(column.values[-1], column.half[-1])


def mean_share(part: Column, whole: Column) -> Bounded:
    """Mean over rows of part / whole, over rows where both are finite and the whole is above 0."""
    part, whole = _both(part, whole)
    if not len(part.values):
        return NOTHING
    shares = part.values / whole.values
    return _bounded(shares.mean(), _share_slack(part, whole, shares).mean())


def share_of_sums(part: Column, whole: Column) -> Bounded:
    """Sum of part over sum of whole, over the same rows."""
    part, whole = _both(part, whole)
    if not len(part.values):
        return NOTHING
    together, slack = whole.values.sum(), _sum_slack(whole)
    share = part.values.sum() / together
    return _bounded(share, (_sum_slack(part) + abs(share) * slack) / max(together - slack, TINY))


def _both(part: Column, whole: Column) -> tuple[Column, Column]:
    usable = np.isfinite(part.values) & np.isfinite(whole.values) & (whole.values > 0)
    return part.at(usable), whole.at(usable)


def _share_slack(part: Column, whole: Column, shares: Floats) -> Floats:
    slack: Floats = (part.half + np.abs(shares) * whole.half) / np.maximum(whole.values - whole.half, TINY)
    return slack


def _sum_slack(column: Column) -> float:
    """How far rounding may have moved the sum of finite values: at most the sum of the half units.

    Of errors that are independent and uniform in ±h the standard deviation is h / √3; values printed alike may err
    alike, so their errors are added before they are squared.
    """
    worst = float(column.half.sum())
    if worst == 0:
        return 0.0
    _, group = np.unique(column.values, return_inverse=True)
    together = np.bincount(group, weights=column.half)
    return min(worst, SIGMAS * math.sqrt(float((together**2).sum()) / 3))


def _bounded(value: float, slack: float) -> Bounded:
    number = float(value)
    return Bounded(value=number, slack=float(slack)) if math.isfinite(number) else NOTHING
