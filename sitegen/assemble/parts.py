"""Parts of one rotated console log, put together: one source for one job, its records in the order logged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import UNKNOWN_END, JobRecord, ReadResult
from sitegen.readers.console import READER as CONSOLE
from sitegen.readers.rotated_log import READER as ROTATED
from sitegen.readers.rotated_log import part_of


def joined_parts(results: Sequence[ReadResult]) -> list[ReadResult]:
    """The results with the parts of each rotated log as the newest part's result; of the others only that they are.

    Rows, events and problems keep the file that they are of.
    """
    logs: dict[str, list[ReadResult]] = {}
    for result in results:
        if result.reader in (CONSOLE.name, ROTATED.name):
            logs.setdefault(_log(result), []).append(result)
    rotated = {log: parts for log, parts in logs.items() if any(part.reader == ROTATED.name for part in parts)}
    joined = [item for log, parts in sorted(rotated.items()) for item in _joined(log, parts)]
    taken = {result.source for result in joined}
    return [*(result for result in results if result.source not in taken), *joined]


def logged_order(source: str) -> tuple[str, int]:
    """A sort key of files under which the parts of a log come in the order in which they were written."""
    log, number = part_of(source)
    return log, -number


def _log(result: ReadResult) -> str:
    """The log's own path, unpacked: a rotated log may be packed in whole."""
    log, number = part_of(result.source)
    return log if number else log.removesuffix(".gz").removesuffix(".zst")


def _joined(log: str, parts: Sequence[ReadResult]) -> list[ReadResult]:
    ordered = sorted(parts, key=lambda result: logged_order(result.source))
    *older, newest = ordered
    whole = replace(
        newest,
        reader=CONSOLE.name,
        framework=_last(part.framework for part in ordered),
        steps=_table(ordered, lambda part: part.steps),
        nonfinite=_table(ordered, lambda part: part.nonfinite),
        engines=_table(ordered, lambda part: part.engines),
        batches=_table(ordered, lambda part: part.batches),
        jobs=_jobs(ordered),
        events=tuple(event for part in ordered for event in part.events),
        facts={name: value for part in ordered for name, value in part.facts.items()},
        rows=sum(part.rows for part in ordered),
        problems=(*(found for part in ordered for found in part.problems), *_said(log, ordered)),
    )
    return [whole, *(_emptied(part) for part in older)]


def _emptied(part: ReadResult) -> ReadResult:
    return ReadResult(reader=part.reader, source=part.source, precedence=part.precedence, rows=part.rows)


def _table(parts: Sequence[ReadResult], of: Callable[[ReadResult], pd.DataFrame | None]) -> pd.DataFrame | None:
    tables = [table for table in map(of, parts) if table is not None]
    return pd.concat(tables, ignore_index=True) if tables else None


def _jobs(parts: Sequence[ReadResult]) -> tuple[JobRecord, ...]:
    """One record: the first part tells how the job began, the last how it ended."""
    records = [record for part in parts for record in part.jobs]
    if not records:
        return ()
    ends = [record.end for record in records if record.end.cause != UNKNOWN_END.cause]
    return (
        replace(
            records[-1],
            started=_first(record.started for record in records),
            finished=_last(record.finished for record in records),
            number=_last(record.number for record in records),
            resumed_from=_first(record.resumed_from for record in records),
            end=ends[-1] if ends else UNKNOWN_END,
        ),
    )


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _last(values: Iterable[Any]) -> Any:
    return _first(reversed(list(values)))


def _said(log: str, ordered: Sequence[ReadResult]) -> list[Problem]:
    numbers = [part_of(part.source)[1] for part in ordered]
    names = ", ".join(part.source.rpartition("/")[2] for part in ordered)
    said = [problem("assemble.rotated-log", ordered[-1].source, None, count=len(ordered), names=names)]
    missing = sorted(set(range(max(numbers))) - set(numbers))
    if missing:
        lost = ", ".join(
            f"{log.rpartition('/')[2]}.{number}" if number else log.rpartition("/")[2] for number in missing
        )
        said.append(problem("assemble.rotated-part-missing", ordered[-1].source, None, names=lost))
    return said
