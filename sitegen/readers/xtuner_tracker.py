"""XTuner's `tracker.jsonl`: flat JSON, the key `step` last, two clocks under that one key.

Rows of mini-batches (`train_metrics/worker_0/<name>`) count optimiser steps, all others rollout steps, so that
1, 2, 1, 3, 4, 2 is no resume. Before May 2026 every call wrote a row (about ten per step), since then a step is one
row. The file is appended to; a thread flushes it every 30 s, so a killed run leaves a torn last line. Values may be
`NaN`, `Infinity` or (later) null.

Source: InternLM/xtuner `xtuner/v1/_writer/jsonl_writer.py` (since 2b6bb99d7, 2026-02), `xtuner/v1/train/rl_trainer.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.json_tracker import TRACKER, JsonTracker, Taken
from sitegen.readers.jsonl import JsonRecord, first_object
from sitegen.readers.metric_records import Numbers, records_of
from sitegen.readers.text_file import is_placeholder
from sitegen.readers.tracker_places import job_of_place
from sitegen.readers.verl_jsonl import is_record as is_verl
from sitegen.text import Text

MINI_BATCH = "train_metrics/"
"""Beginning of the names that are counted by the second clock."""
STEP_AVERAGE = "step_avg_"
"""What marks such a name as one of the rollout step after all."""


def sniff(source: SourceFile) -> bool:
    """By the name, if the head does not look otherwise."""
    first = first_object(source)
    if first is None:
        return is_placeholder(source) or b'"step"' in source.head or source.head.strip()[:1] == b"{"
    return "step" in first and not is_verl(first)


def read(source: SourceFile) -> ReadResult:
    """The rows as logged (`tables.STEPS`); `two_clocks` is a fact where the second clock was logged."""
    return TRACKER_FORMAT.read(source, job_of_place(source))


def counts_mini_batches(name: str) -> bool:
    """Whether a metric is logged per mini-batch."""
    return name.startswith(MINI_BATCH) and STEP_AVERAGE not in name


def clock_facts(names: Iterable[str]) -> dict[str, Any]:
    """`two_clocks`, and `second_clock` with the metrics of mini-batches; nothing where none was logged."""
    apart = tuple(dict.fromkeys(name for name in names if counts_mini_batches(name)))
    return {"two_clocks": True, "second_clock": apart} if apart else {}


def _take(objects: Sequence[JsonRecord], numbers: Numbers) -> Taken:
    records, problems = records_of(numbers.path, ((item.line, item.values) for item in objects), "step", numbers)
    return Taken(
        records=records, problems=problems, facts=clock_facts(name for item in records for name in item.values)
    )


TRACKER_FORMAT = JsonTracker(reader="xtuner_tracker", framework="xtuner", key="step", take=_take)
READER = Reader(
    name="xtuner_tracker",
    title=Text("XTuner tracker (JSONL)", "XTuner 指标记录（JSONL）"),
    names=("tracker.jsonl",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
