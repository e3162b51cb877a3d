"""Search: the index that the browser searches (`search-index.js`), and the page that shows all results.

Both languages are in one index, so that a Chinese page also finds English words and the file is cached once. Sets of
runs are kept apart and shared: runs of one framework log the same names. `static/js/lib/search.js` reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sitegen import format as fmt
from sitegen.glossary.entry import GlossaryEntry
from sitegen.glossary.lookup import Glossary
from sitegen.glossary.patterns import natural
from sitegen.pages.about import SECTIONS
from sitegen.pages.base import PageHead, SiteContext
from sitegen.pages.glossary import Book
from sitegen.pages.index import FACETS
from sitegen.pages.row import RunRow
from sitegen.render import js_text, plain
from sitegen.text import Text, same, ui

INDEX_PATH = "search-index.js"
"""Site path of the index. Without a hash in its name: the pages of runs are made before it and kept when it changes."""
INDEX_VERSION = 1
"""Version of its form; the script refuses another, which only a stale copy can have."""
MOST_BYTES = 3_500_000
"""Size beyond which values of settings are left off: about 500 KB as sent."""
VALUE_LENGTH = 32
"""Most characters of a value that can be searched."""
MOST_VALUES = 200
"""Most values of one setting: with more it is a name or a path, which the run's title tells better."""
NOTE_LENGTH = 240
"""Most characters of a run's note that can be searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """View model of `search.html`."""

    head: PageHead
    """Its head."""
    runs: int
    """Runs of the archive."""
    entries: int
    """Entries of its glossary."""


def search_page(rows: Sequence[RunRow], found: Book) -> SearchPage:
    """The view model of the page."""
    return SearchPage(
        head=PageHead(path="search.html", title=ui("search.title"), description=ui("search.lede")),
        runs=len(rows),
        entries=len(found.entries),
    )


def search_script(rows: Sequence[RunRow], found: Book, site: SiteContext, most: int = MOST_BYTES) -> str:
    """The text of `search-index.js`.

    Args:
        rows: one row per run, in any order.
        found: the glossary of the archive.
        site: the site.
        most: bytes beyond which the values of settings are left off, which the index then says.
    """
    data = search_data(rows, found, site)
    text = js_text(data)
    if len(text.encode()) > most and data["values"]["v"]:
        text = js_text(search_data(rows, found, site, values=False))
    return f"sitegen.searchIndex = {text};\n"


def search_data(rows: Sequence[RunRow], found: Book, site: SiteContext, *, values: bool = True) -> dict[str, Any]:
    """What the index holds, as columns.

    `runs`: title, slug, about, further words, day of start. `entries`: the glossary. `metrics`, `exceptions`,
    `settings`: name, entry (-1 without), runs. `values`: setting, value, runs. `facets`: what runs are filtered by.
    `pages`: sections of the about page. `sets`: the runs meant by the `r` columns. `left`: what was left off.
    """
    ordered = sorted(rows, key=_alike)
    sets = RunSets(ordered)
    entries = tuple(found.entries[key] for key in sorted(found.entries))
    places = {entry.id: place for place, entry in enumerate(entries)}
    settings = _settings(ordered, site.glossary, places, sets)
    names = {item.id: item.title for item in site.glossary.frameworks}
    data = {
        "version": INDEX_VERSION,
        "runs": _runs(ordered, names),
        "entries": _entries(entries, names),
        **_logged(found, places, sets),
        "settings": settings.columns,
        "values": _values(ordered, settings, sets) if values else {"k": [], "v": [], "r": []},
        "facets": _facets(ordered, names, sets),
        "pages": _pages(),
        "left": [] if values else ["values"],
    }
    return data | {"sets": sets.counts}


class RunSets:
    """Sets of runs, each kept once, as alternating counts: runs not in it, runs in it, runs not in it, …"""

    def __init__(self, rows: Sequence[RunRow]) -> None:
        """For the runs in the order of the index."""
        self.counts: list[list[int]] = []
        self._place = {row.slug: place for place, row in enumerate(rows)}
        self._known: dict[tuple[int, ...], int] = {}

    def of(self, slugs: Iterable[str]) -> int:
        """Place of a set in `counts`."""
        return self.at(self._place[slug] for slug in slugs)

    def at(self, places: Iterable[int]) -> int:
        """Place of the set of the runs at the given places."""
        counts, done = [0, 0], 0
        for place in sorted(set(places)):
            if place == done and counts[-1]:
                counts[-1] += 1
            elif counts[-1]:
                counts += [place - done, 1]
            else:
                counts = [place, 1]
            done = place + 1
        key = tuple(counts)
        if key not in self._known:
            self._known[key] = len(self.counts)
            self.counts.append(counts)
        return self._known[key]


def _alike(row: RunRow) -> tuple[str, tuple[str, ...], str]:
    """Order of the runs in the index: those that log the same stand together, so that their sets are short."""
    return (row.framework or "", tuple(sorted({item.name for item in row.metrics})), row.slug)


def _runs(rows: Sequence[RunRow], names: Mapping[str, Text]) -> dict[str, list[Any]]:
    def about(row: RunRow) -> str:
        framework = names.get(row.framework, same(row.framework)).en if row.framework else None
        parts = (framework, row.facts.base_model, row.facts.dataset, row.facts.algorithm)
        return " · ".join(part for part in parts if part)

    return {
        "t": [row.title for row in rows],
        "s": [row.slug for row in rows],
        "a": [about(row) for row in rows],
        "x": [" ".join((*row.tags, row.notes[:NOTE_LENGTH])).strip() for row in rows],
        "d": [None if row.facts.started is None else int(row.facts.started // 86400) for row in rows],
    }


def _entries(entries: Sequence[GlossaryEntry], names: Mapping[str, Text]) -> dict[str, list[str]]:
    titles = {entry.framework: names.get(entry.framework, same(entry.framework)) for entry in entries}
    read = [natural(entry) for entry in entries]
    return {
        "i": [entry.id for entry in entries],
        "n": [" ".join(entry.names) for entry in entries],
        "te": [plain(entry.title.en) for entry in read],
        "tz": [plain(entry.title.zh) for entry in read],
        "se": [plain(entry.short.en) for entry in read],
        "sz": [plain(entry.short.zh) for entry in read],
        "fe": [titles[entry.framework].en for entry in entries],
        "fz": [titles[entry.framework].zh for entry in entries],
    }


def _logged(found: Book, places: Mapping[str, int], sets: RunSets) -> dict[str, dict[str, list[Any]]]:
    """Logged names and exceptions with their entries and the runs that have them."""
    columns: dict[str, dict[str, list[Any]]] = {kind: {"n": [], "e": [], "r": []} for kind in ("metrics", "exceptions")}
    for entry_id in sorted(found.logged):
        kind = columns["exceptions" if found.entries[entry_id].kind == "exception" else "metrics"]
        runs: dict[str, list[str]] = {}
        logs = {item.name for item in found.logged[entry_id] if item.range is not None}
        for item in found.logged[entry_id]:
            if item.range is not None or item.name not in logs:  # a run that only published it is no run that logs it
                runs.setdefault(item.name, []).append(item.run.slug)
        for name in sorted(runs):
            kind["n"].append(name)
            kind["e"].append(places[entry_id])
            kind["r"].append(sets.of(runs[name]))
    return columns


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """The settings of the archive."""

    columns: dict[str, list[Any]]
    """Key, entry, runs."""
    places: Mapping[tuple[str, int], int]
    """(key, entry) to its place in the columns."""
    entry_of: Mapping[tuple[str | None, str], int]
    """(framework, key) to its entry, -1 without."""


def _settings(rows: Sequence[RunRow], glossary: Glossary, places: Mapping[str, int], sets: RunSets) -> _Settings:
    entry_of: dict[tuple[str | None, str], int] = {}
    runs: dict[tuple[str, int], list[int]] = {}
    for place, row in enumerate(rows):
        for key in row.config:
            owner = (row.framework, key)
            if owner not in entry_of:
                entry = glossary.find(key, row.framework, "setting")
                entry_of[owner] = places.get(entry.id, -1) if entry else -1
            runs.setdefault((key, entry_of[owner]), []).append(place)
    found = sorted(runs)
    columns: dict[str, list[Any]] = {
        "n": [key for key, _ in found],
        "e": [entry for _, entry in found],
        "r": [sets.at(runs[item]) for item in found],
    }
    return _Settings(columns=columns, places={item: place for place, item in enumerate(found)}, entry_of=entry_of)


def _values(rows: Sequence[RunRow], settings: _Settings, sets: RunSets) -> dict[str, list[Any]]:
    """The short values of each setting and the runs that have them."""
    runs: dict[int, dict[str, list[int]]] = {}
    for place, row in enumerate(rows):
        for key, value in row.config.items():
            text = fmt.setting(value)
            if 0 < len(text) <= VALUE_LENGTH:
                setting = settings.places[(key, settings.entry_of[(row.framework, key)])]
                runs.setdefault(setting, {}).setdefault(text, []).append(place)
    columns: dict[str, list[Any]] = {"k": [], "v": [], "r": []}
    for setting in sorted(runs):
        if len(runs[setting]) > MOST_VALUES:
            continue
        for text in sorted(runs[setting]):
            columns["k"].append(setting)
            columns["v"].append(text)
            columns["r"].append(sets.at(runs[setting][text]))
    return columns


def _facets(rows: Sequence[RunRow], names: Mapping[str, Text], sets: RunSets) -> dict[str, list[Any]]:
    """What the index filters by: tags, frameworks, models, … with the state of the index that shows their runs."""
    columns: dict[str, list[Any]] = {key: [] for key in ("fe", "fz", "te", "tz", "l", "r")}
    for facet, title, pick in FACETS:
        chosen = [list(dict.fromkeys(pick(row))) for row in rows]
        counts = Counter(value for values in chosen for value in values)
        for value in sorted(counts):
            label = _facet_label(facet, value, names)
            columns["fe"].append(ui(title).en)
            columns["fz"].append(ui(title).zh)
            columns["te"].append(label.en)
            columns["tz"].append(label.zh)
            columns["l"].append(_filtered(facet, value, counts, len(rows)))
            columns["r"].append(sets.at(place for place, values in enumerate(chosen) if value in values))
    return columns


def _facet_label(facet: str, value: str, names: Mapping[str, Text]) -> Text:
    if facet == "status":
        return ui(f"status.{value}")
    return names.get(value, same(value)) if facet == "framework" else same(value)


def _filtered(facet: str, value: str, counts: Mapping[str, int], runs: int) -> str:
    """Address of the index with only the runs of a facet's value; by its text where the index has no such facet."""
    if counts[value] == runs:
        return "index.html"
    if sum(count < runs for count in counts.values()) < 2:
        return f"index.html#q={quote(value, safe='')}"
    return f"index.html#{facet}={quote(value.replace('~', '~~').replace(',', '~.'), safe='~')}"


def _pages() -> dict[str, list[str]]:
    """Sections of the about page."""
    titles = [ui(f"about.{section}") for section in SECTIONS]
    texts = [ui(f"about.{section}-text") for section in SECTIONS]
    return {
        "te": [title.en for title in titles],
        "tz": [title.zh for title in titles],
        "se": [next(_sentences(text.en, ". ")) for text in texts],
        "sz": [next(_sentences(text.zh, "。")) for text in texts],
        "l": [f"about.html#{section}" for section in SECTIONS],
    }


def _sentences(text: str, end: str) -> Iterator[str]:
    """The sentences of a text of ours, without backticks."""
    for sentence in plain(text).strip().replace("\n\n", end).split(end):
        yield sentence.rstrip(".。") + end.strip()
