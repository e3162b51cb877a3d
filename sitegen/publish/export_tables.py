"""A run's tables for other programs, with a dictionary that says what each column holds, in both languages.

Missing is missing (an empty cell, null), never 0; values that were logged as NaN or infinite are missing in `steps`
and stand in `nonfinite`. Metrics, engine fields and columns of trials are explained by the glossary; a guess is
marked as a guess.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from sitegen.analyse.export import table_csv
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.errors import SitegenError
from sitegen.glossary.entry import EntryKind
from sitegen.glossary.loader import units
from sitegen.glossary.lookup import Glossary
from sitegen.model import tables
from sitegen.model.run import Run
from sitegen.text import Text, ui, ui_strings

Format = Literal["csv", "parquet", "json"]
FORMATS: tuple[Format, ...] = ("csv", "parquet", "json")
"""What tables may be written as."""
DICTIONARY = "dictionary"
"""Name of the table that explains the others' columns."""

_KINDS: Mapping[str, EntryKind] = {"engines": "engine-field", "trials": "trial-column", "steps": "metric"}
_METRIC_FIELDS = (
    *("name", "kind", "mean", "std", "min", "max", "median", "last", "count", "non_finite", "first_step", "last_step"),
)
_JOB_FIELDS = ("name", "number", "started", "finished", "first_step", "last_step", "rows", "redone", "resumed_from")
_TASK_FIELDS = ("task", "attempts", "graded", "solved", "mean_reward", "exceptions", "mean_turns")
_CANDIDATE_FIELDS = ("step", "reward", "ema", "saved", "eligible", "exclusion")
_SOURCE_FIELDS = ("path", "size", "reader", "rows", "note")
_EXCEPTION = "exception/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a column holds."""

    table: str
    """Table."""
    column: str
    """Column."""
    unit: Text
    """Unit in words; empty texts for a plain number, a name or a text."""
    text: Text
    """One sentence."""
    guessed: bool
    """Whether the sentence is a guess from the name."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tables:
    """A run's tables, and what their columns mean."""

    frames: Mapping[str, pd.DataFrame]
    """Table by name; one without rows is left out."""
    meanings: tuple[Meaning, ...]
    """One for each column of each table."""


def run_tables(run: Run, analysis: RunAnalysis, glossary: Glossary) -> Tables:
    """All tables of a run that has passed the privacy border."""
    frames = {name: frame for name, frame in _frames(run, analysis) if len(frame)}
    meanings = tuple(
        _meaning(run, glossary, table, str(column)) for table, frame in frames.items() for column in frame.columns
    )
    return Tables(frames=frames, meanings=meanings)


def _frames(run: Run, analysis: RunAnalysis) -> Iterator[tuple[str, pd.DataFrame]]:
    steps = run.steps.assign(superseded=run.steps[f"superseded_{run.overlap_rule}"])
    first = ["job", "step", "row", "source", "kind", "time", "superseded"]
    yield "steps", steps[[*first, *tables.STEPS.measures(run.steps)]]
    yield "nonfinite", run.nonfinite
    for name, frame in (("engines", run.engines), ("trials", run.trials), ("batches", run.batches)):
        if frame is not None:
            yield name, frame.dropna(axis="columns", how="all")
    yield "metrics", _of(analysis.metrics, _METRIC_FIELDS)
    yield "jobs", _of(run.jobs, _JOB_FIELDS, end=[job.end.cause for job in run.jobs])
    yield "tasks", _of(analysis.trials.tasks if analysis.trials else (), _TASK_FIELDS)
    yield "checkpoints", _of(analysis.checkpoint.candidates, _CANDIDATE_FIELDS)
    found = analysis.findings
    sentences = {"en": [item.sentence.en for item in found], "zh": [item.sentence.zh for item in found]}
    yield "findings", _of(found, ("rule", "severity"), **sentences)
    told = run.problems
    words = {
        f"{name}_{lang}": [getattr(item, name).of(lang) for item in told]
        for name in ("what", "effect")
        for lang in ("en", "zh")
    }
    yield "problems", _of(told, ("severity", "path", "line"), **words)
    yield "sources", _of(run.sources, _SOURCE_FIELDS, used_for=[", ".join(item.used_for) for item in run.sources])


def _of(items: Sequence[Any], names: Sequence[str], **more: Sequence[Any]) -> pd.DataFrame:
    """Fields of some things as a table; whole numbers stay whole where some are missing."""
    columns: dict[str, Any] = {name: _column([getattr(item, name) for item in items]) for name in names}
    return pd.DataFrame(columns | {name: _column(list(values)) for name, values in more.items()})


def _column(values: list[Any]) -> pd.Series:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known):
        return pd.Series(values, dtype="boolean")
    if known and all(isinstance(value, int) for value in known):
        return pd.Series(values, dtype="Int64")
    if known and all(isinstance(value, int | float) for value in known):
        return pd.Series([math.nan if value is None else value for value in values], dtype="float64")
    return pd.Series(values, dtype=object)


def _meaning(run: Run, glossary: Glossary, table: str, column: str) -> Meaning:
    """Our own sentence about a column of ours, else what the glossary says of the name."""
    known = ui_strings()
    for key in (f"export.column.{table}.{column}", f"export.column.{column}"):
        if key in known:
            unit = known.get(f"export.unit.{column}", Text("", ""))
            return Meaning(table=table, column=column, unit=unit, text=known[key], guessed=False)
    if column.startswith(_EXCEPTION):
        text = ui("export.exceptions", name=column.removeprefix(_EXCEPTION))
        return Meaning(table=table, column=column, unit=Text("", ""), text=text, guessed=False)
    entry = glossary.explain(column, run.framework_of(column), _KINDS.get(table, "metric"))
    unit = units()[entry.unit].name if entry.unit else Text("", "")
    return Meaning(table=table, column=column, unit=unit, text=entry.short, guessed=entry.notice is not None)


def dictionary(found: Tables) -> pd.DataFrame:
    """The data dictionary as a table."""
    rows = [
        {
            "table": item.table,
            "column": item.column,
            "unit_en": item.unit.en or None,
            "unit_zh": item.unit.zh or None,
            "meaning_en": item.text.en,
            "meaning_zh": item.text.zh,
            "guessed": item.guessed,
        }
        for item in found.meanings
    ]
    return pd.DataFrame(rows)


def table_files(found: Tables, kind: Format) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file, the dictionary first.

    Raises:
        SitegenError: the library for the format is not installed.
    """
    write = {"csv": table_csv, "json": _json, "parquet": _parquet}[kind]
    for name, frame in ((DICTIONARY, dictionary(found)), *found.frames.items()):
        yield f"{name}.{kind}", write(frame)


def _json(frame: pd.DataFrame) -> bytes:
    """A list of objects, one a line; what is missing or not finite is null."""
    names = [str(name) for name in frame.columns]
    columns = [[_plain(value) for value in frame.iloc[:, at].tolist()] for at in range(len(names))]
    rows = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in zip(*columns, strict=True))
    return ("[\n" + ",\n".join(rows) + "\n]\n").encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    if value is None or value is pd.NA:
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _parquet(frame: pd.DataFrame) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise SitegenError("--format parquet needs pyarrow; install sitegen with its extra: sitegen[parquet]") from None
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None), out)
    return out.getvalue()
