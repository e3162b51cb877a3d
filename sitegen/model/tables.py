"""The columns of every table that a reader hands over, declared once and checked at the border.

A table is a pandas DataFrame with a plain RangeIndex. Missing is NaN (numbers) or None (text), never 0.
Tables are never mutated after they have been handed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

Kind = Literal["str", "int", "float"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One declared column."""

    name: str
    """The column's name in the table."""
    kind: Kind
    """`str` (object, None when missing), `int` (int64, never missing), `float` (float64, NaN when missing)."""
    unit: str
    """Unit of the values, or what they name."""
    meaning: str
    """What a value says, and what a missing one means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSchema:
    """A table: its fixed columns, and whether float columns of any other name may follow."""

    name: str
    """What the table is called in messages and documentation."""
    columns: tuple[Column, ...]
    """The fixed columns, in order."""
    open_floats: bool
    """True when further float64 columns (metrics under their logged names) may follow."""
    sort: tuple[str, ...]
    """Columns the assembled table is sorted by; a reader keeps the order of its file."""

    @property
    def names(self) -> tuple[str, ...]:
        """The fixed columns' names."""
        return tuple(column.name for column in self.columns)

    def measures(self, table: pd.DataFrame) -> list[str]:
        """The open float columns present, in table order: the logged metrics."""
        fixed = set(self.names)
        return [name for name in table.columns if name not in fixed]


def _col(name: str, kind: Kind, unit: str, meaning: str) -> Column:
    return Column(name=name, kind=kind, unit=unit, meaning=meaning)


STEPS = TableSchema(
    name="steps",
    columns=(
        _col(
            "job",
            "str",
            "job name",
            "The launch that logged the record; readers give the log's stem or the table's log_file.",
        ),
        _col("step", "int", "trainer step", "The step as the framework numbers it."),
        _col(
            "row",
            "int",
            "line",
            "1-based line of the source where the record begins (a table's header is line 1).",
        ),
        _col("source", "str", "path", "`SourceFile.path` of the source."),
        _col("kind", "str", "train|eval", "What the record holds."),
        _col(
            "time",
            "float",
            "Unix s",
            "When it was logged (UTC); NaN where the source has no clock.",
        ),
        _col(
            "segment",
            "int",
            "index",
            "Set by assemble: 0-based run of rising steps within a job; readers give 0.",
        ),
        _col(
            "superseded_last",
            "int",
            "0|1",
            "Set by assemble: off the lineage under `last segment wins`; readers give 0.",
        ),
        _col(
            "superseded_first",
            "int",
            "0|1",
            "Set by assemble: off the lineage under `first seen`; readers give 0.",
        ),
    ),
    open_floats=True,
    sort=("kind", "step", "job", "segment"),
)

ENGINES = TableSchema(
    name="engines",
    columns=(
        _col("job", "str", "job name", "The launch that logged the sample."),
        _col("row", "int", "line", "1-based line of the source."),
        _col("source", "str", "path", "`SourceFile.path` of the source."),
        _col(
            "time",
            "float",
            "s",
            "Unix s; of an assumed year where the log has none (order kept over New Year); NaN without.",
        ),
        _col("clock", "str", "text", "The time as written (`MM-DD HH:MM:SS`), None without one."),
        _col(
            "engine",
            "str",
            "identity",
            "actor/pid/ip of one engine; None when the row is a mean over engines that reported.",
        ),
        _col(
            "engines_reporting",
            "float",
            "count",
            "Engines averaged in the row; 1 for a single engine; NaN unknown.",
        ),
        _col("prompt_tps", "float", "tokens/s", "Prompt tokens per second, per engine."),
        _col("generation_tps", "float", "tokens/s", "Generated tokens per second, per engine."),
        _col("running", "float", "requests", "Requests being processed, per engine."),
        _col("waiting", "float", "requests", "Requests queued, per engine."),
        _col(
            "preemptions",
            "float",
            "count",
            "Preempted requests as logged; NaN when the line has no such tail.",
        ),
        _col("kv_cache_pct", "float", "%", "KV cache in use, 0-100."),
        _col(
            "prefix_hit_pct",
            "float",
            "%",
            "Prefix cache hit rate over the engine's recent window, 0-100.",
        ),
        _col(
            "external_prefix_hit_pct",
            "float",
            "%",
            "External prefix cache hit rate; NaN when absent.",
        ),
        _col("mm_hit_pct", "float", "%", "Multi-modal cache hit rate; NaN when absent."),
        _col(
            "running_min",
            "float",
            "requests",
            "Smallest over the engines of the row; NaN for a single engine.",
        ),
        _col(
            "running_max",
            "float",
            "requests",
            "Largest over the engines of the row; NaN for a single engine.",
        ),
        _col(
            "generation_tps_min",
            "float",
            "tokens/s",
            "Smallest over the engines of the row; NaN for a single engine.",
        ),
        _col(
            "generation_tps_max",
            "float",
            "tokens/s",
            "Largest over the engines of the row; NaN for a single engine.",
        ),
        _col(
            "hidden_repeats",
            "float",
            "count",
            "Further lines that Ray collapsed into this one (`[repeated Nx across cluster]`).",
        ),
    ),
    open_floats=True,  # speculative decoding fields and what newer builds add
    sort=("job", "time", "row"),
)

