"""Rules about stability, freshness and the data themselves."""

from __future__ import annotations

from sitegen.analyse.batch_exceptions import attempts_by_step
from sitegen.analyse.findings.finding import (
    Evidence,
    Match,
    Rule,
    Severity,
    Subject,
    Value,
    count,
    fixed,
    name,
    number,
    share,
    words,
)
from sitegen.analyse.findings.saves import saved_steps, state_interval
from sitegen.analyse.findings.thresholds import (
    BATCH_SHARE,
    DISCARD_SHARE,
    ENTROPY_FALL,
    ENTROPY_RISE,
    ENTROPY_SIGMAS,
    IMPORTANCE_OFF,
    MANY_TRIALS,
    MISMATCH_HIGH,
    OUTAGE_SHARE,
    PROBLEM_COUNT,
    SPIKE_MEDIANS,
    STALE_PART,
    TREND_STEPS,
    ZERO_STEPS,
)
from sitegen.analyse.findings.trials import infrastructure_of, trial_counts
from sitegen.text import same, ui


def _zero_steps(subject: Subject) -> tuple[int, ...]:
    progress = subject.analysis.progress
    steps = progress.zero_steps if progress else ()
    return steps if len(steps) >= ZERO_STEPS.value else ()


def sandbox_down(subject: Subject) -> Match | None:
    """Reward all 0 at the end while infrastructure exceptions dominate: the service failed, not the policy."""
    steps, trials = _zero_steps(subject), trial_counts(subject)
    if not steps or trials is None:
        return None
    infrastructure = infrastructure_of(trials.exceptions)
    hit = sum(infrastructure.values())
    if hit < OUTAGE_SHARE.value * trials.total:
        return None
    top = max(sorted(infrastructure), key=lambda kind: infrastructure[kind])
    values = {
        "first": count(steps[0]),
        "last": count(steps[-1]),
        "n": count(hit),
        "total": count(trials.total),
        "share": share(hit / trials.total),
        "exception": name(top),
    }
    evidence = Evidence(
        table="trials",
        metrics=(subject.analysis.roles["reward"], "exception"),
        first_step=steps[0],
        last_step=steps[-1],
        rows=trials.total,
    )
    forms = ["all"] if infrastructure[top] == hit else []
    batches = _batches_hit(subject)
    begun = steps[0]
    if batches is not None:
        begun = min(begun, batches[0])
        values |= {
            "from": count(batches[0]),
            "met": count(batches[1]),
            "tried": count(batches[2]),
            "met_share": share(batches[1] / batches[2]),
        }
        forms.append("batches")
    values["restart"] = _restart(subject, begun)
    return Match(values=values, evidence=evidence, published=trials.published, form="-".join(forms))


def _batches_hit(subject: Subject) -> tuple[int, int, int] | None:
    """As the batches count: the first step hit, all infrastructure exceptions, all trials attempted.

    A step is hit when at least as large a share of its attempts as of the trials ended so. None where batches were
    not counted, or no step was hit.
    """
    found = {step: pair for step, pair in attempts_by_step(subject.run, infrastructure_of).items() if pair[1] > 0}
    hit = [step for step, (met, tried) in found.items() if met >= OUTAGE_SHARE.value * tried]
    if not hit:
        return None
    return min(hit), sum(met for met, _ in found.values()), sum(tried for _, tried in found.values())


def _restart(subject: Subject, begun: int) -> Value:
    """From where the run can go on: the last save that the log timed or the folder holds before the outage began."""
    run = subject.run
    known = {*saved_steps(run), *(run.exports or ())}
    earlier = [step for step in known if 0 < step < begun]
    if earlier:
        return words(f"step {max(earlier)}", ui("finding.restart.save", step=same(f"{max(earlier):,}")))
    every = state_interval(run) or subject.analysis.checkpoint.save_interval
    nothing = every is not None and every >= begun
    key = "finding.restart.beginning" if nothing else "finding.restart.unknown"
    return words("beginning" if nothing else "unknown", ui(key, step=same(f"{begun:,}"), every=same(f"{every or 0:,}")))


def reward_zero(subject: Subject) -> Match | None:
    """Reward all 0 at the end, without a sign of what broke."""
    steps = _zero_steps(subject)
    if not steps:
        return None
    values = {"first": count(steps[0]), "last": count(steps[-1]), "n": count(len(steps))}
    return Match(values=values, evidence=subject.reward_evidence)


