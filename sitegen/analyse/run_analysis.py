"""All analyses of one run, in one frozen bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sitegen.analyse.checkpoint import CheckpointSelection, select_checkpoint
from sitegen.analyse.engines import EngineSummary, summarise_engines
from sitegen.analyse.facts import RunFacts, run_facts
from sitegen.analyse.progress import Curve, curves
from sitegen.analyse.roles import role_metrics
from sitegen.analyse.summary import MetricSummary, summarise
from sitegen.analyse.timing import Timing, timing
from sitegen.analyse.trials import TrialSummary, summarise_trials
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
    return RunAnalysis(
        facts=run_facts(run, roles, spent.total_step_s if spent else None),
        metrics=metrics,
        curves=curves(run, metrics),
        checkpoint=select_checkpoint(run, settings, roles.get("reward")),
        timing=spent,
        trials=summarise_trials(run, settings),
        engines=summarise_engines(run),
        roles=roles,
    )
