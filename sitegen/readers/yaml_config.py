"""YAML as flat settings: numbers as trainers read them, nothing executed, nothing resolved, damage named.

Owns the way from a YAML text to dotted keys. It walks the parser's events itself, so that no tag constructs
anything, `${…}` and `???` stay text, an alias cannot blow up, every key has its line, and of a file that breaks off
the part before the break is kept.

Scalars follow YAML 1.1 as PyYAML reads it, with OmegaConf's float rule (a number with an exponent needs no point:
`8e-6`) and without base-60 numbers and dates, which stay as written.

Source: OmegaConf 2.3 `omegaconf/_utils.py` (`get_yaml_loader`); PyYAML 6.0 `yaml/resolver.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

from sitegen.model.problems import Problem, problem

MAX_DEPTH = 64
"""Nesting beyond which a configuration is not followed."""
MAX_EVENTS = 200_000
"""Parser events after which reading stops."""
MAX_VALUES = 20_000
"""Flat values after which flattening stops: an alias may stand for any number of them."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)")
_FLOAT = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|[0-9][0-9_]*[eE][-+]?[0-9]+)"
)
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= {form: True for word in ("yes", "true", "on") for form in (word, word.title(), word.upper())}
_WORDS |= {form: False for word in ("no", "false", "off") for form in (word, word.title(), word.upper())}
_CORE = "tag:yaml.org,2002:"
_KNOWN_TAGS = frozenset({None, "!", *(_CORE + name for name in ("str", "int", "float", "bool", "null", "seq", "map"))})


