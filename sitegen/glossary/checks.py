"""What every glossary entry must keep, as pure functions: used on an archive's files when they are loaded, and by the
tests on ours.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from itertools import combinations

from sitegen.glossary import loader
from sitegen.glossary.entry import GlossaryEntry
from sitegen.glossary.formula import to_mathml
from sitegen.glossary.patterns import PLACEHOLDER, all_texts, compile_pattern, names_of
from sitegen.text import Text

SHORT_WIDTH = 68
"""Full widths (one Chinese character, two Latin ones) of `short` that fit three lines of a popover under its title."""
SHORT_LETTERS = 160
"""English characters of `short` that fit the same three lines."""

_ID = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9_+-])?")
_FRAMEWORK = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DIRECTION = re.compile(r"up|down|stable|context|info|near:-?\d+(?:\.\d+)?")
_CODE = re.compile(r"`[^`]*`")
_CJK = "\u4e00-\u9fff"
_HALF_WIDTH = re.compile(rf"[{_CJK}`]\s?[,;:?!()]|[,;:?!()]\s?[{_CJK}]|[{_CJK}]\s?\.(?![0-9A-Za-z])|[{_CJK}]\s?[\"']")
_TIGHT = re.compile(rf"[{_CJK}][A-Za-z0-9`]|[A-Za-z0-9`%][{_CJK}]")
_LOOSE = re.compile(r"\s[，。；：？！、）」”]|[，。；：？！、（「“]\s|  ")


RESERVED = frozenset({"group"})
"""Frameworks that no file may have: `glossary/group-<id>.html` are the pages of the groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One rule that an entry breaks."""

    where: str
    """File and entry."""
    what: str
    """What is wrong and what would be right."""


def archive_faults(own: Sequence[loader.Book], builtin: Sequence[loader.Book]) -> list[Fault]:
    """Everything wrong with an archive's files, seen together with ours; empty when all is well."""
    if not own:
        return []
    known = {entry.id for book in (*own, *builtin) for entry in book.entries}
    return [*book_faults(own, known), *name_faults(own)]


def book_faults(books: Sequence[loader.Book], known_ids: Iterable[str]) -> list[Fault]:
    """Faults of single entries, of ids and of references. `known_ids` may be referred to."""
    faults: list[Fault] = []
    known, seen = set(known_ids), dict[str, str]()
    for book in books:
        if not _FRAMEWORK.fullmatch(book.framework.id):
            faults.append(Fault(where=book.path, what="framework must be lower-case letters, digits and -"))
        if book.framework.id in RESERVED:
            faults.append(Fault(where=book.path, what=f"framework {book.framework.id} would take the groups' pages"))
        missing = [first for first in book.framework.first if first not in known]
        faults += [Fault(where=f"{book.path}: first", what=f"no entry has the id {first}") for first in missing]
        for entry in book.entries:
            where = f"{book.path}: entry {entry.id}"
            if entry.id in seen:
                faults.append(Fault(where=where, what=f"id is used twice (also in {seen[entry.id]})"))
            seen[entry.id] = book.path
            faults += [Fault(where=where, what=what) for what in entry_faults(entry)]
            lost = [other for other in entry.related if other not in known or other == entry.id]
            faults += [Fault(where=where, what=f"related: no other entry has the id {other}") for other in lost]
    return faults


def entry_faults(entry: GlossaryEntry) -> list[str]:
    """Everything wrong with one entry by itself."""
    return [*_code_faults(entry), *_origin_faults(entry), *_placeholder_faults(entry), *_text_faults(entry)]


def _code_faults(entry: GlossaryEntry) -> Iterable[str]:
    if not _ID.fullmatch(entry.id) or not entry.id.startswith(f"{entry.framework}-") or len(entry.id) > 80:
        yield f"id must begin with {entry.framework}- and hold lower-case letters, digits, - _ . only"
    if not entry.names or not all(entry.names):
        yield "names must hold at least one name"
    if entry.group not in {group.id for group in loader.groups()}:
        yield f"group {entry.group!r} is not in groups.toml"
    if entry.unit and entry.unit not in loader.units():
        yield f"unit {entry.unit!r} is not in units.toml"
    if not _DIRECTION.fullmatch(entry.direction):
        yield f"direction {entry.direction!r} must be up, down, near:<value>, stable, context or info"
    if (entry.kind == "exception") != bool(entry.blame):
        yield "blame must be given for exceptions, and only for them"
    if entry.formula:
        try:
            to_mathml(entry.formula)
        except ValueError as error:
            yield str(error)


def _origin_faults(entry: GlossaryEntry) -> Iterable[str]:
    if entry.confidence == "inferred":
        return
    if not entry.source.repository:
        yield "source.repository is empty"
    if entry.confidence == "code" and not entry.source.file:
        yield "source.file is empty, but confidence is code"
    try:
        date.fromisoformat(entry.checked)
    except ValueError:
        yield f"checked {entry.checked!r} must be a date such as 2026-08-01"


def _placeholder_faults(entry: GlossaryEntry) -> Iterable[str]:
    """Every name of an entry must offer every placeholder that its texts use."""
    offered = [set(names_of(name)) for name in entry.names]
    common = set.intersection(*offered) if offered else set()
    for name, text in all_texts(entry):
        for bare in (_CODE.sub("", text.en), _CODE.sub("", text.zh)):
            for hole in names_of(bare):
                if hole not in common:
                    yield f"{name}: placeholder {{{hole}}} is not in every name"
            if re.search(r"[{}]", PLACEHOLDER.sub("", bare)):
                yield f"{name}: stray brace"
        if set(names_of(text.en)) != set(names_of(text.zh)):
            yield f"{name}: placeholders differ between en and zh"


