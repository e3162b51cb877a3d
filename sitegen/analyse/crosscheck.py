"""Report cross-check: the numbers that a run's published report and model card print, against the run.

A number agrees when what its label names reproduces it within half a unit of its last printed digit, plus what the
rounding of the inputs can add when they too come from a printed table. Otherwise it differs, and where another way to
compute reproduces it, that is given as the likely reason. What nothing in the run is bound to is unchecked, never ✓;
rows of the report from which the run's own steps were read are not held against themselves.

Source of what labels name: OpenThoughts-Agent, `scripts/analysis/parse_skyrl_metrics.py` (2026-06).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from sitegen.analyse import checked_choice, checked_engines, checked_trials
from sitegen.analyse.checked import CrossCheck as CrossCheck
from sitegen.analyse.checked import Verdict as Verdict
from sitegen.analyse.checked import unchecked
from sitegen.analyse.checked_card import check_card
from sitegen.analyse.checked_choice import Series
from sitegen.analyse.checked_metrics import (
    STATISTICS,
    check_filler,
    check_per_log,
    check_progression,
    check_share,
    check_summary,
    shares_note,
)
from sitegen.analyse.checked_trials import Trials, trials_of
from sitegen.analyse.printed import Printed, half_of_general, is_general, parse
from sitegen.analyse.report_rows import PER_LOG, PROGRESSION, ReportRows
from sitegen.model.run import OverlapRule, Published, PublishedValue, Run
from sitegen.readers.report_published import metric_of
from sitegen.settings import SiteSettings
from sitegen.text import ui

VERDICTS: Final[tuple[Verdict, ...]] = ("differs", "agrees", "unchecked")
"""In the order of interest."""


def cross_check(run: Run, settings: SiteSettings) -> tuple[CrossCheck, ...]:
    """Every printed number of the run's report, in its order, then those of the model card that can be bound.

    Population: what each label names, over the logs that the report names. Empty without a report and a card.
    """
    from_card = tuple(check_card(run))
    published = run.published
    if published is None:
        return from_card
    report = _Report(run=run, settings=settings, published=published)
    return (*report.checks(), *from_card)


def counts(checks: tuple[CrossCheck, ...]) -> dict[Verdict, int]:
    """How many numbers of each verdict."""
    found = Counter(check.verdict for check in checks)
    return {verdict: found[verdict] for verdict in VERDICTS}


@dataclass(frozen=True, kw_only=True, eq=False)
class _Report:
    """A report under check; what is needed more than once is made once."""

    run: Run
    settings: SiteSettings
    published: Published

    @cached_property
    def rows(self) -> ReportRows:
        return ReportRows(run=self.run, published=self.published)

    @cached_property
    def trials(self) -> Trials | None:
        return trials_of(self.run, self.settings.success_threshold)

    @cached_property
    def general(self) -> bool:
        """Whether the summary tables are printed with six significant digits, trailing zeros left out."""
        return is_general(value.text for value in self.published.values if self._metric(value) is not None)

    @cached_property
    def series(self) -> Mapping[OverlapRule, Series]:
        return checked_choice.all_series(self.rows, self.settings.ema_alpha)

    def checks(self) -> Iterator[CrossCheck]:
        seen: Counter[tuple[str, str, str]] = Counter()
        filler: set[tuple[str, str]] = set()
        first_share = True
        for value in self.published.values:
            if value.where.startswith(PROGRESSION):
                yield from self._progression(value, seen, filler)
            elif value.name == "Avg % of Step Time":
                note = shares_note(self.published.timing) if first_share else None
                first_share = False
                for item in self._items(value):
                    yield check_share(item, value.where.rpartition("/")[2], self.rows, note)
            else:
                yield from self._other(value)

    def _other(self, value: PublishedValue) -> Iterator[CrossCheck]:
        section, _, rest = value.where.partition("/")
        if section.startswith(checked_engines.SECTION):
            yield from self._engines(value)
        elif section.startswith(checked_choice.SECTION):
            yield from self._choice(value)
        else:
            metric = self._metric(value)
            for item in self._items(value):
                if metric is not None:
                    count = self.published.metrics[metric].count
                    yield check_summary(item, metric, count, self.rows)
                elif section in PER_LOG:
                    yield check_per_log(item, rest, self.rows)
                elif section.startswith(checked_trials.SECTION):
                    yield checked_trials.check_trials(item, self.trials, self.published)
                else:
                    yield unchecked(item, ui("check.unbound"))

    def _progression(
        self, value: PublishedValue, seen: Counter[tuple[str, str, str]], filler: set[tuple[str, str]]
    ) -> Iterator[CrossCheck]:
        """A cell of the per-step tables; a column that was never logged counts once per log."""
        log, _, step = value.where.partition("/")[2].rpartition("/")
        metric = metric_of(value.name)
        place = (log, step, value.name)
        occurrence, seen[place] = seen[place], seen[place] + 1
        known = metric is None or metric in self.published.metrics or self.rows.logs_metric(metric)
        for item in self._items(value):
            if not known:
                if (log, value.name) not in filler:
                    filler.add((log, value.name))
                    yield check_filler(replace(item, where=value.where.rpartition("/")[0]))
            elif not self.rows.read_from_report(log):
                yield check_progression(item, log, step, occurrence, self.rows)

    def _engines(self, value: PublishedValue) -> Iterator[CrossCheck]:
        if value.name.endswith(checked_engines.VERDICT):
            item = self._item(value, value.name, value.text, (math.nan, 0.0))
            yield checked_engines.check_saturated(item, self.run, self.published)
            return
        parts = checked_engines.PARTS.findall(value.text)
        for part, text in parts:
            parsed = parse(text)
            if parsed is not None:
                item = self._item(value, f"{value.name} ({part})", text, parsed)
                yield checked_engines.check_engines(item, self.run, part)
        if not parts:
            for item in self._items(value):
                yield checked_engines.check_engines(item, self.run, "avg")

    def _choice(self, value: PublishedValue) -> Iterator[CrossCheck]:
        step = checked_choice.LEADING.match(value.text) if value.name == "Chosen step" else None
        if step is not None:
            item = self._item(value, value.name, step[0], (float(step[0]), 0.0))
            yield checked_choice.check_choice(item, self.rows, self.settings, self.series)
            return
        for item in self._items(value):
            yield checked_choice.check_step(item, self.rows, self.series)

    def _metric(self, value: PublishedValue) -> str | None:
        """The metric of a summary table's row; None for any other value."""
        if value.name.lower() not in STATISTICS:
            return None
        for name in (value.where, value.where.partition("/")[2]):
            if name in self.published.metrics:
                return name
        return None

    def _items(self, value: PublishedValue) -> Iterator[Printed]:
        """The number of a value; none for words."""
        parsed = parse(value.text)
        if parsed is None:
            return
        if self._metric(value) is not None and self.general and not math.isnan(parsed[0]):
            parsed = (parsed[0], half_of_general(parsed[0]))
        yield self._item(value, value.name, value.text, parsed)

    def _item(self, value: PublishedValue, name: str, text: str, parsed: tuple[float, float]) -> Printed:
        return Printed(
            where=value.where,
            name=name,
            text=text,
            value=parsed[0],
            half=parsed[1],
            path=self.published.path,
            line=value.line,
        )
