"""The Vega-Lite forms, by Altair: what is drawn, from which named data set, at which parameter's place.

A form holds no run's data and no run's name. What differs between charts are the data sets, which a page attaches,
and the parameters. All forms of steps share:

    x0, x1              step axis (shared by all charts of a page)
    xStep               least distance of its ticks: 1 for whole steps, 0 for hours
    y0, y1, yTicks, yDiv, yFormat, ySuffix
                        value axis, from `scales.Axis.params`
    smooth              `ema`, `mean5` or `off`: which column of the data is the bold line
    meanWord            what the mean of the last five is called at the selected checkpoint

Data sets: see the builder of each form.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import altair as alt

from sitegen.charts import theme

_Y_LABEL = "datum.value == 0 ? '0' : replace(format(datum.value / yDiv, yFormat), 'e+', 'e') + ySuffix"
_SMOOTHED = "smooth == 'ema' ? datum.ema : smooth == 'mean5' ? datum.mean5 : null"
_MARK_Y = "smooth == 'ema' ? datum.ema : smooth == 'mean5' ? datum.mean5 : datum.raw"
_CHOSEN = (
    "datum.label == '' || smooth == 'ema' || indexof(datum.label, 'EMA') < 0 ? datum.label"
    " : split(datum.label, ' · ')[0] + ' · ' + (smooth == 'mean5' ? meanWord : '') + format(datum.s, '.3f')"
)
"""Step of the selected checkpoint and the value under its ring, said as what it is; the data say the EMA."""
_GAPS: Literal["break-paths-show-domains"] = "break-paths-show-domains"
_TRIANGLE = "M0,-1L1,0.8H-1Z"
_IN_VIEW = "datum.step >= x0 && datum.step <= x1"
_NEAR_END = "datum.step > x1 - (x1 - x0) / 6"
_SPACE = "\u200b\u00a0"
_INWARD = "datum.step > x1 - (x1 - x0) / 12 ? 'right' : datum.step < x0 + (x1 - x0) / 12 ? 'left' : 'center'"
_VALUE_SCALE: Literal["linear"] = "linear"
_CROSS = "M-1,-1L1,1M1,-1L-1,1"
_ON_AXIS = "min(datum.raw, y1)"
"""Superseded values that the axis does not hold stand on its top edge."""


@cache
def chart_forms() -> dict[str, dict[str, Any]]:
    """Every form by its key, as a Vega-Lite specification. Built once per process."""
    lines = _finish(_lines(), _step_params())
    return {
        "lines": lines,
        "lines-log": _on_log_axes(lines),
        "time": _finish(_areas(theme.TIME_PARTS), _step_params()),
        "errors": _finish(_areas(theme.ERROR_PARTS), _step_params()),
        "engine": _finish(_engine(), _step_params()),
        "outcome": _finish(_outcome(), _value_params()),
    }


def _lines() -> alt.LayerChart:
    """Lines over steps: the raw values thin, the smoothed ones bold, everything special marked.

    Data: `points` (step, series, raw, ema, mean5, lone: 1 for a dot, 2 for a stem with a dot and no line), `names`
    (series, name, dy), `band` (step, low, high),
    `jobs` (step, label), `marks` (step, series, kind, raw, ema, mean5, label) with kinds candidate, selected,
    superseded, nonfinite, nonpositive, evaluation, beyond (above the axis).
    """
    x, color = _x("step"), _series_color()
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=theme.SERIES, range=theme.SERIES_DASHES), legend=None)
    points = alt.Chart(alt.NamedData("points"))
    faint = alt.ExprRef("smooth == 'off' ? 1 : 0.38")  # alone it need not make way for the bold line
    joined = points.transform_filter("datum.lone != 2")
    raw = joined.mark_line(
        clip=True, strokeWidth=1, opacity=faint, invalid=_GAPS, strokeJoin="round", strokeCap="round"
    )
    bold = joined.transform_calculate(s=_SMOOTHED).mark_line(
        clip=True, strokeWidth=2.25, invalid=_GAPS, strokeJoin="round", strokeCap="round"
    )
    alone = points.transform_filter("datum.lone > 0")
    stem = points.transform_filter(f"datum.lone == 2 && {_IN_VIEW}").mark_rule(clip=True, strokeWidth=1.5)
    faint_dot = alone.mark_circle(clip=True, size=14, opacity=0.6)
    bold_dot = alone.transform_calculate(s=_MARK_Y).mark_circle(clip=True, size=28, opacity=1)
    return _layer(
        _band(x),
        _jobs(x, foot=True),
        stem.encode(x=x, y=_y("raw"), y2=alt.Y2Datum(0), color=color),
        raw.encode(x=x, y=_y("raw"), color=color, detail="series:N"),
        bold.encode(x=x, y=_y("s"), color=color, strokeDash=dash),
        faint_dot.encode(x=x, y=_y("raw"), color=color),
        bold_dot.encode(x=x, y=_y("s"), color=color),
        *_names(x),
        *_marks(x),
    )


def _band(x: alt.X) -> alt.Chart:
    area = alt.Chart(alt.NamedData("band")).mark_area(
        clip=True, opacity=0.13, color=theme.color("run-1"), invalid=_GAPS
    )
    drawn: alt.Chart = area.encode(x=x, y=_y("low"), y2=alt.Y2("high"))
    return drawn


def _jobs(x: alt.X, *, foot: bool = False, top: int = 2) -> alt.LayerChart:
    """Dashed rules between jobs, named at the top (so many pixels down) or at the foot, wherever less is drawn."""
    base = alt.Chart(alt.NamedData("jobs"))
    rule = base.mark_rule(clip=True, strokeDash=[3, 3], color=theme.EDGE, strokeWidth=1).encode(x=x)
    # Spaces, not an offset: static drawings move a text by its share of the width, an offset would stretch too.
    # Vega trims spaces, but not behind a zero-width one.
    padded = base.transform_filter(_IN_VIEW).transform_calculate(label=f"'{_SPACE}' + datum.label + '{_SPACE[::-1]}'")
    text = padded.mark_text(
        align=alt.ExprRef(f"{_NEAR_END} ? 'right' : 'left'"),
        baseline="bottom" if foot else "top",
        dy=-3 if foot else top,
        fontSize=11,
        limit=140,
        color=theme.LABEL,
    )
    text = text.encode(x=x, y=alt.value(alt.ExprRef("height")) if foot else alt.value(0), text="label:N")
    return _layer(rule, text)


def _marks(x: alt.X) -> list[alt.Chart]:
    marks = alt.Chart(alt.NamedData("marks")).transform_calculate(s=_MARK_Y)
    on_line, on_raw = _y("s"), _y("raw")

    def of(kind: str) -> alt.Chart:
        return marks.transform_filter(f"datum.kind == '{kind}' && {_IN_VIEW}")

    color = _series_color("stroke")
    candidate = of("candidate").mark_point(
        shape="circle", size=30, filled=True, fill=theme.CARD, strokeWidth=1.5, opacity=1
    )
    ring = of("selected").mark_point(shape="circle", size=150, filled=True, fill=theme.PAGE, strokeWidth=2.5, opacity=1)
    dot = of("selected").mark_point(shape="circle", size=24, filled=True, opacity=1)
    text = of("selected").transform_calculate(said=_CHOSEN)
    cross = (
        of("superseded")
        .transform_calculate(raw=_ON_AXIS)
        .mark_point(shape=_CROSS, size=56, stroke=theme.LABEL, strokeWidth=1.75, opacity=1)
    )
    diamond = of("evaluation").mark_point(
        shape="diamond", size=90, filled=True, fill=theme.INK, stroke=theme.CARD, strokeWidth=1.25, opacity=1
    )
    rug = of("nonfinite").mark_point(shape=_TRIANGLE, size=80, filled=True, fill=theme.BAD, opacity=1, strokeWidth=0)
    beyond = of("beyond").transform_filter("datum.raw > y1")
    below = of("nonpositive").mark_point(
        shape="triangle-down", size=36, filled=True, fill=theme.LABEL, opacity=1, strokeWidth=0
    )
    return [
        candidate.encode(x=x, y=on_line, stroke=color),
        ring.encode(x=x, y=on_line, stroke=color),
        dot.encode(x=x, y=on_line, fill=_series_color("fill")),
        *(
            text.mark_text(dy=20, fontSize=11, fontWeight=600, align=alt.ExprRef(_INWARD), **look).encode(
                x=x, y=on_line, text="said:N"
            )
            for look in _haloed(theme.INK)
        ),
        cross.encode(x=x, y=on_raw),
        diamond.encode(x=x, y=on_raw),
        rug.encode(x=x, y=alt.value(theme.RUG_Y)),
        below.encode(x=x, y=alt.value(alt.ExprRef("height - 4"))),
        _beyond(beyond, x),
    ]


def _beyond(marks: alt.Chart, x: alt.X) -> alt.Chart:
    """Triangles on the top edge: values that the axis does not hold."""
    triangles = marks.mark_point(
        shape=_TRIANGLE, size=80, filled=True, fill=theme.INK, stroke=theme.CARD, strokeWidth=1, opacity=1
    )
    drawn: alt.Chart = triangles.encode(x=x, y=alt.value(theme.BEYOND_Y))
    return drawn


def _names(x: alt.X) -> list[alt.Chart]:
    """Direct labels: the name at the last visible value of each line."""
    last = (
        alt.Chart(alt.NamedData("points"))
        .transform_filter(f"{_IN_VIEW} && isValid(datum.raw)")
        .transform_aggregate(last="argmax(step)", groupby=["series"])
        .transform_calculate(
            step="datum.last.step",
            s="smooth == 'off' ? datum.last.raw : smooth == 'ema' ? datum.last.ema : datum.last.mean5",
        )
    )
    return _labels(last, x, _y("s"))


def _labels(last: alt.Chart, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Names of `names` (series, name, dy) at the ends of lines, in the line's colour, with a halo.

    A name stands over or under the end of its line; with a `dx` above 0, beside it.
    """
    named = last.transform_lookup(
        lookup="series", from_=alt.LookupData(data=alt.NamedData("names"), key="series", fields=["name", "dy", "dx"])
    ).transform_filter("isValid(datum.name)")
    halo, name = (
        named.mark_text(
            align=alt.ExprRef("datum.dx > 0 ? 'left' : 'right'"),
            dx=alt.ExprRef("datum.dx || 0"),
            dy=alt.ExprRef("datum.dy"),
            fontSize=11,
            fontWeight=600,
            limit=180,
            **look,
        )
        for look in _haloed(None)
    )
    return [halo.encode(x=x, y=y, text="name:N"), name.encode(x=x, y=y, text="name:N", color=_series_color())]


