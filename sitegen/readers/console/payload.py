"""Metrics as programs print them: JSON with NaN, and Python dicts with NumPy's and Torch's ways of writing numbers.

Nothing is executed. A value that is no number is kept as text, for the caller to count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

Values = dict[str, float | str]

_JSON = json.JSONDecoder()
_KEY = re.compile(r"""\s*(?P<key>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*:\s*""")
_NUMBER = r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|nan|inf|NaN|Infinity)"
_VALUE = re.compile(
    rf"(?P<number>{_NUMBER})(?=\s*[,}}\])])"
    rf"|(?:np|numpy|torch|jnp)?\.?(?:float|int|uint|bfloat)\d*\((?P<wrapped>{_NUMBER})\)"
    rf"|(?:tensor|array|DeviceArray|Array)\(\[?(?P<tensor>{_NUMBER})\]?(?:, *[\w=':.,<> ]*)?\)"
    r"""|(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
    r"|(?P<word>True|False|None)\b"
)
_BRACKET = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[\[\](){},]""")
_CLOSES = {"[": "]", "(": ")", "{": "}"}
MAX_NESTING = 64


def json_object(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """The JSON object that begins at a position and where it ends; None when it is broken or cut.

    `NaN` and `Infinity`, which are not JSON but which Python writes, are numbers. What follows the object is left
    to the caller.
    """
    try:
        value, end = _JSON.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None


def python_dict(text: str, start: int) -> tuple[Values, int] | None:
    """The flat part of the Python dict that begins at a position and where it ends; None when broken or cut.

    `True` and `False` are 1 and 0, None is left out; strings and nested containers are text.
    """
    if not text.startswith("{", start):
        return None
    values: Values = {}
    at = start + 1
    while True:
        key = _KEY.match(text, at)
        if key is None:
            closing = re.compile(r"\s*\}").match(text, at)
            return (values, closing.end()) if closing is not None else None
        found = _value(text, key.end())
        if found is None:
            return None
        value, at = found
        if value is not None:
            values[_unquoted(key["key"])] = value
        after = re.compile(r"\s*([,}])").match(text, at)
        if after is None:
            return None
        at = after.end()
        if after[1] == "}":
            return values, at


def _value(text: str, at: int) -> tuple[float | str | None, int] | None:
    """A value and where it ends."""
    match = _VALUE.match(text, at)
    if match is None:
        end = _skipped(text, at)
        return None if end is None else (text[at:end].strip(), end)
    number = match["number"] or match["wrapped"] or match["tensor"]
    if number is not None:
        return float(number), match.end()
    if match["text"] is not None:
        return _unquoted(match["text"]), match.end()
    return {"True": 1.0, "False": 0.0}.get(match["word"]), match.end()


def _skipped(text: str, at: int) -> int | None:
    """The end of a value of another kind: the next comma or closing brace outside brackets and strings."""
    open_brackets: list[str] = []
    for match in _BRACKET.finditer(text, at):
        mark = match[0]
        if mark in _CLOSES:
            open_brackets.append(_CLOSES[mark])
            if len(open_brackets) > MAX_NESTING:
                return None
        elif open_brackets and mark == open_brackets[-1]:
            open_brackets.pop()
        elif mark in ",}" and not open_brackets:
            return match.start()
        elif mark in ")]}":
            return None
    return None


def _unquoted(quoted: str) -> str:
    body = quoted[1:-1]
    return re.sub(r"\\(.)", r"\1", body) if "\\" in body else body


def number_of(text: str) -> float | None:
    """A number written as a string (`'0.0000'`, `'2.685e+04'`); None for any other text."""
    text = text.strip()
    return float(text) if _WHOLE.fullmatch(text) else None


_WHOLE = re.compile(_NUMBER)


def split_numbers(values: Mapping[str, Any], *, texts_are_numbers: bool) -> tuple[dict[str, float], list[str]]:
    """The values that are numbers, and the names of those that are something else (None counts as absent).

    Args:
        values: as parsed.
        texts_are_numbers: the format prints numbers as strings, so that a numeric string is a number.
    """
    numbers: dict[str, float] = {}
    others: list[str] = []
    for name, value in values.items():
        if isinstance(value, (int, float)):  # bool too: 1 and 0
            number = _as_float(value)
        elif isinstance(value, str) and texts_are_numbers:
            number = number_of(value)
        elif value is None:
            continue
        else:
            number = None
        if number is None:
            others.append(name)
        else:
            numbers[name] = number
    return numbers, others


def _as_float(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None
