"""A run's row: everything that the index, the glossary pages and `archive.json` need to know of one run.

Rows are small, plain and JSON-able, because only they cross process borders and go into the cache.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from sitegen.analyse.facts import RunFacts
from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.drawn import drawn_curve
from sitegen.model.run import Run

SPARK_POINTS = 120
"""Most points of a sparkline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spark:
    """The reward curve, thinned for a small drawing. The three sequences have the same length."""

    step: tuple[int, ...]
    """Lineage steps, rising."""
    raw: tuple[float | None, ...]
    """Reward at the step; None where none was logged or it was not finite."""
    ema: tuple[float | None, ...]
    """Smoothed reward; None where `raw` is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRange:
    """A metric's values in the run; None: no finite value."""

    name: str
    """Logged name."""
    kind: str
    """train or eval."""
    mean: float | None
    """Mean."""
    min: float | None
    """Smallest."""
    max: float | None
    """Largest."""
    last: float | None
    """At the lineage's last step."""
    count: int
    """Finite values."""
    non_finite: int
    """Values logged as NaN or infinite."""
    median: float | None = None
    """Median; None: no finite value."""
    whole: bool = False
    """True when every finite value is a whole number."""
    never_falls: bool = False
    """True when along the lineage no value is below the one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One run among others. None: not known."""

    slug: str
    """Address under `runs/`."""
    path: str
    """Folder relative to the archive."""
    title: str
    """Shown name."""
    notes: str
    """Note of `run.toml`; empty without."""
    tags: tuple[str, ...]
    """Tags of `run.toml` and the model card."""
    aliases: tuple[str, ...]
    """Old addresses that redirect here."""
    framework: str | None
    """Framework."""
    framework_guessed: bool
    """True when only names tell the framework."""
    jobs: int
    """Jobs."""
    facts: RunFacts
    """Header facts."""
    spark: Spark | None
    """Reward curve; None without reward."""
    checkpoint_step: int | None
    """Selected checkpoint."""
    checkpoint_ema: float | None
    """Its smoothed reward."""
    best_pass: float | None
    """Best pass@k along the lineage."""
    best_pass_step: int | None
    """Its step."""
    pass_k: int | None
    """The k, from the metric's name."""
    entropy: float | None
    """Entropy at the last step."""
    trials: int | None
    """Trials."""
    graded: int | None
    """Trials with a finite reward."""
    success_rate: float | None
    """Successes among graded trials, 0-1."""
    exception_rate: float | None
    """Trials that ended in an exception, 0-1."""
    step_s: float | None
    """Median step time over the lineage."""
    waiting_share: float | None
    """Mean share of step time spent waiting for generation, 0-1."""
    published: tuple[str, ...]
    """Fields of this row that are known only from a published report."""
    errors: int
    """Problems of severity error."""
    warnings: int
    """Problems of severity warning."""
    infos: int
    """Problems of severity info."""
    metrics: tuple[MetricRange, ...]
    """Every logged metric."""
    names: tuple[str, ...]
    """Further names to explain: metrics of a published report."""
    config: Mapping[str, Any]
    """Flat configuration, JSON-able."""
    exceptions: tuple[str, ...] = ()
    """Exceptions that its trials ended with, or that a published report counts."""
    frameworks: Mapping[str, str] = field(default_factory=dict)
    """Logged name to the framework that logs it, where that is not the run's."""

    def framework_of(self, name: str) -> str | None:
        """The framework that decides what a logged name means."""
        return self.frameworks.get(name, self.framework)

    @property
    def solved_of_all(self) -> int | None:
        """Solved trials, where more than half of all trials are ungraded, so that the rate flatters; else None."""
        if self.trials is None or self.graded is None or self.success_rate is None or 2 * self.graded >= self.trials:
            return None
        return round(self.success_rate * self.graded)

    @property
    def reward_meaning(self) -> tuple[str, str]:
        """What its reward means: framework and logged name. Runs are ranked only within one meaning."""
        return (self.framework or "", self.facts.reward_metric or "")

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunRow:
        """From what `to_json` gave, also after a round trip through JSON text."""
        values: dict[str, Any] = {item.name: data[item.name] for item in fields(cls)}
        for name in ("tags", "aliases", "published", "names", "exceptions"):
            values[name] = tuple(values[name])
        values["facts"] = RunFacts(**values["facts"])
        spark = values["spark"]
        values["spark"] = None if spark is None else Spark(**{key: tuple(items) for key, items in spark.items()})
        values["metrics"] = tuple(MetricRange(**item) for item in values["metrics"])
        return cls(**values)


def run_row(run: Run, analysis: RunAnalysis) -> RunRow:
    """The row of an analysed run."""
    facts = analysis.facts
    passes = analysis.curve(facts.pass_metric)
    entropy = analysis.metric(facts.entropy_metric)
    severities = [problem.severity for problem in run.problems]
    tags = (*run.settings.tags, *(run.card.tags if run.card else ()))
    return RunRow(
        slug=run.slug,
        path=run.path,
        title=run.title,
        notes=run.settings.notes or "",
        tags=tuple(dict.fromkeys(tags)),
        aliases=run.settings.aliases,
        framework=run.framework,
        framework_guessed=run.framework_guessed,
        jobs=len(run.jobs),
        facts=facts,
        spark=spark(analysis.curve(facts.reward_metric)),
        checkpoint_step=analysis.checkpoint.step,
        checkpoint_ema=_finite(analysis.checkpoint.ema),
        best_pass=_finite(passes.best) if passes else None,
        best_pass_step=passes.best_step if passes else None,
        pass_k=pass_k(facts.pass_metric),
        entropy=_finite(entropy.last) if entropy else None,
        errors=severities.count("error"),
        warnings=severities.count("warning"),
        infos=severities.count("info"),
        metrics=_metrics(analysis),
        names=published_names(run),
        exceptions=raised_names(run, analysis),
        frameworks=dict(run.frameworks),
        config={key: _plain(value) for key, value in run.config.values.items()} if run.config else {},
        **_outcomes(run, analysis),
    )


