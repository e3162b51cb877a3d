"""Rules about trials: exceptions, whose fault they are, turns, tasks, what is left for training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sitegen import format as fmt
from sitegen.analyse.batch_exceptions import COUNTED, LOGGED, NO_TYPES
from sitegen.analyse.config_keys import find_names
from sitegen.analyse.findings.finding import (
    Evidence,
    Match,
    Rule,
    Severity,
    Subject,
    count,
    name,
    number,
    share,
    words,
)
from sitegen.analyse.findings.thresholds import (
    EARLY_TURNS,
    EXCEPTION_SHARE,
    EXCEPTIONS_BAD,
    LONG_TAIL_SHARE,
    MANY_TRIALS,
    MASKED_SHARE,
    NEVER_SHARE,
    TASK_ATTEMPTS,
    TASKS_SHARE,
    TIMEOUT_SHARE,
    UNGRADED_SHARE,
)
from sitegen.analyse.trials import NO_EXCEPTION, treatment_of
from sitegen.model.run import Published
from sitegen.text import Text, same, ui

AGENT_EXCEPTIONS = frozenset(
    {
        "AgentSafetyRefusalError",
        "AgentTimeoutError",
        "ContextLengthExceededError",
        "ContextWindowExceededError",
        "InvalidChatHistory",
        "NonZeroAgentExitCodeError",
        "OutputLengthExceededError",
        "OutputTokenExceededError",
    }
)
"""Exceptions that what the model did can cause.