def _haloed(fill: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Looks of a text drawn twice: the card's colour around it first, then the text itself."""
    halo = {"stroke": theme.CARD, "strokeWidth": 4, "strokeJoin": "round", "fill": theme.CARD}
    return halo, ({} if fill is None else {"fill": fill})


def _areas(parts: tuple[tuple[str, str], ...]) -> alt.LayerChart:
    """Stacked bars over steps, one area of steps per part, so that 500 steps are four shapes and not 2 000.

    Data: `areas` (x, series, y0, y1) with both edges of every unbroken stretch and a missing row between two,
    `jobs` (step, label), `marks` (step, kind, raw) with the kinds superseded, nonfinite and beyond.
    """
    x = _x("x")
    fill = alt.Fill("series:N", scale=alt.Scale(domain=[p for p, _ in parts], range=[c for _, c in parts]), legend=None)
    pale = any(color == theme.IDLE for _, color in parts)  # needs an edge to be told from the card
    area = alt.Chart(alt.NamedData("areas")).mark_area(
        clip=True, interpolate="step-after", invalid=_GAPS, opacity=1, strokeWidth=0.75 if pale else 0, line=False
    )
    channels = {"fill": fill, "stroke": _edges(parts)} if pale else {"fill": fill}
    marks = alt.Chart(alt.NamedData("marks"))
    superseded = marks.transform_filter(f"datum.kind == 'superseded' && {_IN_VIEW}").transform_calculate(raw=_ON_AXIS)
    cross = superseded.mark_point(shape=_CROSS, size=56, stroke=theme.LABEL, strokeWidth=1.75, opacity=1)
    rug = marks.transform_filter(f"datum.kind == 'nonfinite' && {_IN_VIEW}").mark_point(
        shape=_TRIANGLE, size=80, filled=True, fill=theme.BAD, opacity=1, strokeWidth=0
    )
    beyond = marks.transform_filter(f"datum.kind == 'beyond' && {_IN_VIEW} && datum.raw > y1")
    step = _x("step")
    return _layer(
        area.encode(x=x, y=_y("y0"), y2=alt.Y2("y1"), **channels),
        _jobs(step, top=theme.UNDER_BEYOND),
        cross.encode(x=step, y=_y("raw")),
        rug.encode(x=step, y=alt.value(theme.RUG_Y)),
        _beyond(beyond, step),
    )


def _engine() -> alt.LayerChart:
    """Engine samples over hours: every sample a dot, the mean of each time bucket a line.

    Data: `dots` (x, series, v), `means` (x, series, v), `names` (series, name, dy), `jobs` (step, label),
    `steps` (x, label), the ends of training steps.
    """
    x, color = _x("x"), _series_color()
    dots = alt.Chart(alt.NamedData("dots")).mark_circle(clip=True, size=9, opacity=0.38)
    means = alt.Chart(alt.NamedData("means"))
    line = means.mark_line(clip=True, strokeWidth=2.25, invalid=_GAPS, strokeJoin="round", strokeCap="round")
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=theme.SERIES, range=theme.SERIES_DASHES), legend=None)
    last = (
        means.transform_filter("datum.x >= x0 && datum.x <= x1 && isValid(datum.v)")
        .transform_aggregate(last="argmax(x)", groupby=["series"])
        .transform_calculate(x="datum.last.x", v="datum.last.v")
    )
    return _layer(
        _jobs(_x("step")),
        *_step_ends(x),
        dots.encode(x=x, y=_y("v"), color=color),
        line.encode(x=x, y=_y("v"), color=color, strokeDash=dash),
        *_labels(last, x, _y("v")),
    )


