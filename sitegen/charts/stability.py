"""Whether the optimisation is stable: entropy, gradient norm, loss, clipping, KL, advantages."""

from __future__ import annotations

from sitegen.charts.base import ChartSpec
from sitegen.charts.role_charts import RoleChart, role_chart

STABILITY: tuple[ChartSpec, ...] = tuple(
    role_chart(entry)
    for entry in (
        RoleChart(id="entropy", role="entropy", section="stability", static_without_trials=True),
        RoleChart(id="grad-norm", role="grad_norm", section="stability", log=True),
        RoleChart(id="loss", role="loss", section="stability"),
        RoleChart(id="advantage", role="advantage_abs", section="stability"),
        RoleChart(id="clip-ratio", role="clip_ratio", section="stability"),
        RoleChart(id="kl", role="kl", section="stability", log=True),
        RoleChart(id="log-ratio", role="log_ratio", section="stability", log=True),
        RoleChart(id="mismatch-kl", role="mismatch_kl", section="stability", log=True),
        RoleChart(id="importance", role="importance", section="stability"),
        RoleChart(id="learning-rate", role="lr", section="stability"),
    )
)