def _text_faults(entry: GlossaryEntry) -> Iterable[str]:
    for name, text in all_texts(entry):
        yield from (f"{name}: {fault}" for fault in pair_faults(text, may_equal=name == "title"))
        yield from (f"{name}: {fault}" for fault in term_faults(text))
    if width(entry.short.zh) > SHORT_WIDTH:
        yield f"short.zh is too long for a popover ({width(entry.short.zh):.0f} > {SHORT_WIDTH})"
    if len(entry.short.en) > SHORT_LETTERS:
        yield f"short.en is too long for a popover ({len(entry.short.en)} > {SHORT_LETTERS})"


def pair_faults(text: Text, *, may_equal: bool = False) -> Iterable[str]:
    """What is wrong with a pair of texts: a missing or copied language, Chinese punctuation and spacing.

    A title may be the same in both languages when it is a name.
    """
    if not text.en.strip() or not text.zh.strip():
        yield "both languages are needed"
        return
    if text.en == text.zh and not may_equal:
        yield "en and zh are the same"
    if re.search(rf"[{_CJK}，。；：]", _CODE.sub("", text.en)):
        yield "en holds Chinese"
    bare = PLACEHOLDER.sub("x", _CODE.sub("`", text.zh))
    if not may_equal and not re.search(rf"[{_CJK}]", bare):
        yield "zh holds no Chinese"
    if found := _HALF_WIDTH.search(bare):
        yield f"zh: half-width punctuation at {found[0]!r}; use ，。；：？！（）“”"
    if found := _TIGHT.search(bare):
        yield f"zh: a space is missing at {found[0]!r}"
    if found := _LOOSE.search(bare):
        yield f"zh: a space too many at {found[0]!r}"
    if text.en.count("`") % 2 or text.zh.count("`") % 2:
        yield "unpaired backtick"


def term_faults(text: Text) -> Iterable[str]:
    """Terms that are not written as the term table has them."""
    avoid, terms = _terms()
    for word in avoid:
        if word in text.zh:
            yield f"zh: avoid {word}"
    bare = _CODE.sub("", text.en)
    for pattern, wanted in terms:
        used = pattern.search(bare)
        if used and not any(word in text.zh for word in wanted):
            yield f"zh: {used[0]!r} should be {wanted[0]}"


def name_faults(books: Sequence[loader.Book]) -> list[Fault]:
    """Names that two entries of one framework and kind claim, and patterns that cannot be told apart."""
    shelves: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for book in books:
        for entry in book.entries:
            shelves[book.framework.id, entry.kind] += [(name, entry.id) for name in entry.names]
    faults: list[Fault] = []
    for (framework, _), names in sorted(shelves.items()):
        faults += _twice(framework, names)
        faults += _ambiguous(framework, names)
    return faults


def _twice(framework: str, names: Sequence[tuple[str, str]]) -> Iterable[Fault]:
    owners: dict[str, str] = {}
    for name, owner in names:
        if name in owners:
            yield Fault(where=f"{framework}: {name}", what=f"claimed by {owners[name]} and {owner}")
        owners[name] = owner


def _ambiguous(framework: str, names: Sequence[tuple[str, str]]) -> Iterable[Fault]:
    """Pairs of equal precedence that some name would match both of."""
    patterns = [(pattern, owner) for name, owner in names if (pattern := compile_pattern(name)) is not None]
    for (left, one), (right, other) in combinations(patterns, 2):
        if one != other and left.precedence == right.precedence and overlap(left.name, right.name):
            yield Fault(where=f"{framework}: {left.name}", what=f"cannot be told from {right.name} ({one}, {other})")


def overlap(left: str, right: str) -> bool:
    """True when some name matches both patterns; a repeated placeholder is taken as two different ones."""
    one, other = _symbols(left), _symbols(right)

    @cache
    def meet(i: int, j: int) -> bool:
        if i == len(one) and j == len(other):
            return True
        if i < len(one) and one[i] == _MORE:
            return meet(i + 1, j) or (j < len(other) and other[j] != "/" and meet(i, j + 1))
        if j < len(other) and other[j] == _MORE:
            return meet(i, j + 1) or (i < len(one) and one[i] != "/" and meet(i + 1, j))
        if i == len(one) or j == len(other):
            return False
        same = one[i] == other[j] or (_ONE in (one[i], other[j]) and "/" not in (one[i], other[j]))
        return same and meet(i + 1, j + 1)

    return meet(0, 0)


_ONE, _MORE = "any character", "more characters"


def _symbols(name: str) -> tuple[str, ...]:
    """A pattern as literal characters and, for a placeholder, one character followed by any number."""
    parts = PLACEHOLDER.split(name)
    symbols: list[str] = []
    for index, part in enumerate(parts):
        symbols += [_ONE, _MORE] if index % 2 else list(part)
    return tuple(symbols)


def width(text: str) -> float:
    """Width in Chinese characters: Latin letters, digits and spaces are half."""
    return sum(1.0 if ord(char) > 0x2E7F or char in "“”…—" else 0.5 for char in text)


@cache
def _terms() -> tuple[tuple[str, ...], tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]]:
    raw = resources.files("sitegen").joinpath("glossary", "terms.toml").read_text(encoding="utf-8")
    data: Mapping[str, list[Mapping[str, list[str]]]] = tomllib.loads(raw)
    terms = tuple(
        (re.compile(rf"(?i)\b(?:{'|'.join(map(re.escape, term['en']))})\b"), tuple(term["zh"])) for term in data["term"]
    )
    return tuple(tomllib.loads(raw)["avoid"]), terms
