"""Numbers, shares, durations, dates and sizes as readers of each language write them.

Pure functions from values to text. Absent is "–", NaN is "NaN"; the minus sign is U+2212; digits are grouped by
commas in both languages, as in the tools these runs come from. Times are UTC.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from numbers import Integral
from typing import Any

from sitegen.text import Lang

ABSENT = "–"
"""Shown where there is no value."""
MINUS = "\u2212"
"""The sign of a negative number."""
NBSP = "\u00a0"
"""Between a number and its unit."""

_LONGEST = 1e15
"""From here on the digits of a number fill a column and tell nothing."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SIZES = ("B", "kB", "MB", "GB", "TB", "PB")
_UNITS: dict[Lang, tuple[str, str, str, str]] = {"en": ("d", "h", "min", "s"), "zh": ("天", "小时", "分钟", "秒")}


def number(value: float | None, digits: int = 4) -> str:
    """A measured value with `digits` significant digits: `0.5281`, `12.35`, `43,795`, `8e-6`, `−0.0354`.

    Whole numbers are shown whole, from 1,000 on no decimals; below 0.0001 and from 10^9 on in powers of ten.
    None is `–`, NaN is `NaN`, infinities are `∞` and `−∞`.
    """
    special = _special(value)
    if special is not None:
        return special
    assert value is not None
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e-4 or size >= 1e9:
        return _power(value, digits)
    if float(value).is_integer():
        return _signed_text(value, f"{size:,.0f}")
    places = max(digits - 1 - _exponent(size, digits), 0)
    return _signed_text(value, f"{size:,.{places}f}")


def brief(value: float | None, digits: int = 4) -> str:
    """As `number`, without zeros that only fill up: `0.02` for 0.02, but `0.02000` for 0.0199999."""
    text = number(value, digits)
    short = _trimmed(text)
    return short if short == text or float(short.replace(",", "").replace(MINUS, "-")) == value else text


def plain(value: float | None, digits: int = 6) -> str:
    """A value that stands alone, without zeros at its end: `0.02`, `8e-6`, `64`."""
    return _trimmed(number(value, digits))


def fixed(value: float | None, places: int) -> str:
    """A value with fixed decimals, for columns that share them: `0.528`, `1,123.0`, from `1e15` on powers."""
    special = _special(value)
    if special is not None:
        return special
    assert value is not None
    if abs(value) >= _LONGEST:
        return _power(value, 4)
    text = f"{abs(value):,.{places}f}"
    return text if not text.strip("0.,") else _signed_text(value, text)


def count(value: float | None) -> str:
    """A count: `43,795`."""
    return fixed(value, 0)


def counted(values: Mapping[str, Any]) -> dict[str, Any]:
    """What is put into a sentence: whole numbers as counts, the rest as it is."""
    plain = {name: isinstance(value, Integral) and not isinstance(value, bool) for name, value in values.items()}
    return {name: f"{value:,}".replace("-", MINUS) if plain[name] else value for name, value in values.items()}


def signed(value: float | None, places: int | None = None) -> str:
    """A difference with its sign: `+0.0046`, `−0.0726`, `0` when there is none."""
    text = number(value) if places is None else fixed(value, places)
    if value is None or math.isnan(value) or not text.strip("0.,"):
        return text
    return f"+{text}" if value > 0 else text


def percent(share: float | None, lang: Lang, places: int = 1) -> str:
    """A share of 1 as a percentage: `87.8 %` in English, `87.8%` in Chinese."""
    return _with_percent(percentage(share, places), lang)


def percentage(share: float | None, places: int = 1) -> str:
    """A share of 1 as the number before the percent sign, for columns whose header names the unit: `87.8`."""
    return fixed(None if share is None else share * 100, places)


