"""The leading chart: reward and pass@k with job boundaries, superseded points and checkpoints."""

from __future__ import annotations

import re

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts import theme
from sitegen.charts.base import Chart, ChartSpec
from sitegen.charts.evaluation_marks import leading_evaluations
from sitegen.charts.payload import Line, short_name
from sitegen.charts.roles import role_curve
from sitegen.charts.step_chart import step_chart
from sitegen.charts.step_look import Look
from sitegen.model.run import Run
from sitegen.text import Text, ui


def _needs(run: Run, analysis: RunAnalysis) -> bool:
    return role_curve(run, analysis, "reward") is not None


def _build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
    reward, pass_k = role_curve(run, analysis, "reward"), role_curve(run, analysis, "pass_k")
    assert reward is not None
    alone = pass_k is None
    lines = [Line(curve=reward, series="1", name="" if alone else short_name(reward.metric))]
    if pass_k is not None:
        lines.append(Line(curve=pass_k, series="0", name=short_name(pass_k.metric)))
    look = Look(
        id="reward",
        section="reward",
        title=_title(pass_k.metric if pass_k is not None else None),
        height=theme.LARGE,
        wide=True,
        rate=True,
        checkpoint=analysis.checkpoint.reward_metric == reward.metric,
        static=True,
    )
    return (step_chart(run, analysis, look, lines, evaluations=leading_evaluations(run, analysis)),)


def _title(pass_metric: str | None) -> Text:
    if pass_metric is None:
        return ui("charts.reward.alone")
    found = re.search(r"(\d+)\D*$", pass_metric)
    return ui("charts.reward.title", k=found.group(1) if found else "k")


REWARD = ChartSpec(id="reward", section="reward", title=ui("charts.reward.alone"), needs=_needs, build=_build)
