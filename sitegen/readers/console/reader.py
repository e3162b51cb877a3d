"""The reader of console logs: which files are logs, and what the dialects found in one, as a `ReadResult`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from sitegen.model.problems import problem
from sitegen.model.run import JobRecord, LogEvent, ReadResult, SourceFile
from sitegen.readers.base import Reader
from sitegen.readers.console.dialect import Dialect, Found, Log, Noted
from sitegen.readers.console.dialects import DIALECTS
from sitegen.readers.console.edges import Edges
from sitegen.readers.console.ends import job_end
from sitegen.readers.console.records import Records
from sitegen.readers.console.search import Search
from sitegen.readers.console.stream import ahead, blocks, head
from sitegen.readers.job_names import job_number
from sitegen.readers.text_file import is_placeholder, load
from sitegen.text import Text

_SUFFIXES = (".out", ".log", ".err", ".txt")
_JOB_LOG = re.compile(r"[_-]\d{4,10}\.(?:out|log|err|txt)(?:\.gz|\.zst)?$", re.IGNORECASE)
_LOG_SHAPE = re.compile(
    rb"\s*(?:\x1b\[[\d;]*m)*(?:"
    rb"\([^()\s]+ pid=\d+"
    rb"|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d"
    rb"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: \d\d-\d\d \d\d:|:[\w.]+:)|\[(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\]"
    rb"|\[rank\d+\]:|srun: |slurmstepd: |wandb: |Traceback \(most recent call last\)"
    rb")",
)
_SHAPED_SHARE = 0.1
"""Share of a head's lines that must look logged, two at least."""
_GENERIC = frozenset({"output", "stdout", "stderr", "out", "err", "log", "console", "train", "job", "slurm", "main"})
"""Names that say nothing of the job: it is called after the folder."""


def sniff(source: SourceFile) -> bool:
    """Whether the file is a console log: by a marker of a dialect, by its lines' shape, or by a job's number.

    `<run>_<job>.out` is a log whatever is in it (a job that died at once leaves an empty one). Other names need a
    marker or logged lines in the head; a text file (`.txt`) needs them too, so that `requirements.txt` is none.
    """
    numbered = _JOB_LOG.search(source.name) is not None
    start = head(source)
    if is_placeholder(source):
        return numbered or (bool(source.head) and not source.name.lower().endswith(".txt"))
    if b"\0" in start[:4096]:
        return numbered
    return numbered or any(marker in start for marker in _markers()) or _looks_logged(start)


@cache
def _markers() -> tuple[bytes, ...]:
    return tuple(marker for dialect in DIALECTS for marker in dialect.markers)


def _looks_logged(start: bytes) -> bool:
    lines = [line for line in start.replace(b"\r", b"\n").split(b"\n") if line.strip()]
    shaped = sum(_LOG_SHAPE.match(line) is not None for line in lines)
    return shaped >= 2 and shaped >= _SHAPED_SHARE * len(lines)


@cache
def _search() -> Search:
    return Search(DIALECTS)


def read(source: SourceFile) -> ReadResult:
    """Steps, engine samples, batches, the job's life and the digest of one log; memory does not grow with its size."""
    if is_placeholder(source):
        loaded = load(source)
        if loaded.text is None:
            return _result(source, job=job_of(source), problems=loaded.problems)
    log = Log(path=source.path, job=job_of(source), noted=Noted(source.path))
    edges, damage = Edges(), Noted(source.path)
    search = _search()
    reading = search.open(log)
    try:
        for block in ahead(blocks(source, damage), search.block):
            edges.feed(block.content)
            reading.feed(block)
    except OSError as error:
        reason = error.strerror or "?"
        return _result(source, job=log.job, problems=(problem("file.unreadable", source.path, reason=reason),))
    log.noted.join(damage)
    edges.tell(log)
    return _assembled(source, log, reading.finish())


def job_of(source: SourceFile) -> str:
    """The job whose log it is: the file's stem, or the folder's name where the stem says nothing."""
    stem = source.stem
    if stem.lower() not in _GENERIC:
        return stem
    folders = [part for part in PurePosixPath(source.path).parent.parts if part not in ("files", "logs", ".")]
    return f"{folders[-1]}/{stem}" if folders else stem


def _assembled(source: SourceFile, log: Log, found: list[tuple[Dialect, Found]]) -> ReadResult:
    dialect, chosen = _with_records(log, found)
    parts = [each for _, each in found]
    records = chosen.records
    engines = next((each.engines for each in parts if each.engines is not None), None)
    batches = chosen.batches if chosen.batches is not None else _first(each.batches for each in parts)
    for name in sorted(records.reserved) if records is not None else ():
        log.noted.add("console.reserved-name", None, name=name)
    last_record = records.lines[-1] if records is not None and records.lines else 0
    evidence = [item for each in parts for item in each.evidence]
    record = JobRecord(
        name=log.job,
        started=log.started,
        finished=log.finished,
        number=_first((job_number(log.job), *(each.number for each in parts))),
        resumed_from=_first((chosen.resumed_from, *(each.resumed_from for each in parts))),
        end=job_end(evidence, source.path, last_record),
        source=source.path,
    )
    facts: dict[str, Any] = {name: value for each in reversed(parts) for name, value in each.facts.items()}
    if log.started is not None:
        facts["clock_assumed_utc"] = True
    return _result(
        source,
        job=log.job,
        framework=_framework(log, dialect, chosen, parts),
        steps=records.table(log.job, source.path) if records is not None else None,
        nonfinite=records.nonfinite_table(log.job, source.path) if records is not None else None,
        engines=engines,
        batches=batches,
        jobs=(record,),
        events=tuple(_placed(event, records) for each in parts for event in each.events),
        facts=facts,
        problems=log.noted.problems(),
    )


def _framework(log: Log, dialect: Dialect, chosen: Found, parts: list[Found]) -> str | None:
    """The framework whose records are used; without any, the one that the lines name."""
    if chosen.records is not None:
        return chosen.framework or dialect.framework
    named: str | None = _first((log.framework, *(each.framework for each in parts)))
    return named


def _placed(event: LogEvent, records: Records | None) -> LogEvent:
    """The event with the train step that was under way: records stand at the end of their step."""
    if records is None:
        return event
    at = bisect_right(records.lines, event.first_line)
    while at < len(records) and records.kinds[at] != "train":
        at += 1
    return replace(event, first_step=records.steps[at]) if at < len(records) else event


def _with_records(log: Log, found: list[tuple[Dialect, Found]]) -> tuple[Dialect, Found]:
    """The dialect with the most records: two that read the same lines are never added up."""
    with_records = [(dialect, each) for dialect, each in found if each.records is not None and len(each.records)]
    if not with_records:
        return found[0]
    best = max(with_records, key=lambda item: len(item[1].records or ()))
    for dialect, each in with_records:
        if dialect is not best[0] and each.records is not None:
            values = {"name": dialect.name, "records": len(each.records), "other": best[0].name}
            log.noted.add("console.two-dialects", each.records.lines[0], **values)
    return best


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _result(source: SourceFile, *, job: str, **parts: Any) -> ReadResult:
    tables = [parts.get(name) for name in ("steps", "engines", "batches")]
    parts.setdefault("jobs", (JobRecord(name=job, number=job_number(job), source=source.path),))
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        rows=sum(len(table) for table in tables if table is not None),
        **parts,
    )


READER = Reader(
    name="console",
    title=Text("Console log", "控制台日志"),
    names=tuple(f"*{suffix}{packed}" for suffix in _SUFFIXES for packed in ("", ".gz", ".zst")),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=40,
    version=2,
)
