"""What a chart says in words: caption, summary for a screen reader, what was thinned.

Every sentence is a pair of `strings/ui/charts.toml`. The trend is a plain comparison, said as such: the means of the
first and of the last third of the finite values differ by more than the larger of their two standard deviations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Literal

from sitegen.analyse.progress import Curve
from sitegen.charts.payload import Drawn
from sitegen.format import brief, count
from sitegen.text import Text, same, ui

Trend = Literal["rising", "falling", "none", "short", "constant"]
_LEAST_FOR_TREND = 9


def trend(values: Sequence[float]) -> Trend:
    """Rising or falling when the outer thirds lie apart by more than their own spread.

    `short` below nine finite values, `constant` when they are all equal, `none` otherwise.
    """
    finite = [value for value in values if math.isfinite(value)]
    if len(set(finite)) == 1 and len(finite) > 1:
        return "constant"
    if len(finite) < _LEAST_FOR_TREND:
        return "short"
    third = len(finite) // 3
    scale = max(abs(value) for value in finite)
    first, last = ([value / scale for value in part] for part in (finite[:third], finite[-third:]))
    apart = fmean(last) - fmean(first)
    if abs(apart) <= max(pstdev(first), pstdev(last)):
        return "none"
    return "rising" if apart > 0 else "falling"


def caption(curve: Curve, constant: bool = False) -> Text:
    """Latest, best, range, and how many values were not finite, of one metric."""
    latest, _ = latest_of(curve)
    finite = _finite(curve)
    if latest is None or not finite:
        return ui("charts.caption.empty", bad=_bad(curve))
    if constant:
        return ui("charts.caption.constant", value=brief(latest), n=count(len(finite)), bad=_bad(curve))
    if curve.best is not None:
        return ui(
            "charts.caption.best",
            latest=brief(latest),
            best=brief(curve.best),
            step=curve.best_step,
            low=brief(min(finite)),
            high=brief(max(finite)),
            bad=_bad(curve),
        )
    return ui(
        "charts.caption.range",
        latest=brief(latest),
        low=brief(min(finite)),
        high=brief(max(finite)),
        bad=_bad(curve),
    )


def summary(curves: Sequence[Curve]) -> Text:
    """The same for a screen reader, with steps, trend and gaps, one sentence per metric."""
    parts = [_sentence(curve) for curve in curves]
    return Text(" ".join(part.en for part in parts), "".join(part.zh for part in parts))


def _sentence(curve: Curve) -> Text:
    finite = _finite(curve)
    latest, at = latest_of(curve)
    name = same(curve.metric)
    if latest is None or not finite:
        return ui("charts.summary.empty", name=name, bad=_bad(curve))
    best = same("")
    if curve.best is not None:
        best = ui("charts.summary.best", best=brief(curve.best), step=curve.best_step)
    missing = sum(1 for value in curve.raw.tolist() if not math.isfinite(value))
    return ui(
        "charts.summary.line",
        name=name,
        latest=brief(latest),
        at=at,
        best=best,
        low=brief(min(finite)),
        high=brief(max(finite)),
        trend=ui(f"charts.trend.{trend(curve.raw.tolist())}"),
        gaps=ui("charts.summary.gaps", n=count(missing)) if missing else same(""),
        bad=_bad(curve),
    )


def thinned(drawn: Drawn) -> Text | None:
    """`showing 500 of 8,412`; None when everything is shown."""
    if drawn.shown >= drawn.total:
        return None
    return ui("charts.note.thinned", shown=count(drawn.shown), total=count(drawn.total))


def notes(*parts: Text | None) -> Text | None:
    """Several notes as one; None without any."""
    present = [part for part in parts if part is not None]
    if not present:
        return None
    return Text(" ".join(part.en for part in present), "".join(part.zh for part in present))


def joined(text: Text, more: Text | None) -> Text:
    """A text and what is added to it, if anything."""
    return text if more is None else Text(text.en + more.en, text.zh + more.zh)


def latest_of(curve: Curve) -> tuple[float | None, int | None]:
    """The last finite value on the lineage and its step."""
    for value, step in zip(reversed(curve.raw.tolist()), reversed(curve.step.tolist()), strict=True):
        if math.isfinite(value):
            return value, step
    return None, None


def _finite(curve: Curve) -> list[float]:
    return [value for value in curve.raw.tolist() if math.isfinite(value)]


def _bad(curve: Curve) -> Text:
    bad = len(curve.nonfinite_step)
    total = bad + len(_finite(curve))
    return ui("charts.caption.bad", n=count(bad), total=count(total)) if bad else same("")
