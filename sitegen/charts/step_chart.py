"""The one builder behind every chart of lines over steps: scale, marks, words, table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts import describe, payload
from sitegen.charts.base import Chart, DataColumn, LegendItem
from sitegen.charts.drawn import FEWEST, counter, few, sparse
from sitegen.charts.evaluation_marks import Evaluations, evaluation_note, evaluation_rows
from sitegen.charts.payload import Columns, Drawn, Line
from sitegen.charts.static_svg import static_svg
from sitegen.charts.step_frame import step_table
from sitegen.charts.step_look import Look
from sitegen.charts.step_marks import step_marks
from sitegen.charts.step_scale import Band, StepScale, step_scale
from sitegen.model.run import Run
from sitegen.text import Text, same, ui


def step_chart(
    run: Run,
    analysis: RunAnalysis,
    look: Look,
    lines: Sequence[Line],
    band: Band | None = None,
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
    scale = step_scale(run, look, lines, band, evaluations)
    drawn = step_marks(run, analysis, look, lines, band, scale)
    form, params, more = "lines-log" if scale.log else "lines", _params(lines, scale), scale.words(curves)
    extra = [scale.evaluations.metric] if scale.evaluations else []
    flat = [_constant(analysis, curve) for curve in curves]
    return Chart(
        id=look.id,
        section=look.section,
        form=form,
        title=look.title,
        caption=describe.joined(describe.caption(curves[0], constant=flat[0]), more),
        summary=describe.joined(describe.summary(shown), more),
        note=describe.notes(_note(drawn, scale, evaluations, constant=all(flat)), *_bold(curves, scale)),
        metrics=(*(curve.metric for curve in shown), *extra),
        datasets=drawn.datasets,
        params=params,
        columns=(*step_columns(shown), *(DataColumn(key="eval", title=same(name), unit="") for name in extra)),
        rows=evaluation_rows(step_table(run, shown), scale.evaluations),
        static_svg=_static(look, form, dict(drawn.datasets), params, shown),
        height=look.height,
        wide=look.wide,
        legend=_legend(lines, drawn),
    )


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


def _note(drawn: Drawn, scale: StepScale, evaluations: Evaluations | None, *, constant: bool) -> Text | None:
    return describe.notes(
        describe.thinned(drawn),
        ui("charts.note.log") if scale.log else None,
        ui("charts.note.constant") if constant else None,
        evaluation_note(evaluations, drawn=scale.evaluations is not None),
    )


def _bold(curves: Sequence[Curve], scale: StepScale) -> tuple[Text | None, ...]:
    """Where the bold lines are not what the page's key says of them."""
    if not scale.log and len(curves) == 1 and sparse(curves[0].raw):
        raw = curves[0].raw
        return (ui("charts.note.sparse", n=int(np.isfinite(raw).sum()), total=len(raw)),)
    changing = [curve for curve in curves if len(set(curve.raw[np.isfinite(curve.raw)].tolist())) > 1]
    short = bool(changing) and all(few(curve.raw) for curve in changing)
    rising = bool(changing) and not short and all(counter(curve.raw) for curve in changing)
    return (
        ui("charts.note.few", n=FEWEST) if short else None,
        ui("charts.note.counter") if rising else None,
        ui("charts.note.beyond-line") if scale.top is not None and not rising else None,
    )


def _legend(lines: Sequence[Line], drawn: Drawn) -> tuple[LegendItem, ...]:
    """The lines' names, where they have no free place at their ends."""
    if drawn.datasets["names"]["series"] or not any(line.name for line in lines):
        return ()
    return tuple(LegendItem(swatch=f"line-{line.series}", name=same(line.name), value="") for line in lines)


def _params(lines: Sequence[Line], scale: StepScale) -> dict[str, object]:
    said = [(line.series, line.curve.metric) for line in lines]
    said += [("evaluation", scale.evaluations.metric)] if scale.evaluations is not None else []
    named = [{"key": key, "en": metric, "zh": metric} for key, metric in said]
    return scale.params() | {"names": named, "records": len(lines[0].curve.step)}


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
