"""All rules in order, and the findings of a run."""

from __future__ import annotations

from sitegen.analyse.findings.cost import TIME_RULES
from sitegen.analyse.findings.engines import ENGINE_RULES
from sitegen.analyse.findings.finding import SEVERITIES, Finding, Rule, Subject
from sitegen.analyse.findings.health import (
    DATA_RULES,
    FRESHNESS_RULES,
    NOTE_RULES,
    OUTAGE_RULES,
    STABILITY_RULES,
)
from sitegen.analyse.findings.progress import CHECKPOINT_RULES, PROGRESS_RULES
from sitegen.analyse.findings.trials import HIDE_PART, TRIAL_RULES

RULES: tuple[Rule, ...] = (
    *OUTAGE_RULES,
    *DATA_RULES,
    *PROGRESS_RULES,
    *TIME_RULES,
    *CHECKPOINT_RULES,
    *TRIAL_RULES,
    *STABILITY_RULES,
    *FRESHNESS_RULES,
    *ENGINE_RULES,
    *NOTE_RULES,
)
"""Every rule. Within a severity, findings stand in this order."""

SHOWN = 5
"""Findings shown at first on the overview; the rest are folded."""


def find(subject: Subject) -> tuple[Finding, ...]:
    """The findings of a run, most serious first, then in the order of the rules.

    A finding is left out when one that says more about the same thing fires too (`Rule.hides`), and the split of the
    exceptions also when nearly all of them are time-outs that have a finding of their own.
    """
    found = [(rule, finding) for rule in RULES if (finding := rule.apply(subject)) is not None]
    hidden = {name for rule, _ in found for name in rule.hides}
    if _timeouts_say_it_all([finding for _, finding in found]):
        hidden.add("exceptions-split")
    kept = [finding for rule, finding in found if rule.id not in hidden]
    return tuple(sorted(kept, key=lambda finding: SEVERITIES.index(finding.severity)))


def _timeouts_say_it_all(found: list[Finding]) -> bool:
    values = {finding.rule: finding.values for finding in found}
    late, failed = values.get("timeouts", {}).get("n"), values.get("exceptions-split", {}).get("failed")
    return isinstance(late, int) and isinstance(failed, int) and late >= HIDE_PART * failed
