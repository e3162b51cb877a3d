"""The averages of one evaluation that SkyRL dumps beside the answers it evaluated.

`dumped_evals/global_step_<N>_evals/aggregated_results.jsonl` holds one line: a JSON object of `eval/<data set>/...`
names and numbers, the ones that are also logged at step N. The answers themselves lie in `<data set>.jsonl` next to
it and are not read. An evaluation without training (`dumped_evals/eval_only`) has no step and is not read either.

Source: SkyRL `skyrl_train/evaluate.py` (`evaluate`, data_save_dir) and `skyrl_train/utils/trainer_utils.py`
(`dump_per_dataset_eval_results`), 2025-08 to 2026-06.
"""

from __future__ import annotations

import json
import math
import re

import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.model.tables import NONFINITE, STEPS, conform
from sitegen.readers.base import Reader
from sitegen.readers.text_file import load
from sitegen.text import Text

JOB = "dumped_evals"
"""Job of the rows: the dump does not tell which launch made it."""
MAX_METRICS = 5000
"""Metrics of one evaluation; further ones are counted only."""

_PROBLEMS = 10  # named of one dump
_STEP = re.compile(r"(?:^|/)dumped_evals/global_step_(\d{1,9})_evals/(?:.+/)?[^/]+$")


def sniff(source: SourceFile) -> bool:
    """Whether the file lies in the dump of a step; its name has decided the rest."""
    return _STEP.search(source.path) is not None


def read(source: SourceFile) -> ReadResult:
    """The evaluation as one row of kind `eval` (`tables.STEPS`); the last line counts where there are several."""
    loaded = load(source)
    problems = list(loaded.problems)
    match = _STEP.search(source.path)
    values: dict[str, float] = {}
    line = 1
    if loaded.text is not None:
        values, line, found = _last_record(source.path, loaded.text)
        problems += found
    place = {"job": JOB, "step": int(match[1]) if match else 0, "row": line, "source": source.path, "kind": "eval"}
    finite = {name: value for name, value in values.items() if math.isfinite(value)}
    odd = [place | {"metric": name, "value": str(value)} for name, value in values.items() if name not in finite]
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        framework="skyrl",
        steps=conform(pd.DataFrame([place | values]), STEPS) if values else None,
        nonfinite=conform(pd.DataFrame(odd), NONFINITE) if odd else None,
        rows=1 if values else 0,
        facts={"evaluation_dump": True},
        problems=tuple(problems),
    )


def _last_record(path: str, text: str) -> tuple[dict[str, float], int, list[Problem]]:
    """The metrics of the last line that is an object, and its number."""
    problems: list[Problem] = []
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    records: list[tuple[int, dict[str, object]]] = []
    for number, line in lines:
        try:
            record = json.loads(line.lstrip("\ufeff"))
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            records.append((number, record))
        else:
            problems.append(problem("evaluation.broken-line", path, number))
    if not records:
        return {}, 1, problems[:1]
    if len(records) > 1:
        problems.append(problem("evaluation.several", path, records[-1][0], count=len(records)))
    number, record = records[-1]
    values = {name: value for name, given in record.items() if (value := _metric(name, given)) is not None}
    left = len(record) - len(values)
    if left:
        problems.append(problem("evaluation.left-out", path, number, count=left))
    return dict(list(values.items())[:MAX_METRICS]), number, problems[:_PROBLEMS]


def _metric(name: str, value: object) -> float | None:
    """The number under a name that is no column of ours; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or name in STEPS.names:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


READER = Reader(
    name="skyrl_evaluation",
    title=Text("Averages of a dumped SkyRL evaluation", "SkyRL 评测转储的平均值"),
    names=("aggregated_results.jsonl",),
    sniff=sniff,
    read=read,
    evidence=False,
    trace=True,
    precedence=5,
    version=1,
)
