"""The one builder behind every chart of lines over steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts import describe, payload, theme
from sitegen.charts.base import Chart, DataColumn, LegendItem, Section
from sitegen.charts.beyond import add_beyond, beyond_words, fitting_axis
from sitegen.charts.end_names import End, Path, names
from sitegen.charts.evaluation_marks import Evaluations, add_evaluations, evaluation_note, evaluation_rows, fits
from sitegen.charts.payload import Columns, Line
from sitegen.charts.scales import Axis, log_axis, value_axis
from sitegen.charts.static_svg import static_svg
from sitegen.charts.step_frame import step_frame, step_table
from sitegen.charts.thin import LIMIT
from sitegen.model.run import Run
from sitegen.text import Text, same, ui

_SELECTED_LABEL = 16.0
"""Pixels that the selected checkpoint's label takes under its line."""
_SHORT = 12
"""Records up to which the thin raw lines are as telling as the bold ones: names keep off them too."""
_HUGE, _GROWN = 1e300, 4.0
"""Values beyond the first are drawn divided by the second: their range would be more than a float can say."""
_SMALL_SHARE = 0.1
"""Shares that all lie below this one are drawn on an axis of their own size."""
_LOG_RATIO = 1000.0
"""A metric whose greatest value is this many times its median is drawn on a logarithmic axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a step chart looks, beyond its data."""

    id: str
    """Chart id."""
    section: Section
    """Where it belongs."""
    title: Text
    """Heading."""
    height: int = theme.SMALL
    """Height of the box."""
    wide: bool = False
    """Whether the card spans two columns."""
    rate: bool = False
    """Shares: the axis is 0 to 1."""
    share: bool = False
    """Shares that may all be small: 0 to 1, or from 0 to a round number where all are below 0.1."""
    log: bool = False
    """A logarithmic axis, where the values span more than three powers of ten."""
    checkpoint: bool = False
    """Mark the candidates and the selected checkpoint on the first line."""
    static: bool = False
    """Draw at build time too."""
    points: int = LIMIT
    """Most points of a line."""


