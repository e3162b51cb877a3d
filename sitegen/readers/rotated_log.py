"""Earlier parts of a console log that was rotated while its job went on: `run.log.1`, `run.log.2.gz`, …

A rotator moves `run.log` to `run.log.1`, what was there to `run.log.2`, and so on: the highest number is the oldest.
Each part is read as the console log that it is, under the log's own job; assembling puts the parts together in order.

Source: logrotate 3.22 `logrotate.8` (names, `compress`); Python 3.14 `logging.handlers.RotatingFileHandler`.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pandas as pd

from sitegen.model.run import ReadResult, SourceFile
from sitegen.readers import console
from sitegen.readers.base import Reader
from sitegen.text import Text

_PART = re.compile(r"(?P<log>.+\.(?:out|log|err|txt))\.(?P<number>[1-9]\d?)(?:\.gz|\.zst)?$", re.IGNORECASE | re.DOTALL)


def part_of(path: str) -> tuple[str, int]:
    """The log that a file is a part of, and the part's number: higher is older, 0 the log itself."""
    match = _PART.match(path)
    return (path, 0) if match is None else (match["log"], int(match["number"]))


def sniff(source: SourceFile) -> bool:
    """Whether it would be a console log under the log's own name."""
    log, number = part_of(source.path)
    return number > 0 and console.READER.sniff(replace(source, path=log))


def read(source: SourceFile) -> ReadResult:
    """What the console reader makes of the part, with the log's job and the part's own lines."""
    log, _ = part_of(source.path)
    result = console.READER.read(replace(source, path=log))
    return replace(
        result,
        reader=READER.name,
        source=source.path,
        steps=_placed(result.steps, source.path),
        nonfinite=_placed(result.nonfinite, source.path),
        engines=_placed(result.engines, source.path),
        batches=_placed(result.batches, source.path),
        jobs=tuple(
            replace(job, source=source.path, end=replace(job.end, path=source.path if job.end.path else None))
            for job in result.jobs
        ),
        events=tuple(replace(event, path=source.path) for event in result.events),
        problems=tuple(replace(found, path=source.path) for found in result.problems),
    )


def _placed(table: pd.DataFrame | None, path: str) -> pd.DataFrame | None:
    return None if table is None else table.assign(source=pd.Series([path] * len(table), dtype=object))


READER = Reader(
    name="rotated_log",
    title=Text("Earlier part of a rotated console log", "轮转控制台日志的较早部分"),
    names=tuple(
        f"*.{suffix}.{number}{packed}"
        for suffix in ("out", "log", "err", "txt")
        for number in ("[1-9]", "[1-9][0-9]")
        for packed in ("", ".gz", ".zst")
    ),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=console.READER.precedence,
    version=1,
)
