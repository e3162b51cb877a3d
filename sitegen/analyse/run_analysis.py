"""All analyses of one run, in one frozen bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sitegen.analyse.batch_exceptions import BatchExceptions, batch_exceptions
from sitegen.analyse.checkpoint import CheckpointSelection, select_checkpoint
from sitegen.analyse.crosscheck import CrossCheck, cross_check
from sitegen.analyse.engines import EngineSummary, summarise_engines
from sitegen.analyse.evaluations import EvalSet, evaluations
from sitegen.analyse.facts import RunFacts, run_facts
from sitegen.analyse.findings import Finding, Subject, find
from sitegen.analyse.freshness import Freshness, freshness
from sitegen.analyse.funnel import Funnel, trial_funnel
from sitegen.analyse.phases import Progress, progress
from sitegen.analyse.progress import Curve, curves
from sitegen.analyse.roles import role_metrics
from sitegen.analyse.spending import Spending, spending
from sitegen.analyse.stability import Stability, stability
from sitegen.analyse.summary import MetricSummary, summarise
from sitegen.analyse.tasks import Halves, task_halves
from sitegen.analyse.timing import Timing, timing
from sitegen.analyse.trial_phases import TrialPhases, trial_phases
from sitegen.analyse.trials import TrialSummary, summarise_trials
from sitegen.analyse.verdict import EngineVerdict, engine_verdict
from sitegen.model.run import Run
from sitegen.settings import SiteSettings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunAnalysis:
    """What pages, charts and `run.json` need to know of a run."""

    facts: RunFacts
    """Header facts."""
    metrics: tuple[MetricSummary, ...]
    """One per logged metric, in first-seen order."""
    curves: tuple[Curve, ...]
    """One per logged train metric, same order as the metrics."""
    checkpoint: CheckpointSelection
    """Selection, or why there is none."""
    timing: Timing | None
    """None when no step time was logged."""
    trials: TrialSummary | None
    """None without a trial table."""
    engines: EngineSummary | None
    """None without engine samples."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role to logged name, for every role of `model/roles.toml` that the run logged."""
    progress: Progress | None = None
    """Phases, trend and events of the reward; None without a reward."""
    evaluations: tuple[EvalSet, ...] = ()
    """Held-out evaluations by data set."""
    spending: Spending | None = None
    """Gaps, time outside the step, GPU-hours, cost."""
    stability: Stability | None = None
    """Signs of an unstable policy."""
    freshness: Freshness | None = None
    """Staleness, discards, batch size; None when nothing of it was logged."""
    funnel: Funnel | None = None
    """Trials by stage; None without a trial table."""
    batch_exceptions: BatchExceptions | None = None
    """Exceptions as the batches of training count them; None when none was logged."""
    trial_phases: TrialPhases | None = None
    """Phase durations of trials; None when no trial reports one."""
    halves: Halves | None = None
    """Tasks in the first and in the second half of the trials."""
    verdict: EngineVerdict | None = None
    """Whether the engines are full; None without engine samples."""
    crosscheck: tuple[CrossCheck, ...] = ()
    """Published numbers against the run; empty without a report and without a card whose tables can be bound."""
    findings: tuple[Finding, ...] = ()
    """What the rules say about the run, most serious first."""

    def metric(self, name: str | None) -> MetricSummary | None:
        """The train summary of a logged name; None when not logged."""
        return next((m for m in self.metrics if m.name == name and m.kind == "train"), None)

    def curve(self, name: str | None) -> Curve | None:
        """The curve of a logged name; None when not logged."""
        return next((c for c in self.curves if c.metric == name), None)


def analyse(run: Run, settings: SiteSettings) -> RunAnalysis:
    """Every analysis of a run under a site's settings; pure: the same run and settings give the same result."""
    metrics = summarise(run)
    roles = role_metrics(run, settings)
    spent = timing(run, settings)
    facts = run_facts(run, roles, spent.total_step_s if spent else None)
    lines = curves(run, metrics)
    by_name = {curve.metric: curve for curve in lines}
    found = RunAnalysis(
        facts=facts,
        metrics=metrics,
        curves=lines,
        checkpoint=select_checkpoint(run, settings, roles.get("reward")),
        timing=spent,
        trials=summarise_trials(run, settings),
        engines=summarise_engines(run),
        roles=roles,
        progress=progress(run, by_name.get(roles.get("reward", "")), by_name.get(roles.get("pass_k", ""))),
        evaluations=evaluations(run),
        spending=spending(run, facts, spent, settings),
        stability=stability(run, roles),
        freshness=freshness(run, roles, facts),
        funnel=trial_funnel(run, roles, settings.success_threshold),
        batch_exceptions=batch_exceptions(run),
        trial_phases=trial_phases(run),
        halves=task_halves(run, settings.success_threshold),
        verdict=engine_verdict(run),
        crosscheck=cross_check(run, settings),
    )
    return replace(found, findings=find(Subject(run=run, analysis=found, settings=settings)))
