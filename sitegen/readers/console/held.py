"""Records of one line each, handed on one behind: whether the last one is whole shows only at the end of the log.

A line that has no end may be cut inside a number (`lr:0.0` of `lr:0.001`), so its last value is not used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sitegen.readers.console.dialect import Log
from sitegen.readers.console.records import MAX_STEP, Records

Kind = Literal["train", "eval"]


@dataclass(slots=True, kw_only=True, eq=False)
class Record:
    """One record before it is handed on."""

    step: int
    """As the framework numbers it."""
    values: dict[str, float]
    """Numbers by logged name, in the order logged."""
    line: int
    """1-based line."""
    time: float | None = None
    """Unix s, None unknown."""
    kind: Kind = "train"
    """`train` or `eval`."""
    ends_line: bool = True
    """Whether the last value ends its line, so that it is cut where the line is."""


@dataclass(slots=True, eq=False)
class Held:
    """The records of one log."""

    log: Log
    """The log that is read."""
    records: Records = field(default_factory=Records)
    """What was handed on."""
    _last: Record | None = None

    def add(self, record: Record) -> None:
        """Takes a record; a step too large for one is noted."""
        if record.step >= MAX_STEP:
            self.log.noted.add("console.bad-step", record.line)
            return
        self._hand_on()
        self._last = record

    def finish(self) -> Records | None:
        """All records; the last one without the value in which the log may have been cut. None without any."""
        if self._last is not None and is_cut(self.log, self._last.line):
            if self._last.ends_line:
                self._last.values.popitem()
            self.log.noted.add("console.last-value", self._last.line)
        return self.whole()

    def whole(self) -> Records | None:
        """All records of a format that shows by itself whether a record is whole; None without any."""
        self._hand_on()
        return self.records if len(self.records) else None

    def _hand_on(self) -> None:
        last, self._last = self._last, None
        if last is not None and last.values:
            self.records.add(last.step, last.values, line=last.line, time=last.time, kind=last.kind)


def is_cut(log: Log, line: int) -> bool:
    """Whether a line is the last of a log and has no end; known when the log has been read."""
    return log.cut and line > log.lines