LOUD_ROLES = ("reward", "loss", "grad_norm")
"""What must be finite for training to go on."""


def non_finite(subject: Subject) -> Match | None:
    """Values were logged as NaN or infinite."""
    stability = subject.analysis.stability
    if stability is None or not stability.non_finite:
        return None
    items = stability.non_finite
    roles = subject.analysis.roles
    loud = {roles[role] for role in LOUD_ROLES if role in roles}
    top = next((item for item in items if item.metric in loud), items[0])
    values = {
        "values": count(sum(item.count for item in items)),
        "metrics": count(len(items)),
        "metric": name(top.metric),
        "n": count(top.count),
        "step": count(top.first_step),
    }
    severity: Severity = "warn" if top.metric in loud else "info"
    evidence = Evidence(
        table="nonfinite", metrics=tuple(item.metric for item in items), rows=len(subject.run.nonfinite)
    )
    return Match(values=values, evidence=evidence, severity=severity, form="one" if len(items) == 1 else "many")


def entropy_fall(subject: Subject) -> Match | None:
    """Entropy lost most of what it had."""
    change = subject.analysis.stability.entropy if subject.analysis.stability else None
    if change is None or change.count < TREND_STEPS.value or change.first <= 0:
        return None
    fall = 1 - change.last / change.first
    if fall < ENTROPY_FALL.value or change.first - change.last <= ENTROPY_SIGMAS.value * change.noise:
        return None
    values = {"first": number(change.first), "last": number(change.last), "fall": share(fall)}
    return Match(values=values, evidence=subject.curve_evidence("entropy"))


def entropy_rise(subject: Subject) -> Match | None:
    """Entropy doubled or more."""
    change = subject.analysis.stability.entropy if subject.analysis.stability else None
    if change is None or change.count < TREND_STEPS.value or change.first <= 0:
        return None
    rise = change.last / change.first - 1
    if rise < ENTROPY_RISE.value or change.last - change.first <= ENTROPY_SIGMAS.value * change.noise:
        return None
    values = {"first": number(change.first), "last": number(change.last), "times": fixed(rise + 1, 1)}
    return Match(values=values, evidence=subject.curve_evidence("entropy"))


def grad_spike(subject: Subject) -> Match | None:
    """Gradient norms far above the run's own median."""
    stability = subject.analysis.stability
    if stability is None or not stability.spikes:
        return None
    top = stability.spikes[0]
    values = {
        "n": count(len(stability.spikes)),
        "step": count(top.step),
        "value": number(top.value),
        "medians": fixed(top.medians, 1),
        "median": number(stability.grad_median),
    }
    severity: Severity = "warn" if len(stability.spikes) > 2 else "info"
    form = "one" if len(stability.spikes) == 1 else "many"
    return Match(values=values, evidence=subject.curve_evidence("grad_norm"), severity=severity, form=form)


def importance_off(subject: Subject) -> Match | None:
    """Trainer and sampler disagree: the mean importance ratio is not near 1."""
    ratio = subject.analysis.stability.importance if subject.analysis.stability else None
    if ratio is None or abs(ratio - 1) <= IMPORTANCE_OFF.value:
        return None
    return Match(values={"ratio": number(ratio)}, evidence=subject.curve_evidence("importance"))


def mismatch_high(subject: Subject) -> Match | None:
    """Log-probabilities of trainer and sampler are far apart at the end."""
    change = subject.analysis.stability.mismatch if subject.analysis.stability else None
    if change is None or abs(change.last) <= MISMATCH_HIGH.value:
        return None
    values = {"first": number(change.first), "last": number(change.last), "metric": name(change.metric)}
    return Match(values=values, evidence=subject.curve_evidence("mismatch_kl"))


def clip_zero(subject: Subject) -> Match | None:
    """Nothing was clipped, by construction: one update per batch."""
    stability = subject.analysis.stability
    if stability is None or stability.clip_mean != 0 or not stability.one_update:
        return None
    return Match(values={"share": share(0.0)}, evidence=subject.curve_evidence("clip_ratio"))


def stale(subject: Subject) -> Match | None:
    """Training data are older than half of the limit on average."""
    fresh = subject.analysis.freshness
    if fresh is None or fresh.staleness_mean is None or not fresh.staleness_limit or fresh.staleness_limit < 0:
        return None
    if fresh.staleness_mean <= STALE_PART.value * fresh.staleness_limit:
        return None
    values = {
        "mean": number(fresh.staleness_mean),
        "limit": count(fresh.staleness_limit),
        "max": number(fresh.staleness_max),
    }
    return Match(values=values, evidence=subject.curve_evidence("staleness_mean", "staleness_max"))