def step_chart(
    run: Run,
    analysis: RunAnalysis,
    look: Look,
    lines: Sequence[Line],
    band: tuple[Curve, Curve] | None = None,
    evaluations: Evaluations | None = None,
) -> Chart:
    """A chart of one or more metrics over steps, with everything that an honest chart marks.

    Args:
        run: The run.
        analysis: Its analyses.
        look: What the chart is called and how it looks.
        lines: The metrics drawn, the leading one first.
        band: Lower and upper metric of a range drawn behind the lines; None for none.
        evaluations: Held-out values to mark as diamonds, where they fit the scale; None for none.
    """
    curves = [line.curve for line in lines]
    shown = [*curves, *(band or ())]
    log = look.log and wants_log(curves)
    grown = _GROWN if any(abs(value) > _HUGE for value in payload.all_values(shown)) else 1.0
    small = [replace(line, curve=_shrunk(line.curve, grown)) for line in lines]
    drawn = payload.lines(small, log=log, run=run, limit=look.points)
    datasets = dict(drawn.datasets)
    if look.checkpoint:
        payload.checkpoint_marks(datasets["marks"], analysis, small[0].curve, lines[0].series)
    if band is not None:
        low, high = (_shrunk(curve, grown) for curve in band)
        datasets["band"] = payload.band(low.step.tolist(), low.raw.tolist(), high.raw.tolist())
    datasets["jobs"] = payload.boundaries(run, labels=look.wide)
    form = "lines-log" if log else "lines"
    values = payload.all_values(_shrunk(curve, grown) for curve in shown)
    marked = evaluations if evaluations is not None and fits(evaluations, values) else None
    if marked is not None:
        add_evaluations(datasets["marks"], marked)
        values += marked.values
    fit = _fit(values, look, _raw(curves) if grown == 1 and band is None and marked is None else [], log=log)
    if fit.top is not None:
        add_beyond(datasets["marks"], lines, fit.top)
    axis = fit.axis if grown == 1 else replace(fit.axis, divisor=fit.axis.divisor / grown)
    plot = _Plot(look=look, axis=axis, domain=step_frame(run).domain, log=log)
    datasets["names"] = names(_ends(analysis, plot, small), list(_paths(plot, small)), _inner(look))
    params = _params(run, lines, plot, marked) | {"records": len(curves[0].step)}
    if fit.top is not None:
        params["yTop"] = fit.top
    if grown > 1:
        params["grown"] = grown
    constant = all(_constant(analysis, curve) for curve in curves)
    return Chart(
        id=look.id,
        section=look.section,
        form=form,
        title=look.title,
        caption=describe.joined(
            describe.caption(curves[0], constant=_constant(analysis, curves[0])), fit.words(curves)
        ),
        summary=describe.joined(describe.summary(shown), fit.words(curves)),
        note=describe.notes(
            describe.thinned(drawn),
            ui("charts.note.log") if log else None,
            ui("charts.note.constant") if constant else None,
            evaluation_note(evaluations, drawn=marked is not None),
        ),
        metrics=tuple(curve.metric for curve in shown) + ((marked.metric,) if marked else ()),
        datasets=datasets,
        params=params,
        columns=step_columns(shown) + ((DataColumn(key="eval", title=same(marked.metric), unit=""),) if marked else ()),
        rows=evaluation_rows(step_table(run, shown), marked),
        static_svg=_static(look, form, datasets, params, shown),
        height=look.height,
        wide=look.wide,
        legend=_legend(lines) if any(line.name for line in lines) and not datasets["names"]["series"] else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plot:
    """Geometry of a drawing."""

    look: Look
    axis: Axis
    domain: tuple[float, float]
    log: bool

    def x(self, step: float) -> float:
        """Share of the width."""
        low, high = self.domain
        return (step - low) / (high - low)

    def y(self, value: float) -> float:
        """Pixels from the top."""
        low, high, at = (math.log10(v) if self.log else v for v in (self.axis.low, self.axis.high, value))
        return _inner(self.look) * (high - at) / (high - low)


def _inner(look: Look) -> float:
    return float(look.height - theme.TOP - theme.BOTTOM)


def _shrunk(curve: Curve, grown: float) -> Curve:
    if grown == 1:
        return curve
    smaller = {name: getattr(curve, name) / grown for name in ("raw", "ema", "superseded_raw")}
    return replace(curve, **smaller)


def _legend(lines: Sequence[Line]) -> tuple[LegendItem, ...]:
    """The lines' names, where they have no free place at their ends."""
    return tuple(LegendItem(swatch=f"line-{line.series}", name=same(line.name), value="") for line in lines)


def wants_log(curves: Sequence[Curve]) -> bool:
    """Whether a linear axis would flatten all but the spikes, and at most a tenth of the values is 0 or less."""
    values = sorted(value for curve in curves for value in curve.raw.tolist() if math.isfinite(value))
    if len(values) < 2 or values[len(values) // 10] <= 0:
        return False
    return bool(values[-1] >= _LOG_RATIO * values[len(values) // 2])


def step_columns(curves: Sequence[Curve]) -> tuple[DataColumn, ...]:
    """Columns of `step_frame.step_table`."""
    columns = [
        DataColumn(key="job", title=ui("charts.column.job"), unit=""),
        DataColumn(key="step", title=ui("charts.column.step"), unit=""),
        DataColumn(key="superseded", title=ui("charts.column.superseded"), unit=""),
    ]
    for index, curve in enumerate(curves):
        name = same(curve.metric)
        columns += [
            DataColumn(key=f"m{index}", title=name, unit=""),
            DataColumn(key=f"m{index}_ema", title=ui("charts.column.ema", name=name), unit=""),
            DataColumn(key=f"m{index}_mean5", title=ui("charts.column.mean5", name=name), unit=""),
        ]
    return tuple(columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fit:
    """The value axis and what has to be said of it."""

    axis: Axis
    top: float | None = None
    small: bool = False

    def words(self, curves: Sequence[Curve]) -> Text | None:
        """What a reader would not expect of the axis; None for nothing."""
        if self.top is not None:
            return beyond_words(curves, self.top)
        return ui("charts.caption.small-share", high=f"{self.axis.ticks[-1]:g}") if self.small else None


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


def _params(run: Run, lines: Sequence[Line], plot: _Plot, marked: Evaluations | None) -> dict[str, object]:
    x0, x1 = plot.domain
    said = [(line.series, line.curve.metric) for line in lines]
    said += [("evaluation", marked.metric)] if marked is not None else []
    named = [{"key": key, "en": metric, "zh": metric} for key, metric in said]
    return {"x0": x0, "x1": x1, "names": named, **plot.axis.params()}


def _ends(analysis: RunAnalysis, plot: _Plot, lines: Sequence[Line]) -> list[End]:
    """Where the named lines end, for their labels."""
    ends = []
    for index, line in enumerate(lines):
        smooth = zip(line.curve.step.tolist(), line.curve.ema.tolist(), strict=True)
        finite = [(step, value) for step, value in smooth if math.isfinite(value) and (value > 0 or not plot.log)]
        if not line.name or not finite:
            continue
        step, last = finite[-1]
        marked = index == 0 and plot.look.checkpoint and _chosen_late(analysis, line.curve)
        below = _SELECTED_LABEL if marked else 0.0
        ends.append(End(series=line.series, name=line.name, y=plot.y(last), below=below, x=plot.x(step)))
    return ends


def _paths(plot: _Plot, lines: Sequence[Line]) -> Iterator[Path]:
    """What the names must not cross: the bold lines, on a short run the raw ones too."""
    if not any(line.name for line in lines):
        return
    for line in lines:
        kinds = (line.curve.ema, line.curve.raw) if len(line.curve.step) <= _SHORT else (line.curve.ema,)
        for values in kinds:
            stretch: list[tuple[float, float]] = []
            for step, value in zip(line.curve.step.tolist(), values.tolist(), strict=True):
                if math.isfinite(value) and (value > 0 or not plot.log):
                    stretch.append((plot.x(step), plot.y(value)))
                    continue
                yield stretch
                stretch = []
            yield stretch


def _chosen_late(analysis: RunAnalysis, curve: Curve) -> bool:
    """Whether the selected checkpoint lies in the last third, where the line's name is."""
    step = analysis.checkpoint.step
    return step is not None and step >= curve.step[-1] - (curve.step[-1] - curve.step[0]) / 3


def _static(
    look: Look, form: str, datasets: dict[str, Columns], params: dict[str, object], shown: Sequence[Curve]
) -> str | None:
    if not look.static:
        return None
    names = ", ".join(payload.label(curve.metric, 80) for curve in shown)
    return static_svg(form, datasets, params, height=look.height, label=names)


def _constant(analysis: RunAnalysis, curve: Curve) -> bool:
    summary = analysis.metric(curve.metric)
    return summary is not None and summary.constant
