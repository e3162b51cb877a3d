"""Roles: what a page needs to know of a run, and the names under which each framework logs it.

The names are data: `roles.toml` beside this file. A site may put names of its own before them; whoever uses a role
says which name it stood for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

Direction = Literal["up", "down", "none"]
RowKind = Literal["train", "eval"]

_PLACEHOLDER = re.compile(r"\{(k|any)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """One role of `roles.toml`."""

    name: str
    """Identifier, e.g. `reward`."""
    direction: Direction
    """Which way is better; `none` where neither is."""
    kind: RowKind
    """Records the role is read from; an `eval` role may stand in train records too."""
    names: Mapping[str, tuple[str, ...]]
    """Framework to logged names or patterns, best first."""


@cache
def roles() -> Mapping[str, Role]:
    """Every role by name, in file order."""
    text = resources.files("sitegen.model").joinpath("roles.toml").read_text(encoding="utf-8")
    return {name: _role(name, entry) for name, entry in tomllib.loads(text).items()}


def _role(name: str, entry: dict[str, object]) -> Role:
    names: dict[str, tuple[str, ...]] = {}
    for framework, listed in entry.items():
        if isinstance(listed, list):
            names[framework] = tuple(str(item) for item in listed)
    direction = entry["direction"]
    if direction not in ("up", "down", "none"):
        raise ValueError(f"roles.toml: {name}: direction {direction!r}")
    return Role(
        name=name,
        direction="up" if direction == "up" else "down" if direction == "down" else "none",
        kind="eval" if entry.get("kind") == "eval" else "train",
        names=names,
    )


def metric_for(
    role: str,
    logged_names: Iterable[str],
    framework: str | None,
    overrides: Mapping[str, Sequence[str]] | None = None,
) -> str | None:
    """The logged name that stands for a role; None when the run logged none of its names.

    Tried in order: the site's own names, those of the run's framework, then those of every other framework in file
    order (forks and wrappers borrow names, so an unknown or wrong framework must not hide a metric). A name wins as
    it stands; a pattern by its largest `{k}`, then by the order in which the names were logged.

    Raises:
        KeyError: no such role (a bug).
    """
    entry = roles()[role]
    logged = dict.fromkeys(logged_names)
    candidates = list((overrides or {}).get(role, ()))
    candidates += entry.names.get(framework or "", ())
    candidates += _borrowed(entry, framework)
    for candidate in candidates:
        found = _match(candidate, logged)
        if found is not None:
            return found
    return None


def _borrowed(role: Role, framework: str | None) -> list[str]:
    """Names of the other frameworks, without the patterns that would take any name of a family."""
    others = (names for other, names in role.names.items() if other != framework)
    return [name for names in others for name in names if not name.endswith("{any}")]


def _match(candidate: str, logged: Mapping[str, None]) -> str | None:
    if candidate in logged:
        return candidate
    if not _PLACEHOLDER.search(candidate):
        return None
    best: tuple[int, str] | None = None
    for name in logged:
        k = pattern_k(candidate, name)
        if k is not None and (best is None or k > best[0]):
            best = (k, name)
    return best[1] if best else None


def pattern_k(pattern: str, name: str) -> int | None:
    """The `{k}` of a logged name under a pattern (0 for a pattern without `{k}`); None when it does not match."""
    found = _pattern(pattern).fullmatch(name)
    if found is None:
        return None
    return int(found.groupdict().get("k") or 0)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    parts: list[str] = []
    seen_k = False
    for index, piece in enumerate(_PLACEHOLDER.split(pattern)):
        if index % 2 == 0:
            parts.append(re.escape(piece))
        elif piece == "any":
            parts.append(".+?")
        else:
            parts.append("[0-9]{1,9}" if seen_k else "(?P<k>[0-9]{1,9})")
            seen_k = True
    return re.compile("".join(parts), re.DOTALL)


@cache
def direction_of(name: str) -> Direction:
    """The better direction of a logged name by its role; `none` for a name of no role."""
    for role in roles().values():
        if any(pattern_k(candidate, name) is not None for candidate in _borrowed(role, None)):
            return role.direction
    return "none"
