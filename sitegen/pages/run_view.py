"""The parts that all run pages are made of: input, voice, tables, chart cards, facts.

Everything here is ready to print: text is in one language, numbers are formatted, links are relative. A logged
name stays a name (`metric`), so that the template can explain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup

from sitegen import format as fmt
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.base import Chart, Section
from sitegen.glossary.places import LABELS
from sitegen.model.run import Run
from sitegen.pages.base import SiteContext, Urls, localised
from sitegen.text import Lang, Text, ui

PageKind = Literal["index", "metrics", "trials", "engines", "config", "logs", "sources"]
CellKind = Literal["text", "number", "code", "metric", "exception", "mark"]
Tone = Literal["good", "warn", "bad", "note", "accent"]

CHART_TABLE_ROWS = 120
"""Rows of a chart's data table kept in the page; the CSV has all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInput:
    """What every builder of a run page takes."""

    run: Run
    """The run."""
    analysis: RunAnalysis
    """Its analyses."""
    charts: tuple[Chart, ...]
    """Its charts, in page order."""
    context: SiteContext
    """The site."""

    def section(self, *names: Section) -> tuple[Chart, ...]:
        """The charts of one or more sections, in page order."""
        return tuple(chart for chart in self.charts if chart.section in names)


class Voice:
    """Words, numbers and links of one page in one language."""

    def __init__(self, lang: Lang, page: str) -> None:
        """For the page at the English site path `page`."""
        self.lang = lang
        self.urls = Urls(localised(page, lang), lang)

    def say(self, key: str, **values: Any) -> str:
        """An interface string of the `run.` area."""
        return ui(f"run.{key}", **fmt.counted(values)).of(self.lang)

    def shared(self, key: str, **values: Any) -> str:
        """An interface string of any area."""
        return ui(key, **fmt.counted(values)).of(self.lang)

    def text(self, text: Text) -> str:
        """A pair in this language."""
        return text.of(self.lang)

    def number(self, value: float | None, digits: int = 4) -> str:
        """A measured number, `–` when missing."""
        return fmt.number(value, digits)

    def fixed(self, value: float | None, places: int) -> str:
        """A number with a fixed count of decimals, for columns that share them."""
        return fmt.fixed(value, places)

    def count(self, value: float | None) -> str:
        """A count with thousands separators."""
        return fmt.count(value)

    def percent(self, share: float | None, places: int = 1) -> str:
        """A share (0-1) as a percentage with its sign."""
        return fmt.percent(share, self.lang, places)

    def duration(self, value: float | None) -> str:
        """A length of time in at most two units."""
        return fmt.duration(value, self.lang)

    def sentence(self, parts: Sequence[str]) -> str:
        """Clauses as one sentence; empty without any."""
        if not parts:
            return ""
        text = self.say("join.sentence", parts=self.say("join.semicolon").join(parts))
        return text[:1].upper() + text[1:]

    def sentences(self, parts: Sequence[str]) -> str:
        """Whole sentences after one another, as the language sets them."""
        return (" " if self.lang == "en" else "").join(part for part in parts if part)

    def listing(self, items: Sequence[str]) -> str:
        """Items joined as the language lists them."""
        return ("、" if self.lang == "zh" else ", ").join(items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A small label over a value."""

    label: str
    """What it is."""
    value: str
    """The value, formatted."""
    note: str = ""
    """A quiet addition behind the value."""
    mark: Mark | None = None
    """Shape and colour of a status; None for plain values."""
    links: tuple[Link, ...] = ()
    """Links instead of a value."""
    code: bool = False
    """Whether the value is a name to print in code type."""
    term: str = ""
    """Id of the glossary entry that explains the label; empty for none."""
    value_term: str = ""
    """Id of the entry that explains the value; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A status: shape, colour class and word, never colour alone."""

    icon: str
    """Id in the icon sprite."""
    tone: Tone
    """Colour class."""
    word: str
    """What it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link."""

    href: str
    """Where to."""
    text: str
    """Its words."""
    external: bool = False
    """Leads out of the site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A headline number."""

    label: str
    """What it is; a metric's role, not its key."""
    value: str
    """The number."""
    unit: str = ""
    """A short unit set small behind it."""
    note: str = ""
    """One line under it."""
    published: bool = False
    """True when the number was read in a report, not computed."""
    term: str = ""
    """Id of the glossary entry that explains the label; empty for none."""
    metric: str = ""
    """Logged name that the label stands for; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a table."""

    title: str
    """Heading."""
    numeric: bool = False
    """Right-aligned, sorted as numbers."""
    unit: str = ""
    """Unit, quiet behind the heading."""
    wide_only: bool = False
    """Left out on phones."""
    metric: str = ""
    """Logged name that the title is or stands for, explained on hover; empty for none."""
    term: str = ""
    """Id of the glossary entry that explains the title; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table."""

    text: str
    """What is printed."""
    kind: CellKind = "text"
    """How: prose, number, code, the name of a metric or of an exception, a status mark."""
    sort: str | None = None
    """Sort key when it differs from the text; empty sorts last."""
    note: str = ""
    """A quiet line under it."""
    href: str = ""
    """Link; empty for none."""
    dim: bool = False
    """Less important."""
    mark: Mark | None = None
    """Shape in front of the text."""
    term: str = ""
    """Id of the glossary entry that explains the text; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of cells."""

    id: str
    """Identifier, unique on the page."""
    caption: str
    """What it shows, for screen readers."""
    columns: tuple[Column, ...]
    """Columns; the first one heads its row."""
    rows: tuple[tuple[Cell, ...], ...]
    """Rows."""
    sortable: bool = False
    """Whether headings sort by script."""
    classes: str = ""
    """Further classes of the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A short statement with a shape: banner, empty state, remark."""

    tone: Tone
    """Colour class and shape."""
    lead: str
    """The statement, set bold."""
    text: str = ""
    """What it means."""
    links: tuple[Link, ...] = ()
    """Where to read on."""
    of_run: bool = False
    """Whether the text is the run's own, in whatever language."""
    quote: str = ""
    """The run's own words on it, in whatever language, after the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendEntry:
    """One filled part or line of a chart."""

    swatch: str
    """Class of its swatch."""
    name: str
    """What it is."""
    value: str
    """Its total; empty for none."""
    line: bool = False
    """Whether it is a line, not a filled part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartCard:
    """One chart as a card."""

    id: str
    """Anchor and chart id."""
    form: str
    """Key of the form in the chart forms script."""
    title: str
    """Heading."""
    metrics: tuple[str, ...]
    """Logged names shown, explained on hover."""
    caption: str
    """Latest, best, range, unit, not finite."""
    summary: str
    """Text for screen readers."""
    note: str
    """What was thinned or left out; empty when nothing was."""
    static_svg: Markup | None
    """Drawing made at build time; None for forms that only Vega draws."""
    height: int
    """Pixels of the drawing box."""
    span: str
    """Grid class of the card."""
    csv: str
    """Link to the data as CSV."""
    table: Table | None
    """First rows of the data; None where the CSV alone holds them."""
    table_note: str
    """How many rows are left to the CSV; empty when the table is whole."""
    legend: tuple[LegendEntry, ...]
    """Filled parts; empty for lines."""
    search: str
    """Lower-case text that the filter box looks at."""
    group: str = ""
    """Group by which the page filters its cards; empty where it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanging:
    """A metric that had one value at all times."""

    id: str
    """Anchor."""
    name: str
    """Logged name."""
    value: str
    """The value."""
    note: str
    """How many records logged it, where not all did; empty otherwise."""
    search: str
    """Lower-case text that the filter box looks at."""


def column(voice: Voice, key: str, *, numeric: bool = False, unit: str = "") -> Column:
    """A column under an interface string, with the entry that explains it."""
    return Column(title=voice.say(key), numeric=numeric, unit=unit, term=LABELS.get(key, ""))


def label_cell(voice: Voice, key: str, *, note: str = "") -> Cell:
    """An interface string that names something, with the entry that explains it."""
    return Cell(text=voice.say(key), note=note, term=LABELS.get(key, ""))


def metric_cell(name: str) -> Cell:
    """A metric's logged name."""
    return Cell(text=name, kind="metric", sort=name.lower())


def exception_cell(name: str) -> Cell:
    """An exception's class."""
    return Cell(text=name, kind="exception", sort=name.lower())


def code_cell(text: str, *, note: str = "") -> Cell:
    """A name in code type."""
    return Cell(text=text, kind="code", sort=text.lower(), note=note)


def number_cell(value: float | None, text: str, *, dim: bool = False, note: str = "") -> Cell:
    """A number that sorts by its full value; missing sorts last."""
    return Cell(text=text, kind="number", sort="" if value is None else repr(float(value)), dim=dim, note=note)


def text_cell(text: str, *, dim: bool = False, note: str = "") -> Cell:
    """Words."""
    return Cell(text=text, dim=dim, note=note)


def percent_of(value: float, low: float, high: float) -> str:
    """Where a value lies between two others, as an SVG percentage, kept inside 0-100."""
    share = 0.0 if high <= low else (value - low) / (high - low)
    return f"{round(100 * min(max(share, 0.0), 1.0), 2):g}%"
