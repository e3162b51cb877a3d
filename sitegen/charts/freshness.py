"""How old the training data are, how long the responses, how much of a batch teaches anything."""

from __future__ import annotations

from sitegen.charts.base import ChartSpec
from sitegen.charts.role_charts import RoleChart, role_chart

FRESHNESS: tuple[ChartSpec, ...] = tuple(
    role_chart(entry)
    for entry in (
        RoleChart(id="staleness", role="staleness_mean", section="freshness", band=("min", "max")),
        RoleChart(id="response-length", role="length_mean", section="freshness"),
        RoleChart(id="longest-response", role="length_max", section="freshness"),
        RoleChart(id="turns-per-step", role="turns_mean", section="freshness"),
        RoleChart(id="discard-rate", role="discard_rate", section="freshness", rate=True),
        RoleChart(id="truncated", role="truncated", section="freshness", rate=True),
        RoleChart(id="groups-mixed", role="groups_mixed", section="freshness", rate=True),
    )
)
