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


def inject(text: str, section: str, slug: str, metadata: Mapping[str, Any], where: str) -> Injected:
    """A README with a run's section and values.

    Args:
        text: The README.
        section: The section with its marks, lines ended by a newline.
        slug: The run's address, which the marks name.
        metadata: What goes into the front matter.
        where: The file, for messages.

    Raises:
        SitegenError: the front matter or the marks are broken.
    """
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    mark = BOM if text.startswith(BOM) else ""
    front, body = _parted(text.removeprefix(BOM), where)
    inner = front.yaml if front else ""
    merged = merge(inner, metadata, newline, where)
    if front is None:
        head = f"---{newline}{merged.text}---{newline}{newline if body else ''}" if merged.text else ""
    else:
        head = f"{front.opening}{merged.text}{front.closing}"
    return Injected(text=mark + head + _placed(body, section, slug, newline, where), notes=merged.notes)


def body_of(text: str, where: str) -> str:
    """A README without its front matter."""
    return _parted(text.removeprefix(BOM), where)[1]


def without_section(body: str, slug: str, where: str) -> str:
    """What its author wrote: the body without the section of a run."""
    place = _place(body, slug, where)
    return body if place is None else body[: place[0]] + body[place[1] :]


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


def _parted(text: str, where: str) -> tuple[_Front | None, str]:
    """Front matter and body."""
    opening = _OPEN.match(text)
    if opening is None:
        return None, text
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        raise SitegenError(f"{where}: line 1 opens a front matter that no further --- closes; nothing was changed")
    front = _Front(opening=opening[0], yaml=text[opening.end() : closing.start()], closing=closing[0])
    if text[closing.end() :] and not front.closing.endswith("\n"):
        raise SitegenError(f"{where}: the front matter is not closed by a line of its own; nothing was changed")
    return front, text[closing.end() :]


def _placed(body: str, section: str, slug: str, newline: str, where: str) -> str:
    ours = section.rstrip("\n").replace("\n", newline)
    place = _place(body, slug, where)
    if place is not None:
        return body[: place[0]] + ours + body[place[1] :]
    if not body.strip():
        return body + ours + newline
    if body.endswith("\n"):
        gap = "" if re.search(r"\n\r?\n\Z", body) else newline
        return body + gap + ours + newline
    return body + newline * 2 + ours


def _place(body: str, slug: str, where: str) -> tuple[int, int] | None:
    """Where the section lies, its marks included; None without one.

    Raises:
        SitegenError: a mark stands alone, twice or in the wrong order.
    """
    begins, ends = [], []
    for start, line in _lines_outside_code(body):
        if line.strip() == begin_mark(slug):
            begins.append((start, start + len(line.rstrip("\r\n"))))
        elif line.strip() == end_mark(slug):
            ends.append((start, start + len(line.rstrip("\r\n"))))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0][0] < begins[0][0]:
        raise SitegenError(
            f"{where}: needs one line {begin_mark(slug)!r} and after it one line {end_mark(slug)!r}, has {len(begins)}"
            f" and {len(ends)}; mend or remove them; nothing was changed"
        )
    return begins[0][0], ends[0][1]


def _lines_outside_code(body: str) -> Iterator[tuple[int, str]]:
    """Start and text of each line that lies in no fenced code."""
    fence = ""
    start = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", body):
        found = _FENCE.match(line)
        if not fence:
            fence = found[1] if found else ""
            if not fence:
                yield start, line
        elif found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        start += len(line)
