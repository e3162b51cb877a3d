"""Makes the binary files of W&B and TensorBoard: frames by hand, messages by the trackers' own classes."""

import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
from wandb.proto.wandb_internal_pb2 import Record

BLOCK = 32768


def history_row(values: Mapping[str, Any]) -> Record:
    """One history record; values as JSON, as W&B 0.23 writes them."""
    record = Record()
    for key, value in values.items():
        item = record.history.item.add()
        item.nested_key.append(key)
        item.value_json = json.dumps(value)
    return record


def run_record(entity: str = "", project: str = "demo", run_id: str = "abcd1234", started: int = 1777138026) -> Record:
    """What W&B says of the run itself."""
    record = Record()
    record.run.entity, record.run.project, record.run.run_id = entity, project, run_id
    record.run.start_time.seconds = started
    return record


def axis_record(name: str) -> Record:
    """`define_metric("*", step_metric=name)`."""
    record = Record()
    record.metric.glob_name, record.metric.step_metric = "*", name
    return record


def exit_record(code: int) -> Record:
    """The end of the process."""
    record = Record()
    record.exit.exit_code = code
    return record


def wandb_history(records: Iterable[Record]) -> bytes:
    """A `.wandb` file: LevelDB log format after a 7-byte header."""
    out = bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    for record in records:
        data, first = record.SerializeToString(), True
        while True:
            left = BLOCK - len(out) % BLOCK
            if left < 7:
                out += bytes(left)
                continue
            part, data = data[: left - 7], data[left - 7 :]
            kind = (1 if first else 4) if not data else (2 if first else 3)
            out += struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part
            first = False
            if not data:
                break
    return bytes(out)


def scalar_event(step: int, values: Mapping[str, float], time: float = 1777138026.0) -> Event:
    """One event with scalars."""
    summary = Summary(value=[Summary.Value(tag=tag, simple_value=value) for tag, value in values.items()])
    return Event(wall_time=time, step=step, summary=summary)


def tensorboard_file(events: Iterable[Event]) -> bytes:
    """An event file: TFRecord frames."""
    out = bytearray()
    for event in (Event(wall_time=1777138000.0, file_version="brain.Event:2"), *events):
        data = event.SerializeToString()
        head = struct.pack("<Q", len(data))
        out += head + struct.pack("<I", masked_crc32c(head)) + data + struct.pack("<I", masked_crc32c(data))
    return bytes(out)
