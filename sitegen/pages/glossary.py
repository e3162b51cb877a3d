"""The glossary: an index by group, a page per group, and a page per entry with what this archive holds of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from sitegen import format as fmt
from sitegen.glossary.entry import EntryKind, Framework, GlossaryEntry, Group
from sitegen.glossary.formula import to_mathml
from sitegen.glossary.lookup import ALWAYS, Glossary
from sitegen.glossary.observed import Observed, contradictions
from sitegen.glossary.patterns import PLACEHOLDER, natural
from sitegen.glossary.places import RULE_EXCEPTIONS
from sitegen.pages.base import PageHead, SiteContext, glossary_page, group_page, run_page
from sitegen.pages.row import MetricRange, RunRow
from sitegen.pages.run_tones import run_tones
from sitegen.text import Text, same, ui

MOST_STRIPS = 24
"""Most runs drawn as strips on an entry's page; the list of runs names them all."""
ALWAYS_KINDS = frozenset({"engine-field", "trial-column", "concept"})
"""Kinds whose common entries always have a page."""
MOST_NAMES = 40
"""Most logged names of a pattern that its page lists and the filter finds."""
NEIGHBOURS = 6
"""Entries of the same group shown before and after the current one in the side list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A run that logs what an entry explains."""

    run: RunRow
    """The run."""
    name: str
    """Name as logged."""
    range: MetricRange | None
    """Its values; None when only a report or an exception names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """The entries that the site explains, and the runs that log each."""

    entries: Mapping[str, GlossaryEntry]
    """By id: what the archive logs and sets, what runs are made of, the concepts, and what these refer to."""
    logged: Mapping[str, tuple[Logged, ...]]
    """Entry id to the runs that log it, in the order of the rows."""

    exceptions: tuple[str, ...]
    """Classes that texts may name: those of the entries here, sorted."""

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the entries that have a page."""
        return frozenset(self.entries)


def book(rows: Sequence[RunRow], glossary: Glossary, *, every: bool = False) -> Book:
    """What the glossary of this archive holds.

    A page of a run may therefore link what `Glossary.explain` gives for every name it logs, what `Glossary.find`
    gives for every setting it has, and every engine field, trial column and concept.

    Args:
        rows: one row per run.
        glossary: all entries.
        every: whether entries that nothing in the archive needs get a page too (`glossary = "all"`).
    """
    logged: dict[str, list[Logged]] = {}
    named: dict[str, GlossaryEntry] = {}
    for row in rows:
        for name, values, kind in _names(row):
            entry = glossary.explain(name, row.framework_of(name), kind)
            named.setdefault(entry.id, glossary.entry(entry.id) or entry)
            logged.setdefault(entry.id, []).append(Logged(run=row, name=name, range=values))
    chosen = glossary.entries if every else _wanted(rows, glossary)
    entries = {entry.id: entry for entry in chosen} | named
    for entry in list(entries.values()):
        entries |= {other.id: other for other in glossary.related(entry)}
    raised = {name for e in entries.values() if e.kind == "exception" for name in e.names if "{" not in name}
    return Book(
        entries=entries,
        logged={key: tuple(found) for key, found in logged.items()},
        exceptions=tuple(sorted(raised)),
    )


def _names(row: RunRow) -> Iterator[tuple[str, MetricRange | None, EntryKind | None]]:
    """What a run logs, reports and raises, with its values where it has some."""
    yield from ((item.name, item, None) for item in row.metrics)
    yield from ((name, None, None) for name in row.names)
    yield from ((name, None, "exception") for name in row.exceptions)


def _wanted(rows: Sequence[RunRow], glossary: Glossary) -> Iterator[GlossaryEntry]:
    """Entries that pages may link without a metric's name: settings in use, what runs are made of, where to begin."""
    yield from (entry for entry in glossary.entries if entry.kind in ALWAYS_KINDS and entry.framework in ALWAYS)
    for framework, key in sorted({(row.framework, key) for row in rows for key in row.config}, key=str):
        found = glossary.find(key, framework, "setting")
        if found is not None:
            yield found
    for framework in sorted(_frameworks(rows)):
        yield from glossary.look_first(framework)
    yield from (glossary.explain(name, None, "exception") for name in RULE_EXCEPTIONS)


