"""Every logged metric that changes as a small chart, in the order of the log."""

from __future__ import annotations

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.summary import MetricSummary
from sitegen.charts.base import Chart, ChartSpec
from sitegen.charts.payload import Line, chart_id, label
from sitegen.charts.step_chart import step_chart
from sitegen.charts.step_look import Look
from sitegen.charts.thin import LIMIT
from sitegen.model.run import Run
from sitegen.text import same, ui

ALL_POINTS = 20_000
"""Points of all charts together: about 200 KB as sent, within the 250 KB that a run's data may take."""
FEWEST = 50
"""Points that each chart has at least. Beyond about 400 changing metrics data and page are over their budgets, which
the build names (`budgets.py`)."""


def unchanging(analysis: RunAnalysis) -> tuple[MetricSummary, ...]:
    """Logged metrics that had one value at all times: a line of text says all that a chart would.

    A metric with values that are not finite is none of them: its chart shows where these are.
    """
    drawn = {curve.metric for curve in analysis.curves}
    train = [item for item in analysis.metrics if item.kind == "train" and item.name in drawn]
    return tuple(item for item in train if item.constant and not item.non_finite)


def _changing(analysis: RunAnalysis) -> list[Curve]:
    flat = {item.name for item in unchanging(analysis)}
    return [curve for curve in analysis.curves if curve.metric not in flat]


def _needs(run: Run, analysis: RunAnalysis) -> bool:
    return bool(_changing(analysis))


def _build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    rates = {analysis.facts.reward_metric, analysis.facts.pass_metric}
    curves = _changing(analysis)
    points = min(LIMIT, max(FEWEST, ALL_POINTS // len(curves)))
    taken: set[str] = set()
    charts = []
    for curve in curves:
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
