"""The first and last lines of a log: when it began and ended, and whose logger speaks."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.readers.console.dialect import Line, Log

EDGE_LINES = 200
"""Lines looked at from either end."""
EDGE_BYTES = 1 << 16
"""Bytes looked at from either end."""
FRAMEWORKS = (("skyrl_train.", "skyrl"), ("skyrl.", "skyrl"), ("examples.terminal_bench.", "skyrl"))
"""Beginnings of loguru's module names, and the framework they are of."""


@dataclass(slots=True, eq=False)
class Edges:
    """The two ends of a log, kept while it passes by."""

    _head: bytes = b""
    _tail: bytes = b""

    def feed(self, block: bytes) -> None:
        """Takes the next block."""
        if len(self._head) < EDGE_BYTES:
            self._head += block[: EDGE_BYTES - len(self._head)]
        self._tail = block[-EDGE_BYTES:] if len(block) >= EDGE_BYTES else (self._tail + block)[-EDGE_BYTES:]

    def tell(self, log: Log) -> None:
        """Fills in what the edges say."""
        first = [Line(at + 1, raw) for at, raw in enumerate(self._head.split(b"\n")[:EDGE_LINES])]
        pieces = self._tail.split(b"\n")
        total = log.lines + (1 if log.cut else 0)
        if not log.cut:
            pieces = pieces[:-1]
        last = [Line(total - len(pieces) + at + 1, raw) for at, raw in enumerate(pieces)][-EDGE_LINES:]
        log.tail = last
        log.started = next((line.said.time for line in first if line.said.time is not None), None)
        times = [line.said.time for line in last if line.said.time is not None]
        log.finished = max(times) if times else None
        log.last_stamped = max((line.number for line in last if line.said.stamped), default=0)
        log.framework = next((found for line in first if (found := _framework(line)) is not None), None)


def _framework(line: Line) -> str | None:
    place = line.said.place or ""
    return next((framework for start, framework in FRAMEWORKS if place.startswith(start)), None)
