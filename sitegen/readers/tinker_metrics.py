"""tinker-cookbook's `metrics.jsonl`: flat JSON, `step` from 0, evaluations as `test/…` keys of the steps they ran at.

A pre-empted job that starts again appends its steps a second time.

Source: thinking-machines-lab/tinker-cookbook `tinker_cookbook/utils/ml_log.py`, `JsonLogger` (2026-06).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.json_tracker import TRACKER, JsonTracker, Taken
from sitegen.readers.jsonl import JsonRecord, first_object
from sitegen.readers.metric_records import Numbers, records_of
from sitegen.readers.tracker_places import job_of_place
from sitegen.readers.verl_jsonl import is_record as is_verl
from sitegen.text import Text

MARKS = (
    "progress/batch",
    "progress/done_frac",
    "env/all/",
    "test/env/all/",
    "train_mean_nll",
    "optim/kl_sample_train_v",
)
"""Beginnings of names that only this trainer logs."""


def is_tinker(values: Mapping[str, Any]) -> bool:
    """Whether a record is of this trainer."""
    return "step" in values and not is_verl(values) and any(name.startswith(MARKS) for name in values)


def sniff(source: SourceFile) -> bool:
    """Whether the first whole line of the head has this trainer's names."""
    first = first_object(source)
    return source.name.lower() != "tracker.jsonl" and first is not None and is_tinker(first)


def read(source: SourceFile) -> ReadResult:
    """One record per line (`tables.STEPS`)."""
    fixed = source.name.lower() == "metrics.jsonl"
    return TRACKER_FORMAT.read(source, job_of_place(source) if fixed else source.stem)


def _take(objects: Sequence[JsonRecord], numbers: Numbers) -> Taken:
    records, problems = records_of(numbers.path, ((item.line, item.values) for item in objects), "step", numbers)
    return Taken(records=records, problems=problems)


TRACKER_FORMAT = JsonTracker(reader="tinker_metrics", framework="tinker", key="step", take=_take)
READER = Reader(
    name="tinker_metrics",
    title=Text("tinker-cookbook metrics (JSONL)", "tinker-cookbook 指标（JSONL）"),
    names=("*metrics*.jsonl",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