Source: the exception classes of Harbor and of its agents, and MarinSkyRL's generator, as the glossary explains them."""
INFRASTRUCTURE = (
    "AddTestsDir",
    "AgentEnvironment",
    "AgentSetup",
    "Connection",
    "Daytona",
    "Docker",
    "DownloadVerifier",
    "E2B",
    "Environment",
    "Healthcheck",
    "Modal",
    "Network",
    "Reward",
    "Runloop",
    "SSH",
    "Sandbox",
    "ServiceUnavailable",
    "TmuxSession",
    "Verifier",
)
"""Beginnings of exceptions of sandbox, network, set-up and verifier (same sources). What neither list knows, such as
`CancelledError`, proves nothing about policy or service."""
TIMEOUT = "AgentTimeoutError"
"""Exception of an agent that ran out of time (Harbor)."""
HIDE_PART = 0.8
"""Time-outs that are at least this part of all exceptions say all that the split of the exceptions would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCounts:
    """What rules need of the trials, from the trial table or from a report."""

    total: int
    """Trials."""
    graded: int | None
    """Graded trials."""
    exceptions: Mapping[str, int]
    """Exception to trials, those without one left out."""
    median_turns: Mapping[str, float]
    """Median turns by exception, and under `success` and `failure`."""
    outcomes: Mapping[str, int]
    """Trials under `success` and `failure` that reported turns."""
    published: bool
    """Whether a report says so."""

    @property
    def evidence(self) -> Evidence:
        """What these counts come from."""
        return Evidence(
            table="report" if self.published else "trials", metrics=("exception", "turns", "reward"), rows=self.total
        )


def trial_counts(subject: Subject) -> TrialCounts | None:
    """The trials of the run, else those of its report; None when neither tells or there are fewer than 50."""
    trials, report = subject.analysis.trials, subject.run.published
    if trials is not None:
        spreads = {group.name: group.turns for group in trials.exceptions}
        spreads |= {group.name: group.turns for group in trials.outcomes}
        found = TrialCounts(
            total=trials.total,
            graded=trials.graded,
            exceptions={g.name: g.count for g in trials.exceptions if g.name != NO_EXCEPTION},
            median_turns={key: turns.median for key, turns in spreads.items() if turns.median is not None},
            outcomes={group.name: group.turns.count for group in trials.outcomes},
            published=False,
        )
    elif report is not None and report.trials is not None and report.trials.total:
        told = report.trials
        groups = {**told.by_exception, **told.by_outcome}
        found = TrialCounts(
            total=report.trials.total,
            graded=told.graded,
            exceptions={key: value for key, value in told.exceptions.items() if key != NO_EXCEPTION},
            median_turns={key: group["median"] for key, group in groups.items() if "median" in group},
            outcomes={key: int(group.get("count", 0)) for key, group in told.by_outcome.items()},
            published=True,
        )
    else:
        return None
    return found if found.total >= MANY_TRIALS.value else None


def infrastructure_of(exceptions: Mapping[str, int]) -> dict[str, int]:
    """The exceptions that sandbox, network, set-up or verifier raised."""
    return {kind: n for kind, n in exceptions.items() if kind.startswith(INFRASTRUCTURE)}


def exceptions_split(subject: Subject) -> Match | None:
    """At least 1 % of the trials ended with an exception: how many by infrastructure, how many by the agent."""
    trials = trial_counts(subject)
    failed = sum(trials.exceptions.values()) if trials else 0
    if trials is None or failed < EXCEPTION_SHARE.value * trials.total:
        return None
    agent = sum(n for kind, n in trials.exceptions.items() if kind in AGENT_EXCEPTIONS)
    infrastructure = sum(infrastructure_of(trials.exceptions).values())
    values = {
        "clean": share(1 - failed / trials.total),
        "total": count(trials.total),
        "failed": count(failed),
        "agent": count(agent),
        "infrastructure": count(infrastructure),
        "other": count(failed - agent - infrastructure),
        "most": name(max(sorted(trials.exceptions), key=lambda kind: trials.exceptions[kind])),
    }
    severity: Severity = "warn" if failed >= EXCEPTIONS_BAD.value * trials.total else "info"
    form = "agent" if agent >= infrastructure else "infrastructure"
    return Match(values=values, evidence=trials.evidence, severity=severity, published=trials.published, form=form)


def timeouts(subject: Subject) -> Match | None:
    """Agents ran out of time in 5 % of the trials or more."""
    trials = trial_counts(subject)
    late = trials.exceptions.get(TIMEOUT, 0) if trials else 0
    if trials is None or late < TIMEOUT_SHARE.value * trials.total:
        return None
    treatment, _ = treatment_of(TIMEOUT, subject.run.config)
    assumed = subject.run.config is not None and subject.run.config.assumed
    values = {
        "share": share(late / trials.total),
        "n": count(late),
        "config": words("assumed" if assumed else "own", ui(f"finding.config.{'assumed' if assumed else 'own'}")),
        "treatment": words(treatment, ui(f"finding.treatment.{treatment}")),
    }
    median, told, form = trials.median_turns.get(TIMEOUT), trials.published, ""
    if median is not None:
        values["turns"] = number(median)
        form = "first-turn" if median <= 1 else "turns"
    return Match(values=values, evidence=trials.evidence, published=told, form=form, names=(TIMEOUT,))


def failures_early(subject: Subject) -> Match | None:
    """Failed trials end after one or two turns, earlier than solved ones."""
    trials = trial_counts(subject)
    if trials is None or trials.outcomes.get("failure", 0) < MANY_TRIALS.value:
        return None
    failed, solved = (trials.median_turns.get(outcome) for outcome in ("failure", "success"))
    if failed is None or solved is None or failed > EARLY_TURNS.value or failed >= solved:
        return None
    values = {"failed": number(failed), "solved": number(solved), "n": count(trials.outcomes["failure"])}
    return Match(values=values, evidence=trials.evidence, published=trials.published)


def long_tail(subject: Subject) -> Match | None:
    """At least 2 % of the trials took more than 10 turns."""
    trials = subject.analysis.trials
    if trials is None or trials.turns.count < MANY_TRIALS.value:
        return None
    part = trials.long_tail / trials.turns.count
    if part < LONG_TAIL_SHARE.value:
        return None
    values = {"n": count(trials.long_tail), "part": share(part), "most": number(trials.turns.max)}
    return Match(values=values, evidence=Evidence(table="trials", metrics=("turns",), rows=trials.turns.count))


def _tried(subject: Subject) -> tuple[int, int, int]:
    """Tasks with at least four graded trials: how many, always solved, never solved."""
    trials = subject.analysis.trials
    tasks = [task for task in trials.tasks if task.graded >= TASK_ATTEMPTS.value] if trials else []
    return len(tasks), sum(t.solved == t.graded for t in tasks), sum(not t.solved for t in tasks)


def tasks_solved(subject: Subject) -> Match | None:
    """Most tasks are solved at every attempt: they teach nothing."""
    tasks, always, _ = _tried(subject)
    if tasks < TASK_ATTEMPTS.value or always < TASKS_SHARE.value * tasks:
        return None
    return _tasks(always, tasks)


def tasks_unsolved(subject: Subject) -> Match | None:
    """Many tasks are never solved: they teach nothing either, or are broken."""
    tasks, _, never = _tried(subject)
    if tasks < TASK_ATTEMPTS.value or never < NEVER_SHARE.value * tasks:
        return None
    return _tasks(never, tasks)


def _tasks(some: int, tasks: int) -> Match:
    values = {
        "n": count(some),
        "tasks": count(tasks),
        "part": share(some / tasks),
        "least": count(TASK_ATTEMPTS.value),
    }
    return Match(values=values, evidence=Evidence(table="trials", metrics=("task", "reward"), rows=tasks))


def ungraded(subject: Subject) -> Match | None:
    """A tenth of the trials or more has no reward."""
    trials = trial_counts(subject)
    if trials is None or trials.graded is None:
        return None
    lacking = trials.total - trials.graded
    if lacking < UNGRADED_SHARE.value * trials.total:
        return None
    values = {"n": count(lacking), "part": share(lacking / trials.total), "total": count(trials.total)}
    return Match(values=values, evidence=trials.evidence, published=trials.published)


def listed_twice(subject: Subject) -> Match | None:
    """The configuration names an exception in several treatment lists."""
    lists = ("passthrough_exceptions", "mask_exceptions", "zero_exceptions")
    names = sorted({item for key in lists for item in find_names(subject.run.config, key) or ()})
    for item in names:
        treatment, twice = treatment_of(item, subject.run.config)
        if twice:
            values = {"exception": name(item), "treatment": words(treatment, ui(f"finding.treatment.{treatment}"))}
            return Match(values=values, evidence=Evidence(table="config", metrics=lists))
    return None


PREFIX = COUNTED
FIT_PART = 0.01
"""Counts that exceed their whole by more than this part do not fit: means of a report are rounded."""
MASKED_FIT = 0.5
"""Types that the configuration masks should come to at least this part of what was masked."""
COUNTERS = NO_TYPES
"""What a batch counts besides its exceptions."""


def masked(subject: Subject) -> Match | None:
    """At least 5 % of the trajectories were masked out of training."""
    sums, evidence = _batch_sums(subject)
    published = evidence.table == "report"
    all_of, out = sums.get("instances", 0.0), sums.get("masked", 0.0)
    if all_of <= 0 or out < MASKED_SHARE.value * all_of:
        return None
    values = {"n": count(round(out)), "part": share(out / all_of), "total": count(round(all_of))}
    doubts = batch_doubts(subject, sums)
    if doubts:
        said = Text(" ".join(text.en for text in doubts.values()), "".join(text.zh for text in doubts.values()))
        values["doubts"] = words(", ".join(doubts), said)
        return Match(values=values, evidence=evidence, published=published, form="doubt")
    kinds = {kind: n for kind, n in sums.items() if kind not in COUNTERS}
    if not kinds:
        return Match(values=values, evidence=evidence, published=published)
    treated = {kind: treatment_of(kind, subject.run.config)[0] for kind in kinds}
    form = "mask" if "mask" in treated.values() else "most"
    told = [kind for kind in sorted(kinds) if form == "most" or treated[kind] == "mask"]
    top = max(told, key=lambda kind: kinds[kind])
    values |= {"exception": name(top), "most": count(round(kinds[top]))}
    return Match(values=values, evidence=evidence, published=published, form=form)


def batch_doubts(subject: Subject, sums: Mapping[str, float]) -> dict[str, Text]:
    """What of the batches' counts does not fit together, in a sentence each.

    Parts of the attempts add up to more than the attempts; more samples were trained on than attempted; the types
    that the configuration masks come to far fewer than what was masked.
    """
    found: dict[str, Text] = {}
    all_of, out = sums.get("instances", 0.0), sums.get("masked", 0.0)
    parts = [sums.get(part, 0.0) for part in ("successful", "failed", "masked")]
    if sum(parts) > (1 + FIT_PART) * all_of:
        found["parts"] = ui("finding.doubt.parts", sum=_whole(sum(parts)), total=_whole(all_of))
    fresh, batch = subject.analysis.freshness, subject.analysis.metric(subject.analysis.roles.get("effective_samples"))
    report = subject.run.published
    trained = (batch.mean or 0.0) * batch.count if fresh is not None and batch is not None else _told_samples(report)
    if trained > (1 + FIT_PART) * all_of:
        found["trained"] = ui("finding.doubt.trained", trained=_whole(trained), total=_whole(all_of))
    kinds = [kind for kind in sums if kind not in COUNTERS]
    config = subject.run.config
    known = [kind for kind in kinds if treatment_of(kind, config)[0] not in ("not-stated", "not-classified")]
    masked_kinds = sum(sums[kind] for kind in known if treatment_of(kind, config)[0] == "mask")
    if known and config is not None and masked_kinds < MASKED_FIT * out:
        whose = ui(f"finding.config.{'assumed' if config.assumed else 'own'}")
        found["types"] = ui("finding.doubt.types", config=whose, types=_whole(masked_kinds), n=_whole(out))
    return found


def _whole(value: float) -> Text:
    return same(fmt.count(round(value)))


def _told_samples(report: Published | None) -> float:
    """Samples trained on in all, by a report's table of metrics; 0 where it tells nothing."""
    told = report.metrics.get("async/effective_batch_samples") if report is not None else None
    total = (told.mean or 0.0) * (told.count or 0) if told is not None else 0.0
    return total if np.isfinite(total) else 0.0


