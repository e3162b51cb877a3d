"""Where the time of each step goes, and the throughput where it was logged."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.timing import Span
from sitegen.charts import describe, payload, theme
from sitegen.charts.base import Chart, ChartSpec, DataColumn, LegendItem
from sitegen.charts.beyond import add_beyond, beyond_words, fitting_axis
from sitegen.charts.payload import Line
from sitegen.charts.scales import summed
from sitegen.charts.stacks import areas
from sitegen.charts.static_svg import static_svg
from sitegen.charts.step_chart import step_chart, step_columns
from sitegen.charts.step_frame import step_frame, step_table
from sitegen.charts.step_look import Look
from sitegen.format import plain
from sitegen.model.run import Run
from sitegen.text import Text, ui

_SYNC = ("sync", "broadcast", "update_weight", "transfer_weight")
_TRAIN = ("train", "update_actor", "update_critic", "backward", "optim")
_PREPARING = ("convert", "prepare")
"""What makes the input of the training is not the training."""
_THROUGHPUT = ("throughput", "tokens_per_sec", "tok_per_s", "tokens/s", "tgs")


def part_of(span: Span, wait_span: str | None) -> str:
    """Which part of the step a depth-1 span belongs to: wait, sync, train or other, by its name."""
    if span.name == wait_span:
        return "wait"
    name = span.name.lower()
    if any(word in name for word in _SYNC):
        return "sync"
    trains = any(word in name for word in _TRAIN) and not any(word in name for word in _PREPARING)
    return "train" if trains else "other"


def _needs(run: Run, analysis: RunAnalysis) -> bool:
    return _total(analysis) is not None


def _total(analysis: RunAnalysis) -> Curve | None:
    return analysis.curve(analysis.timing.step_metric) if analysis.timing else None


def _build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    total = _total(analysis)
    assert total is not None
    spans = _spans(analysis)
    parts = split(total, spans)
    columns, shown = areas(total.step.tolist(), parts)
    marks = payload.lines([Line(curve=total, series="1", name="")], run=run).datasets["marks"]
    datasets = {"areas": columns, "jobs": payload.boundaries(run, labels=True), "marks": marks}
    x0, x1 = step_frame(run).domain
    seconds = [*total.raw.tolist(), *total.superseded_raw.tolist()]
    axis, top = fitting_axis(seconds, seconds, stacked=True)
    if top is not None:
        add_beyond(marks, [Line(curve=total, series="1", name="")], top)
    beyond = beyond_words([total], top, " s") if top is not None else None
    names = [{"key": key, "en": part.en, "zh": part.zh} for key in parts for part in (ui(f"charts.part.{key}"),)]
    params = {"x0": x0, "x1": x1, "names": names, "records": len(total.step), **axis.params()}
    if top is not None:
        params["yTop"] = top
    curves = [total, *(curve for _, curve in spans)]
    return (
        Chart(
            id="step-time",
            section="time",
            form="time",
            title=ui("charts.title.step-time"),
            caption=describe.joined(describe.caption(total), beyond),
            summary=describe.joined(describe.summary([total]), beyond),
            note=describe.notes(
                _thinned(shown, len(total.step)),
                ui("charts.note.key-means"),
                ui("charts.note.unlogged-span") if _unlogged(total, [curve for _, curve in spans]) else None,
            ),
            metrics=tuple(curve.metric for curve in curves),
            datasets=datasets,
            params=params,
            columns=_columns(curves),
            rows=step_table(run, curves),
            static_svg=static_svg("time", datasets, params, height=theme.MEDIUM, label=payload.label(total.metric, 80)),
            height=theme.MEDIUM,
            wide=True,
            legend=_legend(parts),
        ),
    )


def split(total: Curve, spans: Sequence[tuple[str, Curve]]) -> dict[str, list[float]]:
    """Seconds per part and step, parts that never occur left out; `other` is what the named parts leave of the step.

    Where no named part occurs at any step, nothing is split: all of it is `whole`.

    A step without a time is NaN in every part; a span not logged at a step counts there as part of `other`.
    """
    seconds = {key: [0.0] * len(total.step) for key, _ in theme.TIME_PARTS}
    for key, curve in spans:
        for at, value in enumerate(curve.raw.tolist()):
            seconds[key][at] += value if key != "other" and math.isfinite(value) else 0.0
    for at, whole in enumerate(total.raw.tolist()):
        named = summed(seconds[key][at] for key in ("wait", "train", "sync"))
        seconds["other"][at] = max(0.0, whole - named)
        if not math.isfinite(whole):
            for values in seconds.values():
                values[at] = math.nan
    present = {key: values for key, values in seconds.items() if any(value > 0 for value in values)}
    return present if present.keys() - {"other"} else {"whole": seconds["other"]}


def _spans(analysis: RunAnalysis) -> list[tuple[str, Curve]]:
    timing = analysis.timing
    assert timing is not None
    found = []
    for span in timing.spans:
        curve = analysis.curve(span.metric) if span.metric and span.inside and span.depth == 1 else None
        if curve is not None:
            found.append((part_of(span, timing.wait_span), curve))
    return found


def _unlogged(total: Curve, spans: Sequence[Curve]) -> bool:
    """Whether a span is missing at a step whose time is known, while other steps have it."""
    whole = [math.isfinite(value) for value in total.raw.tolist()]
    return any(
        known and not math.isfinite(value)
        for curve in spans
        for known, value in zip(whole, curve.raw.tolist(), strict=True)
    )


def _legend(parts: dict[str, list[float]]) -> tuple[LegendItem, ...]:
    items = []
    for key, values in parts.items():
        finite = [value for value in values if math.isfinite(value)]
        mean = f"{plain(summed(value / len(finite) for value in finite), 3)} s" if finite else ""
        items.append(LegendItem(swatch=f"sw-{key}", name=ui(f"charts.part.{key}"), value=mean))
    return tuple(items)


def _columns(curves: Sequence[Curve]) -> tuple[DataColumn, ...]:
    fixed, rest = step_columns(curves)[:3], step_columns(curves)[3:]
    return fixed + tuple(DataColumn(key=column.key, title=column.title, unit="s") for column in rest)


def _thinned(shown: int, total: int) -> Text | None:
    if shown >= total:
        return None
    return ui("charts.note.thinned", shown=f"{shown:,}", total=f"{total:,}")


def _throughput_curves(analysis: RunAnalysis) -> list[Curve]:
    """Curves of throughput metrics, at most four: the first in the log lead."""
    found = [curve for curve in analysis.curves if any(word in curve.metric.lower() for word in _THROUGHPUT)]
    return [curve for curve in found if any(math.isfinite(value) for value in curve.raw.tolist())][:4]


def _throughput_needs(run: Run, analysis: RunAnalysis) -> bool:
    return bool(_throughput_curves(analysis))


def _throughput_build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    charts = []
    taken: set[str] = set()
    for curve in _throughput_curves(analysis):
        look = Look(
            id=payload.chart_id("throughput", curve.metric, taken),
            section="time",
            title=ui("charts.title.throughput", name=payload.label(curve.metric, 80)),
        )
        charts.append(step_chart(run, analysis, look, [Line(curve=curve, series="1", name="")]))
    return tuple(charts)


STEP_TIME = ChartSpec(id="step-time", section="time", title=ui("charts.title.step-time"), needs=_needs, build=_build)
THROUGHPUT = ChartSpec(
    id="throughput",
    section="time",
    title=ui("charts.part.throughput"),
    needs=_throughput_needs,
    build=_throughput_build,
)
