"""What a finished file still gives away: secrets, e-mail addresses, home folders.

The border (`masked`) hides all of them on the way in; this looks at what came out, whoever made it, for the same
shapes. Git hashes, UUIDs and other hexadecimal names have no shape of their own and are no finding. A site has a
hundred megabytes of text, so each shape is tried only where its beginning stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sitegen.privacy.text import (
    _ASSIGNED,
    _BEARER,
    _EMAIL,
    _HOMES,
    _PEM,
    _SHAPES,
    _URL_LOGIN,
    _URL_QUERY,
    _hidden_assignment,
)

Exposure = Literal["secret", "email", "home"]
"""What is given away."""

_WINDOW = 600
"""Characters behind a beginning in which the whole must lie; what is longer is found by its first part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """One place of a text; what stands there is not repeated."""

    kind: Exposure
    """What it is."""
    line: int
    """Its line, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    kind: Exposure
    pattern: re.Pattern[str]
    needles: tuple[str, ...]
    """In lower case where `folded`."""
    before: int = 0
    """Most characters of the shape before the needle."""
    folded: bool = False
    """Whether case is ignored."""
    gate: re.Pattern[str] | None = None
    """What must follow, in lower case, for the shape to be tried."""


_SHAPES_BY_NEEDLE = (
    _Shape(kind="secret", pattern=_PEM, needles=("-----BEGIN",)),
    _Shape(
        kind="secret",
        pattern=_SHAPES,
        needles=(
            *("hf_", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
            *("xox", "AKIA", "ASIA", "AIza", "dtn_", "eyJ"),
        ),
    ),
    _Shape(kind="secret", pattern=_BEARER, needles=("bearer", "authorization"), folded=True),
    _Shape(
        kind="secret",
        pattern=_ASSIGNED,
        needles=("token", "secret", "passw", "credential", "key"),
        before=60,
        folded=True,
        gate=re.compile(r"[a-z]{3,10}\\?[\"'`]?[ \t]*[:=]"),
    ),
    _Shape(kind="secret", pattern=_URL_LOGIN, needles=("://",)),
    _Shape(kind="secret", pattern=_URL_QUERY, needles=("?", "&")),
    _Shape(kind="email", pattern=_EMAIL, needles=("@",), before=64),
    _Shape(kind="home", pattern=_HOMES, needles=("/home/", "/Users/", "/root", "\\Users\\"), before=12),
)


def exposed(text: str) -> tuple[Exposed, ...]:
    """Every secret, e-mail address and home folder of a text, by line."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose lower case is longer would move every place behind it
        lowered = text
    places: dict[int, Exposure] = {}
    for shape in _SHAPES_BY_NEEDLE:
        for start in _starts(shape, text, lowered):
            places.setdefault(start, shape.kind)
    found = [Exposed(kind=kind, line=text.count("\n", 0, start) + 1) for start, kind in sorted(places.items())]
    return tuple(dict.fromkeys(found))


def _starts(shape: _Shape, text: str, lowered: str) -> Iterator[int]:
    for needle in shape.needles:
        for place in _places(needle, lowered if shape.folded else text):
            if shape.gate is not None and shape.gate.match(lowered, place) is None:
                continue
            found = _found(shape, text, place)
            if found is not None:
                yield found.start()


def _found(shape: _Shape, text: str, place: int) -> re.Match[str] | None:
    """The shape around a needle; an assignment counts only when what is assigned looks like a secret."""
    begin = max(0, place - shape.before)
    if shape.pattern is _URL_LOGIN:
        begin = place + len("://")
        return _URL_LOGIN.match(text, begin)
    if shape.before == 0:
        return shape.pattern.match(text, place)
    for match in shape.pattern.finditer(text, begin, place + _WINDOW):
        if match.start() > place:
            break
        if match.end() > place and (shape.pattern is not _ASSIGNED or _hidden_assignment(match) != match.group()):
            return match
    return None


def _places(needle: str, text: str) -> Iterator[int]:
    place = text.find(needle)
    while place >= 0:
        yield place
        place = text.find(needle, place + 1)