TRIALS = TableSchema(
    name="trials",
    columns=(
        _col("task", "str", "name", "Task attempted."),
        _col("trial", "str", "name", "Trial name; None when the source gives none."),
        _col("row", "int", "line", "1-based line of the source; 1 for a result.json."),
        _col("source", "str", "path", "`SourceFile.path` of the source."),
        _col(
            "job",
            "str",
            "name",
            "Trial batch (what Harbor calls a job); None when the source does not tell.",
        ),
        _col("turns", "float", "turns", "Agent turns (n_episodes); NaN when not reported."),
        _col("input_tokens", "float", "tokens", "Prompt tokens, cached ones included."),
        _col("cache_tokens", "float", "tokens", "The part of input_tokens served from the cache."),
        _col("output_tokens", "float", "tokens", "Generated tokens."),
        _col("cost_usd", "float", "USD", "Cost as reported."),
        _col("exception", "str", "type", "Exception type as given; None without one."),
        _col(
            "reward",
            "float",
            "reward units",
            "Value under the primary reward key; NaN when ungraded.",
        ),
        _col("started", "float", "Unix s", "Start; NaN when the source does not tell."),
        _col("finished", "float", "Unix s", "End; NaN when the source does not tell."),
        _col("wall_s", "float", "s", "Whole trial."),
        _col("environment_setup_s", "float", "s", "Environment set-up phase."),
        _col("agent_setup_s", "float", "s", "Agent set-up phase."),
        _col("agent_s", "float", "s", "Agent execution phase."),
        _col("verifier_s", "float", "s", "Verifier phase."),
        _col("retries", "float", "count", "Earlier attempts at the same trial; NaN unknown."),
    ),
    open_floats=True,  # `reward/<key>` for every further reward key
    sort=("source", "row"),
)

NONFINITE = TableSchema(
    name="nonfinite",
    columns=(
        _col("job", "str", "job name", "The launch that logged the value."),
        _col("step", "int", "trainer step", "Its step."),
        _col("row", "int", "line", "1-based line of the source."),
        _col("source", "str", "path", "`SourceFile.path` of the source."),
        _col("kind", "str", "train|eval", "Kind of the record."),
        _col("metric", "str", "name", "The metric's logged name."),
        _col("value", "str", "nan|inf|-inf", "What was logged."),
    ),
    open_floats=False,
    sort=("metric", "step"),
)

BATCHES = TableSchema(
    name="batches",
    columns=(
        _col("job", "str", "job name", "The launch that logged the batch lines."),
        _col("step", "int", "trainer step", "The step whose header came after the lines."),
        _col("row", "int", "line", "1-based line of the first batch line of the step."),
        _col("source", "str", "path", "`SourceFile.path` of the source."),
        _col("batches", "float", "count", "Batch lines of the step."),
        _col("instances", "float", "count", "Prompts or trajectories attempted (the b of a/b)."),
        _col("successful", "float", "count", "The a of a/b."),
        _col("failed", "float", "count", "Failed instances (prompts)."),
        _col("masked", "float", "count", "Masked trajectories."),
    ),
    open_floats=True,  # `exception/<Type>` counts
    sort=("job", "step"),
)

SCHEMAS: tuple[TableSchema, ...] = (STEPS, ENGINES, TRIALS, NONFINITE, BATCHES)

_DTYPES = {"int": np.dtype("int64"), "float": np.dtype("float64")}


def empty(schema: TableSchema) -> pd.DataFrame:
    """A table of the schema without rows."""
    return conform(pd.DataFrame(), schema)


def conform(table: pd.DataFrame, schema: TableSchema) -> pd.DataFrame:
    """The table with the schema's columns, order and dtypes; a copy, index reset.

    A fixed `float` or `str` column that is absent is added as missing; an absent `int` one as 0 only for the
    columns that assemble fills in. Anything else that does not fit is a bug of the caller.

    Raises:
        ValueError: an unknown column in a closed table, a missing `int` column, or text where numbers are due.
    """
    return _conformed({str(name): column for name, column in table.items()}, len(table), schema)


def table_of(columns: Mapping[str, npt.NDArray[Any]], schema: TableSchema) -> pd.DataFrame:
    """The table of some columns of equal length; as `conform`, without a table in between that costs memory.

    Raises:
        ValueError: as `conform`.
    """
    size = len(next(iter(columns.values()))) if columns else 0
    given = {name: pd.Series(values, dtype=values.dtype, copy=False) for name, values in columns.items()}
    return _conformed(given, size, schema)


def _conformed(given: Mapping[str, pd.Series], size: int, schema: TableSchema) -> pd.DataFrame:
    index = pd.RangeIndex(size)  # one for all columns, so that nothing has to be aligned
    columns: dict[str, pd.Series | npt.NDArray[Any]] = {}
    missing = np.full(size, np.nan)
    for column in schema.columns:
        if column.name in given:
            texts = column.kind == "str"
            columns[column.name] = (
                _texts(given[column.name], index) if texts else _numbers(given[column.name], column.kind)
            )
        elif column.kind == "float":
            columns[column.name] = missing
        elif column.kind == "str":
            columns[column.name] = pd.Series(np.full(size, None, dtype=object), index=index, dtype=object)
        elif size and column.name not in _FILLED_LATER:
            raise ValueError(f"column {column.name!r} is missing")
        else:
            columns[column.name] = np.zeros(size, "int64")
    fixed = set(schema.names)
    for name in given:
        if name in fixed:
            continue
        if not schema.open_floats:
            raise ValueError(f"{schema.name}: column {name!r} is not declared")
        columns[name] = _numbers(given[name], "float")
    return pd.DataFrame(columns, index=index)


_FILLED_LATER = frozenset({"segment", "superseded_last", "superseded_first"})


def _texts(series: pd.Series, index: pd.RangeIndex) -> pd.Series:
    values = series.to_numpy(dtype=object)
    absent = series.isna().to_numpy()
    if absent.any():
        values = values.copy()
        values[absent] = None
    return pd.Series(values, index=index, dtype=object, copy=False)


def _numbers(series: pd.Series, kind: str) -> npt.NDArray[Any]:
    dtype = _DTYPES[kind]
    return (series if series.dtype == dtype else series.astype(dtype)).to_numpy()
