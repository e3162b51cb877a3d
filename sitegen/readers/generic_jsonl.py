"""A JSON Lines file of metrics whose writer is not known: flat or nested objects with a step among their keys.

Only names that such files usually have are looked at, and of these only files whose first record is mostly numbers:
rollouts, data sets and dumps are JSON Lines too. Which key counts the steps is taken from a list; one that is not
plainly a training step is a guess and said to be one. The framework is recognised from the metrics' names later.

Source: no one format; the keys are those of W&B, Lightning, Stable-Baselines3, Keras, verl, NeMo-RL and torchtune
logs as of 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.model.problems import problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.json_tracker import TRACKER, JsonTracker, Taken
from sitegen.readers.jsonl import JsonRecord, first_object
from sitegen.readers.metric_records import CLOCK_KEYS, Numbers, as_number, records_of, step_key
from sitegen.readers.prime_rl_metrics import is_prime_rl
from sitegen.readers.text_file import is_placeholder
from sitegen.readers.tinker_metrics import is_tinker
from sitegen.readers.tracker_places import job_of_place
from sitegen.readers.verl_jsonl import is_record as is_verl
from sitegen.text import Text

OWN_NAME = "metrics.jsonl"
"""The usual name: one that is empty or a pointer is still said to be missing."""
NAMES = (
    *("*metrics*.jsonl", "*_log.jsonl", "*-log.jsonl", "log.jsonl", "logs.jsonl", "*history*.jsonl"),
    *("progress.jsonl", "scalars.jsonl", "stats.jsonl"),
)
"""Names that files of metrics have."""
_LOOKED_AT = 200
"""Records in which a step is looked for."""


def sniff(source: SourceFile) -> bool:
    """Whether the first whole line of the head is a record of numbers with a step, and of no format known better."""
    first = first_object(source)
    if first is None:
        return source.name.lower() == OWN_NAME and (is_placeholder(source) or _begins_as_record(source.head))
    if is_verl(first) or ("current_steps" in first and "total_steps" in first):
        return False
    if "metrics" in source.name.lower() and is_tinker(first):
        return False
    return not is_prime_rl(first) and _is_metrics(first)


def read(source: SourceFile) -> ReadResult:
    """One record per line (`tables.STEPS`) under the best step key."""
    fixed = source.name.lower() in ("metrics.jsonl", "log.jsonl", "logs.jsonl", "history.jsonl", "progress.jsonl")
    return TRACKER_FORMAT.read(source, job_of_place(source) if fixed else source.stem)


def _begins_as_record(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:2] == b'{"'


def _is_metrics(values: Mapping[str, Any]) -> bool:
    key, _ = step_key(values)
    rest = [value for name, value in values.items() if name != key and name not in CLOCK_KEYS]
    counted = sum(as_number(value) is not None or value is None or isinstance(value, Mapping) for value in rest)
    others = sum(isinstance(value, str | list) for value in rest)
    return key is not None and 0 < counted >= others


def _take(objects: Sequence[JsonRecord], numbers: Numbers) -> Taken:
    key, guessed = step_key(name for item in objects[:_LOOKED_AT] for name in item.values)
    if key is None:
        return Taken(records=(), problems=[problem("tracker.no-step", numbers.path)] if objects else [])
    records, problems = records_of(numbers.path, ((item.line, item.values) for item in objects), key, numbers)
    if guessed and records:
        problems.append(problem("tracker.step-guessed", numbers.path, None, name=key))
    return Taken(records=records, problems=problems)


TRACKER_FORMAT = JsonTracker(reader="generic_jsonl", framework=None, key=None, take=_take)
READER = Reader(
    name="generic_jsonl",
    title=Text("Metrics of an unnamed tracker (JSONL)", "未知来源的指标（JSONL）"),
    names=NAMES,
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
