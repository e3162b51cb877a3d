"""vLLM's periodic statistics: one engine's throughput, queue and caches, and its speculative decoding.

An engine is a process: (actor, pid, ip), not the `Engine 000` that every one of them prints. Actors on the head node
have no `ip=`. Throughputs are averages over the last logging interval. Lines differ by their optional tails only, so
a shape is taken apart once and the numbers of all its lines are converted together.

Source: vLLM 0.6-0.20, `vllm/v1/metrics/loggers.py` (`LoggingStatLogger.log`), `vllm/v1/spec_decode/metrics.py`
(`SpecDecodingLogging.log`); prefix `vllm/logging_utils/formatter.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from sitegen.model.tables import ENGINES, conform
from sitegen.readers.console.dialect import Dialect, Found, Log
from sitegen.readers.console.prefixes import Said, strip
from sitegen.readers.log_clock import assumed_times

_STATS = b"Avg prompt throughput: "
_SPEC = b"SpecDecoding metrics: "
_REPEATED = b" [repeated "
_N = rb"([\d.]+)"
_TAIL = re.compile(
    rb"Avg prompt throughput: " + _N + rb" tokens/s, Avg generation throughput: " + _N + rb" tokens/s, "
    rb"Running: " + _N + rb" reqs, Waiting: " + _N + rb" reqs"
    rb"(?:, Swapped: " + _N + rb" reqs)?(?:, Pending: " + _N + rb" reqs)?(?:, Preemptions: " + _N + rb")?"
    rb", GPU KV cache usage: " + _N + rb"%(?:, CPU KV cache usage: " + _N + rb"%)?"
    rb"(?:, Prefix cache hit rate: " + _N + rb"%)?(?:, Corrupted: " + _N + rb" reqs)?"
    rb"(?:, External prefix cache hit rate: " + _N + rb"%)?(?:, MM cache hit rate: " + _N + rb"%)?"
)
FIELDS = (
    "prompt_tps",
    "generation_tps",
    "running",
    "waiting",
    "swapped",
    "pending",
    "preemptions",
    "kv_cache_pct",
    "cpu_kv_cache_pct",
    "prefix_hit_pct",
    "corrupted",
    "external_prefix_hit_pct",
    "mm_hit_pct",
)
"""The groups of the line's pattern, in order; a group that no line of a log has gives no further column."""
_SPEC_FIELD = re.compile(r"(?P<name>[A-Z][A-Za-z -]+): (?P<values>(?:nan|[\d.]+)(?:, (?:nan|[\d.]+))*)")
SPEC_NAMES = {
    "Mean acceptance length": "spec/mean_acceptance_length",
    "Accepted throughput": "spec/accepted_tps",
    "Drafted throughput": "spec/drafted_tps",
    "Accepted": "spec/accepted_tokens",
    "Drafted": "spec/drafted_tokens",
    "Avg Draft acceptance rate": "spec/draft_acceptance_pct",
}
"""What the line of speculative decoding calls a value, and its column; a name not listed is made one."""
_CUT = 2048
"""Lines gathered before they are converted."""
_DIGITS = b"0123456789."
_BLANKED = bytes(byte if byte in _DIGITS else 32 for byte in range(256))
_NUMBER_END = re.compile(rb"\s*(?:\x1b\[[\d;]*m|\[repeated [^\n]*)*\s*$")


@dataclass(slots=True, eq=False)
class _Shape:
    """Lines that differ in their numbers only."""

    fields: tuple[str, ...]
    rows: list[int] = field(default_factory=list)
    tails: list[bytes] = field(default_factory=list)