def _step_ends(x: alt.X) -> list[alt.Chart]:
    """Ticks over the plot, clear of the names of jobs in it, some with a number above them."""
    base = alt.Chart(alt.NamedData("steps"))
    rule = base.mark_rule(color=theme.EDGE, strokeWidth=1)
    text = base.transform_filter("datum.label != ''").mark_text(
        baseline="bottom", dy=-theme.TICK, fontSize=11, color=theme.LABEL
    )
    return [
        rule.encode(x=x, y=alt.value(-theme.TICK), y2=alt.value(0)),
        text.encode(x=x, y=alt.value(0), text="label:N"),
    ]


def _outcome() -> alt.LayerChart:
    """Bars per number of turns, solved below, not solved above, the solved share over each bar.

    Data: `bars` (label, order, series, y0, y1), `tops` (label, order, y1, text).
    """
    axis = alt.Axis(labelAngle=0, labelPadding=6, grid=False, ticks=False, labelOverlap=True)
    x = alt.X(
        "label:N",
        sort=alt.EncodingSortField("order", op="min"),
        title=None,
        axis=axis,
        scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2),
    )
    parts = theme.OUTCOME_PARTS
    fill = alt.Fill("series:N", scale=alt.Scale(domain=[p for p, _ in parts], range=[c for _, c in parts]), legend=None)
    bars = alt.Chart(alt.NamedData("bars")).mark_bar(opacity=1, strokeWidth=0.75)
    tops = alt.Chart(alt.NamedData("tops")).mark_text(dy=-7, fontSize=11, color=theme.LABEL)
    return _layer(
        bars.encode(x=x, y=_y("y0"), y2=alt.Y2("y1"), fill=fill, stroke=_edges(parts)),
        tops.encode(x=x, y=_y("y1"), text="text:N"),
    )


