"""The vocabulary from which entries are composed: `compose.toml` as lookup tables."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from sitegen.text import Text

AggregateKind = Literal[
    "base", "spread", "variance", "cv", "sum", "count", "share", "percent", "rate", "diff", "tail", "tries"
]
Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One phrase of the vocabulary."""

    role: Literal["quantity", "noun", "aggregate"]
    """What it does in a name."""
    text: Text
    """Noun phrase; for an aggregate a template with `{x}`."""
    unit: str = ""
    """Unit code of a quantity."""
    direction: str = ""
    """Direction of a quantity."""
    group: str = ""
    """Group of a quantity."""
    kind: AggregateKind = "base"
    """What an aggregate does to unit and direction."""
    adjective: Text | None = None
    """How a quantity is said of things that the name counts: `aborted` samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """A namespace before the first `/`."""

    scope: Text
    """What lies in it."""
    rest: Text
    """Phrase for a name whose other parts say no quantity; `{rest}` is the rest as code."""
    head: Text | None
    """What its members are when the name says no quantity: under `reward/`, `format` is a reward."""
    group: str
    """Group."""
    unit: str
    """Unit when the name says none."""
    direction: str
    """Direction when the name says none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Everything of `compose.toml`."""

    words: Mapping[Phrase, Word]
    """Phrases of one to four words. A phrase with two roles is found under its first role here."""
    aggregates: Mapping[Phrase, Word]
    """Aggregates only, for phrases that are also a quantity (`ratio`, `rate`)."""
    prefixes: Mapping[Phrase, Prefix]
    """Namespaces."""
    directions: Mapping[str, Text]
    """Sentence of each direction; `near` holds `{value}`."""
    notices: Mapping[str, Text]
    """Sentences that mark a guess."""
    phrases: Mapping[str, Text]
    """Sentence templates."""
    exception: Mapping[str, Text]
    """Texts of an exception class that no entry explains."""
    observed: Mapping[str, Text]
    """Sentences for values that contradict what a name suggests."""
    longest: int
    """Words of the longest phrase."""


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary, loaded once."""
    raw = resources.files("sitegen").joinpath("glossary", "compose.toml").read_text(encoding="utf-8")
    data = tomllib.loads(raw)
    quantities = _phrases(data["quantity"], "quantity")
    nouns = _phrases(data["noun"], "noun")
    aggregates = _phrases(data["aggregate"], "aggregate")
    words = {**nouns, **aggregates, **quantities}
    return Vocabulary(
        words=words,
        aggregates=aggregates,
        prefixes={tuple(w.split()): _prefix(row) for row in data["prefix"] for w in row["w"]},
        directions=_texts(data["direction"]),
        notices=_texts(data["notice"]),
        phrases=_texts(data["phrase"]),
        exception=_texts(data["exception"]),
        observed=_texts(data["observed"]),
        longest=max(len(phrase) for phrase in words),
    )


def direction_text(direction: str) -> Text:
    """The sentence of a direction code, for pages and popovers: `down` → "Lower is better."."""
    code, _, value = direction.partition(":")
    text = vocabulary().directions[code]
    return Text(text.en.replace("{value}", value), text.zh.replace("{value}", value))


def join_zh(*parts: str) -> str:
    """Chinese and Latin parts in one phrase, a space where the two scripts meet."""
    joined = ""
    for part in filter(None, parts):
        if joined and _wants_space(joined[-1], part[0]):
            joined += " "
        joined += part
    return joined


def _wants_space(left: str, right: str) -> bool:
    if _is_cjk(left) == _is_cjk(right):
        return not _is_cjk(left) and (left.isalnum() or left == "`") and (right.isalnum() or right == "`")
    latin = right if _is_cjk(left) else left
    return latin.isalnum() or latin in "`%"


def _is_cjk(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff"


def _phrases(rows: list[dict[str, Any]], role: Literal["quantity", "noun", "aggregate"]) -> dict[Phrase, Word]:
    return {
        tuple(spelling.split()): Word(
            role=role,
            text=Text(row["en"], row["zh"]),
            unit=row.get("unit", ""),
            direction=row.get("dir", ""),
            group=row.get("group", ""),
            kind=row.get("kind", "base"),
            adjective=Text(**row["adj"]) if "adj" in row else None,
        )
        for row in rows
        for spelling in row["w"]
    }


def _prefix(row: dict[str, Any]) -> Prefix:
    return Prefix(
        scope=Text(**row["scope"]),
        rest=Text(**row["rest"]),
        head=Text(**row["head"]) if "head" in row else None,
        group=row["group"],
        unit=row["unit"],
        direction=row["dir"],
    )


def _texts(table: dict[str, dict[str, str]]) -> dict[str, Text]:
    return {key: Text(value["en"], value["zh"]) for key, value in table.items()}
