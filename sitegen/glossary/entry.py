"""A glossary entry: one metric, setting, column, exception or concept, explained in two languages, with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sitegen.text import Text

EntryKind = Literal["metric", "trial-column", "engine-field", "exception", "setting", "concept"]
KINDS: tuple[EntryKind, ...] = ("metric", "engine-field", "trial-column", "exception", "setting", "concept")
Blame = Literal["", "agent", "infrastructure", "model-server", "verifier", "framework", "configuration", "unclear"]
Confidence = Literal["code", "docs", "inferred", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the definition was read."""

    repository: str
    """`owner/name`, or the site of an official document."""
    file: str
    """Path in it; empty for a document."""
    function: str
    """Function or place in the file; empty when the whole file is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryEntry:
    """One entry. Optional texts are None when there is nothing to say."""

    id: str
    """Stable identifier and file name: lower-case ASCII letters, digits, `-`, `_`, `.`; begins with the
    framework."""
    kind: EntryKind
    """What it explains."""
    framework: str
    """skyrl, verl, xtuner, vllm, harbor, trl, openrlhf, slime, nemo-rl, areal, prime-rl, tinker, llamafactory,
    common."""
    versions: str
    """Versions it holds for, as names, numbers and dates that read in either language; empty when not tied to one."""
    names: tuple[str, ...]
    """Names as logged; `{placeholder}` stands for one or more characters other than `/`."""
    group: str
    """Group id: reward, policy, loss, mismatch, sampling, async, time, engine, errors, evaluation, system,
    progress, config, trial, concept, other (a composed entry whose area is not known)."""
    unit: str
    """Unit code of `glossary/units.toml`; empty without one."""
    direction: str
    """up, down, near:<value>, stable, context, info."""
    title: Text
    """Human name."""
    short: Text
    """One sentence, for the popover."""
    what: Text
    """What it is exactly: population, before or after what."""
    formula: str
    """LaTeX math; empty without one."""
    symbols: Text | None
    """What the symbols of the formula mean."""
    healthy: Text | None
    """What a healthy value or course looks like."""
    worrying: Text | None
    """What to worry about."""
    together: Text | None
    """What to read it with; names in backticks."""
    traps: tuple[Text, ...]
    """Misleading names, zero by construction, bugs of a version."""
    related: tuple[str, ...]
    """Entry ids."""
    source: Source
    """Where the definition was read."""
    confidence: Confidence
    """code: read in source; docs: official documentation; inferred: from the name; unknown: nothing is known."""
    checked: str
    """ISO date of the check; empty for inferred entries."""
    blame: Blame = ""
    """Exceptions only: whose fault it usually is."""
    treatment: Text | None = None
    """Exceptions only: what Harbor does with the trial, and what the run's configuration may do."""
    notice: Text | None = None
    """Set by the lookup, never in a file: why this text is a guess (composed from the name, taken from another
    framework, taken from the unwrapped name). Printed wherever the entry is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit code of `units.toml`."""

    id: str
    """Code used by entries."""
    symbol: Text
    """Short form for table headers and axes: `s`, `%`, `tokens/s`; empty strings for a plain number."""
    name: Text
    """In words, for the entry page."""
    low: float | None
    """Smallest possible value; None without a bound."""
    high: float | None
    """Largest possible value; None without a bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group of `groups.toml`; the file's order is the order of the pages."""

    id: str
    """Code used by entries."""
    title: Text
    """Heading."""
    about: Text
    """One or two sentences under the heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """Head of a framework's file."""

    id: str
    """skyrl, verl, …; see `GlossaryEntry.framework`."""
    title: Text
    """Its name as its makers write it; words for `common`."""
    first: tuple[str, ...]
    """Entry ids to look at first, in reading order."""
