"""The digest of a log: errors, warnings and tracebacks grouped by shape, with counts.

A line is an error or a warning by the level that a logger put before it, by the shape of a bare exception or of a
system message; a text that merely contains the word is neither. A traceback is what follows Python's own header.
Memory is bounded: shapes beyond the first `MAX_SHAPES` are only counted.

Source: Python 3.11 `traceback`, `warnings.formatwarning`; glog levels of PyTorch 2 (`[rank0]:[E1128 …]`).
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import Literal

from sitegen.model.run import LogEvent
from sitegen.readers.console.dialect import Dialect, Evidence, Found, Line, Log, shortened
from sitegen.readers.console.skyrl import is_sandbox_exception

Level = Literal["error", "warning", "traceback"]

MAX_SHAPES = 2000
"""Shapes told apart while reading."""
LISTED_SHAPES = 200
"""Shapes handed over: tracebacks and errors first, the most frequent of each."""
TRACE_LINES = 400
"""Lines of one traceback."""
EXAMPLE = 4000
"""Characters of an example."""
LAST_WORDS = 10
"""Lines with text at the end of a log among which a bare exception may be what ended the job."""
_KNOWN = 5000
_HEADER = "Traceback (most recent call last):"
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")
_BARE = re.compile(r"(?:\[rank\d+\]: ?)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:\(\w+\))?(?:: |$)")
_SYSTEM = re.compile(r"(?:srun|slurmstepd): error: ")
_GLOG = re.compile(r"(?:\[rank\d+\]:\s*)?\[(?P<level>[EWF])\d{4} \d\d:\d\d:\d\d")
_PYTHON_WARNING = re.compile(r"\S+:\d+: \w*Warning: ")
_VARIABLE = re.compile(
    r"(?P<ID>\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|(?<=__)[A-Za-z0-9]{7}\b"
    r"|\b(?=[a-f]*\d)[0-9a-f]{8,}\b)"
    r"|(?P<ADDRESS>\b0x[0-9a-fA-F]+\b|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b)"
    r"|(?P<PATH>(?:[A-Za-z]+://|(?<![\w.])/)[\w.@%+~=:-]+(?:/[\w.@%+~=:-]*)*)"
    r"|(?P<N>(?<![A-Za-z_])[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\d+)"
)
_DIGITS = b"0123456789"


def shape_of(text: str) -> str:
    """A line with its numbers, ids, addresses and paths taken out."""
    return _VARIABLE.sub(lambda match: match.lastgroup or "", shortened(text, 400))


@dataclass(slots=True, eq=False)
class _Group:
    """Lines of one shape."""

    level: Level
    shape: str
    example: str
    first: int
    last: int
    count: int = 0


@dataclass(slots=True, eq=False)
class _Trace:
    """A traceback that is being printed."""

    line: int
    process: tuple[str | None, int | None, str | None]
    lines: list[str] = field(default_factory=list)
    count: int = 1
    final: str | None = None
    """The exception's own line, once it has come."""
    last: int = 0


