"""A glossary entry: one metric, setting, column, exception or concept, explained in two languages, with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sitegen.text import Text

EntryKind = Literal["metric", "trial-column", "engine-field", "exception", "setting", "concept"]
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
    """Versions it holds for, as words; empty when not tied to one."""
    names: tuple[str, ...]
    """Names as logged; `{placeholder}` stands for one or more characters other than `/`."""
    group: str
    """Group id: reward, policy, loss, mismatch, sampling, async, time, engine, errors, evaluation, system,
    progress, config, trial, concept."""
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
