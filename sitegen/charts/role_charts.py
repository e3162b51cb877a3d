"""How a chart of one role's metric is declared; the families `stability` and `freshness` are lists of these."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.base import Chart, ChartSpec, Section
from sitegen.charts.payload import Line
from sitegen.charts.roles import role_curve
from sitegen.charts.step_chart import step_chart
from sitegen.charts.step_look import Look
from sitegen.model.run import Run
from sitegen.text import ui


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChart:
    """A small chart of the metric under one role. Its title is the interface string `charts.title.<id>`."""

    id: str
    """Chart id."""
    role: str
    """Role of `model/roles.toml`."""
    section: Section
    """Where it belongs."""
    log: bool = False
    """Logarithmic where the values span more than three powers of ten."""
    rate: bool = False
    """Shares: the axis is 0 to 1, or ends at a round number where all are below 0.1."""
    band: tuple[str, str] | None = None
    """What `mean` in the metric's name becomes in the names of a range's lower and upper end."""
    static_without_trials: bool = False
    """Drawn at build time too when the run has no trial table to take the third place."""


def role_chart(entry: RoleChart) -> ChartSpec:
    """The specification of a role's chart."""

    def needs(run: Run, analysis: RunAnalysis) -> bool:
        return role_curve(run, analysis, entry.role) is not None

    def build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
        curve = role_curve(run, analysis, entry.role)
        assert curve is not None
        look = Look(
            id=entry.id,
            section=entry.section,
            title=ui(f"charts.title.{entry.id}"),
            log=entry.log,
            share=entry.rate,
            static=entry.static_without_trials and analysis.trials is None,
        )
        line = Line(curve=curve, series="1", name="")
        return (step_chart(run, analysis, look, [line], _band(entry, analysis, curve)),)

    return ChartSpec(id=entry.id, section=entry.section, title=ui(f"charts.title.{entry.id}"), needs=needs, build=build)


def _band(entry: RoleChart, analysis: RunAnalysis, curve: Curve) -> tuple[Curve, Curve] | None:
    if entry.band is None:
        return None
    low, high = (analysis.curve(curve.metric.replace("mean", word)) for word in entry.band)
    if low is None or high is None or low is curve:
        return None
    return low, high
