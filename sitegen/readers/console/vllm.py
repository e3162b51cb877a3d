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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
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
    _STATS + _N + rb" tokens/s, Avg generation throughput: " + _N + rb" tokens/s, "
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
MAX_SPEC_COLUMNS = 100
_TOGETHER = 4096
"""Lines converted together."""
_DIGITS = b"0123456789."
_BLANKED = bytes(byte if byte in _DIGITS + b"," else 32 for byte in range(256))
"""Leaves numbers in JSON: a comma stands between any two of a line, and two without one are an error."""
_COLOURS = re.compile(rb"\x1b\[[\d;]*m")
_CLOCK = re.compile(rb"(?:INFO|DEBUG|WARNING) (\d\d-\d\d \d\d:\d\d:\d\d)")
_CLOCK_TEXT = re.compile(rb"\d\d-\d\d \d\d:\d\d:\d\d")
_ENGINE = re.compile(rb"Engine (\d{1,9}): ?$")


Rows = npt.NDArray[np.int64]


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
    values: list[tuple[tuple[str, ...], Rows, npt.NDArray[np.float64]]] = field(default_factory=list)
    """Columns, samples, and a row of values for each of them."""
    spec: dict[str, tuple[array[int], array[float]]] = field(default_factory=dict)
    """Column of speculative decoding to samples and values."""


