"""One JSON file of Harbor: its bytes read once, parsed, or the reason why it could not be.

Harbor writes strict JSON in UTF-8, which `orjson` parses. What it refuses (`NaN`, a byte order mark, UTF-16, lone
surrogates, bytes that are no text) goes to the standard library, which is more lenient and several times slower.

Source: Harbor 0.26.0, `harbor/models/trial/result.py`, `harbor/models/job/result.py` (pydantic's `model_dump_json`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import orjson

from sitegen.model.problems import Problem, problem
from sitegen.readers.text_file import decoded, is_pointer
from sitegen.text import Text, same

MAX_BYTES = 32 << 20
"""A larger result is left out: its parsed form would not fit in memory beside the rest."""
_CHUNK = 1 << 16
_NAMED = 5
"""Files named in one problem before the rest is only counted."""


class Unusable(Exception):
    """A file gives no record; `kind` is that of the problem."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Oddities:
    """What was odd in many files: per kind how many, and the names of the first few."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}
        self._last: dict[str, str] = {}

    def add(self, kind: str, name: str) -> None:
        """Notes a kind for a file; once per file, as long as files come one after the other."""
        if self._last.get(kind) == name:
            return
        self._last[kind] = name
        self._counts[kind] = self._counts.get(kind, 0) + 1
        names = self._names.setdefault(kind, [])
        if len(names) < _NAMED:
            names.append(name)

    def count(self, kind: str) -> int:
        """Files of a kind."""
        return self._counts.get(kind, 0)

    def problems(self, path: str) -> list[Problem]:
        """One problem per kind."""
        return [
            problem(kind, path, None, count=count, names=name_list(self._names[kind], count))
            for kind, count in sorted(self._counts.items())
        ]


def name_list(names: list[str], count: int) -> Text:
    """Names for a sentence: the first few, then how many more."""
    shown = ", ".join(names[:_NAMED])
    more = count - min(len(names), _NAMED)
    return Text(f"{shown} and {more:,} more", f"{shown} 等（另有 {more:,} 个）") if more else same(shown)


def read_object(location: str, name: str, oddities: Oddities) -> Mapping[str, Any]:
    """The JSON object in a file, which is opened once.

    Args:
        location: the file.
        name: what it is called among the oddities.
        oddities: told when bytes of it are no text.

    Raises:
        Unusable: it gives none.
    """
    try:
        content = _content(location)
    except OSError as error:
        raise Unusable("harbor.unreadable") from error
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        found = _leniently(content, name, oddities)
    if not isinstance(found, dict):
        raise Unusable("harbor.no-object")
    return found


def _content(location: str) -> bytes:
    descriptor = os.open(location, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        content = os.read(descriptor, _CHUNK)
        parts = [content]
        total = len(content)
        while part := os.read(descriptor, _CHUNK):
            parts.append(part)
            total += len(part)
            if total > MAX_BYTES:
                raise Unusable("harbor.too-large")
        return content if len(parts) == 1 else b"".join(parts)
    finally:
        os.close(descriptor)


def _leniently(content: bytes, name: str, oddities: Oddities) -> Any:
    if is_pointer(content[:1024]):
        raise Unusable("harbor.pointer")
    if not content.strip(b" \t\r\n\0"):
        raise Unusable("harbor.empty")
    text, replaced = decoded("", content)
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise Unusable("harbor.damaged") from error
    if replaced:
        oddities.add("harbor.encoding", name)
    return found
