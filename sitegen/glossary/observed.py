"""What the values of a run say about a guessed explanation.

A name can suggest a share that is none, or a count that is a mean. The text of an entry is kept; where values
contradict it, a sentence is added and the direction is no longer taken for granted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sitegen.glossary.entry import GlossaryEntry
from sitegen.glossary.words import vocabulary
from sitegen.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The finite values of one metric in one run."""

    low: float
    """Smallest."""
    high: float
    """Largest."""
    whole: bool
    """True when every value is a whole number."""
    never_falls: bool
    """True when no value is below the one before it, in step order."""
    count: int
    """Values."""


def contradictions(entry: GlossaryEntry, values: Observed) -> tuple[Text, ...]:
    """Sentences on what the values say against a guessed entry; empty for checked ones and without values."""
    if entry.confidence in ("code", "docs") or values.count == 0:
        return ()
    known = vocabulary().observed
    found = {
        "share": entry.unit == "ratio" and not 0 <= values.low <= values.high <= 1,
        "percent": entry.unit == "percent" and not 0 <= values.low <= values.high <= 100,
        "fraction": entry.unit == "count" and not values.whole,
        "negative_kl": "KL" in entry.title.en and values.low < 0,
        "constant": values.count > 1 and values.low == values.high and values.low in (0, 1),
        "rising": entry.unit == "count" and values.count > 2 and values.never_falls and values.low < values.high,
    }
    return tuple(known[key] for key, holds in found.items() if holds)


def checked_against(entry: GlossaryEntry, values: Observed) -> GlossaryEntry:
    """The entry with the contradictions among its traps and, if there are any, direction `context`."""
    notes = contradictions(entry, values)
    return replace(entry, traps=(*entry.traps, *notes), direction="context") if notes else entry
