"""Hydra command-line arguments as settings: `+key=value`, `++key=value`, `~key`; of equal keys the last counts.

Values: JSON-like lists and maps with or without quotes (`[a,b]`, `{a:1,b:2}`), quoted text, true, false, null,
numbers, bare text. `${…}` and `???` stay text.

Source: Hydra 1.3, "Extended override syntax" (`hydra/grammar/OverrideParser.g4`).
"""

from __future__ import annotations

from typing import Any

from sitegen.readers.yaml_config import plain_value

MAX_DEPTH = 20
"""Nesting beyond which a value stays text."""
_OPEN = {"[": "]", "{": "}", "(": ")"}


def split_argument(argument: str) -> tuple[str, str | None]:
    """Key and value text of one argument; no value for a deletion (`~key`) or a flag without `=`."""
    key, mark, value = argument.strip().partition("=")
    deleted = key.startswith("~")
    return key.lstrip("+~").strip(), None if deleted or not mark else value.strip()


def parse_value(text: str, depth: int = 0) -> Any:
    """A value text as scalar, list or dict."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace("\\" + text[0], text[0])
    inner = text[1:-1]
    if depth < MAX_DEPTH and text.startswith("[") and text.endswith("]"):
        return [parse_value(part, depth + 1) for part in _split(inner)] if inner.strip() else []
    if depth < MAX_DEPTH and text.startswith("{") and text.endswith("}"):
        pairs = [_pair(part) for part in _split(inner)] if inner.strip() else []
        if all(key for key, _ in pairs):
            return {key: parse_value(value, depth + 1) for key, value in pairs}
    return text if text == "" else plain_value(text)


def flatten(key: str, value: Any, into: dict[str, Any], depth: int = 0) -> None:
    """Writes a value under dotted keys: maps by key, lists with maps or lists in them by index.

    What lies deeper than `MAX_DEPTH` is shown as `…`.
    """
    if depth > MAX_DEPTH:
        into[key] = "…"
    elif isinstance(value, dict) and value:
        for name, member in value.items():
            flatten(f"{key}.{name}" if key else str(name), member, into, depth + 1)
    elif isinstance(value, list) and any(isinstance(member, dict | list) for member in value):
        for index, member in enumerate(value):
            flatten(f"{key}.{index}", member, into, depth + 1)
    elif key or value != {}:
        into[key] = "{}" if value == {} else value


def _pair(part: str) -> tuple[str, str]:
    key, mark, value = part.partition(":")
    key = key.strip()
    if len(key) >= 2 and key[0] == key[-1] and key[0] in "'\"":
        key = key[1:-1]
    return (key, value) if mark else ("", "")


def _split(text: str) -> list[str]:
    """The parts between commas that lie in no bracket and no quotes."""
    parts: list[str] = []
    start = 0
    closers: list[str] = []
    quote = ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote and text[index - 1] != "\\" else quote
        elif character in "'\"":
            quote = character
        elif character in _OPEN:
            closers.append(_OPEN[character])
        elif closers and character == closers[-1]:
            closers.pop()
        elif character == "," and not closers:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return parts