# ---------------------------------------------------------------- index


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One line of the glossary's index."""

    entry: GlossaryEntry
    """The entry."""
    name: str
    """Name as logged; empty for concepts."""
    page: str
    """Its page."""
    framework: Text
    """Name of its framework."""
    runs: int
    """Runs of the archive that log it."""
    text: Text
    """What the filter field searches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexGroup:
    """A group of entries."""

    group: Group
    """Id, title, introduction."""
    page: str
    """Its page."""
    entries: tuple[IndexEntry, ...]
    """Logged ones first, then by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstList:
    """Entries to look at first for a framework of the archive."""

    title: Text
    """The framework's name."""
    entries: tuple[IndexEntry, ...]
    """In reading order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryIndexPage:
    """View model of `glossary/index.html`."""

    head: PageHead
    """Its head."""
    total: int
    """Entries."""
    logged: int
    """Entries that some run logs."""
    first: tuple[FirstList, ...]
    """What to look at first."""
    groups: tuple[IndexGroup, ...]
    """Groups that have entries."""


def glossary_index(found: Book, rows: Sequence[RunRow], site: SiteContext) -> GlossaryIndexPage:
    """The view model of the glossary's index."""
    lines = _lines(found, site)
    return GlossaryIndexPage(
        head=PageHead(
            path="glossary/index.html",
            title=ui("glossary.title"),
            description=ui("glossary.description", n=len(lines)),
            area="glossary",
            entries=found.ids,
        ),
        total=len(lines),
        logged=sum(1 for line in lines.values() if line.runs),
        first=_first_lists(lines, rows, site),
        groups=_index_groups(lines, site),
    )


def _lines(found: Book, site: SiteContext) -> dict[str, IndexEntry]:
    titles = _framework_titles(site.glossary.frameworks)
    return {key: _line(entry, found, titles) for key, entry in found.entries.items()}


def _first_lists(lines: Mapping[str, IndexEntry], rows: Sequence[RunRow], site: SiteContext) -> tuple[FirstList, ...]:
    """What to look at first, per framework of the archive, of the entries that are lines."""
    titles = _framework_titles(site.glossary.frameworks)
    made = (
        FirstList(
            title=titles.get(framework, same(framework)),
            entries=tuple(lines[e.id] for e in site.glossary.look_first(framework) if e.id in lines),
        )
        for framework in sorted(_frameworks(rows))
    )
    return tuple(item for item in made if item.entries)


def _frameworks(rows: Sequence[RunRow]) -> set[str]:
    """Frameworks of the runs, and of single metrics where a folder holds logs of several."""
    return {name for row in rows for name in (row.framework, *row.frameworks.values()) if name}


def _index_groups(lines: Mapping[str, IndexEntry], site: SiteContext) -> tuple[IndexGroup, ...]:
    return tuple(
        IndexGroup(group=group, page=group_page(group.id), entries=tuple(members))
        for group in site.glossary.groups
        if (members := sorted((e for e in lines.values() if e.entry.group == group.id), key=_logged_first))
    )


def _line(entry: GlossaryEntry, found: Book, titles: Mapping[str, Text]) -> IndexEntry:
    read = natural(entry)
    names = " ".join((entry.id, *entry.names))
    logged = found.logged.get(entry.id, ())
    shown = sorted({item.name for item in logged} - set(entry.names))[:MOST_NAMES]
    return IndexEntry(
        entry=read,
        name=logged_name(entry),
        page=glossary_page(entry.id),
        framework=titles.get(entry.framework, same(entry.framework)),
        runs=len({item.run.slug for item in logged} - published_only(entry, logged)),
        text=Text(
            " ".join((names, *shown, read.title.en, read.short.en)),
            " ".join((names, *shown, read.title.zh, read.title.en, read.short.zh)),
        ),
    )


def published_only(entry: GlossaryEntry, logged: Sequence[Logged]) -> frozenset[str]:
    """Runs of which only a published report tells a metric: they did not log it."""
    if entry.kind != "metric":
        return frozenset()
    return frozenset(item.run.slug for item in logged) - {item.run.slug for item in logged if item.range is not None}


def _logged_first(line: IndexEntry) -> tuple[bool, str, str]:
    return (line.runs == 0, entry_name(line.entry), line.entry.id)


def _framework_titles(frameworks: Sequence[Framework]) -> dict[str, Text]:
    return {item.id: item.title for item in frameworks}


def entry_name(entry: GlossaryEntry) -> str:
    """The name an entry goes by: the first one logged; of a concept, and without one, its English title."""
    return entry.names[0] if logged_name(entry) else entry.title.en


def logged_name(entry: GlossaryEntry) -> str:
    """The name under which logs, tables and settings hold what is explained; empty for concepts."""
    return entry.names[0] if entry.names and entry.kind != "concept" else ""