def _edges(parts: tuple[tuple[str, str], ...]) -> alt.Stroke:
    """Outlines, of the pale parts only: a part that takes no time must not become a line."""
    edges = [theme.EDGE if color == theme.IDLE else "transparent" for _, color in parts]
    return alt.Stroke("series:N", scale=alt.Scale(domain=[part for part, _ in parts], range=edges), legend=None)


def _layer(*charts: alt.Chart | alt.LayerChart) -> alt.LayerChart:
    layered = alt.layer(*charts)
    assert isinstance(layered, alt.LayerChart)
    return layered


def _x(field: str) -> alt.X:
    axis = alt.Axis(
        grid=False,
        tickCount=5,
        tickMinStep=alt.ExprRef("xStep"),
        labelExpr="format(datum.value, ',~r')",
        labelFlush=False,  # as static drawings have it: no label moves when this one takes over
        labelBound=theme.RIGHT,
        labelPadding=6,
        tickSize=4,
    )
    domain = [alt.ExprRef("x0"), alt.ExprRef("x1")]
    return alt.X(f"{field}:Q", title=None, axis=axis, scale=alt.Scale(domain=domain, nice=False, zero=False))


def _y(field: str) -> alt.Y:
    axis = alt.Axis(
        values=alt.ExprRef("yTicks"), labelExpr=_Y_LABEL, domain=False, ticks=False, labelPadding=8, labelOverlap=False
    )
    domain = [alt.ExprRef("y0"), alt.ExprRef("y1")]
    shape = alt.Scale(domain=domain, nice=False, type=_VALUE_SCALE, zero=False)
    return alt.Y(f"{field}:Q", title=None, axis=axis, scale=shape)


