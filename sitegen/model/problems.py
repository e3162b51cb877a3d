"""Problems: everything unreadable, contradictory or suspicious, as values.

The wording lives in `sitegen/strings/problems/*.toml`, one entry per kind:

    ["table.short-row"]
    severity = "warning"          # error: data lost; warning: part lost or doubtful; info: worth knowing
    what = {en = "Row has {got} of {expected} columns.", zh = "…"}
    effect = {en = "The row is left out.", zh = "…"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from sitegen.format import counted
from sitegen.text import Text, load_toml, pair

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that could not be used as it stands."""

    kind: str
    """Id in the catalogue."""
    severity: Severity
    """`error`: data lost; `warning`: part lost or doubtful; `info`: worth knowing."""
    path: str
    """`SourceFile.path`, or the run's path where no one file is to blame."""
    line: int | None
    """1-based line, None where the whole file is meant."""
    what: Text
    """What is wrong."""
    effect: Text
    """What that means for the numbers shown, and what to do."""


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """One catalogue entry."""

    severity: Severity
    """Severity of every problem of this kind."""
    what: Text
    """Template of `Problem.what`."""
    effect: Text
    """Template of `Problem.effect`."""


@cache
def problem_kinds() -> Mapping[str, ProblemKind]:
    """The catalogue by kind id."""
    return {
        key: ProblemKind(
            entry["severity"],
            pair(entry.get("what"), f"{key}.what"),
            pair(entry.get("effect"), f"{key}.effect"),
        )
        for key, entry in load_toml("problems").items()
    }


def problem(kind: str, path: str, line: int | None = None, /, **values: Any) -> Problem:
    """A problem of a catalogued kind, its placeholders filled; whole numbers are written as counts.

    Raises:
        KeyError: the kind is not catalogued, or a placeholder has no value (a bug).
    """
    entry = problem_kinds()[kind]
    shown = counted(values)
    return Problem(
        kind=kind,
        severity=entry.severity,
        path=path,
        line=line,
        what=entry.what.format(**shown),
        effect=entry.effect.format(**shown),
    )