class _Parser:
    """Errors, warnings and tracebacks of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._groups: dict[tuple[Level, str], _Group] = {}
        self._known: dict[bytes, _Group | None] = {}
        self._others = 0
        self._trace: _Trace | None = None
        self._last_trace: _Trace | None = None

    def take(self, line: Line, marked: bool) -> bool:
        """Takes a line; the lines after a traceback's header are wanted until it has ended."""
        trace = self._trace
        if trace is not None and line.said.process == trace.process and self._follow(trace, line):
            return self._trace is not None
        if marked and self._trace is None and line.said.text.strip() == _HEADER:
            self._trace = _Trace(line.number, line.said.process, [_HEADER])
        elif marked:
            self._single(line)
        return self._trace is not None

    def finish(self) -> Found:
        """The groups, and a traceback at the very end as evidence."""
        if self._trace is not None:
            self._close(self._trace)
        self._headless()
        listed = sorted(self._groups.values(), key=lambda group: (_RANK[group.level], -group.count, group.first))
        self._others += sum(group.count for group in listed[LISTED_SHAPES:])
        if self._others:
            self._log.noted.add("console.more-shapes", None, others=self._others)
        events = sorted(listed[:LISTED_SHAPES], key=lambda group: group.first)
        return Found(
            events=tuple(
                LogEvent(
                    job=self._log.job,
                    level=group.level,
                    shape=group.shape,
                    example=group.example,
                    count=group.count,
                    first_line=group.first,
                    last_line=group.last,
                    path=self._log.path,
                )
                for group in events
            ),
            evidence=self._crash(),
        )

    # Single lines ----------------------------------------------------------------------------------------------------

    def _single(self, line: Line) -> None:
        """Counts a line; lines that differ from a known one in digits only cost no parsing."""
        skeleton = line.raw.translate(None, _DIGITS)
        if skeleton in self._known and b"[repeated " not in line.raw:
            group = self._known[skeleton]
            if group is not None:
                group.count += 1
                group.last = line.number
            return
        level = _level(line)
        group = None
        if level is not None:
            group = self._group(level, line.said.text, line.said.text, line.number, 1 + line.said.repeats)
        if len(self._known) < _KNOWN and (group is not None or level is None):
            self._known[skeleton] = group

    def _group(self, level: Level, text: str, example: str, line: int, count: int) -> _Group | None:
        """The group of a text, counted; None when there are too many shapes."""
        shape = shape_of(text)
        group = self._groups.get((level, shape))
        if group is None:
            if len(self._groups) >= MAX_SHAPES:
                self._others += count
                return None
            group = self._groups[level, shape] = _Group(level, shape, shortened(example, EXAMPLE), line, line)
        group.count += count
        group.last = max(group.last, line)
        return group

    # Tracebacks ------------------------------------------------------------------------------------------------------

    def _follow(self, trace: _Trace, line: Line) -> bool:
        """Takes a line of the process that prints a traceback; False when it is not part of it."""
        text = line.said.text
        chained = text.startswith(_CHAINED) or text.strip() == _HEADER
        inside = not text or text.startswith((" ", "\t")) or chained
        if line.said.stamped or (trace.final is not None and not (not text or chained)):
            self._close(trace)
            return False
        trace.lines.append(text)
        if not text:
            return True
        trace.last = line.number
        if chained:
            trace.final = None
        elif not inside:
            trace.final = text
            trace.count = 1 + line.said.repeats
        if len(trace.lines) > TRACE_LINES:
            self._close(trace)
        return True

    def _close(self, trace: _Trace) -> None:
        self._trace = None
        self._last_trace = trace
        final = trace.final or next((text.strip() for text in reversed(trace.lines) if text.strip()), _HEADER)
        self._group("traceback", final, _excerpt(trace.lines), trace.line, trace.count)

    def _headless(self) -> None:
        """Takes an exception at the very end whose traceback lost its header, unless its line was counted."""
        found = _uncaught(self._log)
        traced = self._last_trace.last if self._last_trace is not None else 0
        seen = max([traced, *(group.last for group in self._groups.values())])
        if found is not None and found[0] > seen:
            lines = [line for line in self._log.tail if line.number <= found[0]]
            start = next((i for i in range(len(lines) - 2, -1, -1) if not lines[i].said.text.startswith(" ")), -1) + 1
            text = [line.said.text for line in lines[start:]]
            self._group("traceback", found[1], _excerpt(text), lines[start].number, 1)

    def _crash(self) -> tuple[Evidence, ...]:
        """The last traceback, when no logger spoke after it; its header may have been lost. Else a bare exception."""
        found = _uncaught(self._log)
        trace = self._last_trace
        if trace is not None and trace.final is not None and trace.last >= self._log.last_stamped:
            found = (trace.last, trace.final)
        guess = found is None
        found = found or _last_words(self._log)
        if found is None:
            return ()
        line, text = found
        sandbox = is_sandbox_exception(text.partition(":")[0].rpartition(".")[2])
        cause: Literal["sandbox_failure", "crashed"] = "sandbox_failure" if sandbox else "crashed"
        return (Evidence(cause=cause, line=line, text=shortened(text), guess=guess),)


_RANK: dict[Level, int] = {"traceback": 0, "error": 1, "warning": 2}


def _uncaught(log: Log) -> tuple[int, str] | None:
    """The last exception below indented lines at the end of a log, after everything that a logger stamped."""
    found: tuple[int, str] | None = None
    for before, line in itertools.pairwise(log.tail):
        text = line.said.text
        if line.number > log.last_stamped and before.said.text.startswith("  ") and _BARE.match(text):
            found = (line.number, text)
    return found


def _last_words(log: Log) -> tuple[int, str] | None:
    """The first bare exception among the last lines with text, after everything that a logger stamped."""
    spoken = [line for line in log.tail if line.said.text.strip()][-LAST_WORDS:]
    later = (line for line in spoken if line.number > log.last_stamped)
    return next(((line.number, line.said.text) for line in later if _BARE.match(line.said.text)), None)


def _level(line: Line) -> Literal["error", "warning"] | None:
    """Whether a line is an error or a warning, by who printed it and how."""
    said = line.said
    if said.level in ("ERROR", "CRITICAL", "FATAL"):
        return "error"
    if said.level in ("WARNING", "WARN"):
        return "warning"
    if said.level is not None:
        return None
    text = said.text.lstrip()
    if _BARE.match(text) or _SYSTEM.match(text):
        return "error"
    if (glog := _GLOG.match(text)) is not None:
        return "warning" if glog["level"] == "W" else "error"
    return "warning" if _PYTHON_WARNING.match(text) else None


def _excerpt(lines: list[str]) -> str:
    """A traceback, its middle left out where it is long."""
    text = "\n".join(lines).rstrip()
    if len(text) <= EXAMPLE:
        return text
    half = EXAMPLE // 2 - 8
    return f"{text[:half].rpartition(chr(10))[0]}\n  …\n{text[-half:].partition(chr(10))[2]}"


DIALECT = Dialect(
    name="digest",
    framework=None,
    needles=(
        b"ERROR",
        b"CRITICAL",
        b"WARNING",
        b"Warning: ",
        b"Traceback (most recent call last)",
        b"slurmstepd: error: ",
        b"srun: error: ",
        b"OutOfMemoryError",
        b"CUDA out of memory",
        b"Cannot allocate memory",
        b"ProcessGroupNCCL.cpp",
    ),
    markers=(),
    parser=_Parser,
)