class _Parser:
    """The engine lines of one log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._samples = _Samples()
        self._engines: dict[bytes, int] = {}
        self._shapes: dict[bytes, tuple[str, ...] | None] = {}
        self._numbers: list[int] = []
        self._heads: list[bytes] = []
        self._tails: list[bytes] = []

    def take_many(self, numbers: Sequence[int], heads: Sequence[bytes], tails: Sequence[bytes]) -> None:
        """Takes engine lines; they are gathered and converted together."""
        self._numbers += numbers
        self._heads += heads
        self._tails += tails
        if len(self._tails) >= _TOGETHER:
            self._flush()

    def finish(self) -> Found:
        """The samples as `tables.ENGINES`."""
        self._flush()
        return Found(engines=self._table()) if any(line > 0 for line in self._samples.lines) else Found()

    # Statistics ------------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Converts the lines gathered."""
        numbers, heads, tails = self._numbers, self._heads, self._tails
        self._numbers, self._heads, self._tails = [], [], []
        if not tails:
            return
        shapes = _shapes(tails)
        plain = all(shape.startswith(_STATS) and b"\r" not in shape for shape in shapes)
        if plain and b"\r" not in b"".join(heads):
            self._seen(self._statistics(numbers, heads, tails, shapes), len(self._samples.engines))
        else:
            self._mixed(numbers, [head + tail for head, tail in zip(heads, tails, strict=True)])

    def _mixed(self, numbers: Sequence[int], lines: Sequence[bytes]) -> None:
        """Lines among which some are of speculative decoding, or have carriage returns: progress bars before them."""
        found: list[tuple[int, bytes, bytes]] = []
        specs: list[tuple[int, int, bytes]] = []
        for number, raw in zip(numbers, lines, strict=True):
            for piece in raw.split(b"\r"):
                head, mark, tail = piece.partition(_STATS)
                if mark:
                    found.append((number, head, mark + tail))
                elif _SPEC in piece:
                    specs.append((len(found), number, piece))
        first = at = len(self._samples.engines)
        if found:
            several, heads, tails = zip(*found, strict=True)
            self._statistics(several, heads, tails, _shapes(tails))
        end = len(self._samples.engines)
        for before, number, raw in specs:
            self._seen(at, first + before)
            at = first + before
            self._speculative(number, raw)
        self._seen(at, end)

    def _seen(self, first: int, end: int) -> None:
        """Notes the latest sample of each engine."""
        self._samples.last.update(zip(self._samples.engines[first:end], range(first, end), strict=True))

    def _statistics(
        self, numbers: Sequence[int], heads: Sequence[bytes], tails: Sequence[bytes], shapes: Mapping[bytes, Rows]
    ) -> int:
        """Statistics lines, shape by shape. The first one's position."""
        first = len(self._samples.engines)
        self._samples.lines.extend(numbers)
        self._enter(heads)
        for shape, at in shapes.items():
            rows = at + first
            chosen = tails if len(shapes) == 1 else [tails[i] for i in at.tolist()]
            if _REPEATED in shape:
                chosen = [self._repeated(row, tail) for row, tail in zip(rows.tolist(), chosen, strict=True)]
            self._convert(self._fields(shape, chosen[0]), rows, chosen)
        return first

    def _fields(self, shape: bytes, tail: bytes) -> tuple[str, ...] | None:
        """The columns of a shape, None when the pattern does not account for all of it."""
        if shape not in self._shapes:
            match = _TAIL.match(tail)
            whole = match is not None and not tail[match.end() :].strip(b" ")
            self._shapes[shape] = _given(match.groups()) if match is not None and whole else None
        return self._shapes[shape]

    def _convert(self, fields: tuple[str, ...] | None, rows: Rows, tails: Sequence[bytes]) -> None:
        """The numbers of lines of one shape: exactly one in each slot, or the lines are taken one by one."""
        if fields is not None:
            try:
                values = orjson.loads(b"[" + b",".join(tails).translate(_BLANKED) + b"]")
            except orjson.JSONDecodeError:
                values = []
            if len(values) == len(fields) * len(tails):
                table = np.fromiter(values, dtype="float64", count=len(values)).reshape(-1, len(fields))
                self._samples.values.append((fields, rows, table))
                return
        for row, tail in zip(rows.tolist(), tails, strict=True):
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
        samples.values.append((_given(match.groups()), np.array([row]), np.array(values)))

    def _repeated(self, row: int, tail: bytes) -> bytes:
        tail, _, note = tail.partition(_REPEATED)
        count = re.match(rb"(\d{1,9})x across cluster\]", note)
        self._samples.repeats[row] = int(count[1]) if count else 0
        return tail

    def _enter(self, heads: Sequence[bytes]) -> None:
        """The clocks and engines of the next samples, from the texts before their numbers, which repeat."""
        samples = self._samples
        parts = [head.partition(b"INFO ") for head in heads]
        clocks: list[bytes | None] = [after[:14] for _, _, after in parts]
        keys = [before + after[14:] for before, _, after in parts]
        known = samples.clock_texts
        odd = False
        for clock in dict.fromkeys(clocks):
            if clock not in known and clock is not None and _CLOCK_TEXT.fullmatch(clock):
                known[clock] = len(known)
            odd = odd or clock not in known
        if set(keys) - self._engines.keys():
            for key, head in zip(keys, heads, strict=True):
                if key not in self._engines and _CLOCK.search(head):
                    self._engines[key] = self._engine(head, strip(head))
            odd = odd or not self._engines.keys() >= set(keys)
        if odd:
            self._odd_heads(heads, clocks, keys)
        samples.clocks.extend(map(known.__getitem__, clocks))
        samples.engines.extend(map(self._engines.__getitem__, keys))

    def _odd_heads(self, heads: Sequence[bytes], clocks: list[bytes | None], keys: list[bytes]) -> None:
        first = len(self._samples.engines)
        for at, (clock, key) in enumerate(zip(clocks, keys, strict=True)):
            if clock not in self._samples.clock_texts or key not in self._engines:
                clocks[at], keys[at] = self._odd_head(first + at, heads[at])

    def _odd_head(self, row: int, head: bytes) -> tuple[bytes | None, bytes]:
        """A text without `INFO MM-DD HH:MM:SS`: the keys of its clock and of its engine."""
        samples = self._samples
        said = strip(head)
        match = _CLOCK.search(head)
        clock = match[1] if match is not None else None
        samples.clock_texts.setdefault(clock, len(samples.clock_texts))
        if match is None and said.time is not None:
            samples.times[row] = said.time
        engine = self._engine(head, said)
        key = b"\n%d" % engine  # no key of a line
        self._engines[key] = engine
        return clock, key

    def _engine(self, head: bytes, said: Said) -> int:
        number = _ENGINE.search(head)
        name = engine_name(said, int(number[1]) if number else 0)
        return self._samples.engine_names.setdefault(name, len(self._samples.engine_names))

    # Speculative decoding --------------------------------------------------------------------------------------------

    def _speculative(self, number: int, raw: bytes) -> None:
        """Joined to the last sample of the same engine; a sample of its own without one."""
        samples = self._samples
        said = strip(raw)
        engine = samples.engine_names.get(engine_name(said, 0))
        row = samples.last.pop(engine, None) if engine is not None else None
        if row is None:
            row = len(samples.lines)
            samples.lines.append(number)
            self._enter([raw[: raw.find(_SPEC)]])
            samples.last.pop(samples.engines[row], None)
        for match in _SPEC_FIELD.finditer(said.text):
            name, texts = match["name"], match["values"].split(", ")
            found = [float(text) for text in texts if text.count(".") < 2 and text != "."]
            if name.startswith("Per-position"):
                for at, value in enumerate(found):
                    self._spec_value(f"spec/acceptance_rate_{at}", row, value)
            elif found:
                other = "spec/" + re.sub(r"[^a-z]+", "_", name.lower())
                self._spec_value(SPEC_NAMES.get(name, other), row, found[0])

    def _spec_value(self, name: str, row: int, value: float) -> None:
        if len(self._samples.spec) >= MAX_SPEC_COLUMNS and name not in self._samples.spec:
            return
        rows, values = self._samples.spec.setdefault(name, (array("q"), array("d")))
        rows.append(row)
        values.append(value)

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
        for name, (own, found) in samples.spec.items():
            columns[name] = np.full(size, np.nan)
            columns[name][own] = found
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
        lines = given["row"]
        if lines.min() < 0 or (lines[1:] < lines[:-1]).any():
            order = np.argsort(lines, kind="stable")  # speculative decoding without a sample to join came last
            order = order[lines[order] >= 0]  # broken lines
            given = {name: values[order] for name, values in given.items()}
        return table_of(given, ENGINES)


def _shapes(tails: Sequence[bytes]) -> dict[bytes, Rows]:
    """Shape to the places of its lines, in the order of their first: a shape is what remains without the digits."""
    text = b"\n".join(tails).translate(None, _DIGITS)
    first = text.partition(b"\n")[0]
    if text == b"\n".join([first] * len(tails)):
        return {first: np.arange(len(tails))}
    found: dict[bytes, list[int]] = {}
    for at, shape in enumerate(text.split(b"\n")):
        found.setdefault(shape, []).append(at)
    return {shape: np.array(at) for shape, at in found.items()}


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