class _Parser:
    """The engine lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._rows: list[int] = []
        self._heads: list[int] = []
        self._clocks: list[bytes | None] = []
        self._repeats: dict[int, int] = {}
        self._known_heads: dict[bytes, int] = {}
        self._engines: list[str] = []
        self._shapes: dict[bytes, _Shape | None] = {}
        self._waiting = 0
        self._parts: list[tuple[tuple[str, ...], npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
        self._spec: list[tuple[int, str, float]] = []
        self._last: dict[int, int] = {}
        self._times: dict[int, float] = {}

    def take_many(self, lines: Sequence[tuple[int, bytes]]) -> None:
        """Takes engine lines."""
        for number, raw in lines:
            for piece in raw.split(b"\r") if b"\r" in raw else (raw,):
                if (at := piece.find(_STATS)) >= 0:
                    self._stats(number, piece, at)
                elif (at := piece.find(_SPEC)) >= 0:
                    self._speculative(number, piece, at)
        if self._waiting >= _CUT:
            self._convert()

    def finish(self) -> Found:
        """The samples as `tables.ENGINES`."""
        self._convert()
        if not self._rows:
            return Found()
        return Found(engines=self._table())

    # Lines -----------------------------------------------------------------------------------------------------------

    def _stats(self, number: int, raw: bytes, at: int) -> None:
        tail = raw[at:]
        skeleton = tail.translate(None, _DIGITS)
        if skeleton not in self._shapes:
            self._shapes[skeleton] = _shape(tail)
        shape = self._shapes[skeleton]
        if shape is None:
            self._odd(number, tail, raw[:at])
            return
        row = self._row(number, raw[:at])
        if _REPEATED in tail:
            tail = self._repeated(row, tail)
        shape.rows.append(row)
        shape.tails.append(tail)
        self._waiting += 1

    def _odd(self, number: int, tail: bytes, head: bytes) -> None:
        """A line of an unknown tail: what the pattern matches is taken, the rest is named."""
        match = _TAIL.match(tail)
        values = _floats(match.groups()) if match is not None else None
        if values is None:
            self._log.noted.add("console.engine-line", number)
            return
        self._log.noted.add("console.engine-tail", number)
        names = tuple(name for name, value in zip(FIELDS, values, strict=True) if value is not None)
        row = self._row(number, head)
        found = np.array([[value for value in values if value is not None]])
        self._parts.append((names, np.array([row]), found))

    def _row(self, number: int, head: bytes) -> int:
        """A new sample's position; its engine is found by the text before the time, which repeats."""
        row = len(self._rows)
        clock, before, after = _split_head(head)
        key = before + b"\0" + after
        known = self._known_heads.get(key)
        if known is None:
            known = self._known_heads[key] = self._engine(strip(head), after)
        self._rows.append(number)
        self._heads.append(known)
        self._clocks.append(clock)
        if clock is None and (time := strip(head).time) is not None:
            self._times[row] = time
        self._last[known] = row
        return row

    def _engine(self, said: Said, after: bytes) -> int:
        number = re.search(rb"Engine (\d+)", after)
        name = engine_name(said, int(number[1][:9]) if number else 0)
        if name not in self._engines:
            self._engines.append(name)
        return self._engines.index(name)

    def _repeated(self, row: int, tail: bytes) -> bytes:
        tail, _, note = tail.partition(_REPEATED)
        count = re.match(rb"(\d{1,9})x across cluster\]", note)
        self._repeats[row] = int(count[1]) if count else 0
        return tail

    def _speculative(self, number: int, raw: bytes, at: int) -> None:
        """Joined to the last sample of the same engine; a sample of its own without one."""
        said = strip(raw)
        name = engine_name(said, 0)
        known = self._engines.index(name) if name in self._engines else None
        joined = known is not None and known in self._last
        row = self._last.pop(known) if known is not None and joined else self._row(number, raw[:at])
        for match in _SPEC_FIELD.finditer(said.text):
            values = [float(value) for value in match["values"].split(", ") if value.count(".") < 2]
            if match["name"].startswith("Per-position"):
                self._spec += [(row, f"spec/acceptance_rate_{i}", value) for i, value in enumerate(values)]
            elif values:
                fallback = "spec/" + re.sub(r"[^a-z]+", "_", match["name"].lower())
                self._spec.append((row, SPEC_NAMES.get(match["name"], fallback), values[0]))

    # Columns ---------------------------------------------------------------------------------------------------------

    def _convert(self) -> None:
        """The gathered lines as numbers, shape by shape."""
        for shape in self._shapes.values():
            if shape is None or not shape.rows:
                continue
            rows, tails = np.array(shape.rows, dtype="int64"), shape.tails
            width = len(shape.fields)
            words = b"\n".join(tails).translate(_BLANKED).split()
            values = _floats(words) if len(words) == width * len(tails) else None
            if values is not None:
                self._parts.append((shape.fields, rows, np.array(values, dtype="float64").reshape(-1, width)))
            else:
                self._one_by_one(shape)
            shape.rows, shape.tails = [], []
        self._waiting = 0

    def _one_by_one(self, shape: _Shape) -> None:
        """Lines of which at least one has a number that is none."""
        for row, tail in zip(shape.rows, shape.tails, strict=True):
            values = _floats(tail.translate(_BLANKED).split())
            if values is not None and len(values) == len(shape.fields):
                self._parts.append((shape.fields, np.array([row]), np.array([values], dtype="float64")))
            else:
                self._log.noted.add("console.engine-line", self._rows[row])
                self._rows[row] = -1

    def _table(self) -> pd.DataFrame:
        size = len(self._rows)
        columns: dict[str, npt.NDArray[np.float64]] = {}
        for names, rows, values in self._parts:
            for at, name in enumerate(names):
                columns.setdefault(name, np.full(size, np.nan))[rows] = values[:, at]
        for row, name, value in self._spec:
            columns.setdefault(name, np.full(size, np.nan))[row] = value
        clocks = _texts(self._clocks)
        repeats = np.zeros(size)
        repeats[list(self._repeats)] = list(self._repeats.values())
        table = pd.DataFrame(
            {
                "job": np.full(size, self._log.job, dtype=object),
                "row": np.array(self._rows, dtype="int64"),
                "source": np.full(size, self._log.path, dtype=object),
                "time": self._axis(clocks),
                "clock": clocks,
                "engine": np.array(self._engines, dtype=object)[self._heads],
                "engines_reporting": np.ones(size),
                "hidden_repeats": repeats,
                **columns,
            }
        )
        return conform(table[table["row"] >= 0], ENGINES)

    def _axis(self, clocks: npt.NDArray[np.object_]) -> npt.NDArray[np.float64]:
        times = assumed_times(clocks.tolist())
        for row, time in self._times.items():
            times[row] = time
        return times