def _on_log_axes(part: Any) -> Any:
    """A form with its value axes logarithmic and otherwise the same drawing, so that it is not built twice."""
    if isinstance(part, list):
        return [_on_log_axes(item) for item in part]
    if not isinstance(part, dict):
        return part
    changed = {key: _on_log_axes(item) for key, item in part.items()}
    if changed.get("type") == _VALUE_SCALE:
        del changed["zero"]
        changed["type"] = "log"
    return changed


def _series_color(channel: Literal["color", "stroke", "fill"] = "color") -> Any:
    kind = {"color": alt.Color, "stroke": alt.Stroke, "fill": alt.Fill}[channel]
    return kind("series:N", scale=alt.Scale(domain=theme.SERIES, range=theme.SERIES_COLORS), legend=None)


def _value_params() -> dict[str, Any]:
    return {"y0": 0, "y1": 1, "yTicks": [0, 1], "yDiv": 1, "yFormat": ",.2f", "ySuffix": ""}


def _step_params() -> dict[str, Any]:
    return {"x0": 0, "x1": 1, "xStep": 1, "smooth": "ema", "meanWord": "mean of 5 "} | _value_params()


def _finish(chart: alt.LayerChart, params: Mapping[str, Any]) -> dict[str, Any]:
    """The form as a dictionary, with its parameters, its paddings and its look.

    Each method that adds to a chart copies all of it, so what is added to the whole is added to the dictionary.
    """
    whole: dict[str, Any] = chart.to_dict(validate=False)  # half the time; the tests check the schema
    look = alt.Config(
        background="transparent",
        font="system-ui, sans-serif",
        aria=False,
        axis=alt.AxisConfig(
            gridColor=theme.GRID,
            tickColor=theme.IDLE,
            domainColor=theme.IDLE,
            labelColor=theme.LABEL,
            labelFontSize=11,
            translate=0,
        ),
    ).to_dict(validate=False)
    view = whole["config"]["view"] | {"stroke": None}
    return whole | {
        "params": [{"name": name, "value": value} for name, value in params.items()],
        "width": theme.STATIC_WIDTH - theme.LEFT - theme.RIGHT,
        "height": theme.SMALL - theme.TOP - theme.BOTTOM,
        "padding": {"left": theme.LEFT, "right": theme.RIGHT, "top": theme.TOP, "bottom": theme.BOTTOM},
        "autosize": {"type": "none"},
        "config": look | {"view": view},
    }