def duration(seconds: float | None, lang: Lang) -> str:
    """A length of time in at most two units: `895 s`, `14.2 s`, `0.02 s`, `24 h 27 min`, `3 d 4 h`."""
    special = _special(seconds)
    if special is not None:
        return special
    assert seconds is not None
    size = abs(seconds)
    days, hours, minutes, secs = _UNITS[lang]
    if size < 1000 or size >= _LONGEST:
        return _signed_text(seconds, f"{_trimmed(number(size, 3))}{NBSP}{secs}")
    total = round(size / 60)
    if size >= 2 * 86400:
        total = round(size / 3600) * 60
        parts = [(total // 1440, days), (total % 1440 // 60, hours)]
    else:
        parts = [(total // 60, hours), (total % 60, minutes)]
    return _signed_text(seconds, " ".join(f"{n:,}{NBSP}{unit}" for n, unit in parts if n))


def date(unix: float | None, lang: Lang) -> str:
    """A day in UTC: `3 Jun 2026`, `2026-06-03`."""
    moment = _moment(unix)
    if moment is None:
        return ABSENT
    if lang == "zh":
        return f"{moment:%Y-%m-%d}"
    return f"{moment.day}{NBSP}{_MONTHS[moment.month - 1]}{NBSP}{moment.year}"


def clock(unix: float | None, lang: Lang) -> str:
    """A moment in UTC to the minute: `3 Jun 2026, 03:12 UTC`."""
    moment = _moment(unix)
    if moment is None:
        return ABSENT
    separator = ", " if lang == "en" else " "
    return f"{date(unix, lang)}{separator}{moment:%H:%M} UTC"


def date_range(first: float | None, last: float | None, lang: Lang) -> str:
    """Two days as a range, one when they are the same: `2 May 2026 – 3 Jun 2026`."""
    start, end = date(first, lang), date(last, lang)
    return start if start == end or end == ABSENT else f"{start} – {end}"


def iso(unix: float | None) -> str:
    """A moment for `<time datetime>`: `2026-06-03T03:12:00Z`; empty when unknown."""
    moment = _moment(unix)
    return "" if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def size(amount: float | None) -> str:
    """Bytes in decimal units: `512 B`, `1.24 MB`, `2 MB`."""
    special = _special(amount)
    if special is not None:
        return special
    assert amount is not None
    value, unit = float(amount), 0
    while value >= 999.5 and unit < len(_SIZES) - 1:
        value /= 1000
        unit += 1
    return f"{_trimmed(number(value, 3))}{NBSP}{_SIZES[unit]}"


def setting(value: Any) -> str:
    """A configuration value as one writes it: `null`, `true`, `8e-6`, `[a, b]`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _plain_float(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(setting(item) for item in value) + "]"
    return str(value)


def middle(name: str, longest: int = 48) -> str:
    """A name that fits: the middle goes, both ends stay, since names differ at the end."""
    if len(name) <= longest:
        return name
    head = (longest - 1) * 2 // 5
    return f"{name[:head]}…{name[len(name) - (longest - 1 - head) :]}"


def ratio(value: float, whole: float) -> float:
    """`value / whole` held within 0 and 1, for bars; 0 for an empty whole."""
    return min(max(value / whole, 0.0), 1.0) if whole > 0 and math.isfinite(value) else 0.0


def sortable(value: float | str) -> str:
    """A number for sorting in the browser, small ones with six significant digits; text as it is."""
    return value if isinstance(value, str) else f"{value:.6g}" if abs(value) < 1e5 else f"{value:.15g}"


def svg(value: float) -> str:
    """A coordinate with at most one decimal and no trailing zero: `12.5`, `3`."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _special(value: float | None) -> str | None:
    if value is None:
        return ABSENT
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    return None


def _trimmed(text: str) -> str:
    """A number that stands alone, without zeros at its end: `0.0200` is `0.02`."""
    return text.rstrip("0").removesuffix(".") if "." in text and "e" not in text else text


def _signed_text(value: float, text: str) -> str:
    return MINUS + text if value < 0 else text


def _exponent(size: float, digits: int) -> int:
    """Decimal exponent after rounding to `digits` significant digits (9.9996 with four is 10.00)."""
    return int(f"{size:.{digits - 1}e}".split("e")[1])


def _power(value: float, digits: int) -> str:
    mantissa, exponent = f"{abs(value):.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return _signed_text(value, f"{mantissa}e{int(exponent)}")


def _plain_float(value: float) -> str:
    if not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    text = repr(value)
    if "e" in text:
        mantissa, exponent = text.split("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    digits = Decimal(text)
    if value and abs(value) < 1e-3:
        sign, figures, exponent_of = digits.as_tuple()
        shown = "".join(map(str, figures)).rstrip("0")
        power = int(exponent_of) + len(figures) - 1
        body = shown[0] + (f".{shown[1:]}" if len(shown) > 1 else "")
        return f"{'-' if sign else ''}{body}e{power}"
    return text


def _with_percent(text: str, lang: Lang) -> str:
    if text in (ABSENT, "NaN"):
        return text
    return f"{text}{NBSP}%" if lang == "en" else f"{text}%"


def _moment(unix: float | None) -> datetime | None:
    if unix is None or not math.isfinite(unix):
        return None
    try:
        return datetime.fromtimestamp(unix, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return None
