"""Every logged metric as a small chart, in the order of the log."""

from __future__ import annotations

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.base import Chart, ChartSpec
from sitegen.charts.payload import Line, chart_id, label
from sitegen.charts.step_chart import Look, step_chart
from sitegen.model.run import Run
from sitegen.text import same, ui


def _needs(run: Run, analysis: RunAnalysis) -> bool:
    return bool(analysis.curves)


def _build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    rates = {analysis.facts.reward_metric, analysis.facts.pass_metric}
    taken: set[str] = set()
    charts = []
    for curve in analysis.curves:
        look = Look(
            id=chart_id("metric", curve.metric, taken),
            section="metrics",
            title=same(label(curve.metric, 120)),
            rate=curve.metric in rates,
            log=True,
        )
        charts.append(step_chart(run, analysis, look, [Line(curve=curve, series="1", name="")]))
    return tuple(charts)


METRICS = ChartSpec(id="metric", section="metrics", title=ui("charts.title.metric"), needs=_needs, build=_build)
