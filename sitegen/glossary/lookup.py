"""Finding the explanation of a logged name.

The framework of the run decides what a name means: `entropy`, `reward/…` and `timing/step` are computed differently in
different frameworks. Order: exact name in the run's framework, a pattern of it, the side glossaries that belong to any
run (engine, trials, common terms), the name without a wrapper (`eval_`, `worker_3/`), the only other framework
that has the name (marked), and at last an entry composed from the parts of the name (marked).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.errors import SettingsError
from sitegen.glossary import loader
from sitegen.glossary.checks import archive_faults
from sitegen.glossary.compose import code, compose, inferred_id, unknown_exception
from sitegen.glossary.entry import KINDS, EntryKind, Framework, GlossaryEntry, Group, Unit
from sitegen.glossary.patterns import Pattern, compile_pattern, filled
from sitegen.glossary.words import vocabulary
from sitegen.text import Text

ALWAYS = ("vllm", "harbor", "common")
"""Glossaries that belong to every run beside its framework's own."""

_WRAPPERS: tuple[tuple[re.Pattern[str], Text], ...] = (
    (re.compile(r"(?:eval|val|validation|test)[/_](?P<inner>.+)"), Text("on the evaluation set", "评测集")),
    (re.compile(r"train[/_](?P<inner>.+)"), Text("in training", "训练")),
    (re.compile(r"(?:train_metrics/)?(?:worker|rank)_(?P<i>\d+)/(?P<inner>.+)"), Text("of worker {i}", "工作进程 {i}")),
    (re.compile(r"engine_(?P<i>\d+)/(?P<inner>.+)"), Text("of engine {i}", "引擎 {i}")),
    (re.compile(r"kept[/_](?P<inner>.+)"), Text("of the data kept", "保留的数据")),
    (re.compile(r"dropped[/_](?P<inner>.+)"), Text("of the data dropped", "丢弃的数据")),
)


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The entries of one framework and kind, ready for lookup."""

    exact: Mapping[str, GlossaryEntry]
    patterns: Sequence[tuple[Pattern, GlossaryEntry]]


class Glossary:
    """All entries, the archive's own before ours."""

    def __init__(self, books: Sequence[loader.Book], own: Sequence[loader.Book] = ()) -> None:
        """From our books and the archive's own, which override ours by id and by name."""
        self.entries: tuple[GlossaryEntry, ...] = _merge(books, own)
        """Every entry, sorted by framework, then in file order."""
        self.groups: tuple[Group, ...] = loader.groups()
        """Groups in the order of the pages."""
        self.units: Mapping[str, Unit] = loader.units()
        """Units by code."""
        self.frameworks: tuple[Framework, ...] = _frameworks([*own, *books])
        """Frameworks that have entries, by id."""
        self._by_id = {entry.id: entry for entry in self.entries}
        own_ids = {entry.id for book in own for entry in book.entries}
        self._shelves = _shelves([e for e in self.entries if e.id in own_ids], self.entries)
        self._explained: dict[tuple[str, str, EntryKind | None], GlossaryEntry] = {}

    def entry(self, entry_id: str) -> GlossaryEntry | None:
        """The entry of an id; None for an inferred or unknown one."""
        return self._by_id.get(entry_id)

    def find(self, name: str, framework: str | None, kind: EntryKind | None = None) -> GlossaryEntry | None:
        """The written entry of a logged name, placeholders filled; None when none is meant for it.

        Only the run's framework and the glossaries that belong to every run are asked. `kind` limits the search;
        None tries metrics first, then engine fields, trial columns and exceptions. A setting is found by its whole
        dotted key or by the end of it.
        """
        kinds = (kind,) if kind is not None else KINDS[:4]
        for each in kinds:
            for shelf_framework in _asked(framework):
                found = self._on_shelf(name, shelf_framework, each)
                if found is not None:
                    return found
        return None

    def explain(self, name: str, framework: str | None, kind: EntryKind | None = None) -> GlossaryEntry:
        """An entry for any name: written, unwrapped, borrowed or composed; a guess carries a `notice`."""
        key = (name, framework or "", kind)
        if key not in self._explained:
            self._explained[key] = (
                self.find(name, framework, kind)
                or self._unwrapped(name, framework, kind)
                or self._borrowed(name, framework, kind)
                or _composed(name, framework, kind)
            )
        return self._explained[key]

    def page_id(self, name: str, framework: str | None, kind: EntryKind | None = None) -> str:
        """Stable id of the page that explains a name; names of one pattern share the pattern's page."""
        return self.explain(name, framework, kind).id

    def related(self, entry: GlossaryEntry) -> tuple[GlossaryEntry, ...]:
        """The entries an entry refers to."""
        return tuple(self._by_id[other] for other in entry.related if other in self._by_id)

    def look_first(self, framework: str | None) -> tuple[GlossaryEntry, ...]:
        """Entries to look at first for a framework, in reading order; empty when it has no such list."""
        firsts = {item.id: item.first for item in self.frameworks}
        return tuple(self._by_id[i] for i in firsts.get(framework or "", ()) if i in self._by_id)

    def _on_shelf(self, name: str, framework: str, kind: EntryKind) -> GlossaryEntry | None:
        shelf = self._shelves.get((framework, kind))
        if shelf is None:
            return None
        for candidate in _endings(name) if kind == "setting" else (name,):
            if candidate in shelf.exact:
                return shelf.exact[candidate]
            for pattern, entry in shelf.patterns:
                values = pattern.match(candidate)
                if values is not None:
                    return filled(entry, {key: code(value)[1:-1] for key, value in values.items()})
        return None

    def _unwrapped(self, name: str, framework: str | None, kind: EntryKind | None) -> GlossaryEntry | None:
        """The entry of the name inside a wrapper, with the wrapper said."""
        if kind not in (None, "metric"):
            return None
        for regex, phrase in _WRAPPERS:
            match = regex.fullmatch(name)
            inner = self.find(match["inner"], framework, "metric") if match else None
            if match is not None and inner is not None:
                return _wrapped(inner, name, framework, _wrapper_text(phrase, match))
        return None

    def _borrowed(self, name: str, framework: str | None, kind: EntryKind | None) -> GlossaryEntry | None:
        """The entry of the only other framework that has the name; None when several have."""
        asked = set(_asked(framework))
        wanted = kind or "metric"
        others = sorted({shelf for shelf, each in self._shelves if each == wanted and shelf not in asked})
        found = [entry for other in others if (entry := self._on_shelf(name, other, wanted)) is not None]
        if len(found) != 1:
            return None
        titles = {item.id: item.title for item in self.frameworks}
        notice = vocabulary().notices["borrowed"]
        owner = titles.get(found[0].framework, Text(found[0].framework, found[0].framework))
        return replace(
            found[0],
            id=inferred_id(name, framework or "common"),
            confidence="inferred",
            related=(found[0].id, *found[0].related),
            notice=Text(notice.en.replace("{framework}", owner.en), notice.zh.replace("{framework}", owner.zh)),
        )


