"""Records of metrics under step numbers, as trackers write them, made into the tables of the model.

Shared by the readers of JSON trackers, W&B and TensorBoard: which key is the step and which the clock, what counts
as a number, which records are evaluations, and what is left out and said.

Source: the trackers' own modules, named in the readers; W&B 0.23 `wandb/sdk/lib/json_util.py` (non-finite numbers as
the texts `NaN`, `Infinity`, `-Infinity`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.tables import NONFINITE, STEPS, conform
from sitegen.readers.csv_table import MAX_STEP, Lines
from sitegen.readers.text_file import line_list

MAX_METRICS = 5000
"""Metrics of one file; further names are counted only, so that a name that holds a number cannot fill the memory."""
MAX_DEPTH = 20
"""Nesting beyond which a value is left out."""
STEP_KEYS = ("trainer/global_step", "training/global_step", "train/global_step", "global_step", "step")
"""Keys that hold the training step, best first."""
GUESSED_STEP_KEYS = (
    *("train_step", "training_step", "train/step", "trainer/step", "steps", "iteration", "iterations", "iter"),
    *("time/iterations", "update", "updates", "num_updates", "_step", "epoch"),
)
"""Keys that may count training steps; using one is a guess that is said."""
CLOCK_KEYS = ("_timestamp", "timestamp", "time", "wall_time")
"""Keys that hold the moment of a record."""
EVAL_MARKS = ("eval/", "eval_", "eval-", "val/", "val_", "val-", "validation/", "test/", "test_")
"""Beginnings of the names of evaluations, over all trackers."""
BOOKKEEPING = re.compile(
    r"(?:trainer|progress|system|time|timing|timing_s|perf)/|(?:train/|training/)?(?:epochs?|global_step)$|_(?:step|runtime)$"
)
"""Names that records of an evaluation may hold besides."""
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_EPOCHS = (5e8, 5e9)
"""Unix seconds between 1985 and 2128: what a clock may show."""


@dataclass(slots=True, kw_only=True)
class MetricRecord:
    """One record, before it is a row."""

    line: int
    """1-based line of the file (or number of the record, in files without lines)."""
    step: int
    """Training step."""
    values: dict[str, float]
    """Numbers by logged name, NaN and infinite ones as logged."""
    kind: str = "train"
    """`train` or `eval`."""
    time: float = math.nan
    """Unix seconds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricTables:
    """Records as tables."""

    steps: pd.DataFrame | None
    """`tables.STEPS` in file order, None without records."""
    nonfinite: pd.DataFrame | None
    """`tables.NONFINITE`, None without such values."""
    problems: tuple[Problem, ...]
    """What was left out."""


@dataclass(slots=True, eq=False)
class Numbers:
    """Takes the numbers out of records, and notes what is none."""

    path: str
    separator: str = "/"
    """Between the names of nested values: what the tracker itself would write."""
    ignored: dict[str, list[int]] = field(default_factory=dict)
    """Lines by name of values that are no numbers."""
    nulls: int = 0
    """Values that are null."""

    def of(self, line: int, record: Mapping[str, Any], skip: Iterable[str] = ()) -> dict[str, float]:
        """The record's numbers by flat name; null is absent, truth values, texts and lists are noted."""
        found: dict[str, float] = {}
        left_out = frozenset(skip)
        self._add(found, line, "", {key: value for key, value in record.items() if key not in left_out}, 0)
        return found

    def _add(self, found: dict[str, float], line: int, name: str, value: Any, depth: int) -> None:
        if isinstance(value, Mapping) and depth <= MAX_DEPTH:
            for key, member in value.items():
                self._add(found, line, f"{name}{self.separator}{key}" if name else str(key), member, depth + 1)
        elif value is None:
            self.nulls += 1
        elif (number := as_number(value)) is not None:
            found[printable(name)] = number
        else:
            self.ignored.setdefault(printable(name), []).append(line)

    def problems(self) -> list[Problem]:
        """One problem over all values that were no numbers."""
        if not self.ignored:
            return []
        lines = sorted({line for noted in self.ignored.values() for line in noted})
        count = sum(len(noted) for noted in self.ignored.values())
        names = listed(sorted(self.ignored))
        return [problem("tracker.not-numbers", self.path, lines[0], count=count, names=names, lines=line_list(lines))]


def as_number(value: Any) -> float | None:
    """A JSON value as a number: no truth value, no text but the three non-finite words; a huge integer is infinite."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return _NOT_FINITE.get(value) if isinstance(value, str) else None


def as_step(value: Any) -> int | None:
    """A JSON value as a training step: a whole number from 0 that is exact as a float; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if 0 <= value < MAX_STEP else None


