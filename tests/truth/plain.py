"""Statistics in plain Python, from their textbook definitions. None: there is nothing to say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise


def finite(values: Iterable[float | None]) -> list[float]:
    """The finite ones."""
    return [value for value in values if value is not None and math.isfinite(value)]


def mean(values: Iterable[float | None]) -> float | None:
    kept = finite(values)
    return math.fsum(kept) / len(kept) if kept else None


def total(values: Iterable[float | None]) -> float | None:
    kept = finite(values)
    return math.fsum(kept) if kept else None


def deviation(values: Iterable[float | None]) -> float | None:
    """Standard deviation of a sample (n - 1)."""
    kept = finite(values)
    if len(kept) < 2:
        return None
    middle = math.fsum(kept) / len(kept)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in kept) / (len(kept) - 1))


def median(values: Iterable[float | None]) -> float | None:
    kept = sorted(finite(values))
    half = len(kept) // 2
    if not kept:
        return None
    return kept[half] if len(kept) % 2 else (kept[half - 1] + kept[half]) / 2


def spread(values: Iterable[float | None]) -> dict[str, float | int | None]:
    """What the trial tables tell of a count."""
    kept = finite(values)
    return {
        "mean": mean(kept),
        "median": median(kept),
        "std": deviation(kept),
        "min": min(kept, default=None),
        "max": max(kept, default=None),
        "count": len(kept),
    }


def smoothed(values: Sequence[float | None], alpha: float) -> list[float | None]:
    """EMA_1 = r_1, EMA_t = a r_t + (1 - a) EMA_(t-1) over the finite values; None at a gap."""
    result: list[float | None] = []
    level: float | None = None
    for value in values:
        if value is None or not math.isfinite(value):
            result.append(None)
            continue
        level = value if level is None else alpha * value + (1 - alpha) * level
        result.append(level)
    return result


def noise(values: Sequence[float]) -> float:
    """1.4826 median absolute deviations of the neighbours' differences / sqrt 2.

    Their deviation (over n) in place of the former where that is 0.
    """
    changes = [after - before for before, after in pairwise(values)]
    if len(changes) < 2:
        return 0.0
    middle = median(changes) or 0.0
    scale = 1.4826 * (median(abs(change - middle) for change in changes) or 0.0)
    if not scale:
        level = math.fsum(changes) / len(changes)
        scale = math.sqrt(math.fsum((change - level) ** 2 for change in changes) / len(changes))
    return scale / math.sqrt(2)


@cache
def student(freedom: int) -> float:
    """Two-sided 95 % point of Student's t: where the density between -x and x adds up to 0.95."""
    constant = math.gamma((freedom + 1) / 2) / (math.sqrt(freedom * math.pi) * math.gamma(freedom / 2))
    width, area, at = 1e-3, 0.0, 0.0
    while area < 0.475:
        centre = at + width / 2
        area += constant * (1 + centre**2 / freedom) ** (-(freedom + 1) / 2) * width
        at += width
    return at


def straight_line(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Least-squares slope and half of its 95 % interval, widened for neighbours that are alike."""
    n, x, y = len(xs), math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    square = math.fsum((a - x) ** 2 for a in xs)
    slope = math.fsum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / square
    rest = [b - y - slope * (a - x) for a, b in zip(xs, ys, strict=True)]
    squares = math.fsum(r * r for r in rest)
    lag = math.fsum(a * b for a, b in pairwise(rest)) / squares if squares > 0 else 0.0
    lag = min(max(lag, 0.0), 0.95)
    return slope, student(n - 2) * math.sqrt(squares / (n - 2) / square) * math.sqrt((1 + lag) / (1 - lag))
