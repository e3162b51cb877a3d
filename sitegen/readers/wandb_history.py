"""The history that W&B writes while a run goes on: `run-<id>.wandb`, with the optional extra `wandb`.

A 7-byte header (`:W&B`, 0xBEE1, version), then LevelDB log records in 32 KiB blocks (CRC-32 over type and content,
length, type, content), each one or several parts of a protobuf `Record`. History records hold a value per key as JSON;
their `_step` counts log calls. The training step is the metric that the run itself declared as its axis, else one of
the usual names, else `_step`, which is a guess and said to be one.

Calls within one training step are one row: of a metric that was logged several times the last value, as on W&B's own
axis. Steps with nothing but profiling are left out.

Source: W&B 0.31 `wandb/proto/wandb_internal.proto`, W&B 0.16 `wandb/sdk/internal/datastore.py`; LevelDB
`doc/log_format.md`; Transformers 4.57 `integrations/integration_utils.py` (`train/global_step` as axis).
"""

from __future__ import annotations

import json
import math
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import UNKNOWN_END, EndCause, JobEnd, JobRecord, ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.json_tracker import TRACKER
from sitegen.readers.metric_records import (
    GUESSED_STEP_KEYS,
    MetricRecord,
    Numbers,
    hugging_face,
    listed,
    metric_tables,
    records_of,
    step_key,
)
from sitegen.readers.text_file import is_pointer, load
from sitegen.readers.tracker_places import WANDB_RUN, wandb_job
from sitegen.text import Text

MAGIC = b":W&B"
HEADER = 7
BLOCK = 32768
"""Bytes of a block; no record part crosses its end."""
PROFILE = ("profiling/", "system/")
"""Names that tell of the program, not of the training."""
_PART = struct.Struct("<IHB")
_BAD, _FULL, _FIRST, _MIDDLE, _LAST = 0, 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Schema:
    """What the extra gives."""

    parse: Callable[[bytes], Any]
    """Bytes to a `Record`."""
    errors: tuple[type[Exception], ...]
    """What `parse` raises on bytes that are none."""


@dataclass(slots=True, eq=False)
class History:
    """What a history file says."""

    rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """Record number and values of each history record."""
    axis: str | None = None
    """The metric declared as the axis of all others."""
    address: str | None = None
    """Address of the run on wandb.ai; None for one that never had an owner."""
    started: float | None = None
    """Unix seconds."""
    exit_code: int | None = None
    """What the process ended with; None when the file does not tell."""
    damaged: list[int] = field(default_factory=list)
    """Numbers of records that could not be used."""


def sniff(source: SourceFile) -> bool:
    """The name decides: nothing else is called `run-<id>.wandb`."""
    return source.size >= 0


def read(source: SourceFile) -> ReadResult:
    """One record per training step (`tables.STEPS`); how the process ended; `wandb_url`."""
    try:
        content = source.location.read_bytes()
    except OSError:
        return _nothing(source, *load(source).problems)
    if is_pointer(content[:1024]) or not content.strip(b"\0"):
        return _nothing(source, *load(source).problems)
    if not content.startswith(MAGIC):
        return _nothing(source, problem("wandb.not-a-history", source.path))
    known = schema()
    if known is None:
        return _nothing(source, problem("tracker.extra-missing", source.path, None, extra="wandb"))
    return _result(source, history_of(content, known))


def schema() -> Schema | None:
    """What makes a `Record` of its bytes; None without the extra."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            record = import_module("wandb.proto.wandb_internal_pb2").Record
            error = import_module("google.protobuf.message").DecodeError
    except ImportError:
        return None
    return Schema(record.FromString, (error, ValueError))


def frames(content: bytes) -> Iterator[bytes | None]:
    """The records of a history file in order; None in the place of each that is damaged or torn."""
    parts: bytes | None = None
    for kind, data in _parts(content):
        if kind == _BAD:
            parts = None
            yield None
        elif kind == _FULL:
            parts = None
            yield data
        elif kind == _FIRST:
            parts = data
        elif parts is not None and kind in (_MIDDLE, _LAST):
            parts += data
            if kind == _LAST:
                yield parts
                parts = None
    if parts is not None:
        yield None


def _parts(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and content of every part; `_BAD` for a damaged or torn one, after which the next block is read."""
    position = HEADER
    while position < len(content):
        left = BLOCK - position % BLOCK
        if left < _PART.size:
            position += left
            continue
        if len(content) - position < _PART.size:
            yield _BAD, b""
            return
        checksum, length, kind = _PART.unpack_from(content, position)
        begin = position + _PART.size
        data = content[begin : begin + length]
        whole = len(data) == length <= left - _PART.size
        if whole and zlib.crc32(data, zlib.crc32(bytes([kind]))) == checksum:
            yield kind, data
            position = begin + length
        else:
            if any(content[position : position + left]):  # zeros are room that was made and not written to
                yield _BAD, b""
            position += left


def history_of(content: bytes, known: Schema) -> History:
    """What the whole records of a history file say."""
    history = History()
    for number, data in enumerate(frames(content), start=1):
        record = None if data is None else _parsed(data, known)
        if record is None:
            history.damaged.append(number)
        else:
            _take(history, number, record)
    return history


