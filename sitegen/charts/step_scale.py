"""The scale of a chart of lines over steps: its axes, and where a value lies on the drawing. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sitegen.analyse.progress import Curve
from sitegen.charts import payload, theme
from sitegen.charts.beyond import beyond_words, fitting_axis
from sitegen.charts.drawn import sparse
from sitegen.charts.evaluation_marks import Evaluations, fits
from sitegen.charts.payload import Line
from sitegen.charts.scales import LARGEST, Axis, log_axis, value_axis
from sitegen.charts.step_frame import step_frame
from sitegen.charts.step_look import Look
from sitegen.model.run import Run
from sitegen.text import Text, ui

Band = tuple[Curve, Curve]
"""Lower and upper metric of a range."""

_GROWN = 4.0
"""Values beyond `scales.LARGEST` are drawn divided by this: their range would be more than a float can say."""
_SMALL_SHARE = 0.1
"""Shares that all lie below this one are drawn on an axis of their own size."""
_LOG_RATIO = 1000.0
"""A metric whose greatest value is this many times its median is drawn on a logarithmic axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepScale:
    """Axes of a chart, what is drawn on them, and the geometry of its box."""

    axis: Axis
    """Value axis."""
    domain: tuple[float, float]
    """Step axis."""
    height: float
    """Pixels of the plot."""
    log: bool
    """Whether the value axis is logarithmic."""
    grown: float
    """How many times larger the values are than what is drawn of them."""
    top: float | None
    """Where the axis ends, when some values lie beyond; None when it holds all."""
    small: bool
    """Whether shares have an axis of their own size."""
    evaluations: Evaluations | None
    """Held-out values that fit the axis; None for none."""

    def x(self, step: float) -> float:
        """Share of the width."""
        low, high = self.domain
        return (step - low) / (high - low)

    def y(self, value: float) -> float:
        """Pixels from the top of the plot."""
        low, high, at = (math.log10(v) if self.log else v for v in (self.axis.low, self.axis.high, value))
        return self.height * ((high - at) / (high - low))

    def shrunk(self, curve: Curve) -> Curve:
        """A curve as it is drawn."""
        if self.grown == 1:
            return curve
        smaller = {name: getattr(curve, name) / self.grown for name in ("raw", "ema", "superseded_raw")}
        return replace(curve, **smaller)

    def words(self, curves: Sequence[Curve]) -> Text | None:
        """What a reader would not expect of the axis; None for nothing."""
        if self.top is not None:
            return beyond_words(curves, self.top)
        return ui("charts.caption.small-share", high=f"{self.axis.ticks[-1]:g}") if self.small else None

    def params(self) -> dict[str, object]:
        """Values of the form's parameters."""
        x0, x1 = self.domain
        axis = replace(self.axis, divisor=self.axis.divisor / self.grown)
        found: dict[str, object] = {"x0": x0, "x1": x1, **axis.params()}
        if self.top is not None:
            found["yTop"] = self.top
        if self.grown > 1:
            found["grown"] = self.grown
        return found


def step_scale(
    run: Run, look: Look, lines: Sequence[Line], band: Band | None, evaluations: Evaluations | None
) -> StepScale:
    """The scale that fits what is drawn.

    Args:
        run: The run.
        look: How the chart looks.
        lines: Its lines.
        band: A range drawn behind them; None for none.
        evaluations: Held-out values that would like to be marked; None for none.
    """
    curves = [line.curve for line in lines]
    log = look.log and wants_log(curves)
    values = payload.all_values([*curves, *(band or ())])
    values += [0.0 for curve in curves if not log and sparse(curve.raw)]  # stems stand on 0
    grown = _GROWN if not log and any(abs(value) > LARGEST for value in values) else 1.0
    values = [value / grown for value in values]
    marked = evaluations if evaluations is not None and fits(evaluations, values) else None
    if marked is not None:
        values += marked.values
    plain = grown == 1 and band is None and marked is None
    fit = _fit(values, look, _raw(curves) if plain else [], log=log)
    return StepScale(
        axis=fit.axis,
        domain=step_frame(run).domain,
        height=float(look.height - theme.TOP - theme.BOTTOM),
        log=log,
        grown=grown,
        top=fit.top,
        small=fit.small,
        evaluations=marked,
    )


def wants_log(curves: Sequence[Curve]) -> bool:
    """Whether a linear axis would flatten all but the spikes, and at most a tenth of the values is 0 or less."""
    values = sorted(value for curve in curves for value in curve.raw.tolist() if math.isfinite(value))
    if len(values) < 2 or values[len(values) // 10] <= 0:
        return False
    return bool(values[-1] >= _LOG_RATIO * values[len(values) // 2])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fit:
    """The value axis and what has to be said of it."""

    axis: Axis
    top: float | None = None
    small: bool = False


def _fit(values: Sequence[float], look: Look, raw: Sequence[float], *, log: bool) -> _Fit:
    """The axis of a chart. Without `raw`, and where checkpoints stand on the line, it holds every value."""
    if log:
        return _Fit(axis=log_axis(values))
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    if look.share and low >= 0 and 0 < high < _SMALL_SHARE:
        return _Fit(axis=value_axis([0.0, *finite]), small=True)
    if look.checkpoint or look.share or (look.rate and low >= 0 and high <= 1):
        return _Fit(axis=value_axis(values, rate=look.rate or look.share))
    axis, top = fitting_axis(raw, values)
    return _Fit(axis=axis, top=top)


def _raw(curves: Sequence[Curve]) -> list[float]:
    return [value for curve in curves for value in (*curve.raw.tolist(), *curve.superseded_raw.tolist())]