def _batch_sums(subject: Subject) -> tuple[dict[str, float], Evidence]:
    """Sums over all batches by counter or exception, from the log's lines, a parser's table or else a report."""
    batches = subject.run.batches
    if batches is not None and len(batches):
        columns = [name for name in batches.columns if name in COUNTERS or name.startswith(LOGGED)]
        sums = {name.removeprefix(LOGGED): float(np.nansum(batches[name].to_numpy("float64"))) for name in columns}
        return sums, Evidence(table="batches", metrics=("masked", "instances"), rows=len(batches))
    metrics = (f"{PREFIX}masked", f"{PREFIX}instances")
    known = [item for item in subject.analysis.metrics if item.name.startswith(PREFIX) and item.mean is not None]
    if known:
        sums = {item.name.removeprefix(PREFIX): (item.mean or 0.0) * item.count for item in known}
        return sums, Evidence(table="steps", metrics=metrics, rows=max(item.count for item in known))
    report = subject.run.published
    told = {} if report is None else {k: v for k, v in report.metrics.items() if k.startswith(PREFIX)}
    sums = {k.removeprefix(PREFIX): (v.mean or 0.0) * (v.count or 0) for k, v in told.items()}
    rows = max((v.count or 0 for v in told.values()), default=0)
    return {k: v for k, v in sums.items() if np.isfinite(v)}, Evidence(table="report", metrics=metrics, rows=rows)


