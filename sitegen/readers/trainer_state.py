"""`trainer_state.json` of Hugging Face Transformers and TRL: the whole log so far, written at every save.

`log_history` holds a row per log call: train rows, evaluation rows (`eval_…`) and one closing row (`train_runtime`,
`train_loss`, …) that repeats the last step and is joined to its train row. A resumed run carries the old rows on; its
`train_loss` is the sum since the resume over all steps, and is left as logged. Copies in `checkpoint-N` are beginnings
of the last one.

Source: Transformers 4.57 `src/transformers/trainer_callback.py`, `TrainerState`; `trainer.py`, `_inner_training_loop`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import UNKNOWN_END, EndCause, JobEnd, JobRecord, ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.csv_table import Lines
from sitegen.readers.json_tracker import TRACKER
from sitegen.readers.jsonl import JsonRecord, objects_in
from sitegen.readers.metric_records import MetricRecord, Numbers, as_step, metric_tables
from sitegen.readers.text_file import load
from sitegen.readers.tracker_places import job_of_place
from sitegen.text import Text

OWN_NAME = "trainer_state.json"
"""The name that says nothing of the run."""
CLOSING = "train_runtime"
"""The key that only the closing row has."""
EVALUATION = ("eval_", "test_", "predict_")
"""Beginnings of the keys of an evaluation."""
_HISTORY = re.compile(r'"log_history"\s*:\s*\[')
_TOP_NUMBER = r'"{}"\s*:\s*(\d{{1,15}})\b'


def sniff(source: SourceFile) -> bool:
    """By the name as written, or by the log in a file of a longer name."""
    return source.name.lower() == OWN_NAME or b'"log_history"' in source.head


def read(source: SourceFile) -> ReadResult:
    """The rows of `log_history` (`tables.STEPS`), how training ended, and `planned_steps`."""
    loaded = load(source)
    if loaded.text is None:
        return ReadResult(reader=READER.name, source=source.path, precedence=TRACKER, problems=tuple(loaded.problems))
    job = job_of_place(source) if source.name.lower() == OWN_NAME else source.stem
    numbers = Numbers(source.path)
    rows, problems = history(source.path, loaded.text)
    records, closing, bad = _records(rows, numbers)
    tables = metric_tables(source.path, job, records)
    planned = _top(loaded.text, "max_steps")
    lost = [problem("tracker.no-records", source.path)] if not records else []
    end = _end(source.path, closing, planned)
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=TRACKER,
        framework="trl" if records else None,
        steps=tables.steps,
        nonfinite=tables.nonfinite,
        jobs=(JobRecord(name=job, end=end, source=source.path),) if records else (),
        facts={"planned_steps": planned} if planned and records else {},
        rows=len(records),
        problems=(*loaded.problems, *problems, *bad, *numbers.problems(), *tables.problems, *lost),
    )


def history(path: str, text: str) -> tuple[list[JsonRecord], list[Problem]]:
    """The rows of `log_history` with their lines; of a damaged file the whole ones."""
    begin = _HISTORY.search(text)
    whole = _whole(text)
    if whole is not None and not isinstance(whole.get("log_history"), list):
        return [], [problem("trainer-state.no-history", path)]
    rows: list[JsonRecord] = []
    line, position = 1, 0
    for at, values in objects_in(text, begin.end() if begin else 0, _is_row):
        line += text.count("\n", position, at)
        position = at
        rows.append(JsonRecord(line=line, values=values))
    problems = [] if whole is not None else [problem("trainer-state.broken", path, None, count=len(rows))]
    if len({row.line for row in rows}) < len(rows):  # written without line ends
        rows = [JsonRecord(line=index + 1, values=row.values) for index, row in enumerate(rows)]
    return rows, problems


def _whole(text: str) -> dict[str, Any] | None:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _is_row(values: Mapping[str, Any]) -> bool:
    return "step" in values


def _top(text: str, key: str) -> int | None:
    """A whole number that the state itself holds, behind or before its rows."""
    found = re.search(_TOP_NUMBER.format(key), text)
    return int(found[1]) if found else None


def _records(
    rows: Sequence[JsonRecord], numbers: Numbers
) -> tuple[list[MetricRecord], JsonRecord | None, list[Problem]]:
    """Rows as records, the closing one joined to the train row of its step, and that row itself."""
    noted = Lines(numbers.path)
    records: list[MetricRecord] = []
    closing: JsonRecord | None = None
    for row in rows:
        step = as_step(row.values.get("step"))
        if step is None:
            noted.add("tracker.bad-step", row.line)
            continue
        values = numbers.of(row.line, row.values, ("step",))
        if CLOSING in row.values:
            closing = row
            same = next((known for known in reversed(records) if known.kind == "train" and known.step == step), None)
            if same is not None and records[-1].step == step:
                same.values.update({name: value for name, value in values.items() if name not in same.values})
                continue
        evaluation = any(name.startswith(EVALUATION) for name in values) and "loss" not in values
        records.append(MetricRecord(line=row.line, step=step, values=values, kind="eval" if evaluation else "train"))
    return records, closing, noted.problems()


def _end(path: str, closing: JsonRecord | None, planned: int | None) -> JobEnd:
    """Finished when training returned at the planned step, stopped early when it returned before it."""
    if closing is None:
        return UNKNOWN_END
    step, runtime = as_step(closing.values.get("step")), closing.values.get(CLOSING)
    if step is None or not isinstance(runtime, int | float) or not math.isfinite(runtime):
        return UNKNOWN_END
    cause: EndCause = "stopped_early" if planned and step < planned else "finished"
    return JobEnd(cause=cause, path=path, line=closing.line, text=f'"{CLOSING}": {runtime}')


READER = Reader(
    name="trainer_state",
    title=Text("Trainer state of Transformers / TRL (JSON)", "Transformers / TRL 训练器状态（JSON）"),
    names=("*trainer_state*.json",),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=TRACKER,
    version=1,
)
