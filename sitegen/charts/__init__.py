"""Chart forms and what a run attaches to them; the only Altair import.

A chart is a `ChartSpec` in one module of this package and one line in `CHARTS`; see `docs/adding-a-chart.md`.
"""

from __future__ import annotations

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.base import Chart, ChartSpec
from sitegen.charts.engines import ENGINES
from sitegen.charts.errors import ERRORS
from sitegen.charts.freshness import FRESHNESS
from sitegen.charts.metrics import METRICS
from sitegen.charts.reward import REWARD
from sitegen.charts.stability import STABILITY
from sitegen.charts.timing import STEP_TIME, THROUGHPUT
from sitegen.charts.trials import TURNS_OUTCOME
from sitegen.model.run import Run

CHARTS: tuple[ChartSpec, ...] = (
    REWARD,
    *STABILITY,
    STEP_TIME,
    THROUGHPUT,
    *FRESHNESS,
    ERRORS,
    TURNS_OUTCOME,
    *ENGINES,
    METRICS,
)
"""Every kind of chart, in page order."""


def run_charts(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    """All charts that a run has the data for, in page order; their ids are distinct."""
    return tuple(chart for spec in CHARTS if spec.needs(run, analysis) for chart in spec.build(run, analysis))
