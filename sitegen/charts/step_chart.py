"""The one builder behind every chart of lines over steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts import describe, payload, theme
from sitegen.charts.base import Chart, DataColumn, Section
from sitegen.charts.payload import Columns, End, Line
from sitegen.charts.scales import Axis, log_axis, value_axis
from sitegen.charts.static_svg import static_svg
from sitegen.charts.step_frame import step_frame, step_table
from sitegen.model.run import Run
from sitegen.text import Text, same, ui

_SELECTED_LABEL = 16.0
"""Pixels that the selected checkpoint's label takes under its line."""
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
    log: bool = False
    """A logarithmic axis, where the values span more than three powers of ten."""
    checkpoint: bool = False
    """Mark the candidates and the selected checkpoint on the first line."""
    static: bool = False
    """Draw at build time too."""


def step_chart(
    run: Run,
    analysis: RunAnalysis,
    look: Look,
    lines: Sequence[Line],
    band: tuple[Curve, Curve] | None = None,
) -> Chart:
    """A chart of one or more metrics over steps, with everything that an honest chart marks.

    Args:
        run: The run.
        analysis: Its analyses.
        look: What the chart is called and how it looks.
        lines: The metrics drawn, the leading one first.
        band: Lower and upper metric of a range drawn behind the lines; None for none.
    """
    curves = [line.curve for line in lines]
    shown = [*curves, *(band or ())]
    log = look.log and wants_log(curves)
    drawn = payload.lines(lines, log=log)
    datasets = dict(drawn.datasets)
    if look.checkpoint:
        payload.checkpoint_marks(datasets["marks"], analysis, curves[0], lines[0].series)
    if band is not None:
        datasets["band"] = payload.band(band[0].step.tolist(), band[0].raw.tolist(), band[1].raw.tolist())
    datasets["jobs"] = payload.boundaries(run, labels=look.wide)
    form = "lines-log" if log else "lines"
    axis = _axis(shown, look, log=log)
    datasets["names"] = payload.names(_ends(analysis, look, lines, axis, log=log))
    params = _params(run, lines, axis)
    constant = all(_constant(analysis, curve) for curve in curves)
    return Chart(
        id=look.id,
        section=look.section,
        form=form,
        title=look.title,
        caption=describe.caption(curves[0], constant=_constant(analysis, curves[0])),
        summary=describe.summary(shown),
        note=describe.notes(
            describe.thinned(drawn),
            ui("charts.note.log") if log else None,
            ui("charts.note.constant") if constant else None,
        ),
        metrics=tuple(curve.metric for curve in shown),
        datasets=datasets,
        params=params,
        columns=step_columns(shown),
        rows=step_table(run, shown),
        static_svg=_static(look, form, datasets, params, shown),
        height=look.height,
        wide=look.wide,
    )


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


def _axis(shown: Sequence[Curve], look: Look, *, log: bool) -> Axis:
    values = payload.all_values(shown)
    return log_axis(values) if log else value_axis(values, rate=look.rate)


def _params(run: Run, lines: Sequence[Line], axis: Axis) -> dict[str, object]:
    x0, x1 = step_frame(run).domain
    names = [{"key": line.series, "en": line.curve.metric, "zh": line.curve.metric} for line in lines]
    return {"x0": x0, "x1": x1, "names": names, **axis.params()}


def _ends(analysis: RunAnalysis, look: Look, lines: Sequence[Line], axis: Axis, *, log: bool) -> list[End]:
    """Where the named lines end, for their labels."""
    inner = look.height - theme.TOP - theme.BOTTOM
    ends = []
    for index, line in enumerate(lines):
        finite = [value for value in line.curve.ema.tolist() if math.isfinite(value) and (value > 0 or not log)]
        if not line.name or not finite:
            continue
        low, high, last = (math.log10(v) if log else v for v in (axis.low, axis.high, finite[-1]))
        below = _SELECTED_LABEL if index == 0 and look.checkpoint and _chosen_late(analysis, line.curve) else 0.0
        ends.append(End(series=line.series, name=line.name, y=inner * (high - last) / (high - low), below=below))
    return ends


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