def spark(curve: Curve | None) -> Spark | None:
    """A reward curve thinned to `SPARK_POINTS`; None without a finite value.

    Each bucket of steps keeps its smallest and largest raw value, and the ends stay.
    """
    if curve is None or not len(curve.step):
        return None
    curve = drawn_curve(curve)
    raw = [_finite(float(value)) for value in curve.raw]
    if all(value is None for value in raw):
        return None
    kept = thinned(raw, SPARK_POINTS)
    return Spark(
        step=tuple(int(curve.step[i]) for i in kept),
        raw=tuple(raw[i] for i in kept),
        ema=tuple(_finite(float(curve.ema[i])) for i in kept),
    )


def thinned(values: Sequence[float | None], points: int) -> list[int]:
    """Indices of at most `points` values: both ends, and of each bucket between the smallest and the largest.

    A bucket without values keeps its first index, so that a gap stays a gap.
    """
    size = len(values)
    if size <= points:
        return list(range(size))
    buckets = (points - 2) // 2
    kept = {0, size - 1}
    for number in range(buckets):
        start = 1 + number * (size - 2) // buckets
        stop = 1 + (number + 1) * (size - 2) // buckets
        finite = [(value, index) for index in range(start, stop) if (value := values[index]) is not None]
        kept |= {min(finite)[1], max(finite)[1]} if finite else {start}
    return sorted(kept)


def pass_k(metric: str | None) -> int | None:
    """The k of a pass@k metric's name: 8 of `reward/avg_pass_at_8`; None when the name does not tell."""
    found = re.search(r"pass(?:_at_|@|_|_k_)?(\d+)", metric or "", flags=re.IGNORECASE)
    return int(found[1]) if found else None


def _outcomes(run: Run, analysis: RunAnalysis) -> dict[str, Any]:
    """Trials and times; from the published report, and named so, where only that tells them."""
    trials, timing, published = analysis.trials, analysis.timing, run.published
    values: dict[str, Any] = {
        "trials": trials.total if trials else None,
        "graded": trials.graded if trials else None,
        "success_rate": _finite(trials.success_rate) if trials else None,
        "exception_rate": _exception_rate({g.name: g.count for g in trials.exceptions}) if trials else None,
        "step_s": _finite(timing.median_step_s) if timing else None,
        "waiting_share": _waiting(analysis),
    }
    told: dict[str, Any] = {}
    if published and published.trials:
        told |= {
            "trials": published.trials.total,
            "graded": published.trials.graded,
            "success_rate": _finite(published.trials.success_rate),
            "exception_rate": _exception_rate(published.trials.exceptions),
        }
    if published and analysis.facts.wait_metric is None:
        told["waiting_share"] = published.timing.get("wait_for_generation_buffer")
    from_report = tuple(key for key, value in told.items() if values[key] is None and value is not None)
    return values | {key: told[key] for key in from_report} | {"published": from_report}


def _waiting(analysis: RunAnalysis) -> float | None:
    timing = analysis.timing
    if timing is None or timing.wait_span is None:
        return None
    return next((_finite(span.share_of_step) for span in timing.spans if span.name == timing.wait_span), None)


def _exception_rate(counts: Mapping[str, int]) -> float | None:
    total = sum(counts.values())
    return (total - counts.get("none", 0)) / total if total else None


def _metrics(analysis: RunAnalysis) -> tuple[MetricRange, ...]:
    return tuple(
        MetricRange(
            name=item.name,
            kind=item.kind,
            mean=_finite(item.mean),
            min=_finite(item.min),
            max=_finite(item.max),
            last=_finite(item.last),
            count=item.count,
            non_finite=item.non_finite,
            median=_finite(item.median),
            whole=item.whole,
            never_falls=item.never_falls,
        )
        for item in analysis.metrics
    )


def published_names(run: Run) -> tuple[str, ...]:
    """The metrics that a published report names, spans under their logged names."""
    published = run.published
    return tuple(dict.fromkeys((*published.metrics, *map(timing_name, published.timing)))) if published else ()


def raised_names(run: Run, analysis: RunAnalysis) -> tuple[str, ...]:
    """The exceptions that trials ended with, and those that a published report counts."""
    published = run.published
    ended = [group.name for group in analysis.trials.exceptions] if analysis.trials else []
    told = list(published.trials.exceptions) if published and published.trials else []
    return tuple(dict.fromkeys(name for name in (*ended, *told) if name != "none"))


def timing_name(span: str) -> str:
    """The logged name of a span that a report prints bare."""
    return span if "/" in span else f"timing/{span}"


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _plain(value: Any) -> Any:
    """A configuration value as JSON can hold it; what it cannot hold becomes text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value)