def discards(subject: Subject) -> Match | None:
    """At least 5 % of the samples were thrown away."""
    fresh = subject.analysis.freshness
    if fresh is None or fresh.discard_rate is None or fresh.discard_rate < DISCARD_SHARE.value:
        return None
    values = {"rate": share(fresh.discard_rate)}
    return Match(values=values, evidence=subject.curve_evidence("discard_rate"))


def short_batches(subject: Subject) -> Match | None:
    """Batches held fewer samples than configured."""
    fresh = subject.analysis.freshness
    if fresh is None or fresh.effective_batch is None or not fresh.configured_batch:
        return None
    part = fresh.effective_batch / fresh.configured_batch
    if part >= BATCH_SHARE.value:
        return None
    values = {
        "mean": number(fresh.effective_batch, 4),
        "configured": count(fresh.configured_batch),
        "part": share(part),
        "steps": count(fresh.short_steps),
    }
    return Match(values=values, evidence=subject.curve_evidence("effective_samples"))


def data_problems(subject: Subject) -> Match | None:
    """Files or places of files could not be used as they stand."""
    severities = [problem.severity for problem in subject.run.problems]
    errors, warnings = severities.count("error"), severities.count("warning")
    if not errors and warnings < PROBLEM_COUNT.value:
        return None
    files = len({problem.path for problem in subject.run.problems if problem.severity != "info"})
    values = {"errors": count(errors), "warnings": count(warnings), "files": count(files)}
    severity: Severity = "bad" if errors else "warn"
    evidence = Evidence(table="problems", metrics=("severity",), rows=len(severities))
    return Match(values=values, evidence=evidence, severity=severity, form="errors" if errors else "")


OUTAGE_RULES: tuple[Rule, ...] = (
    Rule(
        id="sandbox-down",
        severity="bad",
        section="errors",
        check=sandbox_down,
        thresholds=(ZERO_STEPS, MANY_TRIALS, OUTAGE_SHARE),
        hides=("reward-zero", "exceptions-split", "ungraded", "masked", "generation-bound"),
        forms=("", "all", "batches", "all-batches"),
    ),
    Rule(id="reward-zero", severity="bad", section="reward", check=reward_zero, thresholds=(ZERO_STEPS,)),
)
DATA_RULES: tuple[Rule, ...] = (
    Rule(
        id="data-problems",
        severity="warn",
        section="problems",
        check=data_problems,
        thresholds=(PROBLEM_COUNT,),
        forms=("", "errors"),
    ),
)
STABILITY_RULES: tuple[Rule, ...] = (
    Rule(id="non-finite", severity="warn", section="stability", check=non_finite, forms=("one", "many")),
    Rule(
        id="entropy-fall",
        severity="warn",
        section="stability",
        check=entropy_fall,
        thresholds=(TREND_STEPS, ENTROPY_FALL, ENTROPY_SIGMAS),
    ),
    Rule(
        id="entropy-rise",
        severity="warn",
        section="stability",
        check=entropy_rise,
        thresholds=(TREND_STEPS, ENTROPY_RISE, ENTROPY_SIGMAS),
    ),
    Rule(
        id="grad-spike",
        severity="info",
        section="stability",
        check=grad_spike,
        thresholds=(SPIKE_MEDIANS,),
        forms=("one", "many"),
    ),
    Rule(
        id="importance-off",
        severity="warn",
        section="stability",
        check=importance_off,
        thresholds=(IMPORTANCE_OFF,),
    ),
    Rule(
        id="mismatch-high",
        severity="warn",
        section="stability",
        check=mismatch_high,
        thresholds=(MISMATCH_HIGH,),
    ),
)
NOTE_RULES: tuple[Rule, ...] = (Rule(id="clip-zero", severity="info", section="stability", check=clip_zero),)
FRESHNESS_RULES: tuple[Rule, ...] = (
    Rule(id="stale", severity="warn", section="freshness", check=stale, thresholds=(STALE_PART,)),
    Rule(id="discards", severity="warn", section="freshness", check=discards, thresholds=(DISCARD_SHARE,)),
    Rule(id="short-batches", severity="warn", section="freshness", check=short_batches, thresholds=(BATCH_SHARE,)),
)
