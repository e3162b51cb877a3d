"""The figures that Transformers' example scripts and LLaMA-Factory write when training or evaluation has ended.

`train_results.json`, `eval_results.json`, `predict_results.json` and all of them in `all_results.json`: one JSON object
of names and numbers, with the epoch but without a step. They repeat what `trainer_state.json` and the logs hold with
their steps, so they are told and not placed in a curve.

Source: Transformers 4.57 `trainer_pt_utils.py` (`save_metrics`); LLaMA-Factory `train/sft/workflow.py`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.metric_records import Numbers, listed
from sitegen.readers.text_file import head_text, is_placeholder, load
from sitegen.text import Text

_OWN_KEY = re.compile(r'"(?:train|eval|predict|test)_(?:loss|runtime|samples_per_second|steps_per_second)"\s*:')


def sniff(source: SourceFile) -> bool:
    """Whether the head has one of the trainer's own keys: other programs give their results such names too."""
    return is_placeholder(source) or _OWN_KEY.search(head_text(source)) is not None


def read(source: SourceFile) -> ReadResult:
    """No table, for want of a step; one `Problem` that holds the figures."""
    loaded = load(source)
    problems: list[Problem] = list(loaded.problems)
    if loaded.text is not None:
        problems += _told(source.path, loaded.text)
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        problems=tuple(problems),
    )


def _told(path: str, text: str) -> list[Problem]:
    values = _parsed(text)
    if values is None:
        return [problem("final-results.broken", path, None)]
    figures = {name: value for name, value in Numbers(path).of(1, values).items() if name != "epoch"}
    if not figures:
        return [problem("final-results.broken", path, None)]
    shown = listed([f"{name} = {value:.6g}" for name, value in sorted(figures.items())], most=12)
    return [problem("final-results.no-step", path, None, count=len(figures), figures=shown)]


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        content = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


READER = Reader(
    name="final_results",
    title=Text("Final figures of a Transformers training (JSON)", "Transformers 训练的最终数值（JSON）"),
    names=("all_results.json", "train_results.json", "eval_results.json", "predict_results.json"),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=0,
    version=1,
)
