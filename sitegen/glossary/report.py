"""What the command line says of the glossary: one name explained, and the names without a checked entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sitegen.glossary.entry import EntryKind, GlossaryEntry
from sitegen.glossary.lookup import Glossary
from sitegen.text import LANGS, Lang

CHECKED = ("code", "docs")
"""Confidences that rest on a source."""
JSON_SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class LoggedName:
    """A name that a run logs."""

    name: str
    """As logged."""
    framework: str | None
    """Framework of the files that hold it, else of the run; None unknown."""
    kind: EntryKind | None = None
    """exception; None for what is logged per step."""
    run: str
    """Slug of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingName:
    """A logged name without a checked entry."""

    name: str
    """As logged."""
    framework: str | None
    """Framework of the files that hold it, else of the run; None unknown."""
    entry: GlossaryEntry
    """What is shown instead: a guess, confidence inferred or unknown."""
    runs: tuple[str, ...]
    """Slugs of the runs that log it, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingReport:
    """Names without a checked entry, of all distinct names of an archive."""

    runs: int
    """Runs read."""
    distinct: int
    """Distinct names; one name of two frameworks counts twice."""
    missing: tuple[MissingName, ...]
    """Most widely logged first, then by framework and name."""

    @property
    def share(self) -> float:
        """Missing over distinct, 0-1; 0 without any name."""
        return len(self.missing) / self.distinct if self.distinct else 0.0


def as_dict(entry: GlossaryEntry) -> dict[str, Any]:
    """One entry for `--json`: names, framework, group, unit, direction, confidence, source, en, zh and more."""
    return {
        "id": entry.id,
        "kind": entry.kind,
        "names": list(entry.names),
        "framework": entry.framework,
        "versions": entry.versions,
        "group": entry.group,
        "unit": entry.unit,
        "direction": entry.direction,
        "confidence": entry.confidence,
        "source": {
            "repository": entry.source.repository,
            "file": entry.source.file,
            "function": entry.source.function,
        },
        "checked": entry.checked or None,
        "formula": entry.formula or None,
        "blame": entry.blame or None,
        "related": list(entry.related),
        **{lang: _texts(entry, lang) for lang in LANGS},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What is known of a name."""

    name: str
    """As asked for."""
    entry: GlossaryEntry
    """Its explanation; a guess carries a notice."""
    also: tuple[GlossaryEntry, ...]
    """Entries that other frameworks have for the name, by framework."""
    choice: bool = False
    """True when `entry` is only the first of several written ones, because no framework was given: a reader must
    choose."""


def explained(glossary: Glossary, name: str, framework: str | None = None, kind: EntryKind | None = None) -> Explained:
    """One name explained. Without a framework, the entry of the only one that has it; of several, all.

    A guess is given only where no framework has a written entry, or the one asked for has none.
    Metrics come before engine fields, trial columns, exceptions, settings and concepts.
    """
    holders = _holders(glossary, name, kind)
    entry = _written(glossary, name, framework, kind)
    choice = entry is None and framework is None and len(holders) > 1
    if entry is None and framework is None and holders:
        entry = holders[0]
    if entry is None:
        composed: EntryKind | None = "exception" if kind is None and name.endswith(("Error", "Exception")) else kind
        entry = glossary.explain(name, framework, composed)
    also = tuple(other for other in holders if other.id != entry.id)
    return Explained(name=name, entry=entry, also=also, choice=choice)


def explain_name(
    glossary: Glossary, name: str, framework: str | None = None, kind: EntryKind | None = None
) -> dict[str, Any]:
    """One name explained as `as_dict`, with the name asked for; `also` lists the ids that `Explained.also` holds.

    Where several frameworks have the name and none was given, `choice` is true, the keys are those of the first, and
    `entries` holds all of them; else `entries` holds the one.
    """
    found = explained(glossary, name, framework, kind)
    told = as_dict(found.entry)
    return {
        "name": name,
        **told,
        "also": [other.id for other in found.also],
        "choice": found.choice,
        "entries": [told, *(as_dict(other) for other in found.also if found.choice)],
    }


def missing_names(glossary: Glossary, logged: Iterable[LoggedName], runs: int) -> MissingReport:
    """The names of `runs` runs that have no checked entry."""
    found: dict[tuple[str, str, EntryKind | None], set[str]] = defaultdict(set)
    for item in logged:
        found[item.framework or "", item.name, item.kind].add(item.run)
    missing = []
    for (framework, name, kind), slugs in found.items():
        entry = glossary.explain(name, framework or None, kind)
        if entry.confidence not in CHECKED:
            missing.append(MissingName(name=name, framework=framework or None, entry=entry, runs=tuple(sorted(slugs))))
    missing.sort(key=lambda item: (-len(item.runs), item.framework or "", item.name, item.entry.kind))
    return MissingReport(runs=runs, distinct=len(found), missing=tuple(missing))


def report_dict(report: MissingReport) -> dict[str, Any]:
    """The report for `--json`: every missing name as `as_dict` has the guess, with the runs that log it."""
    return {
        "schema": JSON_SCHEMA,
        "runs": report.runs,
        "distinct": report.distinct,
        "share": report.share,
        "missing": [
            {"name": item.name, **as_dict(item.entry), "framework": item.framework, "runs": list(item.runs)}
            for item in report.missing
        ],
    }


def _written(glossary: Glossary, name: str, framework: str | None, kind: EntryKind | None) -> GlossaryEntry | None:
    kinds: tuple[EntryKind | None, ...] = (None, "setting", "concept") if kind is None else (kind,)
    return next((entry for each in kinds if (entry := glossary.find(name, framework, each)) is not None), None)


def _holders(glossary: Glossary, name: str, kind: EntryKind | None) -> list[GlossaryEntry]:
    """The written entries of a name in every framework, by framework."""
    found = [_written(glossary, name, framework.id, kind) for framework in glossary.frameworks]
    distinct = {entry.id: entry for entry in found if entry is not None}
    return [distinct[key] for key in sorted(distinct)]


def _texts(entry: GlossaryEntry, lang: Lang) -> dict[str, Any]:
    optional = ("symbols", "healthy", "worrying", "together", "treatment", "notice")
    return {
        "title": entry.title.of(lang),
        "short": entry.short.of(lang),
        "what": entry.what.of(lang),
        **{key: getattr(entry, key).of(lang) if getattr(entry, key) is not None else None for key in optional},
        "traps": [trap.of(lang) for trap in entry.traps],
    }
