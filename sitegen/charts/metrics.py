"""Every logged metric as a small chart, in the order of the log."""

from __future__ import annotations

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.base import Chart, ChartSpec
from sitegen.charts.payload import Line, chart_id, label
from sitegen.charts.step_chart import step_chart
from sitegen.charts.step_look import Look
from sitegen.charts.thin import LIMIT
from sitegen.model.run import Run
from sitegen.text import same, ui

ALL_POINTS = 20_000
"""Points of all charts together: about 200 KB as sent, within the 250 KB that a run's data may take."""
FEWEST = 120
"""Points that each chart has at least, however many metrics there are."""


def _needs(run: Run, analysis: RunAnalysis) -> bool:
    return bool(analysis.curves)


def _build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    rates = {analysis.facts.reward_metric, analysis.facts.pass_metric}
    points = min(LIMIT, max(FEWEST, ALL_POINTS // len(analysis.curves)))
    taken: set[str] = set()
    charts = []
    for curve in analysis.curves:
        look = Look(
            id=chart_id("metric", curve.metric, taken),
            section="metrics",
            title=same(label(curve.metric, 120)),
            rate=curve.metric in rates,
            log=True,
            points=points,
        )
        charts.append(step_chart(run, analysis, look, [Line(curve=curve, series="1", name="")]))
    return tuple(charts)


METRICS = ChartSpec(id="metric", section="metrics", title=ui("charts.title.metric"), needs=_needs, build=_build)
