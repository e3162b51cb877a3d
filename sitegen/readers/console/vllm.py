"""vLLM's periodic statistics: one engine's throughput, queue and caches, and its speculative decoding.

An engine is a process: (actor, pid, ip), not the `Engine 000` that every one of them prints. Actors on the head node
have no `ip=`. The clock has no year: that of the log's dated lines is taken, else one is assumed. Throughputs are
averages over the last logging interval. Lines differ by their optional tails only, so a shape is taken apart once and
the numbers of all its lines are converted together.

Source: vLLM 0.6-0.20, `vllm/v1/metrics/loggers.py` (`LoggingStatLogger.log`), `vllm/v1/spec_decode/metrics.py`
(`SpecDecodingLogging.log`); prefix `vllm/logging_utils/formatter.py`.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sitegen.model.tables import ENGINES, table_of
from sitegen.readers.console.dialect import Dialect, Found, Log
from sitegen.readers.console.prefixes import Said, strip
from sitegen.readers.log_clock import assumed_times, dated_times

_STATS = b"Avg prompt throughput: "
_SPEC = b"SpecDecoding metrics: "
_REPEATED = b" [repeated "
_N = rb"([\d.]+)"
_TAIL = re.compile(
    _N + rb" tokens/s, Avg generation throughput: " + _N + rb" tokens/s, "
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
MAX_SPEC_ROWS = 1_000_000
_KNOWN_HEADS = 10_000
_DIGITS = b"0123456789."
_BLANKED = bytes(byte if byte in _DIGITS else 32 for byte in range(256))
_COLOURS = re.compile(rb"\x1b\[[\d;]*m")
_CLOCK = re.compile(rb"(?:INFO|DEBUG|WARNING) (\d\d-\d\d \d\d:\d\d:\d\d)")
_ENGINE = re.compile(rb"Engine (\d{1,9}): ?$")


@dataclass(slots=True, eq=False)
class _Samples:
    """Samples in the order logged; what repeats is kept once and pointed to."""

    lines: array[int] = field(default_factory=lambda: array("q"))
    engines: array[int] = field(default_factory=lambda: array("l"))
    clocks: array[int] = field(default_factory=lambda: array("l"))
    engine_names: dict[str, int] = field(default_factory=dict)
    clock_texts: dict[bytes | None, int] = field(default_factory=dict)
    times: dict[int, float] = field(default_factory=dict)
    """Sample to its time, where the stamp has a year."""
    repeats: dict[int, int] = field(default_factory=dict)
    """Sample to the lines that Ray collapsed into it."""
    last: dict[int, int] = field(default_factory=dict)
    """Engine to its latest sample, until a line of speculative decoding has joined it."""
    values: list[tuple[tuple[str, ...], array[int], npt.NDArray[np.float64]]] = field(default_factory=list)
    """Columns, samples, and a row of values for each of them."""


class _Parser:
    """The engine lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._samples = _Samples()
        self._heads: dict[bytes, int] = {}
        self._shapes: dict[bytes, tuple[str, ...] | None] = {}

    def take_many(self, lines: Sequence[tuple[int, bytes]]) -> None:
        """Takes engine lines; runs of statistics lines are converted together."""
        numbers: list[int] = []
        heads: list[bytes] = []
        tails: list[bytes] = []
        for number, raw in lines:
            for piece in raw.split(b"\r") if b"\r" in raw else (raw,):
                head, mark, tail = piece.partition(_STATS)
                if mark:
                    numbers.append(number)
                    heads.append(head)
                    tails.append(tail)
                elif _SPEC in piece:
                    self._statistics(numbers, heads, tails)
                    numbers, heads, tails = [], [], []
                    self._speculative(number, piece)
        self._statistics(numbers, heads, tails)

    def finish(self) -> Found:
        """The samples as `tables.ENGINES`."""
        return Found(engines=self._table()) if any(line > 0 for line in self._samples.lines) else Found()

    # Statistics ------------------------------------------------------------------------------------------------------

    def _statistics(self, numbers: list[int], heads: list[bytes], tails: list[bytes]) -> None:
        """Takes statistics lines, shape by shape: a shape is what remains without the digits."""
        if not numbers:
            return
        first = len(self._samples.lines)
        self._samples.lines.extend(numbers)
        for head in heads:
            self._enter(head)
        skeletons = b"\n".join(tails).translate(None, _DIGITS).split(b"\n")
        kinds = dict.fromkeys(skeletons)
        for skeleton in kinds:
            at = range(len(tails)) if len(kinds) == 1 else [i for i, each in enumerate(skeletons) if each == skeleton]
            rows = [first + i for i in at]
            chosen = [tails[i] for i in at]
            if _REPEATED in skeleton:
                chosen = [self._repeated(row, tail) for row, tail in zip(rows, chosen, strict=True)]
            self._convert(self._fields(skeleton, chosen[0]), rows, chosen)

    def _fields(self, skeleton: bytes, tail: bytes) -> tuple[str, ...] | None:
        """The columns of a shape, None when the pattern does not account for all of it."""
        if skeleton not in self._shapes:
            match = _TAIL.match(tail)
            whole = match is not None and not tail[match.end() :].strip(b" ")
            self._shapes[skeleton] = _given(match.groups()) if match is not None and whole else None
        return self._shapes[skeleton]

    def _convert(self, fields: tuple[str, ...] | None, rows: list[int], tails: list[bytes]) -> None:
        """The numbers of lines of one shape: exactly one in each slot, or the lines are taken one by one."""
        if fields is not None:
            words = b" ".join(tails).translate(_BLANKED).split()
            if len(words) == len(fields) * len(tails):
                try:
                    values = np.array(list(map(float, words)), dtype="float64")
                except ValueError:
                    values = None
                if values is not None:
                    self._samples.values.append((fields, array("q", rows), values.reshape(-1, len(fields))))
                    return
        for row, tail in zip(rows, tails, strict=True):
            self._odd(row, tail)

    def _odd(self, row: int, tail: bytes) -> None:
        """A line of its own: what the pattern matches is taken, the rest is named."""
        samples = self._samples
        tail = _COLOURS.sub(b"", tail)
        match = _TAIL.match(tail)
        try:
            values = [[float(value) for value in match.groups() if value is not None]] if match is not None else None
        except ValueError:
            values = None
        if match is None or values is None:
            self._log.noted.add("console.engine-line", samples.lines[row])
            samples.lines[row] = -1
            return
        if tail[match.end() :].strip(b" "):
            self._log.noted.add("console.engine-tail", samples.lines[row])
        samples.values.append((_given(match.groups()), array("q", [row]), np.array(values)))

    def _repeated(self, row: int, tail: bytes) -> bytes:
        tail, _, note = tail.partition(_REPEATED)
        count = re.match(rb"(\d{1,9})x across cluster\]", note)
        self._samples.repeats[row] = int(count[1]) if count else 0
        return tail

    def _enter(self, head: bytes) -> int:
        """The clock and the engine of the next sample, from the text before its numbers; its position."""
        samples = self._samples
        row = len(samples.engines)
        before, mark, after = head.partition(b"INFO ")
        if mark and after[2:3] == b"-" and after[8:9] == b":" and after[14:15] == b" ":
            clock: bytes | None = after[:14]
            key = before + after[14:]
        else:
            match = _CLOCK.search(head)
            clock = match[1] if match is not None else None
            key = head if match is None else head[: match.start()] + head[match.end() :]
        samples.clocks.append(samples.clock_texts.setdefault(clock, len(samples.clock_texts)))
        engine = self._heads.get(key)
        if engine is None or clock is None:
            engine = self._engine(row, head, key)
        samples.engines.append(engine)
        samples.last[engine] = row
        return row

    def _engine(self, row: int, head: bytes, key: bytes) -> int:
        said = strip(head)
        if said.time is not None:
            self._samples.times[row] = said.time
        number = _ENGINE.search(head)
        name = engine_name(said, int(number[1]) if number else 0)
        engine = self._samples.engine_names.setdefault(name, len(self._samples.engine_names))
        if said.time is None and len(self._heads) < _KNOWN_HEADS:
            self._heads[key] = engine
        return engine

    # Speculative decoding --------------------------------------------------------------------------------------------

    def _speculative(self, number: int, raw: bytes) -> None:
        """Joined to the last sample of the same engine; a sample of its own without one."""
        samples = self._samples
        said = strip(raw)
        engine = samples.engine_names.get(engine_name(said, 0))
        row = samples.last.pop(engine, None) if engine is not None else None
        if row is None:
            samples.lines.append(number)
            row = self._enter(raw[: raw.find(_SPEC)])
            samples.last.pop(samples.engines[row], None)
        names: list[str] = []
        values: list[float] = []
        for match in _SPEC_FIELD.finditer(said.text):
            found = [float(value) for value in match["values"].split(", ") if value.count(".") < 2]
            if match["name"].startswith("Per-position"):
                names += [f"spec/acceptance_rate_{i}" for i in range(len(found))]
                values += found
            elif found:
                names.append(SPEC_NAMES.get(match["name"]) or "spec/" + re.sub(r"[^a-z]+", "_", match["name"].lower()))
                values.append(found[0])
        if len(samples.values) < MAX_SPEC_ROWS:
            samples.values.append((tuple(names), array("q", [row]), np.array([values])))

    # Table -----------------------------------------------------------------------------------------------------------

    def _table(self) -> pd.DataFrame:
        samples = self._samples
        size = len(samples.lines)
        columns: dict[str, npt.NDArray[np.float64]] = {}
        for names, rows, values in samples.values:
            for at, name in enumerate(names):
                if name not in columns:
                    columns[name] = np.full(size, np.nan)
                columns[name][rows] = values[:, at]
        repeats = np.zeros(size)
        repeats[list(samples.repeats)] = list(samples.repeats.values())
        clocks = [None if clock is None else clock.decode("ascii", "replace") for clock in samples.clock_texts]
        started = self._log.started
        times = (assumed_times(clocks) if started is None else dated_times(clocks, started))[samples.clocks]
        times[list(samples.times)] = list(samples.times.values())
        given: dict[str, npt.NDArray[Any]] = {
            "job": np.full(size, self._log.job, dtype=object),
            "row": np.array(samples.lines, dtype="int64"),
            "source": np.full(size, self._log.path, dtype=object),
            "time": times,
            "clock": np.array(clocks, dtype=object)[samples.clocks],
            "engine": np.array(list(samples.engine_names), dtype=object)[samples.engines],
            "engines_reporting": np.ones(size),
            "hidden_repeats": repeats,
            **columns,
        }
        samples.values.clear()
        whole = given["row"] >= 0
        return table_of(given if whole.all() else {name: v[whole] for name, v in given.items()}, ENGINES)


def _given(groups: Sequence[bytes | None]) -> tuple[str, ...]:
    """The columns of the groups that took part in a match."""
    return tuple(name for name, value in zip(FIELDS, groups, strict=True) if value is not None)


def engine_name(said: Said, number: int) -> str:
    """The identity of an engine: its process, and its number where one process runs several."""
    parts = [said.container, said.actor, None if said.pid is None else str(said.pid), said.ip]
    if said.actor is None and said.inner is not None:
        parts.append(said.inner.replace(" pid=", "/"))
    process = "/".join(part for part in parts if part)
    if not process:
        return f"engine-{number:03d}"
    return f"{process}#{number}" if number else process


DIALECT = Dialect(
    name="vllm",
    framework=None,
    needles=(_STATS, _SPEC),
    markers=(_STATS, _SPEC),
    bulk=_Parser,
)
