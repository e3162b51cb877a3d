"""Axis domains and ticks: three to five round ticks, shared decimals, margins. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0)
_FLAT = 1e-12
"""A range below this share of the values cannot be told from rounding: the metric counts as constant."""
_LEAST = 1e-290
"""A smaller range is drawn as none, and smaller values as 0: half of them may not be a number any more."""
_POWERS = (-323, 308)
"""Least and greatest whole power of ten that is a number."""


LARGEST = 1e300
"""Beyond it a value's place may be more than a float can say: lines over steps are drawn smaller, others without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A value axis, as the forms' parameters take it."""

    low: float
    """Lower end of the axis."""
    high: float
    """Upper end of the axis."""
    ticks: tuple[float, ...]
    """Tick values, rising: three to five, one for a constant."""
    divisor: float
    """What tick values are divided by before they are written."""
    suffix: str
    """What follows the number (` k`, ` M`)."""
    format: str
    """d3 number format of the quotient."""

    def params(self) -> dict[str, object]:
        """Values of the forms' parameters."""
        return {
            "y0": self.low,
            "y1": self.high,
            "yTicks": list(self.ticks),
            "yDiv": self.divisor,
            "ySuffix": self.suffix,
            "yFormat": self.format,
        }


def value_axis(values: Iterable[float], *, rate: bool = False, stacked: bool = False) -> Axis:
    """The axis for finite values.

    Args:
        values: What is drawn, smoothed and superseded values included; values that are not finite are ignored.
        rate: The values are shares: 0 to 1, unless one lies outside.
        stacked: Areas stand on zero and touch it; lines get a margin of 2 % so that their stroke is not cut.
    """
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if rate and low >= 0 and high <= 1:
        return _axis((0.0, 0.25, 0.5, 0.75, 1.0), 0.25, margin=not stacked)
    if stacked or 0 <= low <= high / 2:
        low = min(0.0, low)
    if not math.isfinite(high - low):  # more than a float can say: the inner half, so that nothing becomes NaN
        low, high = low / 2, high / 2
    if high - low <= _FLAT * max(abs(low), abs(high)) or high - low < _LEAST:
        return _constant(high if abs(high) >= _LEAST else 0.0)
    step = _step(low, high)
    if not math.isfinite(step):
        ticks = (low, 0.0, high) if low < 0 < high else (low, high)
        return Axis(low=low, high=high, ticks=ticks, divisor=1.0, suffix="", format=".2~e")
    first, last = math.floor(low / step), math.ceil(high / step)
    return _axis(tuple(round(n * step, 12 - _exponent(step)) for n in range(first, last + 1)), step, margin=not stacked)


def log_axis(values: Iterable[float]) -> Axis:
    """A logarithmic axis for the positive ones among the values: whole powers of ten, at most five ticks."""
    positive = [value for value in values if math.isfinite(value) and value > 0]
    low, high = (min(positive), max(positive)) if positive else (1.0, 10.0)
    least, greatest = _POWERS
    first = max(least, min(greatest - 1, math.floor(math.log10(low))))
    last = max(min(greatest, math.ceil(math.log10(high))), first + 1)
    stride = math.ceil((last - first) / 4)
    ticks = tuple(10.0**n for n in range(first, last + 1, stride))
    return Axis(low=10.0**first, high=10.0**last, ticks=ticks, divisor=1.0, suffix="", format="~g")


def drawable(value: float) -> bool:
    """Whether a value is finite and not so large that its place on the drawing would not be."""
    return abs(value) <= LARGEST


def summed(values: Iterable[float]) -> float:
    """The exact sum; infinite where it is more than a float can say, NaN where a value is NaN."""
    known = list(values)
    try:
        return math.fsum(known)
    except OverflowError:
        return sum(known)


def step_domain(steps: Iterable[int | float]) -> tuple[float, float]:
    """The step axis: all steps with a margin of 1.5 % (at least half a step) on either side."""
    present = [float(step) for step in steps]
    if not present:
        return (0.0, 1.0)
    margin = max(0.5, 0.015 * (max(present) - min(present)))
    return (min(present) - margin, max(present) + margin)


def step_ticks(low: float, high: float) -> list[float]:
    """Round steps inside a step axis, about five, never closer than 1: the ticks that Vega chooses."""
    rough = (high - low) / 5
    if not (math.isfinite(rough) and rough > 0):
        return []
    power = 10.0 ** math.floor(math.log10(rough))
    error = rough / power
    factor = 10 if error >= math.sqrt(50) else 5 if error >= math.sqrt(10) else 2 if error >= math.sqrt(2) else 1
    size = max(1.0, factor * power)
    return [n * size for n in range(math.ceil(low / size), math.floor(high / size) + 1)]


def tick_text(value: float, divisor: float, suffix: str, spec: str) -> str:
    """A tick as the forms write it: the quotient in the d3 format, the suffix, a real minus sign, zero as `0`.

    Powers of ten are written as everywhere on the pages: `8e-6`, `3.2e12`.
    """
    if value == 0:
        return "0"
    quotient = value / divisor
    if spec.startswith(",."):
        text = f"{abs(quotient):{spec}}"
    else:
        text = f"{abs(quotient):{spec.replace('~', '')}}"
        mantissa, mark, exponent = text.partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}e{int(exponent)}" if mark else mantissa
    return ("\N{MINUS SIGN}" if quotient < 0 else "") + text + suffix


def _step(low: float, high: float) -> float:
    """The smallest round step that covers the range in at most four intervals."""
    rough = high / 4 - low / 4
    power = math.floor(math.log10(rough)) if math.isfinite(rough) else 400
    if power > 300:
        return math.inf
    for exponent in (power, power + 1):
        for factor in _STEPS:
            step = factor * 10.0**exponent
            if math.ceil(high / step) - math.floor(low / step) <= 4:
                return step
    return 10.0 ** (power + 2)


def _axis(ticks: tuple[float, ...], step: float, *, margin: bool) -> Axis:
    low, high = ticks[0], ticks[-1]
    room = 0.02 * (high - low) if margin else 0.0
    divisor, suffix = _thousands(max(abs(low), abs(high)))
    return Axis(
        low=low - room,
        high=high + room,
        ticks=ticks,
        divisor=divisor,
        suffix=suffix,
        format=_format(step / divisor, max(abs(low), abs(high)) / divisor),
    )


def _constant(value: float) -> Axis:
    room = abs(value) / 2
    divisor, suffix = _thousands(abs(value))
    return Axis(
        low=value - room if value else -0.02,
        high=value + room if value else 1.0,
        ticks=(value,),
        divisor=divisor,
        suffix=suffix,
        format=".4~g" if abs(value) >= 1e-4 or value == 0 else ".3~e",
    )


def _thousands(size: float) -> tuple[float, str]:
    if 1e4 <= size < 1e7:
        return 1e3, " k"
    if 1e7 <= size < 1e10:
        return 1e6, " M"
    return 1.0, ""


def _format(step: float, largest: float) -> str:
    if step < 1e-4 or largest >= 1e10:
        return ".2~e"
    return f",.{_places(step)}f"


def _places(step: float) -> int:
    """Decimals that all ticks of a step need."""
    return next(places for places in range(9) if math.isclose(step, round(step, places), rel_tol=1e-6) or places == 8)


def _exponent(step: float) -> int:
    return math.floor(math.log10(step))