def as_time(value: Any) -> float:
    """A clock value as Unix seconds: a plausible number, or an ISO date with its time zone; NaN for anything else."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return math.nan
        value = moment.timestamp() if moment.tzinfo is not None else None
    number = as_number(value)
    return number if number is not None and _EPOCHS[0] <= number <= _EPOCHS[1] else math.nan


def step_key(names: Iterable[str]) -> tuple[str | None, bool]:
    """The name that holds the step, and whether taking it is a guess; None without one."""
    known = frozenset(names)
    for guess, keys in ((False, STEP_KEYS), (True, GUESSED_STEP_KEYS)):
        found = next((key for key in keys if key in known), None)
        if found is not None:
            return found, guess
    return None, False


def kind_of(names: Iterable[str], marks: tuple[str, ...] = EVAL_MARKS) -> str:
    """`eval` for a record that holds an evaluation and, bookkeeping aside, nothing else."""
    evaluation = False
    for name in names:
        if name.startswith(marks):
            evaluation = True
        elif not BOOKKEEPING.match(name):
            return "train"
    return "eval" if evaluation else "train"


def printable(name: str) -> str:
    """A name that can be written as UTF-8."""
    return name if name.isascii() else name.encode("utf-8", "replace").decode("utf-8")


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names for a sentence: the first few, shortened."""
    shown = ", ".join(name if len(name) <= 60 else f"{name[:59]}…" for name in names[:most])
    return f"{shown}, …" if len(names) > most else shown


def records_of(
    path: str, found: Iterable[tuple[int, Mapping[str, Any]]], key: str, numbers: Numbers
) -> tuple[list[MetricRecord], list[Problem]]:
    """Flat objects with a step as records; the ones without a usable step are left out and said.

    The clock is the first of `CLOCK_KEYS` that holds a plausible moment; the step's other names stay metrics.
    """
    noted = Lines(path)
    records: list[MetricRecord] = []
    for line, values in found:
        step = as_step(values.get(key))
        if step is None:
            noted.add("tracker.bad-step", line)
            continue
        clock = next((name for name in CLOCK_KEYS if not math.isnan(as_time(values.get(name)))), None)
        taken = numbers.of(line, values, (key,) if clock is None else (key, clock))
        time = math.nan if clock is None else as_time(values[clock])
        records.append(MetricRecord(line=line, step=step, values=taken, kind=kind_of(taken), time=time))
    return records, noted.problems()


def joined_neighbours(records: Sequence[MetricRecord]) -> list[MetricRecord]:
    """Neighbouring records of one step and kind as one, unless they give one metric different values."""
    joined: list[MetricRecord] = []
    for record in records:
        last = joined[-1] if joined else None
        if last is None or (last.step, last.kind) != (record.step, record.kind) or _differ(last, record):
            joined.append(record)
        else:
            last.values.update(record.values)
    return joined


def _differ(one: MetricRecord, two: MetricRecord) -> bool:
    both = one.values.keys() & two.values.keys()
    return any(one.values[name] != two.values[name] for name in both)


def metric_tables(path: str, job: str, records: Sequence[MetricRecord]) -> MetricTables:
    """Records as `tables.STEPS` and `tables.NONFINITE`, in the given order."""
    if not records:
        return MetricTables(steps=None, nonfinite=None, problems=())
    names, problems = _names(path, records)
    columns: dict[str, Any] = {
        "job": [job] * len(records),
        "step": np.array([record.step for record in records], dtype="int64"),
        "row": np.array([record.line for record in records], dtype="int64"),
        "source": [path] * len(records),
        "kind": [record.kind for record in records],
        "time": np.array([record.time for record in records], dtype="float64"),
    }
    columns.update({name: np.full(len(records), np.nan) for name in names})
    odd: list[tuple[int, str, str]] = []
    for index, record in enumerate(records):
        for name, value in record.values.items():
            if name not in names:
                continue
            if math.isfinite(value):
                columns[name][index] = value
            else:
                odd.append((index, name, "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"))
    steps = conform(pd.DataFrame(columns), STEPS)
    return MetricTables(steps=steps, nonfinite=_nonfinite(steps, odd), problems=tuple(problems))


def _names(path: str, records: Sequence[MetricRecord]) -> tuple[dict[str, None], list[Problem]]:
    """The metrics that get a column, and the ones that do not."""
    ordered = dict.fromkeys(name for record in records for name in record.values)
    reserved = [name for name in ordered if name in STEPS.names]
    problems = [problem("table.reserved-column", path, name=name) for name in reserved]
    usable = [name for name in ordered if name not in STEPS.names]
    if len(usable) > MAX_METRICS:
        values = {"count": len(usable), "most": MAX_METRICS, "names": listed(usable[MAX_METRICS:], 3)}
        problems.append(problem("tracker.too-many-metrics", path, None, **values))
    return dict.fromkeys(usable[:MAX_METRICS]), problems


def _nonfinite(steps: pd.DataFrame, odd: Sequence[tuple[int, str, str]]) -> pd.DataFrame | None:
    if not odd:
        return None
    rows = steps.loc[[index for index, _, _ in odd], ["job", "step", "row", "source", "kind"]].reset_index(drop=True)
    rows["metric"] = [name for _, name, _ in odd]
    rows["value"] = [value for _, _, value in odd]
    return conform(rows, NONFINITE)


def hugging_face(names: Iterable[str]) -> bool:
    """Whether metrics carry the names that Transformers gives them in W&B and TensorBoard."""
    return {"train/epoch", "train/learning_rate"} <= set(names)
