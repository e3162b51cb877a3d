"""From the text of a JSON Lines tracker to a `ReadResult`: the part that its readers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitegen.model.problems import Problem, problem
from sitegen.model.run import JobRecord, ReadResult, SourceFile
from sitegen.readers.jsonl import JsonRecord, json_records
from sitegen.readers.metric_records import MetricRecord, Numbers, metric_tables
from sitegen.readers.text_file import load

TRACKER = 20
"""Precedence of trackers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a reader made of the objects of a file."""

    records: Sequence[MetricRecord]
    """In file order."""
    problems: Sequence[Problem] = ()
    """What it left out."""
    facts: Mapping[str, Any] | None = None
    """Further facts."""


Take = Callable[[Sequence[JsonRecord], Numbers], Taken]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonTracker:
    """One JSON Lines format."""

    reader: str
    """`Reader.name`."""
    framework: str | None
    """What the format tells of the framework."""
    key: str | None
    """A key that every record has; None when any object will do."""
    take: Take
    """Objects to records."""

    def read(self, source: SourceFile, job: str) -> ReadResult:
        """The file as steps (`tables.STEPS`); nulls make `absent_or_nonfinite` a fact."""
        loaded = load(source)
        if loaded.text is None:
            return result(source, self, job, Taken(records=()), list(loaded.problems))
        numbers = Numbers(source.path)
        objects, damage = json_records(source.path, loaded.text, self._is_record)
        taken = self.take(objects, numbers)
        problems = [*loaded.problems, *damage, *taken.problems, *numbers.problems()]
        facts = dict(taken.facts or {})
        if numbers.nulls:
            facts["absent_or_nonfinite"] = True
        if not taken.records:
            problems.append(problem("tracker.no-records", source.path))
        return result(source, self, job, Taken(records=taken.records, facts=facts), problems)

    def _is_record(self, values: Mapping[str, Any]) -> bool:
        return self.key is None or self.key in values


def result(source: SourceFile, tracker: JsonTracker, job: str, taken: Taken, problems: list[Problem]) -> ReadResult:
    """The records as a result."""
    tables = metric_tables(source.path, job, taken.records)
    known = taken.records and tables.steps is not None
    return ReadResult(
        reader=tracker.reader,
        source=source.path,
        precedence=TRACKER,
        framework=tracker.framework if known else None,
        steps=tables.steps,
        nonfinite=tables.nonfinite,
        jobs=(JobRecord(name=job, source=source.path),) if known else (),
        facts=taken.facts or {} if known else {},
        rows=len(taken.records),
        problems=(*problems, *tables.problems),
    )
