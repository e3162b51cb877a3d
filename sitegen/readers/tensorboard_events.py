"""TensorBoard event files, with the optional extra `tensorboard`: scalars with their steps and wall times.

TFRecord frames (length, masked CRC-32C of it, content, masked CRC-32C of that), each a protobuf `Event`. A file is one
launch's; its name holds the time and the process that made it. Scalars are 4-byte floats: the shortest decimal that
stands for the same float is shown (0.1, not 0.10000000149). Neighbouring scalars of one step are one row. What is no
scalar (texts, histograms, pictures) is counted.

Source: TensorBoard 2.21 `tensorboard/compat/proto/{event,summary}.proto`,
`tensorboard/backend/event_processing/event_file_loader.py`; PyTorch 2.9 `torch/utils/tensorboard/writer.py`;
TensorFlow 2.20 `tensorflow/core/lib/io/record_writer.h`.
"""

from __future__ import annotations

import math
import re
import struct
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitegen.model.problems import Problem, problem
from sitegen.model.run import JobRecord, ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.json_tracker import TRACKER
from sitegen.readers.metric_records import (
    MetricRecord,
    as_step,
    as_time,
    hugging_face,
    kind_of,
    metric_tables,
    printable,
)
from sitegen.readers.text_file import is_pointer, load
from sitegen.readers.tracker_places import job_of_place
from sitegen.readers.xtuner_tracker import clock_facts
from sitegen.text import Text

_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_FRAME = _LENGTH.size + 2 * _CRC.size
_NAME = re.compile(
    r"events\.out\.tfevents\.(?P<time>\d+)(?:\.(?:.+\.(?P<process>\d+)\.(?P<writer>\d+)(?:\.\D.*)?|.*))?"
)
_FEW = 32
"""Records of one length below which one at a time is quicker."""
_SCALARS = "scalars"
"""Plug-in whose tensors are scalars."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What the extra gives."""

    parse: Callable[[bytes], Any]
    """Bytes to an `Event`."""
    crc: Callable[[bytes], int]
    """Masked CRC-32C of one record."""
    crc_table: NDArray[np.uint32]
    """The 256 steps of CRC-32C, for many records at once."""
    array: Callable[[Any], Any]
    """Tensor to numpy array."""
    errors: tuple[type[Exception], ...]
    """What `parse` raises on bytes that are no `Event`."""


@dataclass(slots=True, eq=False)
class Scalars:
    """What an event file says."""

    records: list[MetricRecord] = field(default_factory=list)
    """One per step and change of step, in file order."""
    started: float = math.nan
    """When the file was begun, Unix seconds."""
    others: set[str] = field(default_factory=set)
    """Tags that are no scalars."""
    damaged_at: int | None = None
    """Byte from which the file could not be read."""
    tags: set[str] = field(default_factory=set)
    """Tags whose tensors are scalars."""


def sniff(source: SourceFile) -> bool:
    """The name decides; profiler traces and such beside them have other suffixes."""
    return not source.name.endswith((".profile-empty", ".v2.profile"))


def read(source: SourceFile) -> ReadResult:
    """One record per step (`tables.STEPS`), one job per file."""
    try:
        content = source.location.read_bytes()
    except OSError:
        return _nothing(source, *load(source).problems)
    if is_pointer(content[:1024]) or not content.strip(b"\0"):
        return _nothing(source, *load(source).problems)
    known = schema()
    if known is None:
        return _nothing(source, problem("tracker.extra-missing", source.path, None, extra="tensorboard"))
    return _result(source, scalars_of(content, known))


