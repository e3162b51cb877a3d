"""What a chart is: a form declared once, and what one run attaches to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.model.run import Run
from sitegen.text import Text

Section = Literal[
    "reward",
    "stability",
    "time",
    "freshness",
    "errors",
    "trials",
    "engines",
    "metrics",
    "engines-page",
    "trials-page",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataColumn:
    """One column of a chart's data table and CSV."""

    key: str
    """Safe field name in the data set (`m0`, `step`)."""
    title: Text
    """Heading: the logged name where it is a metric."""
    unit: str
    """Unit code; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendItem:
    """One filled part of a chart, for the swatch line over it; lines carry their names on the drawing."""

    swatch: str
    """Class of the swatch: `sw-<part>` of the style sheet."""
    name: Text
    """What the part is."""
    value: str
    """Its total, as shown; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chart:
    """One chart of one run, ready for a page."""

    id: str
    """Identifier, unique on its page; also the anchor."""
    section: Section
    """Where it belongs."""
    form: str
    """Key of the Vega-Lite form in the site's chart forms script."""
    title: Text
    """Heading of the card."""
    caption: Text
    """One line under it: latest, best, range, unit, not finite."""
    summary: Text
    """What a screen reader says: latest, best, range, trend."""
    note: Text | None
    """What was left out or thinned (`showing 500 of 8 412, min/max per bucket`); None when nothing was."""
    metrics: tuple[str, ...]
    """Logged names shown, for popovers."""
    datasets: Mapping[str, Mapping[str, list[Any]]]
    """Named columnar data sets with safe field names, JSON-ready (None for missing)."""
    params: Mapping[str, Any]
    """Values for the form's parameters (domains, selected step, titles)."""
    columns: tuple[DataColumn, ...]
    """Columns of the data table and the CSV, which are the full data, not the thinned one."""
    rows: tuple[tuple[Any, ...], ...]
    """Rows of the data table."""
    static_svg: str | None
    """SVG drawn at build time for the leading charts; None for the rest."""
    height: int
    """Pixels of the drawing box, fixed."""
    wide: bool
    """Whether the card spans two columns."""
    legend: tuple[LegendItem, ...] = ()
    """Filled parts in drawing order; empty for lines."""
    rows_left: int = 0
    """Further rows of the full data, where a table of many thousands stands in a file of its own (engine samples)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartSpec:
    """A kind of chart: when it appears and how a run becomes one."""

    id: str
    """Identifier; with a suffix per metric where one spec makes several charts."""
    section: Section
    """Where it belongs."""
    title: Text
    """Heading."""
    needs: Callable[[Run, RunAnalysis], bool]
    """Whether the run has what the chart shows; `build` never tests for data."""
    build: Callable[[Run, RunAnalysis], tuple[Chart, ...]]
    """The charts for one run."""