TRIAL_RULES: tuple[Rule, ...] = (
    Rule(
        id="timeouts",
        severity="warn",
        section="errors",
        check=timeouts,
        thresholds=(MANY_TRIALS, TIMEOUT_SHARE),
        forms=("", "first-turn", "turns"),
    ),
    Rule(
        id="masked",
        severity="warn",
        section="errors",
        check=masked,
        thresholds=(MASKED_SHARE,),
        forms=("", "most", "mask", "doubt"),
    ),
    Rule(
        id="exceptions-split",
        severity="info",
        section="errors",
        check=exceptions_split,
        thresholds=(MANY_TRIALS, EXCEPTION_SHARE, EXCEPTIONS_BAD),
        forms=("agent", "infrastructure"),
    ),
    Rule(id="ungraded", severity="warn", section="trials", check=ungraded, thresholds=(MANY_TRIALS, UNGRADED_SHARE)),
    Rule(id="listed-twice", severity="warn", section="errors", check=listed_twice),
    Rule(
        id="failures-early",
        severity="info",
        section="trials",
        check=failures_early,
        thresholds=(MANY_TRIALS, EARLY_TURNS),
    ),
    Rule(
        id="tasks-solved",
        severity="info",
        section="trials",
        check=tasks_solved,
        thresholds=(TASK_ATTEMPTS, TASKS_SHARE),
    ),
    Rule(
        id="tasks-unsolved",
        severity="info",
        section="trials",
        check=tasks_unsolved,
        thresholds=(TASK_ATTEMPTS, NEVER_SHARE),
    ),
    Rule(id="long-tail", severity="info", section="trials", check=long_tail, thresholds=(MANY_TRIALS, LONG_TAIL_SHARE)),
)
