"""Which curve of a run stands for a role, for the charts of that role."""

from __future__ import annotations

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.model.roles import metric_for
from sitegen.model.run import Run


def role_curve(run: Run, analysis: RunAnalysis, role: str) -> Curve | None:
    """The curve of the metric under a train role; None when the run logged none of its names.

    Reward, pass@k, entropy, step and waiting time are the facts' choice, which knows the site's settings.
    """
    facts = analysis.facts
    chosen = {
        "reward": facts.reward_metric,
        "pass_k": facts.pass_metric,
        "entropy": facts.entropy_metric,
        "step_s": facts.step_time_metric,
        "wait_s": facts.wait_metric,
    }
    if role in chosen:
        return analysis.curve(chosen[role])
    logged = [metric.name for metric in analysis.metrics if metric.kind == "train" and metric.count]
    return analysis.curve(metric_for(role, logged, run.framework))
