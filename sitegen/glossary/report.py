"""What the command line says of the glossary: one name explained, and the names without a checked entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sitegen.glossary.entry import EntryKind, GlossaryEntry
from sitegen.glossary.lookup import Glossary
from sitegen.text import LANGS, Lang

CHECKED = ("code", "docs")
"""Confidences that rest on a source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingName:
    """A logged name without a checked entry."""

    name: str
    """As logged."""
    framework: str | None
    """Framework of the runs that log it; None unknown."""
    confidence: str
    """inferred or unknown."""
    runs: tuple[str, ...]
    """Slugs of the runs that log it, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingReport:
    """Names without a checked entry, of all distinct names of an archive."""

    distinct: int
    """Distinct pairs of framework and name."""
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


def explain_name(
    glossary: Glossary, name: str, framework: str | None = None, kind: EntryKind | None = None
) -> dict[str, Any]:
    """One name explained as `as_dict`, with the name asked for.

    Without a framework every framework that has the name is meant: the entry is that of the only one, and
    `also` lists the ids of all that have it.
    """
    holders = _holders(glossary, name, kind)
    entry = glossary.explain(name, framework, kind)
    if framework is None and entry.confidence not in CHECKED and len(holders) == 1:
        entry = holders[0]
    return {"name": name, **as_dict(entry), "also": [other.id for other in holders if other.id != entry.id]}


def missing_names(glossary: Glossary, logged: Mapping[str, tuple[str | None, Iterable[str]]]) -> MissingReport:
    """Names without a checked entry; `logged` maps a run's slug to its framework and its metric names."""
    runs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for slug, (framework, names) in logged.items():
        for name in names:
            runs[framework or "", name].add(slug)
    missing = []
    for (framework, name), slugs in runs.items():
        entry = glossary.explain(name, framework or None, "metric")
        if entry.confidence not in CHECKED:
            missing.append(
                MissingName(
                    name=name, framework=framework or None, confidence=entry.confidence, runs=tuple(sorted(slugs))
                )
            )
    missing.sort(key=lambda item: (-len(item.runs), item.framework or "", item.name))
    return MissingReport(distinct=len(runs), missing=tuple(missing))


def _holders(glossary: Glossary, name: str, kind: EntryKind | None) -> list[GlossaryEntry]:
    """The written entries of a name in every framework, by framework."""
    found = [glossary.find(name, framework.id, kind) for framework in glossary.frameworks]
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
