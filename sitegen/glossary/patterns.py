"""Names with `{placeholders}`: matching a logged name, and filling the texts with what was matched.

A placeholder stands for one or more characters other than `/`. Of two patterns that match, the one with more literal
characters is meant; then the one with fewer placeholders; then the one whose first part, up to the first `/`, is
literal: `batch/{env}` goes before `{env}/Turns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sitegen.glossary.entry import GlossaryEntry
from sitegen.text import Text

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
TEXT_FIELDS = ("title", "short", "what", "symbols", "healthy", "worrying", "together", "treatment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One name with placeholders, compiled."""

    name: str
    """As written in the entry."""
    regex: re.Pattern[str]
    """Matches whole logged names."""
    literal: int
    """Characters outside placeholders."""
    holes: int
    """Placeholders."""
    rooted: bool
    """The first part, up to the first `/`, is literal."""

    @property
    def precedence(self) -> tuple[int, int, bool]:
        """Of two patterns that match, the one with the smaller value is meant; equal ones cannot be told apart."""
        return (-self.literal, self.holes, not self.rooted)

    @property
    def rank(self) -> tuple[tuple[int, int, bool], str]:
        """Sort key: the pattern to try first is the smallest."""
        return (self.precedence, self.name)

    def match(self, name: str) -> dict[str, str] | None:
        """What each placeholder stands for in `name`; None without a match."""
        found = self.regex.fullmatch(name)
        return found.groupdict() if found else None


def names_of(template: str) -> tuple[str, ...]:
    """The placeholders of a name or text, in order of appearance, each once."""
    return tuple(dict.fromkeys(PLACEHOLDER.findall(template)))


def compile_pattern(name: str) -> Pattern | None:
    """The pattern of a name; None for a name without placeholders."""
    parts = PLACEHOLDER.split(name)
    if len(parts) == 1:
        return None
    source, seen = [re.escape(parts[0])], set()
    for index in range(1, len(parts), 2):
        hole = parts[index]
        source.append(f"(?P={hole})" if hole in seen else f"(?P<{hole}>[^/]+?)")
        seen.add(hole)
        source.append(re.escape(parts[index + 1]))
    return Pattern(
        name=name,
        regex=re.compile("".join(source), re.DOTALL),
        literal=sum(len(part) for part in parts[::2]),
        holes=len(parts) // 2,
        rooted="/" in parts[0],
    )


def fill(text: Text, values: Mapping[str, str]) -> Text:
    """The pair with the given placeholders replaced; braces that name none of them stay."""
    return Text(_fill(text.en, values), _fill(text.zh, values))


def _fill(template: str, values: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda hole: values.get(hole[1], hole[0]), template)


def filled(entry: GlossaryEntry, values: Mapping[str, str]) -> GlossaryEntry:
    """The entry with every text filled; names, formula and identity stay."""
    if not values:
        return entry
    texts = {name: getattr(entry, name) for name in TEXT_FIELDS}
    changed: dict[str, Any] = {name: fill(text, values) for name, text in texts.items() if text is not None}
    return replace(entry, **changed, traps=tuple(fill(trap, values) for trap in entry.traps))


def natural(entry: GlossaryEntry) -> GlossaryEntry:
    """The entry as its own page reads: each placeholder by its bare name, `Pass@n` for `Pass@{n}`.

    A word rather than a letter is set in backticks, so that a sentence does not take it for its own. Of a concrete
    name's entry nothing is left to fill, so it stays as it is.
    """
    holes = dict.fromkeys(hole for name in entry.names for hole in names_of(name))
    if not holes:
        return entry
    texts = {name: getattr(entry, name) for name in TEXT_FIELDS}
    changed: dict[str, Any] = {name: _bare(text, holes) for name, text in texts.items() if text is not None}
    return replace(entry, **changed, traps=tuple(_bare(trap, holes) for trap in entry.traps))


def _bare(text: Text, holes: Iterable[str]) -> Text:
    return Text(_bare_words(text.en, holes), _bare_words(text.zh, holes))


def _bare_words(text: str, holes: Iterable[str]) -> str:
    """A text with bare placeholders; between backticks they stay without any of their own."""
    inside = {hole: hole.replace("_", " ") for hole in holes}
    outside = {hole: name if len(name) == 1 else f"`{name}`" for hole, name in inside.items()}
    return "`".join(_fill(part, inside if index % 2 else outside) for index, part in enumerate(text.split("`")))


def all_texts(entry: GlossaryEntry) -> Iterable[tuple[str, Text]]:
    """Every text of an entry with the name of its field; traps as `traps[0]`, `traps[1]`, …"""
    for name in TEXT_FIELDS:
        text = getattr(entry, name)
        if text is not None:
            yield name, text
    for index, trap in enumerate(entry.traps):
        yield f"traps[{index}]", trap