def load_glossary(archive: Path | None = None) -> Glossary:
    """Our entries and, when given, those of an archive's `glossary/*.toml`.

    Raises:
        SettingsError: an archive's file does not keep the format; the message names file and entry.
    """
    builtin = loader.builtin_books()
    own = loader.archive_books(archive) if archive is not None else ()
    faults = archive_faults(own, builtin)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise SettingsError(f"{faults[0].where}: {faults[0].what}{more}")
    return Glossary(builtin, own)


def _asked(framework: str | None) -> tuple[str, ...]:
    """Frameworks asked for a name, first one first."""
    return tuple(dict.fromkeys((*((framework,) if framework else ()), *ALWAYS)))


def _endings(key: str) -> Iterable[str]:
    """A dotted key and its ends, longest first: a.b.c, b.c, c."""
    parts = key.split(".")
    return (".".join(parts[start:]) for start in range(len(parts)))


def _merge(books: Sequence[loader.Book], own: Sequence[loader.Book]) -> tuple[GlossaryEntry, ...]:
    own_ids = {entry.id for book in own for entry in book.entries}
    ours = [entry for book in books for entry in book.entries if entry.id not in own_ids]
    merged = [*(entry for book in own for entry in book.entries), *ours]
    return tuple(sorted(merged, key=lambda entry: entry.framework))


def _frameworks(books: Sequence[loader.Book]) -> tuple[Framework, ...]:
    found: dict[str, Framework] = {}
    for book in books:
        known = found.get(book.framework.id)
        if known is None or not known.first:
            found[book.framework.id] = book.framework
    return tuple(found[key] for key in sorted(found))


def _shelves(own: Sequence[GlossaryEntry], entries: Sequence[GlossaryEntry]) -> dict[tuple[str, EntryKind], _Shelf]:
    """Entries by framework and kind; a name of the archive's own entries wins over ours."""
    exact: dict[tuple[str, EntryKind], dict[str, GlossaryEntry]] = defaultdict(dict)
    patterns: dict[tuple[str, EntryKind], list[tuple[Pattern, GlossaryEntry]]] = defaultdict(list)
    for entry in (*own, *entries):
        place = (entry.framework, entry.kind)
        for name in entry.names:
            pattern = compile_pattern(name)
            if pattern is None:
                exact[place].setdefault(name, entry)
            else:
                patterns[place].append((pattern, entry))
    return {
        place: _Shelf(exact[place], sorted(patterns[place], key=lambda item: item[0].rank))
        for place in sorted({*exact, *patterns})
    }


def _wrapper_text(phrase: Text, match: re.Match[str]) -> Text:
    index = match.groupdict().get("i") or ""
    return Text(phrase.en.replace("{i}", index), phrase.zh.replace("{i}", index))


def _wrapped(inner: GlossaryEntry, name: str, framework: str | None, phrase: Text) -> GlossaryEntry:
    notice = vocabulary().notices["wrapped"]
    shown = code(inner.names[0])[1:-1] if len(inner.names) == 1 else inner.title.en
    return replace(
        inner,
        id=inferred_id(name, framework or "common"),
        names=(name,),
        title=Text(f"{inner.title.en}, {phrase.en}", f"{inner.title.zh}（{phrase.zh}）"),
        confidence="inferred",
        related=(inner.id, *inner.related),
        notice=Text(notice.en.replace("{inner}", shown), notice.zh.replace("{inner}", shown)),
    )


def _composed(name: str, framework: str | None, kind: EntryKind | None) -> GlossaryEntry:
    if kind == "exception":
        return unknown_exception(name, framework or "common")
    entry = compose(name, framework or "common")
    return replace(entry, kind=kind) if kind is not None else entry