def engine_name(said: Said, number: int) -> str:
    """The identity of an engine: its process, and its number where one process runs several."""
    parts = [said.container, said.actor, None if said.pid is None else str(said.pid), said.ip]
    if said.actor is None and said.inner is not None:
        parts.append(said.inner.replace(" pid=", "/"))
    process = "/".join(part for part in parts if part)
    if not process:
        return f"engine-{number:03d}"
    return f"{process}#{number}" if number else process


_CLOCK = re.compile(rb"(?:INFO|DEBUG|WARNING) (\d\d-\d\d \d\d:\d\d:\d\d)")


def _split_head(head: bytes) -> tuple[bytes | None, bytes, bytes]:
    """The clock in the text before the numbers, and what stands before and after it."""
    at = head.find(b"INFO ")
    if at >= 0 and head[at + 7 : at + 8] == b"-" and head[at + 10 : at + 11] == b" ":
        return head[at + 5 : at + 19], head[:at], head[at + 19 :]
    match = _CLOCK.search(head)
    if match is None:
        return None, head, head
    return match[1], head[: match.start()], head[match.end() :]


def _shape(tail: bytes) -> _Shape | None:
    """The fields of a tail whose every number the pattern accounts for; None for any other tail."""
    match = _TAIL.match(tail)
    if match is None or _NUMBER_END.match(tail, match.end()) is None:
        return None
    if b"\x1b" in tail:
        return None
    return _Shape(tuple(name for name, value in zip(FIELDS, match.groups(), strict=True) if value is not None))


def _floats(words: Sequence[bytes | None]) -> list[float | None] | None:
    """The words as numbers, None for None; None when one is no number."""
    try:
        return [None if word is None else float(word) for word in words]
    except ValueError:
        return None


def _texts(clocks: list[bytes | None]) -> npt.NDArray[np.object_]:
    """Distinct texts once each, so that equal ones share their memory."""
    known: dict[bytes | None, str | None] = {None: None}
    texts = np.empty(len(clocks), dtype=object)
    for row, clock in enumerate(clocks):
        if clock not in known:
            known[clock] = clock.decode("ascii", "replace") if clock is not None else None
        texts[row] = known[clock]
    return texts


DIALECT = Dialect(
    name="vllm",
    framework=None,
    needles=(_STATS, _SPEC),
    markers=(_STATS, _SPEC),
    bulk=_Parser,
)
