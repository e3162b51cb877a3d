"""verl's file logger: one `{"step": N, "data": {metric: value}}` per line.

Written by orjson, which turns NaN and infinities into null, so that absent and non-finite cannot be told apart. The
file is opened anew at every start: a resumed run has erased what it logged before. Its name is the experiment's, or
whatever `VERL_FILE_LOGGER_PATH` says; newer versions add `elapsed_seconds`.

Source: verl 0.6, `verl/utils/tracking.py`, `FileLogger`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.csv_table import Lines
from sitegen.readers.json_tracker import TRACKER, JsonTracker, Taken
from sitegen.readers.jsonl import JsonRecord, first_object
from sitegen.readers.metric_records import MetricRecord, Numbers, as_step, kind_of
from sitegen.readers.tracker_places import job_of_place
from sitegen.text import Text

FIXED_NAMES = ("metrics.jsonl", "log.jsonl")
"""Names that say nothing of the experiment."""


def is_record(values: Mapping[str, Any] | None) -> bool:
    """Whether an object is a record of this format."""
    return values is not None and "step" in values and isinstance(values.get("data"), dict)


def sniff(source: SourceFile) -> bool:
    """Whether the first whole line of the head is a record."""
    return is_record(first_object(source))


def read(source: SourceFile) -> ReadResult:
    """One record per line (`tables.STEPS`); a null value is absent or was not finite."""
    fixed = source.name.lower() in FIXED_NAMES
    return TRACKER_FORMAT.read(source, job_of_place(source) if fixed else source.stem)


def _take(objects: Sequence[JsonRecord], numbers: Numbers) -> Taken:
    noted = Lines(numbers.path)
    records: list[MetricRecord] = []
    for item in objects:
        step, data = as_step(item.values.get("step")), item.values.get("data")
        if step is None or not isinstance(data, dict):
            noted.add("tracker.bad-step", item.line)
            continue
        values = numbers.of(item.line, data)
        records.append(MetricRecord(line=item.line, step=step, values=values, kind=kind_of(values)))
    return Taken(records=records, problems=[*noted.problems(), *_begins_late(numbers.path, records)])


def _begins_late(path: str, records: Sequence[MetricRecord]) -> list[Problem]:
    first = next((record for record in records if record.kind == "train"), None)
    if first is None or first.step <= 1:
        return []
    return [problem("tracker.begins-late", path, first.line, step=first.step)]


TRACKER_FORMAT = JsonTracker(reader="verl_jsonl", framework="verl", key="data", take=_take)
READER = Reader(
    name="verl_jsonl",
    title=Text("verl file logger (JSONL)", "verl 文件日志（JSONL）"),
    names=("*.jsonl",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
