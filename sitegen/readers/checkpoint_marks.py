"""What a run's folder says of its checkpoints: the marker of the latest one, and the folders of exported weights.

`latest_ckpt_global_step.txt` holds the step in digits, usually without a line end. `exports/global_step_N/` holds
weights exported at step N; it is known by any of its files, and none of them is opened.

Source: SkyRL `skyrl_train/trainer.py` (`save_checkpoints`, `save_models`), `trainer.export_path`.
"""

from __future__ import annotations

import re

from sitegen.model.problems import problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.text_file import load
from sitegen.text import Text

_EXPORT = re.compile(r"(?:^|/)exports/global_step_(\d{1,9})/")
_STEP = re.compile(r"\d{1,9}")


def sniff_latest(source: SourceFile) -> bool:
    """The name decides."""
    return bool(source.name)


def read_latest(source: SourceFile) -> ReadResult:
    """The step of the latest checkpoint."""
    loaded = load(source)
    problems = loaded.problems
    step = None
    if loaded.text is not None:
        text = loaded.text.strip(" \t\n\0")
        if text.isascii() and _STEP.fullmatch(text):
            step = int(text)
        else:
            problems += (problem("checkpoint.not-a-step", source.path, 1),)
    return ReadResult(
        reader=LATEST.name,
        source=source.path,
        precedence=LATEST.precedence,
        latest_checkpoint=step,
        rows=0 if step is None else 1,
        problems=problems,
    )


def sniff_export(source: SourceFile) -> bool:
    """Whether the file lies in an export folder."""
    return _EXPORT.search(source.path) is not None


def read_export(source: SourceFile) -> ReadResult:
    """The step of the export that the file belongs to."""
    match = _EXPORT.search(source.path)
    return ReadResult(
        reader=EXPORT.name,
        source=source.path,
        precedence=EXPORT.precedence,
        export_step=int(match[1]) if match else None,
        rows=1 if match else 0,
    )


LATEST = Reader(
    name="latest_checkpoint",
    title=Text("Marker of the latest checkpoint", "最新检查点标记"),
    names=("latest_ckpt_global_step.txt",),
    sniff=sniff_latest,
    read=read_latest,
    evidence=False,
    trace=True,
    precedence=0,
    version=1,
)
EXPORT = Reader(
    name="export_folder",
    title=Text("Exported weights", "导出的权重"),
    names=(
        *("config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json"),
        *("*.safetensors", "*.safetensors.index.json", "pytorch_model*.bin", "*.pt", "*.distcp"),
    ),
    sniff=sniff_export,
    read=read_export,
    evidence=False,
    trace=True,
    precedence=0,
    version=1,
)