def schema() -> Schema | None:
    """The protobuf classes and the checksum; None without the extra."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            event = import_module("tensorboard.compat.proto.event_pb2").Event
            records = import_module("tensorboard.compat.tensorflow_stub.pywrap_tensorflow")
            array = import_module("tensorboard.util.tensor_util").make_ndarray
            error = import_module("google.protobuf.message").DecodeError
    except ImportError:
        return None
    table = np.array(records.CRC_TABLE, dtype="uint32")
    return Schema(event.FromString, records.masked_crc32c, table, array, (error, ValueError))


def frames(content: bytes, known: Schema) -> Iterator[tuple[int, bytes | None]]:
    """Position and content of each record; None where the file is torn or damaged, and nothing after it."""
    positions: list[int] = []
    heads: list[bytes] = []
    bodies: list[bytes] = []
    position = 0
    while len(content) - position >= _FRAME:
        head = content[position : position + _LENGTH.size]
        (length,) = _LENGTH.unpack(head)
        end = position + _FRAME + length
        if end > len(content):
            break
        positions.append(position)
        heads.append(head + content[position + _LENGTH.size : position + _LENGTH.size + _CRC.size])
        bodies.append(content[position + _LENGTH.size + _CRC.size : end])
        position = end
    good = intact(heads, known) & intact(bodies, known)
    for at, body, whole in zip(positions, bodies, good.tolist(), strict=True):
        yield at, body[: -_CRC.size] if whole else None
        if not whole:
            return
    if position < len(content):
        yield position, None


def intact(blocks: Sequence[bytes], known: Schema) -> NDArray[np.bool_]:
    """Whether each block ends with the masked CRC-32C of what comes before; blocks of one length are taken together.

    Source: TensorFlow 2.20 `tensorflow/core/lib/hash/crc32c.h` (`Mask`).
    """
    good = np.zeros(len(blocks), dtype=bool)
    by_length: dict[int, list[int]] = {}
    for index, block in enumerate(blocks):
        by_length.setdefault(len(block), []).append(index)
    for length, indices in by_length.items():
        if len(indices) < _FEW:
            good[indices] = [
                _CRC.unpack(blocks[i][-_CRC.size :])[0] == known.crc(blocks[i][: -_CRC.size]) for i in indices
            ]
            continue
        joined = np.frombuffer(b"".join(blocks[index] for index in indices), dtype="uint8").reshape(-1, length)
        crc = np.full(len(indices), 0xFFFFFFFF, dtype="uint32")
        for column in np.ascontiguousarray(joined[:, : -_CRC.size].T):
            crc = known.crc_table[(crc ^ column) & 0xFF] ^ (crc >> np.uint32(8))
        crc ^= np.uint32(0xFFFFFFFF)
        masked = ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)
        written = np.ascontiguousarray(joined[:, -_CRC.size :]).view("<u4")[:, 0]
        good[indices] = masked == written
    return good


def scalars_of(content: bytes, known: Schema) -> Scalars:
    """The scalars of an event file's whole records."""
    found = Scalars()
    for number, (position, data) in enumerate(frames(content, known), start=1):
        try:
            event = None if data is None else known.parse(data)
        except known.errors:
            event = None
        if event is None:
            found.damaged_at = position
            break
        time = as_time(event.wall_time)
        if math.isnan(found.started):
            found.started = time
        step = as_step(event.step)
        if step is not None and event.HasField("summary"):
            _take(found, number, step, time, event.summary.value, known)
    return found


def _take(found: Scalars, number: int, step: int, time: float, values: Sequence[Any], known: Schema) -> None:
    for value in values:
        tag = printable(value.tag)
        scalar = _scalar(found, tag, value, known)
        if scalar is None:
            found.others.add(tag)
            continue
        last = found.records[-1] if found.records else None
        if last is None or last.step != step or tag in last.values:
            last = MetricRecord(line=number, step=step, values={}, time=time)
            found.records.append(last)
        last.values[tag] = scalar


def _scalar(found: Scalars, tag: str, value: Any, known: Schema) -> float | None:
    """A value as number; None when it is no scalar."""
    if value.HasField("simple_value"):
        return shortest(value.simple_value)
    if not value.HasField("tensor"):
        return None
    if value.metadata.plugin_data.plugin_name == _SCALARS:
        found.tags.add(tag)
    if tag not in found.tags:
        return None
    try:
        array = known.array(value.tensor)
    except (TypeError, ValueError):
        return None
    return shortest(array.item()) if array.size == 1 and array.dtype.kind in "fiu" else None


def shortest(value: float) -> float:
    """The number whose shortest decimal stands for the same 4-byte float; the number itself if it is no such float."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return float(str(single)) if math.isfinite(value) and float(single) == value else float(value)


def job_name(source: SourceFile) -> str:
    """Folder, time and process of the file's name, without the host."""
    place = job_of_place(source, "events")
    match = _NAME.fullmatch(source.name)
    if match is None:
        return place
    process = f" ({match['process']}.{match['writer']})" if match["process"] else ""
    return f"{place} {match['time']}{process}"


def _result(source: SourceFile, found: Scalars) -> ReadResult:
    job, problems = job_name(source), _problems(source.path, found)
    for record in found.records:
        record.kind = kind_of(record.values)
    tables = metric_tables(source.path, job, found.records)
    names = {name for record in found.records for name in record.values}
    facts = clock_facts(name for record in found.records for name in record.values)
    started = None if math.isnan(found.started) else found.started
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=TRACKER,
        framework="xtuner" if facts else "trl" if hugging_face(names) else None,
        steps=tables.steps,
        nonfinite=tables.nonfinite,
        jobs=(JobRecord(name=job, started=started, source=source.path),) if found.records else (),
        facts=facts,
        rows=len(found.records),
        problems=(*problems, *tables.problems),
    )


def _problems(path: str, found: Scalars) -> list[Problem]:
    problems: list[Problem] = []
    if found.damaged_at is not None:
        problems.append(problem("tensorboard.damaged", path, None, position=found.damaged_at))
    if found.others:
        problems.append(problem("tensorboard.not-scalars", path, None, count=len(found.others)))
    if not found.records:
        problems.append(problem("tracker.no-records", path))
    return problems


def _nothing(source: SourceFile, *problems: Problem) -> ReadResult:
    return ReadResult(reader=READER.name, source=source.path, precedence=TRACKER, problems=problems)


READER = Reader(
    name="tensorboard_events",
    title=Text("TensorBoard events", "TensorBoard 事件文件"),
    names=("events.out.tfevents.*",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