def _parsed(data: bytes, known: Schema) -> Any:
    """A record; None for bytes that are none."""
    try:
        return known.parse(data)
    except known.errors:
        return None


def _take(history: History, number: int, record: Any) -> None:
    kind = record.WhichOneof("record_type")
    if kind == "history":
        history.rows.append((number, _values(record.history)))
    elif kind == "metric" and record.metric.glob_name == "*" and record.metric.step_metric:
        history.axis = record.metric.step_metric
    elif kind == "run":
        run = record.run
        if run.entity and run.project and run.run_id:
            history.address = f"https://wandb.ai/{run.entity}/{run.project}/runs/{run.run_id}"
        if run.start_time.seconds > 0:
            history.started = run.start_time.seconds + run.start_time.nanos / 1e9
    elif kind == "exit":
        history.exit_code = record.exit.exit_code


def _values(row: Any) -> dict[str, Any]:
    """A history record's values; one whose JSON is broken counts as text."""
    values: dict[str, Any] = {}
    for item in row.item:
        name = ".".join(item.nested_key) or item.key
        try:
            values[name] = json.loads(item.value_json)
        except (ValueError, RecursionError):
            values[name] = item.value_json
    return values


def _result(source: SourceFile, history: History) -> ReadResult:
    job, numbers = wandb_job(source), Numbers(source.path, separator=".")
    key, problems = _axis(source.path, history)
    records: list[MetricRecord] = []
    if key is not None:
        own = ("_runtime", "_step", "_wandb")
        bare = [(line, {k: v for k, v in row.items() if k == key or k not in own}) for line, row in history.rows]
        placed = [(line, row) for line, row in bare if key in row]
        if len(placed) < len(bare):
            values = {"count": len(bare) - len(placed), "name": key}
            problems.append(problem("wandb.rows-without-step", source.path, None, **values))
        records, odd = records_of(source.path, placed, key, numbers)
        records, joined = joined_steps(source.path, records)
        problems += [*odd, *joined, *numbers.problems()]
    if history.damaged:
        values = {"count": len(history.damaged), "number": history.damaged[0]}
        problems.append(problem("wandb.damaged", source.path, None, **values))
    tables = metric_tables(source.path, job, records)
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=TRACKER,
        framework="trl" if hugging_face(name for record in records for name in record.values) else None,
        steps=tables.steps,
        nonfinite=tables.nonfinite,
        jobs=(JobRecord(name=job, started=history.started, end=_end(source.path, history), source=source.path),),
        facts={"wandb_url": history.address} if history.address else {},
        rows=len(records),
        problems=(*problems, *tables.problems),
    )


def _axis(path: str, history: History) -> tuple[str | None, list[Problem]]:
    """The key of the training step, and what is to be said of the choice."""
    names = {name for _, row in history.rows for name in row}
    key, guessed = (history.axis, False) if history.axis in names else step_key(names)
    if key is None:
        return None, [problem("tracker.no-records", path)]
    return key, [problem("tracker.step-guessed", path, None, name=key)] if guessed or key in GUESSED_STEP_KEYS else []


def joined_steps(path: str, records: Sequence[MetricRecord]) -> tuple[list[MetricRecord], list[Problem]]:
    """Neighbouring records of one step and kind as one, the last value of each metric; profiling alone left out."""
    joined: list[MetricRecord] = []
    repeated: dict[str, int] = {}
    for record in records:
        last = joined[-1] if joined else None
        if last is None or (last.step, last.kind) != (record.step, record.kind):
            joined.append(record)
            continue
        for name in last.values.keys() & record.values.keys():
            repeated[name] = repeated.get(name, 0) + 1
        last.values.update(record.values)
        last.time = last.time if math.isnan(record.time) else record.time
    kept = [record for record in joined if not all(name.startswith(PROFILE) for name in record.values)]
    problems: list[Problem] = []
    if len(kept) < len(joined):
        problems.append(problem("wandb.profile-only", path, None, count=len(joined) - len(kept)))
    if repeated:
        names = listed(sorted(repeated), 3)
        problems.append(problem("wandb.several-per-step", path, None, count=sum(repeated.values()), names=names))
    return kept, problems


def _end(path: str, history: History) -> JobEnd:
    if history.exit_code is None:
        return UNKNOWN_END
    cause: EndCause = "finished" if history.exit_code == 0 else "crashed"
    return JobEnd(cause=cause, path=path, line=None, text=f"exit_code: {history.exit_code}")


def _nothing(source: SourceFile, *problems: Problem) -> ReadResult:
    """No data; the launch is still one of the run's where the folder names it."""
    named = WANDB_RUN.search(source.path) is not None
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=TRACKER,
        jobs=(JobRecord(name=wandb_job(source), source=source.path),) if named else (),
        problems=problems,
    )


READER = Reader(
    name="wandb_history",
    title=Text("W&B history (.wandb)", "W&B 历史记录（.wandb）"),
    names=("run-*.wandb",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