# ---------------------------------------------------------------- group


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryGroupPage:
    """View model of `glossary/group-<id>.html`."""

    head: PageHead
    """Its head."""
    group: Group
    """Id, title, what it is for."""
    groups: tuple[tuple[Group, int], ...]
    """All groups with entries, and how many."""
    first: tuple[FirstList, ...]
    """Of what to look at first, what lies in this group."""
    rows: tuple[GroupRow, ...]
    """Logged ones first, then by name."""
    directed: bool
    """Whether a better direction applies to any of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One entry in the table of its group."""

    line: IndexEntry
    """Entry, page, framework, runs."""
    unit: Text | None
    """Unit in words."""


def group_pages(found: Book, rows: Sequence[RunRow], site: SiteContext) -> Iterator[GlossaryGroupPage]:
    """The view models of the pages of all groups that have entries, in the order of the groups."""
    lines = _lines(found, site)
    groups = _index_groups(lines, site)
    counts = tuple((item.group, len(item.entries)) for item in groups)
    units = site.glossary.units
    for item in groups:
        inside = {line.entry.id: line for line in item.entries}
        yield GlossaryGroupPage(
            head=PageHead(
                path=item.page,
                title=ui("glossary.group-title", group=item.group.title),
                description=item.group.about,
                area="glossary",
                entries=found.ids,
            ),
            group=item.group,
            groups=counts,
            first=_first_lists(inside, rows, site),
            rows=tuple(
                GroupRow(line=line, unit=units[line.entry.unit].name if line.entry.unit else None)
                for line in item.entries
            ),
            directed=any(line.entry.direction and line.entry.kind == "metric" for line in item.entries),
        )


# ---------------------------------------------------------------- entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """The values of one run on the axis that all strips of a page share; positions are shares of 1."""

    title: str
    """The run's name."""
    page: str
    """Its page of metrics."""
    anchor: str
    """What filters that page to the name."""
    name: str
    """Name as logged."""
    tone: int
    """Colour 1-8, by place."""
    low: float
    """Where the range begins."""
    high: float
    """Where it ends."""
    median: float | None
    """Where the median is."""
    values: MetricRange
    """The values themselves."""

    @property
    def constant(self) -> bool:
        """Whether all values are equal."""
        return self.values.min == self.values.max


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedEntry:
    """A link to another entry."""

    entry: GlossaryEntry
    """The entry."""
    page: str
    """Its page."""
    name: str
    """Name it goes by; empty when it has only a title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryEntryPage:
    """View model of `glossary/<entry>.html`."""

    head: PageHead
    """Its head."""
    entry: GlossaryEntry
    """The entry."""
    name: str
    """Name it goes by."""
    framework: Text
    """Name of its framework."""
    unit: Text | None
    """Unit in words."""
    group: Group
    """Its group."""
    groups: tuple[tuple[Group, int], ...]
    """All groups with entries, and how many."""
    siblings: tuple[RelatedEntry, ...]
    """Entries of the same group around this one, this one included."""
    formula: str
    """MathML; empty without a formula."""
    strips: tuple[Strip, ...]
    """Ranges in this archive."""
    axis: tuple[float, float] | None
    """The strips' axis; None without strips."""
    logged: tuple[RunRow, ...]
    """Runs that log it."""
    published: frozenset[str] = frozenset()
    """Those of them that did not log it themselves: only a published report tells it."""
    related: tuple[RelatedEntry, ...]
    """Related entries."""
    observed: tuple[tuple[Text, tuple[RunRow, ...]], ...]
    """What values of runs say against a guess, each with the runs."""
    examples: tuple[str, ...]
    """Of a pattern: names that runs of this archive log."""


def entry_pages(found: Book, site: SiteContext) -> Iterator[GlossaryEntryPage]:
    """The view models of all entry pages, by id."""
    titles = _framework_titles(site.glossary.frameworks)
    members: dict[str, list[GlossaryEntry]] = {}
    for entry in sorted(found.entries.values(), key=lambda entry: (entry_name(entry), entry.id)):
        members.setdefault(entry.group, []).append(entry)
    shown = tuple((group, len(members[group.id])) for group in site.glossary.groups if group.id in members)
    by_group = {group.id: group for group, _ in shown}
    for key in sorted(found.entries):
        entry = found.entries[key]
        logged = found.logged.get(key, ())
        strips, axis = _strips(logged, entry, site.glossary)
        runs = {item.run.slug: item.run for item in logged}
        observed = _observed(entry, logged)
        read = natural(replace(entry, direction="context") if observed else entry)
        yield GlossaryEntryPage(
            head=_head(read, found),
            entry=read,
            name=entry_name(entry),
            framework=titles.get(entry.framework, same(entry.framework)),
            unit=site.glossary.units[entry.unit].name if entry.unit else None,
            group=by_group[entry.group],
            groups=shown,
            siblings=_siblings(entry, members[entry.group]),
            formula=_formula(entry),
            strips=strips,
            axis=axis,
            logged=tuple(runs.values()),
            published=published_only(entry, logged),
            related=tuple(_related(other) for other in site.glossary.related(entry) if other.id in found.entries),
            observed=observed,
            examples=tuple(sorted({item.name for item in logged} - set(entry.names))[:MOST_NAMES]),
        )


