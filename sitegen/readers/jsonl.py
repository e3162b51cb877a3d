"""Files of JSON records, read so that a torn or broken place costs that place alone.

Owns JSON Lines (one object per line) and the recovery of whole objects from damaged text. What the keys mean is the
business of the reader that asks. `NaN`, `Infinity` and `-Infinity`, which are no JSON, are numbers here, because
Python's `json.dumps` writes them.

Source: jsonlines.org (2026-11); CPython 3.11 `json/decoder.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sitegen.model.problems import Problem
from sitegen.model.run import SourceFile
from sitegen.readers.csv_table import Lines
from sitegen.readers.text_file import head_text

MAX_TRIES = 200
"""Opening braces tried in one broken line before the rest of it is given up."""
_DECODER = json.JSONDecoder()
_BLANK = " \t\r\ufeff"

Accept = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRecord:
    """One object of a file."""

    line: int
    """1-based line on which it begins."""
    values: dict[str, Any]
    """Its members, as `json` gives them."""


def json_records(path: str, text: str, accept: Accept) -> tuple[list[JsonRecord], list[Problem]]:
    """The objects of a JSON Lines text in file order, and what had to be left out.

    Args:
        path: `SourceFile.path`, for the problems.
        text: The file with LF line ends.
        accept: Whether an object found inside a broken line is a record of the format, not a part of one.
    """
    damage = Lines(path)
    records: list[JsonRecord] = []
    lines = text.split("\n")
    last = max((index for index, line in enumerate(lines) if line.strip(_BLANK)), default=-1)
    torn = last if last == len(lines) - 1 else -1
    for index, line in enumerate(lines):
        stripped = line.strip(_BLANK)
        if not stripped:
            continue
        whole, value = _parsed(stripped)
        if whole and isinstance(value, dict):
            records.append(JsonRecord(line=index + 1, values=value))
        elif whole:
            damage.add("jsonl.not-object", index + 1)
        else:
            found = list(objects_in(stripped, 0, accept))
            records += [JsonRecord(line=index + 1, values=values) for _, values in found]
            damage.add(_broken(stripped, found=bool(found), torn=index == torn), index + 1)
    return records, damage.problems()


def objects_in(text: str, start: int, accept: Accept) -> Iterator[tuple[int, dict[str, Any]]]:
    """The accepted objects of a damaged text with their positions: at each brace the object that begins there."""
    tries = 0
    while tries < MAX_TRIES and (start := text.find("{", start)) >= 0:
        tries += 1
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        if accept(value):
            yield start, value
            tries = 0
        start = end


def first_object(source: SourceFile) -> dict[str, Any] | None:
    """The first object of the head, for sniffing; None when its first lines hold none that is whole."""
    for line in head_text(source).split("\n")[:20]:
        stripped = line.strip(_BLANK)
        if not stripped:
            continue
        whole, value = _parsed(stripped)
        if whole:
            return value if isinstance(value, dict) else None
    return None


def _parsed(line: str) -> tuple[bool, Any]:
    """Whether a line is JSON, and its value. Numbers too long for Python and endless nesting are no JSON here."""
    try:
        return True, json.loads(line)
    except (ValueError, RecursionError):
        return False, None


def _broken(line: str, *, found: bool, torn: bool) -> str:
    if torn:
        return "jsonl.incomplete-end"
    return "jsonl.fused-line" if found else "jsonl.broken-line"
