"""What a finding is, and what a rule is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sitegen import format as fmt
from sitegen.analyse.findings.thresholds import Threshold
from sitegen.model.run import Run
from sitegen.settings import SiteSettings
from sitegen.text import LANGS, Text, same, ui

if TYPE_CHECKING:
    from sitegen.analyse.run_analysis import RunAnalysis

Severity = Literal["bad", "warn", "good", "info"]
SEVERITIES: tuple[Severity, ...] = ("bad", "warn", "good", "info")
"""Most serious first: the run is broken or did not do its work; something costs it dearly or makes its numbers
doubtful; it did its work; worth knowing."""

Section = Literal[
    "reward", "checkpoint", "stability", "time", "freshness", "jobs", "errors", "trials", "engines", "problems"
]
"""Sections of the overview that a finding can point at: the anchor of its evidence."""

TableName = Literal["steps", "trials", "engines", "batches", "jobs", "nonfinite", "problems", "report", "config"]

Plain = float | int | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One number or name of a sentence: as it is, and as it is printed."""

    raw: Plain
    """At full precision."""
    text: Text
    """As printed in each language."""
    named: bool = False
    """True for a name as logged."""


def number(value: float | None, digits: int = 3) -> Value:
    """A measured value with significant digits."""
    return Value(raw=value, text=same(fmt.number(value, digits)))


def fixed(value: float | None, places: int = 3) -> Value:
    """A value with a fixed count of decimals."""
    return Value(raw=value, text=same(fmt.fixed(value, places)))


def signed(value: float | None, places: int = 4) -> Value:
    """A difference with its sign."""
    return Value(raw=value, text=same(fmt.signed(value, places)))


def count(value: float | None) -> Value:
    """A count or a step."""
    return Value(raw=value, text=same(fmt.count(value)))


def share(value: float | None) -> Value:
    """A share of 1, printed as a percentage."""
    return Value(raw=value, text=Text(*(fmt.percent(value, lang) for lang in LANGS)))


def seconds(value: float | None) -> Value:
    """A length of time."""
    return Value(raw=value, text=Text(*(fmt.duration(value, lang) for lang in LANGS)))


def name(value: str) -> Value:
    """A name as logged."""
    return Value(raw=value, text=same(value), named=True)


def words(raw: str, text: Text) -> Value:
    """A choice of ours, in words."""
    return Value(raw=raw, text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the numbers of a finding were computed from."""

    table: TableName
    """Table of the run."""
    metrics: tuple[str, ...] = ()
    """Logged names, or columns of the table."""
    first_step: int | None = None
    """First step used; None where rows carry no step."""
    last_step: int | None = None
    """Last step used."""
    rows: int | None = None
    """Rows used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a rule gives when it fires."""

    values: Mapping[str, Value]
    """The values of its sentences, by placeholder."""
    evidence: Evidence
    """What they were computed from."""
    severity: Severity | None = None
    """When it is not the rule's own."""
    form: str = ""
    """Which wording, where a rule has several: `finding.<rule>.<form>…`."""
    published: bool = False
    """True when the numbers were read in a report, not computed."""
    names: tuple[str, ...] = ()
    """Further logged names that its sentences print by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One sentence about a run that a rule wrote."""

    rule: str
    """Id of the rule."""
    severity: Severity
    """How serious."""
    lead: Text
    """The statement in a few words."""
    text: Text
    """Its numbers."""
    advice: Text
    """What to do or to look at next."""
    section: Section
    """Section of the overview that shows it."""
    values: Mapping[str, Plain]
    """Every value of the sentences, at full precision."""
    evidence: Evidence
    """What they were computed from."""
    published: bool
    """True when they were read in a report."""
    names: tuple[str, ...] = ()
    """Logged names, or their last parts, that its sentences print."""

    @property
    def sentence(self) -> Text:
        """Lead and numbers together."""
        return Text(f"{self.lead.en} {self.text.en}", f"{self.lead.zh}{self.text.zh}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """What a rule looks at."""

    run: Run
    """The run."""
    analysis: RunAnalysis
    """Its analyses."""
    settings: SiteSettings
    """The site's settings."""

    @cached_property
    def reward_evidence(self) -> Evidence:
        """The finite rewards of the lineage."""
        return self.curve_evidence("reward")

    def curve_evidence(self, *roles: str) -> Evidence:
        """The lineage rows of one or more roles."""
        metrics = tuple(self.analysis.roles[role] for role in roles if role in self.analysis.roles)
        curve = self.analysis.curve(metrics[0]) if metrics else None
        if curve is None or not len(curve.step):
            return Evidence(table="steps", metrics=metrics, rows=0)
        return Evidence(
            table="steps",
            metrics=metrics,
            first_step=int(curve.step[0]),
            last_step=int(curve.step[-1]),
            rows=len(curve.step),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: when it fires, and how its sentences are found."""

    id: str
    """Its name; sentences are `finding.<id>.lead`, `.text`, `.next`, its description `finding.<id>.rule`."""
    severity: Severity
    """Its severity unless a match says another one."""
    section: Section
    """Section of the overview that shows it."""
    check: Callable[[Subject], Match | None]
    """Gives a match when it fires."""
    thresholds: tuple[Threshold, ...] = ()
    """Numbers that decide."""
    hides: tuple[str, ...] = ()
    """Rules that say less about the same thing: left out when this one fires."""
    forms: tuple[str, ...] = field(default=("",))
    """Its wordings."""

    def apply(self, subject: Subject) -> Finding | None:
        """The finding; None when the rule does not fire."""
        match = self.check(subject)
        if match is None:
            return None
        key = f"finding.{self.id}" + (f".{match.form}" if match.form else "")
        shown = {placeholder: value.text for placeholder, value in match.values.items()}
        return Finding(
            rule=self.id,
            severity=match.severity or self.severity,
            lead=ui(f"{key}.lead").format(**shown),
            text=ui(f"{key}.text").format(**shown),
            advice=ui(f"{key}.next").format(**shown),
            section=self.section,
            values={placeholder: value.raw for placeholder, value in match.values.items()},
            evidence=match.evidence,
            published=match.published,
            names=tuple(dict.fromkeys((*match.names, *_printed(match.values)))),
        )


def _printed(values: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(value.raw for value in values.values() if value.named and isinstance(value.raw, str))