def _observed(entry: GlossaryEntry, logged: Sequence[Logged]) -> tuple[tuple[Text, tuple[RunRow, ...]], ...]:
    said: dict[Text, list[RunRow]] = {}
    for item in logged:
        values = observed_of(item.range)
        for note in contradictions(entry, values) if values is not None else ():
            said.setdefault(note, []).append(item.run)
    return tuple((note, tuple({run.slug: run for run in runs}.values())) for note, runs in said.items())


def observed_of(values: MetricRange | None) -> Observed | None:
    """A metric's values as a guess is held against them; None without finite ones."""
    if values is None or values.min is None or values.max is None:
        return None
    return Observed(
        low=values.min, high=values.max, whole=values.whole, never_falls=values.never_falls, count=values.count
    )


def _head(entry: GlossaryEntry, found: Book) -> PageHead:
    name, title = entry_name(entry), entry.title
    name = name if entry.notice else PLACEHOLDER.sub(r"\1", name)
    return PageHead(
        path=glossary_page(entry.id),
        title=Text(
            name if name == title.en else f"{name}, {title.en}".replace("`", ""),
            f"{name} {title.zh}".replace("`", ""),
        ),
        description=Text(entry.short.en.replace("`", ""), entry.short.zh.replace("`", "")),
        area="glossary",
        framework=entry.framework,
        entries=found.ids,
        names={name: "exception" for name in found.exceptions if name not in entry.names},
    )


def _formula(entry: GlossaryEntry) -> str:
    try:
        return to_mathml(entry.formula) if entry.formula else ""
    except ValueError:
        return ""  # an archive's own entry; the text still says what the metric is


def _siblings(entry: GlossaryEntry, members: Sequence[GlossaryEntry]) -> tuple[RelatedEntry, ...]:
    at = next(index for index, member in enumerate(members) if member.id == entry.id)
    return tuple(_related(member) for member in members[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1])


def _related(entry: GlossaryEntry) -> RelatedEntry:
    return RelatedEntry(entry=natural(entry), page=glossary_page(entry.id), name=logged_name(entry))


def _strips(
    logged: Sequence[Logged], entry: GlossaryEntry, glossary: Glossary
) -> tuple[tuple[Strip, ...], tuple[float, float] | None]:
    """The runs' ranges and the axis they share: the unit's bounds where it has both, else what the values need."""
    ranges = [(item, r) for item in logged if (r := item.range) and r.min is not None and r.max is not None]
    if not ranges:
        return (), None
    low = min(r.min for _, r in ranges if r.min is not None)
    high = max(r.max for _, r in ranges if r.max is not None)
    axis = _axis(low, high, entry, glossary)
    width = axis[1] - axis[0]
    strips = []
    tones = run_tones([item.run.slug for item, _ in ranges[:MOST_STRIPS]])
    for item, values in ranges[:MOST_STRIPS]:
        strips.append(
            Strip(
                title=item.run.title,
                page=run_page(item.run.slug, "metrics"),
                anchor=f"q={quote(item.name, safe='')}",
                name=item.name,
                tone=tones[item.run.slug],
                low=fmt.ratio((values.min or 0.0) - axis[0], width),
                high=fmt.ratio((values.max or 0.0) - axis[0], width),
                median=None if values.median is None else fmt.ratio(values.median - axis[0], width),
                values=values,
            )
        )
    return tuple(strips), axis


def _axis(low: float, high: float, entry: GlossaryEntry, glossary: Glossary) -> tuple[float, float]:
    unit = glossary.units.get(entry.unit)
    whole = unit is not None and unit.low is not None and unit.high is not None
    if whole and unit and unit.high and high > unit.high / 4 and low >= (unit.low or 0.0) and high <= unit.high:
        return (unit.low or 0.0, unit.high)
    low, high = min(low, 0.0), max(high, 0.0)
    return (low, high) if high > low else (low, low + 1.0)
