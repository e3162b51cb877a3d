"""How a chart of lines over steps looks, beyond its data."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.charts import theme
from sitegen.charts.base import Section
from sitegen.charts.thin import LIMIT
from sitegen.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a step chart is called and how it is drawn."""

    id: str
    """Chart id."""
    section: Section
    """Where it belongs."""
    title: Text
    """Heading."""
    height: int = theme.SMALL
    """Height of the box."""
    wide: bool = False
    """Whether the card spans two columns."""
    rate: bool = False
    """Shares: the axis is 0 to 1."""
    share: bool = False
    """Shares that may all be small: 0 to 1, or from 0 to a round number where all are below 0.1."""
    log: bool = False
    """A logarithmic axis, where the values span more than three powers of ten."""
    checkpoint: bool = False
    """Mark the candidates and the selected checkpoint on the first line."""
    static: bool = False
    """Draw at build time too."""
    points: int = LIMIT
    """Most points of a line."""
