"""All analyses of one run, in one frozen bundle."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.analyse.checkpoint import CheckpointSelection
from sitegen.analyse.engines import EngineSummary
from sitegen.analyse.facts import RunFacts
from sitegen.analyse.progress import Curve
from sitegen.analyse.summary import MetricSummary
from sitegen.analyse.timing import Timing
from sitegen.analyse.trials import TrialSummary


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

    def metric(self, name: str | None) -> MetricSummary | None:
        """The train summary of a logged name; None when not logged."""
        return next((m for m in self.metrics if m.name == name and m.kind == "train"), None)

    def curve(self, name: str | None) -> Curve | None:
        """The curve of a logged name; None when not logged."""
        return next((c for c in self.curves if c.metric == name), None)
