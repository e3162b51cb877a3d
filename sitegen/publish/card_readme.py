"""A run's section in a README: put or refreshed between its marks, everything else byte for byte as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from sitegen.errors import SitegenError
from sitegen.publish.card import begin_mark, end_mark
from sitegen.publish.card_metadata import merge
from sitegen.text import Text

BOM = "\ufeff"
_OPEN = re.compile(r"---[ \t]*\r?\n")
_CLOSE = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_MARK = re.compile(r"<!-- sitegen card( end)?: (\S+) -->")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """A README with the section of a run."""

    text: str
    """Its new text."""
    notes: tuple[Text, ...]
    """What was left as it is although the run says otherwise."""


def decoded(content: bytes, where: str) -> str:
    """A README's text, its byte-order mark and line endings as they are.

    Raises:
        SitegenError: it is not UTF-8.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SitegenError(f"{where}: line {line} is not UTF-8; save the file as UTF-8; nothing was changed") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a run's section belongs."""

    where: str
    """The file, for messages."""
    slug: str
    """The run's address, which the marks name."""
    aliases: tuple[str, ...] = ()
    """Its old addresses: a section that names one is renewed under the new one."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every address of the run."""
        return (self.slug, *self.aliases)


def inject(text: str, section: str, place: Place, metadata: Mapping[str, Any]) -> Injected:
    """A README with a run's section and values.

    Args:
        text: The README.
        section: The section with its marks, lines ended by a newline.
        place: Whose section it is.
        metadata: What goes into the front matter.

    Raises:
        SitegenError: the front matter or the marks are broken.
    """
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    mark = BOM if text.startswith(BOM) else ""
    front, body, first = _parted(text.removeprefix(BOM), place.where)
    inner = front.yaml if front else ""
    merged = merge(inner, metadata, newline, place.where, place.names)
    if front is None:
        head = f"---{newline}{merged.text}---{newline}{newline if body else ''}" if merged.text else ""
    else:
        head = f"{front.opening}{merged.text}{front.closing}"
    return Injected(text=mark + head + _placed(body, section, _found(body, place, first), newline), notes=merged.notes)


def without_front_matter(text: str, place: Place) -> str:
    """What its author wrote: a README without its front matter and without the section of a run."""
    _, body, first = _parted(text.removeprefix(BOM), place.where)
    return without_section(body, place, first)


def without_section(body: str, place: Place, first: int = 1) -> str:
    """A README's body, which begins at line `first`, without the section of a run."""
    found = _found(body, place, first)
    return body if found is None else body[: found[0]] + body[found[1] :]


def difference(old: str, new: str, where: str) -> str:
    """A unified diff; empty without a difference."""
    lines = unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), where, where)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Front:
    """A front matter with its marks."""

    opening: str
    yaml: str
    closing: str


def _parted(text: str, where: str) -> tuple[_Front | None, str, int]:
    """Front matter, body, and the line at which the body begins."""
    opening = _OPEN.match(text)
    if opening is None:
        return None, text, 1
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        raise SitegenError(f"{where}: line 1 opens a front matter that no further --- closes; nothing was changed")
    front = _Front(opening=opening[0], yaml=text[opening.end() : closing.start()], closing=closing[0])
    if text[closing.end() :] and not front.closing.endswith("\n"):
        raise SitegenError(f"{where}: the front matter is not closed by a line of its own; nothing was changed")
    return front, text[closing.end() :], text.count("\n", 0, closing.end()) + 1


def _placed(body: str, section: str, found: tuple[int, int] | None, newline: str) -> str:
    ours = section.rstrip("\n").replace("\n", newline)
    if found is not None:
        return body[: found[0]] + ours + body[found[1] :]
    if not body.strip():
        return body + ours + newline
    if body.endswith("\n"):
        gap = "" if re.search(r"\n\r?\n\Z", body) else newline
        return body + gap + ours + newline
    return body + newline * 2 + ours


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """A line that opens or closes the section of a run."""

    ends: bool
    slug: str
    line: int
    start: int
    end: int


def _found(body: str, place: Place, first: int) -> tuple[int, int] | None:
    """Where the run's section lies, its marks included; None without one.

    Raises:
        SitegenError: a mark stands alone, in another section or in the wrong order, or the run has two sections.
    """
    found: list[tuple[_Mark, _Mark]] = []
    opened: _Mark | None = None
    for mark in _marks(body, first):
        if not mark.ends and opened is None:
            opened = mark
        elif mark.ends and opened is not None and mark.slug == opened.slug:
            found.append((opened, mark))
            opened = None
        else:
            raise _broken(
                place, mark, f"in the section that line {opened.line} opens" if opened else "no line opens it"
            )
    if opened is not None:
        raise _broken(place, opened, "no line closes it")
    ours = [pair for pair in found if pair[0].slug in place.names]
    if len(ours) > 1:
        raise _broken(place, ours[1][0], f"the run has a section at line {ours[0][0].line} already")
    return (ours[0][0].start, ours[0][1].end) if ours else None


def _broken(place: Place, mark: _Mark, why: str) -> SitegenError:
    line = end_mark(mark.slug) if mark.ends else begin_mark(mark.slug)
    return SitegenError(f"{place.where}: line {mark.line}: {line!r}: {why}; mend or remove it; nothing was changed")


def _marks(body: str, first: int) -> Iterator[_Mark]:
    for start, number, line in _lines_outside_code(body):
        found = _MARK.fullmatch(line.strip())
        if found is not None:
            end = start + len(line.rstrip("\r\n"))
            yield _Mark(ends=bool(found[1]), slug=found[2], line=first + number, start=start, end=end)


def _lines_outside_code(body: str) -> Iterator[tuple[int, int, str]]:
    """Start, number and text of each line that lies in no fenced code."""
    fence = ""
    start = 0
    for number, line in enumerate(re.findall(r"[^\n]*\n|[^\n]+", body)):
        found = _FENCE.match(line)
        if not fence:
            fence = found[1] if found else ""
            if not fence:
                yield start, number, line
        elif found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        start += len(line)