@dataclass(slots=True, eq=False)
class Node:
    """One value of a document, not yet typed."""

    kind: Literal["scalar", "seq", "map"]
    line: int
    tag: str | None = None
    text: str = ""
    plain: bool = False
    items: list[Node] = field(default_factory=list)

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """Keys and values of a map."""
        return zip(self.items[0::2], self.items[1::2], strict=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatYaml:
    """A document as flat settings."""

    values: dict[str, Any]
    """Dotted keys to scalars, lists of scalars or None, in file order. Members of other lists have their index as
    part of the key; an empty map is the text `{}`."""
    lines: dict[str, int]
    """Flat key to 1-based line."""
    problems: list[Problem]
    """What could not be used as it stands."""


def flat_yaml(path: str, text: str) -> FlatYaml:
    """The first document that is not empty, as flat settings."""
    documents, problems = _compose(path, text)
    filled = [node for node in documents if node.kind != "scalar" or node.text]
    if len(filled) > 1:
        problems.append(problem("config.several-documents", path, filled[1].line, count=len(filled)))
    flat = FlatYaml(values={}, lines={}, problems=problems)
    if not filled:
        problems.append(problem("config.no-settings", path))
    elif filled[0].kind != "map":
        problems.append(problem("config.not-a-mapping", path, filled[0].line))
    else:
        _Flattener(path, flat).add("", filled[0], ())
    return flat


def _compose(path: str, text: str) -> tuple[list[Node], list[Problem]]:
    """The documents' nodes; where the text breaks off, what stands before the break."""
    composer = _Composer()
    problems = _feed(composer, path, text)
    problems += [
        problem("config.unknown-alias", path, line, alias=f"*{name}") for line, name in composer.unknown_aliases
    ]
    return composer.documents, problems


def _feed(composer: _Composer, path: str, text: str) -> list[Problem]:
    count = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            count += 1
            if count > MAX_EVENTS or len(composer.open) > MAX_DEPTH:
                line = _line(event)
                return [problem("config.too-large", path, line, line=line)]
            composer.take(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "?"
        composer.drop_open_brackets()
        broken_at = None if mark is None else min(mark.line, text.count("\n")) + 1
        return [problem("config.broken-yaml", path, broken_at, reason=reason)]
    return []


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


class _Composer:
    """Nodes from events; an alias is the anchored node itself."""

    def __init__(self) -> None:
        self.documents: list[Node] = []
        self.open: list[Node] = []
        self.brackets: list[bool] = []
        self.anchors: dict[str, Node] = {}
        self.unknown_aliases: list[tuple[int, str]] = []

    def take(self, event: yaml.Event) -> None:
        """Adds one event."""
        line = _line(event)
        if isinstance(event, yaml.ScalarEvent):
            self._place(Node("scalar", line, event.tag, event.value, bool(event.implicit[0])), event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            known = self.anchors.get(event.anchor or "")
            if known is None:
                self.unknown_aliases.append((line, event.anchor or ""))
            self._place(known or Node("scalar", line, _CORE + "str", f"*{event.anchor}"), None)
        elif isinstance(event, yaml.CollectionStartEvent):
            kind: Literal["seq", "map"] = "seq" if isinstance(event, yaml.SequenceStartEvent) else "map"
            node = Node(kind, line, event.tag)
            self._place(node, event.anchor)
            self.open.append(node)
            self.brackets.append(bool(event.flow_style))
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()
            self.brackets.pop()
        elif isinstance(event, yaml.DocumentStartEvent):
            self.anchors = {}

    def drop_open_brackets(self) -> None:
        """Takes out a `[` or `{` that was never closed: nobody can say what belongs to it."""
        if True in self.brackets:
            at = self.brackets.index(True)
            (self.open[at - 1].items if at else self.documents).pop()

    def _place(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = node
        if self.open:
            self.open[-1].items.append(node)
        else:
            self.documents.append(node)


class _Flattener:
    """Writes nodes into a `FlatYaml` under dotted keys."""

    def __init__(self, path: str, flat: FlatYaml) -> None:
        self.path = path
        self.flat = flat
        self.full = False

    def add(self, key: str, node: Node, above: tuple[int, ...]) -> None:
        """Adds a node under a key; `above` are the nodes it lies in, so that a loop of aliases ends."""
        if self.full:
            return
        if id(node) in above or len(above) > MAX_DEPTH or len(self.flat.values) >= MAX_VALUES:
            self.full = len(self.flat.values) >= MAX_VALUES
            self._note("config.too-large", node.line, {"line": node.line})
            return
        self._check_tag(node)
        if node.kind == "map":
            self._add_map(key, node, above)
        elif node.kind == "seq" and any(item.kind != "scalar" for item in node.items):
            for index, item in enumerate(node.items):
                self.add(f"{key}.{index}", item, (*above, id(node)))
        elif node.kind == "seq":
            for item in node.items:
                self._check_tag(item)
            self._set(key, [scalar(item) for item in node.items], node.line)
        else:
            self._set(key, scalar(node), node.line)

    def _add_map(self, key: str, node: Node, above: tuple[int, ...]) -> None:
        entries = self._entries(node, above)
        if not entries and key:
            self._set(key, "{}", node.line)
        for name, (line, value) in entries.items():
            full_key = f"{key}.{name}" if key else name
            self.add(full_key, value, (*above, id(node)))
            if full_key in self.flat.values:
                self.flat.lines[full_key] = line

    def _entries(self, node: Node, above: tuple[int, ...]) -> dict[str, tuple[int, Node]]:
        """A map's entries by key: merged ones first, its own over them, the last of equal keys."""
        merged: dict[str, tuple[int, Node]] = {}
        own: dict[str, tuple[int, Node]] = {}
        for name, value in node.pairs():
            if name.plain and name.text == "<<" and value.kind != "scalar":
                for base in [value] if value.kind == "map" else value.items:
                    if base.kind == "map" and id(base) not in above and len(above) <= MAX_DEPTH:
                        entries = self._entries(base, (*above, id(node)))
                        merged = {**entries, **merged}
                continue
            text = name.text if name.kind == "scalar" else f"<{name.kind}>"
            if name.kind != "scalar":
                self._note("config.complex-key", name.line, {"key": text})
            if text in own:
                self._note("config.duplicate-key", name.line, {"key": text, "first": own[text][0], "last": name.line})
                del own[text]
            own[text] = (name.line, value)
        return merged | own

    def _set(self, key: str, value: Any, line: int) -> None:
        self.flat.values[key] = value
        self.flat.lines[key] = line

    def _check_tag(self, node: Node) -> None:
        if node.tag not in _KNOWN_TAGS:
            self._note("config.tag", node.line, {"tag": str(node.tag)})

    def _note(self, kind: str, line: int, values: dict[str, Any]) -> None:
        found = problem(kind, self.path, line, **values)
        if found not in self.flat.problems:
            self.flat.problems.append(found)


def scalar(node: Node) -> Any:
    """A scalar node's value: a number, a truth value, None, or its text."""
    tag = (node.tag or "").removeprefix(_CORE)
    if tag == "str" or node.tag == "!" or (node.tag not in _KNOWN_TAGS) or (not node.plain and not tag):
        return node.text
    return plain_value(node.text)


def plain_value(text: str) -> Any:
    """What an unquoted scalar stands for. `.inf`, `.nan` and numbers without a finite float stay text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        value = float(text.replace("_", ""))
        return value if math.isfinite(value) else text
    return text


def _integer(text: str) -> int | str:
    digits = text.replace("_", "").lower()
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits.removeprefix("+"))
    if len(digits) > 300 or not digits:
        return text
    bases = {"0b": 2, "0x": 16}
    base = bases.get(digits[:2], 8 if digits.startswith("0") and len(digits) > 1 else 10)
    body = digits[2:] if digits[:2] in bases else digits
    return sign * int(body, base) if body else text


def leading_comment(text: str) -> str:
    """The first block of comment lines, without marks; empty when the file begins with something else."""
    block: list[str] = []
    for line in text.lstrip("\ufeff").split("\n"):
        stripped = line.strip()
        if stripped.startswith("#"):
            block.append(stripped.lstrip("#").strip())
        elif block or stripped:
            break
    return "\n".join(block).strip()
