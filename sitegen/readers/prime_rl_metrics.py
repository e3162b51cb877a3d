"""prime-rl's file monitor: `{"step": N, "time": <Unix s>, metric: value, …}` per call, several rows per step.

Values that are not finite are dropped by the writer, so that absent and non-finite cannot be told apart. The file is
appended to.

Source: PrimeIntellect-ai/prime-rl `src/prime_rl/utils/monitor/file.py`, `FileMonitor` (a28a9a4, 2026).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.json_tracker import TRACKER, JsonTracker, Taken
from sitegen.readers.jsonl import JsonRecord, first_object
from sitegen.readers.metric_records import Numbers, as_time, joined_neighbours, records_of
from sitegen.readers.tinker_metrics import is_tinker
from sitegen.readers.tracker_places import job_of_place
from sitegen.text import Text

FAMILIES = (
    *("optim/", "perf/", "entropy/", "mismatch_kl/", "off_policy/", "is_masked/", "progress/", "time/", "loss/"),
    *("reward/", "batch/", "train/", "eval/", "val/", "seq_len/", "scheduler/", "inference/"),
)
"""Beginnings of the names it logs."""


def is_prime_rl(values: Mapping[str, Any]) -> bool:
    """Whether a record begins as this monitor writes it, and has names of this trainer."""
    begins = list(values)[:2] == ["step", "time"] and not math.isnan(as_time(values["time"]))
    return begins and not is_tinker(values) and any(name.startswith(FAMILIES) for name in values)


def sniff(source: SourceFile) -> bool:
    """Whether the first whole line of the head is a record."""
    first = first_object(source)
    return source.name.lower() != "tracker.jsonl" and first is not None and is_prime_rl(first)


def read(source: SourceFile) -> ReadResult:
    """One record per line with its time (`tables.STEPS`)."""
    fixed = source.name.lower() == "metrics.jsonl"
    return TRACKER_FORMAT.read(source, job_of_place(source) if fixed else source.stem)


def _take(objects: Sequence[JsonRecord], numbers: Numbers) -> Taken:
    records, problems = records_of(numbers.path, ((item.line, item.values) for item in objects), "step", numbers)
    return Taken(records=joined_neighbours(records), problems=problems, facts={"absent_or_nonfinite": True})


TRACKER_FORMAT = JsonTracker(reader="prime_rl_metrics", framework="prime-rl", key="step", take=_take)
READER = Reader(
    name="prime_rl_metrics",
    title=Text("prime-rl file monitor (JSONL)", "prime-rl 文件监视器（JSONL）"),
    names=("*.jsonl",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
