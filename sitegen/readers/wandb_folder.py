"""The files that W&B leaves beside a run's history: metadata, summary and configuration.

`wandb-metadata.json` says when and where the launch began, Slurm's job number included; a crashed run may have nothing
else. `wandb-summary.json` holds the last value of every metric, not the best, as one object; its `_step` counts log
calls. `config.yaml` wraps every setting as `key: {value: …}` and keeps W&B's own record under `_wandb`, which is not
shown.

Source: W&B 0.23 `wandb/sdk/lib/filenames.py`, `core/internal/runsummary`, `core/internal/runconfig`,
`core/internal/runmetadata`.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import JobRecord, ReadResult, RunConfig, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.metric_records import (
    STEP_KEYS,
    MetricRecord,
    Numbers,
    as_step,
    as_time,
    hugging_face,
    metric_tables,
)
from sitegen.readers.places import is_of_run
from sitegen.readers.text_file import head_text, load
from sitegen.readers.tracker_places import WANDB_RUN, wandb_job
from sitegen.readers.yaml_config import flat_yaml, plain_value
from sitegen.text import Text

SUMMARY_PRECEDENCE = 5
"""One row of last values counts only where nothing better was logged."""
METADATA_PRECEDENCE = 15
"""What it says of jobs completes what logs say."""
CONFIG_PRECEDENCE = 2
"""Below the run's own configuration files."""
OWN_STEP = "_step"
"""W&B's count of log calls."""
_WANDB_MARK = re.compile(r"^(?:wandb_version|_wandb) *:", re.MULTILINE)


def read_metadata(source: SourceFile) -> ReadResult:
    """When the launch began and its scheduler number (`JobRecord`)."""
    content, problems = _object(source)
    jobs: tuple[JobRecord, ...] = ()
    if content is not None:
        started = as_time(content.get("startedAt"))
        slurm = content.get("slurm")
        number = str(slurm.get("job_id") or "") if isinstance(slurm, dict) else ""
        record = JobRecord(
            name=wandb_job(source),
            started=None if math.isnan(started) else started,
            number=int(number) if number.isascii() and number.isdigit() and len(number) <= 18 else None,
            source=source.path,
        )
        jobs = (record,)
    return ReadResult(
        reader=METADATA.name,
        source=source.path,
        precedence=METADATA_PRECEDENCE,
        jobs=jobs,
        rows=len(jobs),
        problems=tuple(problems),
    )


def read_summary(source: SourceFile) -> ReadResult:
    """The last values as one record (`tables.STEPS`), where the training step is among them."""
    content, problems = _object(source)
    job, records = wandb_job(source), []
    if content is not None:
        key = next((name for name in STEP_KEYS if as_step(content.get(name)) is not None), None)
        numbers = Numbers(source.path, separator=".")
        own = [name for name in content if name.startswith("_")]
        values = numbers.of(1, content, own if key is None else (*own, key))
        step = None if key is None else as_step(content[key])
        if step is None:
            problems.append(problem("wandb.summary-no-step", source.path, None, count=len(values)))
        else:
            records = [MetricRecord(line=1, step=step, values=values, time=as_time(content.get("_timestamp")))]
        problems += numbers.problems()
    tables = metric_tables(source.path, job, records)
    return ReadResult(
        reader=SUMMARY.name,
        source=source.path,
        precedence=SUMMARY_PRECEDENCE,
        framework="trl" if records and hugging_face(records[0].values) else None,
        steps=tables.steps,
        nonfinite=tables.nonfinite,
        jobs=(JobRecord(name=job, source=source.path),) if content is not None else (),
        rows=len(records),
        problems=(*problems, *tables.problems),
    )


def is_wandb_config(source: SourceFile) -> bool:
    """Whether a `config.yaml` is W&B's: by its own keys, or by its place."""
    if _WANDB_MARK.search(head_text(source)):
        return True
    return not is_of_run(source.path) and WANDB_RUN.search(source.path) is not None


def read_config(source: SourceFile) -> ReadResult:
    """The settings under dotted keys without their wrapping (`RunConfig`); W&B's own record is left out."""
    loaded = load(source)
    config, problems = None, list(loaded.problems)
    if loaded.text is not None:
        flat = flat_yaml(source.path, loaded.text)
        problems += flat.problems
        named = {key: name for key in flat.values if (name := _unwrapped(key)) is not None}
        config = RunConfig(
            path=source.path,
            values={name: flat.values[key] for key, name in named.items()},
            lines={name: flat.lines[key] for key, name in named.items() if key in flat.lines},
            raw=_without_own_record(loaded.text),
            header="",
        )
    return ReadResult(
        reader=CONFIG.name,
        source=source.path,
        precedence=CONFIG_PRECEDENCE,
        config=config,
        rows=0 if config is None else len(config.values),
        problems=tuple(problems),
    )


def _unwrapped(key: str) -> str | None:
    """A setting's key without `value`; None for W&B's own record, descriptions and the version."""
    top, _, rest = key.partition(".")
    if top in ("_wandb", "wandb_version") or rest == "desc":
        return None
    if rest == "value":
        return top
    return f"{top}.{rest.removeprefix('value.')}" if rest else top


def _without_own_record(text: str) -> str:
    """The text with the lines of `_wandb` blank: they name hosts, accounts and devices, and set nothing."""
    inside = False
    lines: list[str] = []
    for line in text.split("\n"):
        if line[:1] not in (" ", "\t", "", "#"):
            inside = line.startswith("_wandb:")
        lines.append("" if inside else line)
    return "\n".join(lines)


def _object(source: SourceFile) -> tuple[dict[str, Any] | None, list[Problem]]:
    loaded = load(source)
    problems = list(loaded.problems)
    if loaded.text is None:
        return None, problems
    try:
        content = json.loads(loaded.text.lstrip("\ufeff"), parse_int=plain_value)
    except json.JSONDecodeError as error:
        return None, [*problems, problem("tracker.broken-json", source.path, error.lineno, reason=error.msg)]
    except (ValueError, RecursionError):
        return None, [*problems, problem("config.too-large", source.path, 1, line=1)]
    if not isinstance(content, dict):
        return None, [*problems, problem("jsonl.not-object", source.path, 1, count=1, lines=1)]
    return content, problems


def _always(source: SourceFile) -> bool:
    """The name decides."""
    return source.size >= 0


METADATA = Reader(
    name="wandb_metadata",
    title=Text("W&B metadata", "W&B 元数据"),
    names=("wandb-metadata.json",),
    sniff=_always,
    read=read_metadata,
    evidence=True,
    precedence=METADATA_PRECEDENCE,
    version=1,
)
SUMMARY = Reader(
    name="wandb_summary",
    title=Text("W&B summary (last values)", "W&B 汇总（最后的值）"),
    names=("wandb-summary.json",),
    sniff=_always,
    read=read_summary,
    evidence=True,
    precedence=SUMMARY_PRECEDENCE,
    version=1,
)
CONFIG = Reader(
    name="wandb_config",
    title=Text("Configuration kept by W&B", "W&B 保存的配置"),
    names=("config.yaml",),
    sniff=is_wandb_config,
    read=read_config,
    evidence=False,
    precedence=CONFIG_PRECEDENCE,
    version=1,
)
