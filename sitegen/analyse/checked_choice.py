"""Cross-check of a report's checkpoint section: smoothed rewards per step, and the step that was chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from sitegen.analyse.checked import Candidate, CrossCheck, judge, unchecked
from sitegen.analyse.checkpoint import select_checkpoint
from sitegen.analyse.printed import Bounded, Printed
from sitegen.analyse.progress import ema
from sitegen.analyse.report_rows import ReportRows
from sitegen.model.run import OverlapRule, lineage
from sitegen.settings import SiteSettings
from sitegen.text import Text, ui

SECTION = "Best Checkpoint"
"""Beginning of the section's heading."""
METRIC = "reward/avg_raw_reward"
"""The reward that the section is about, by its own heading."""
LEADING = re.compile(r"\d{1,9}")
"""The step at the beginning of `Chosen step`."""

Series = Mapping[int, tuple[float, float, float]]
"""Step to reward, its rounding and its smoothed value."""


def check_step(item: Printed, rows: ReportRows, by_rule: Mapping[OverlapRule, Series]) -> CrossCheck:
    """Reward or EMA of one step, under the site's overlap rule, else under the other one."""
    parsed = item.where.rpartition("/")[2]
    if item.name not in ("Reward", "EMA") or not parsed.isdecimal() or not rows.logs_metric(METRIC):
        return unchecked(item, ui("check.only-report"))
    found = []
    for rule, known in by_rule.items():
        entry = known.get(int(parsed))
        if entry is not None:
            reward, half, smooth = entry
            value = reward if item.name == "Reward" else smooth
            found.append(Candidate(result=Bounded(value=value, slack=half), how=_how(item.name, rule)))
    return judge(item, found) if found else unchecked(item, ui("check.no-record"))


def check_choice(
    item: Printed, rows: ReportRows, settings: SiteSettings, by_rule: Mapping[OverlapRule, Series]
) -> CrossCheck:
    """The chosen step: by the site's own selection, else the best of the steps that the report prints as eligible."""
    run = rows.run
    own = select_checkpoint(run, settings, METRIC if rows.logs_metric(METRIC) else None)
    chosen = {rule: step for rule, step, _ in own.by_rule}
    found = []
    for rule, known in by_rule.items():
        step = chosen.get(rule)
        if step is None:
            step = _best(known, eligible_steps(rows))
        fair = rule == run.overlap_rule
        note = None if fair else ui("check.other-rule", rule=ui(f"check.rule.{rule}"))
        value = None if step is None else float(step)
        found.append(Candidate(result=Bounded(value=value), how=_how("choice", rule), fair=fair, note=note))
    if all(candidate.result.value is None for candidate in found):
        return unchecked(item, ui("check.no-candidates"))
    return judge(item, found)


def all_series(rows: ReportRows, alpha: float) -> Mapping[OverlapRule, Series]:
    """The smoothed reward under both overlap rules, the site's first; empty without a logged reward."""
    if not rows.logs_metric(METRIC):
        return {}
    rules: tuple[OverlapRule, ...] = ("last", "first") if rows.run.overlap_rule == "last" else ("first", "last")
    return {rule: series(rows, rule, alpha) for rule in rules}


def eligible_steps(rows: ReportRows) -> frozenset[int]:
    """Steps that the section prints as eligible."""
    marked = [value for value in rows.published.values if value.name == "Eligible" and value.text == "yes"]
    steps = (value.where.rpartition("/")[2] for value in marked)
    return frozenset(int(step) for step in steps if step.isdecimal())


def series(rows: ReportRows, rule: OverlapRule, alpha: float) -> Series:
    """The reward along the lineage under a rule, smoothed; an EMA of rounded values is off by no more than they are."""
    along = lineage(rows.run, rule)
    column = rows.column(METRIC, along).finite()
    kept = along[np.isfinite(along[METRIC].to_numpy(dtype="float64"))]
    smooth = ema(column.values, alpha)
    half = float(column.half.max()) if len(column.half) else 0.0
    return {
        int(step): (float(reward), half, float(value))
        for step, reward, value in zip(kept["step"], column.values, smooth, strict=True)
    }


def _best(values: Series, eligible: frozenset[int]) -> int | None:
    known = [step for step in sorted(eligible) if step in values]
    return max(known, key=lambda step: values[step][2]) if known else None


def _how(name: str, rule: OverlapRule) -> Text:
    return ui(f"check.choice.{name.lower()}", rule=ui(f"check.rule.{rule}"))
