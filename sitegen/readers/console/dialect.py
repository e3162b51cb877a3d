"""What a dialect of console logs is, and what its parser hands over.

The lines of a log that hold none of the needles of any dialect are never looked at: a block of the file is searched
once for all needles, and each dialect's parser is given its lines, in order, with their numbers. A parser that needs
the lines after one of its own (a dict printed over many lines, a traceback) asks for them.

To add a dialect: one module with a parser and a `DIALECT`, one line in `dialects.DIALECTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import EndCause, LogEvent
from sitegen.readers.console.prefixes import Said, strip
from sitegen.readers.console.records import Records
from sitegen.text import Text, same

LISTED = 8
"""Line numbers named in one problem before the rest is only counted."""
SHOWN = 300
"""Characters of a line that are kept as evidence."""


class Line:
    """One line of a log, or one piece of it between carriage returns."""

    __slots__ = ("_said", "number", "raw")

    def __init__(self, number: int, raw: bytes) -> None:
        self.number = number
        self.raw = raw
        self._said: Said | None = None

    @property
    def said(self) -> Said:
        """The line without its prefixes, and what they tell; taken apart on first use."""
        if self._said is None:
            self._said = strip(self.raw)
        return self._said


@dataclass(slots=True, eq=False)
class Noted:
    """What could not be used, by problem kind: one `Problem` per kind with a count, however often it occurs."""

    path: str
    """`SourceFile.path`."""
    _kinds: dict[str, _Kind] = field(default_factory=dict)

    def add(self, kind: str, line: int | None, **values: Any) -> None:
        """Notes an occurrence; the values of the first one fill the placeholders beside `count` and `lines`."""
        seen = self._kinds.setdefault(kind, _Kind(values))
        seen.count += 1
        if line is not None and len(seen.lines) < LISTED and line not in seen.lines:
            seen.lines.append(line)

    def join(self, other: Noted) -> None:
        """Takes over what somebody else noted of the same log, other kinds than our own."""
        self._kinds |= other._kinds

    def problems(self) -> tuple[Problem, ...]:
        """One problem per kind, at its first line."""
        return tuple(
            problem(
                kind,
                self.path,
                seen.lines[0] if seen.lines else None,
                count=seen.count,
                lines=_listed(seen.lines, seen.count),
                **seen.values,
            )
            for kind, seen in self._kinds.items()
        )


@dataclass(slots=True, eq=False)
class _Kind:
    values: dict[str, Any]
    count: int = 0
    lines: list[int] = field(default_factory=list)


def _listed(lines: Sequence[int], count: int) -> Text:
    shown = ", ".join(str(line) for line in lines)
    if count <= len(lines):
        return same(shown)
    return Text(f"{shown} and more", f"{shown} 等")


@dataclass(slots=True, eq=False)
class Log:
    """The log that is being read, as parsers see it. The times and the length are known when `finish` is called."""

    path: str
    """`SourceFile.path`."""
    job: str
    """The job whose log it is."""
    noted: Noted
    """Where a parser notes what it cannot use."""
    lines: int = 0
    """Lines of the log."""
    cut: bool = False
    """Whether the last line has no end."""
    started: float | None = None
    """First time stamp near the beginning, Unix s; None without one that has a year."""
    finished: float | None = None
    """Last time stamp near the end."""
    last_stamped: int = 0
    """Last line near the end that a logger stamped; 0 without one."""
    tail: list[Line] = field(default_factory=list)
    """The last lines, at most `edges.EDGE_LINES`."""
    framework: str | None = None
    """Framework that the first lines name (the logger's modules); None when they name none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A line that says how the job ended."""

    cause: EndCause
    """What it says."""
    line: int
    """1-based line."""
    text: str
    """The line, shortened."""
    weak: bool = False
    """Often only a consequence of something else: counts when nothing else does."""
    guess: bool = False
    """A failure that is the cause only because nothing follows it: counts last, and the end is marked as a guess."""
    symptom: bool = False
    """Counts what failed without being the failure: cited only where no other line names the same cause."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """What one parser made of a log. Everything is optional."""

    records: Records | None = None
    """Metric records; of several dialects that found some, the one with the most counts."""
    engines: pd.DataFrame | None = None
    """`tables.ENGINES`."""
    batches: pd.DataFrame | None = None
    """`tables.BATCHES`."""
    evidence: tuple[Evidence, ...] = ()
    """Lines that say how the job ended, in order."""
    events: tuple[LogEvent, ...] = ()
    """Log digest."""
    resumed_from: int | None = None
    """Step the job resumed from, as logged."""
    number: int | None = None
    """Scheduler's job number, as logged."""
    facts: dict[str, Any] = field(default_factory=dict)
    """For `ReadResult.facts`."""
    framework: str | None = None
    """Framework that the lines name, where it is another than the dialect's or its records could not be used."""


NOTHING = Found()


class Parser(Protocol):
    """The state of one dialect in one log."""

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line; returns whether the parser wants the next line, whatever is in it.

        Args:
            line: in file order.
            marked: it holds one of the dialect's needles; otherwise it was asked for.
        """
        ...

    def finish(self) -> Found:
        """What was found, when the log has ended."""
        ...


class BulkParser(Protocol):
    """A parser of lines that come by the hundred thousand and stand alone."""

    def take_many(self, numbers: Sequence[int], heads: Sequence[bytes], tails: Sequence[bytes]) -> None:
        """Takes marked lines in file order.

        Args:
            numbers: their numbers.
            heads: of each what stands before its first needle.
            tails: the rest of each, from the needle on, without its end.
        """
        ...

    def finish(self) -> Found:
        """What was found, when the log has ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One way of logging to a console."""

    name: str
    """Identifier; that of the framework where `framework` is set."""
    framework: str | None
    """Framework that logs so: `ReadResult.framework` when the parser found records; None for lines of any run."""
    needles: tuple[bytes, ...]
    """Texts of which a line must hold one to be looked at: long, rare, distinctive, few. None may lie within another
    of any dialect; two dialects may name the same one. The search is fast for up to 64 in all."""
    markers: tuple[bytes, ...]
    """Needles (or other texts) so distinctive that a file with one in its first 64 KiB is a console log."""
    parser: Callable[[Log], Parser] | None = None
    """A new parser for a log."""
    check: re.Pattern[bytes] | None = None
    """What a line must hold besides a needle, where needles are short: lines without it cost a fraction."""
    bulk: Callable[[Log], BulkParser] | None = None
    """Instead of `parser`, for lines that come in great numbers."""


def shortened(text: str, limit: int = SHOWN) -> str:
    """A line as evidence: stripped, at most `limit` characters."""
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"
