"""LLaMA-Factory's `trainer_log.jsonl`: one row per log, evaluation or progress call.

`current_steps`, `total_steps`, then what the trainer logged (`loss`, `eval_loss`, `predict_loss`, `reward`,
`accuracy`, `lr`, `epoch`), `percentage` and two durations as text (`3 days, 17:51:32`), read as seconds. The closing
row and the rows of a prediction hold only progress.

Source: LLaMA-Factory 0.9.4, `src/llamafactory/train/callbacks.py`, `LogCallback`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.csv_table import Lines
from sitegen.readers.json_tracker import TRACKER, JsonTracker, Taken
from sitegen.readers.jsonl import JsonRecord, first_object
from sitegen.readers.metric_records import MetricRecord, Numbers, as_step
from sitegen.readers.text_file import is_placeholder
from sitegen.readers.tracker_places import job_of_place
from sitegen.text import Text

DURATIONS = ("elapsed_time", "remaining_time")
"""Keys with a duration as text."""
PROGRESS = frozenset(
    {"epoch", "percentage", *DURATIONS, "throughput", "total_tokens", "vram_allocated", "vram_reserved"}
)
"""Keys of every row, whatever it tells of."""
EVALUATION = ("eval_", "predict_")
"""Beginnings of the keys of an evaluation."""
_DURATION = re.compile(r"(?:(\d{1,6}) days?, )?(\d{1,2}):(\d\d):(\d\d)")
_OWN_NAME = "trainer_log.jsonl"


def sniff(source: SourceFile) -> bool:
    """Whether the first whole line counts steps as this trainer does (or the file stands where its log should be)."""
    first = first_object(source)
    if first is None:
        return source.name.lower() == _OWN_NAME and (is_placeholder(source) or b"current_steps" in source.head[:200])
    return "current_steps" in first and "total_steps" in first


def seconds(text: Any) -> float | None:
    """A duration as `str(timedelta)` writes it, in seconds; None for anything else."""
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    days, hours, minutes, rest = (int(part or 0) for part in match.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + rest)


def read(source: SourceFile) -> ReadResult:
    """One record per row that holds more than progress (`tables.STEPS`); `planned_steps` is a fact."""
    return TRACKER_FORMAT.read(source, job_of_place(source) if source.name.lower() == _OWN_NAME else source.stem)


def _take(objects: Sequence[JsonRecord], numbers: Numbers) -> Taken:
    noted = Lines(numbers.path)
    records: list[MetricRecord] = []
    planned: int | None = None
    for item in objects:
        step = as_step(item.values.get("current_steps"))
        if step is None:
            noted.add("tracker.bad-step", item.line)
            continue
        values = numbers.of(item.line, _with_seconds(item.values), ("current_steps", "total_steps"))
        if values.keys() <= PROGRESS:
            if not (records and records[-1].step == step):
                noted.add("llamafactory.progress-only", item.line)
            continue
        kind = "eval" if any(name.startswith(EVALUATION) for name in values) and "loss" not in values else "train"
        records.append(MetricRecord(line=item.line, step=step, values=values, kind=kind))
        planned = _planned(item.values) or planned
    return Taken(
        records=records, problems=noted.problems(), facts={"planned_steps": planned} if planned is not None else {}
    )


def _with_seconds(values: Mapping[str, Any]) -> dict[str, Any]:
    durations = {key: seconds(values.get(key)) for key in DURATIONS}
    return {**values, **{key: value for key, value in durations.items() if value is not None}}


def _planned(values: Mapping[str, Any]) -> int | None:
    return as_step(values.get("total_steps")) or None


TRACKER_FORMAT = JsonTracker(reader="llamafactory_log", framework="llamafactory", key="current_steps", take=_take)
READER = Reader(
    name="llamafactory_log",
    title=Text("LLaMA-Factory log (JSONL)", "LLaMA-Factory 日志（JSONL）"),
    names=("*trainer_log*.jsonl",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
