"""A run's tables as files and columns to hand out: CSV downloads, and the trial columns of the trials page."""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import pandas as pd

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.analyse.smooth import trailing_mean
from sitegen.model import tables
from sitegen.model.run import Run

_CSV_ROWS = 4096
_SPECIAL = re.compile(r'[",\r\n]')
_FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrialColumns:
    """All trials as columns, in table order, JSON-ready; a column that no trial fills is left out."""

    total: int
    """Trials."""
    names: Mapping[str, tuple[str, ...]]
    """`task` and `exception`: the distinct names, sorted; their columns hold places in them, -1 for none."""
    columns: Mapping[str, list[Any]]
    """task, trial (without a leading `<task>__`), outcome (1 solved, 0 not, -1 ungraded), reward, turns, exception,
    input_tokens, output_tokens, wall_s; None where a trial lacks the value."""
    missing: tuple[str, ...]
    """Columns of the trial table that no trial fills, in table order."""
    pages: Mapping[int, str] = field(default_factory=dict)
    """Row to the site path, below the run's folder, of the page of its trial; rows without one are left out."""


def steps_csv(run: Run, analysis: RunAnalysis) -> bytes:
    """Every logged record: job, step, row, source, kind, time, superseded, then each metric, its EMA and mean of 5.

    Full precision. An empty cell was not logged; `nan`, `inf` and `-inf` were. Smoothed values, those that the charts
    draw, stand on lineage rows only.
    """
    rows = run.steps
    names = tables.STEPS.measures(rows)
    out: dict[str, Any] = {name: rows[name] for name in ("job", "step", "row", "source", "kind", "time")}
    out["superseded"] = rows[f"superseded_{run.overlap_rule}"]
    told = _nonfinite(run)
    kept = (rows["kind"] == "train") & (out["superseded"] == 0)
    for name in names:
        out[name] = _with_nonfinite(rows, rows[name], told.get(name, {}))
        curve = analysis.curve(name)
        if curve is not None:
            first = ~pd.Index(curve.step).duplicated()
            smoothed = {"EMA 1/3": curve.ema, "mean of last 5": trailing_mean(curve.raw)}
            for how, values in smoothed.items():
                by_step = pd.Series(values[first], index=curve.step[first])
                out[f"{name} ({how})"] = rows["step"].map(by_step).where(kept)
    return _csv(out)


def _nonfinite(run: Run) -> dict[str, dict[tuple[str, str, int], str]]:
    """Metric to (job, source, row) to what was logged."""
    told: dict[str, dict[tuple[str, str, int], str]] = {}
    fields = [run.nonfinite[name].tolist() for name in ("metric", "job", "source", "row", "value")]
    for metric, job, source, row, value in zip(*fields, strict=True):
        told.setdefault(str(metric), {})[(str(job), str(source), int(row))] = str(value)
    return told


def _with_nonfinite(rows: pd.DataFrame, values: pd.Series, told: Mapping[tuple[str, str, int], str]) -> pd.Series:
    if not told:
        return values
    texts = values.astype(object).where(values.notna(), None)
    for index, (job, source, row) in enumerate(zip(rows["job"], rows["source"], rows["row"], strict=True)):
        logged = told.get((str(job), str(source), int(row)))
        if logged is not None:
            texts.iloc[index] = logged
    return texts


def engines_csv(run: Run) -> bytes:
    """Every engine sample, the columns of `tables.ENGINES` that are filled."""
    assert run.engines is not None
    return _csv(_filled(run.engines))


def events_csv(run: Run) -> bytes:
    """The digest of the run's logs, one group of lines of one shape per row: job, level, count, lines, step, text."""
    fields = ("job", "level", "count", "first_line", "last_line", "first_step", "path", "shape", "example")
    rows = [{name: getattr(event, name) for name in fields} for event in run.events]
    return _csv(pd.DataFrame(rows, columns=fields).astype({"first_step": "Int64"}))


def trials_csv(run: Run) -> bytes:
    """Every trial, the columns of `tables.TRIALS` that are filled."""
    assert run.trials is not None
    return _csv(_filled(run.trials))


def tasks_csv(analysis: RunAnalysis) -> bytes:
    """Every task: attempts, graded, solved, mean_reward, exceptions, mean_turns."""
    assert analysis.trials is not None
    fields = ("task", "attempts", "graded", "solved", "mean_reward", "exceptions", "mean_turns")
    return _csv(
        pd.DataFrame([{name: getattr(row, name) for name in fields} for row in analysis.trials.tasks], columns=fields)
    )


def _filled(table: pd.DataFrame) -> dict[str, pd.Series]:
    """The columns that some row fills; the table itself is not copied, it may be large."""
    return {str(name): column for name, column in table.items() if column.notna().any()}


def table_csv(table: pd.DataFrame) -> bytes:
    """Any table: full precision, missing values empty, text that a spreadsheet would run made harmless."""
    return _csv(table)


def _csv(table: Mapping[str, pd.Series] | pd.DataFrame) -> bytes:
    """CSV with text that a spreadsheet would take for a formula made harmless, in names and cells."""
    out = io.BytesIO()
    header = ",".join(_quoted(_harmless(str(name))) for name in table)
    out.write(f"{header}\n".encode("utf-8", "replace"))
    columns = [column for _, column in table.items()]
    for start in range(0, len(columns[0]) if columns else 0, _CSV_ROWS):
        part = [column.iloc[start : start + _CSV_ROWS] for column in columns]
        rows = "\n".join(map(",".join, zip(*_cells(part), strict=True)))
        out.write(f"{rows}\n".encode("utf-8", "replace"))
    return out.getvalue()


def _cells(columns: Sequence[pd.Series]) -> Iterator[Iterable[str]]:
    """Columns as CSV cells, numbers in full, missing ones empty; neighbouring plain numbers as one, which is faster."""
    for kind, group in itertools.groupby(columns, _plain_kind):
        if kind is not None:
            yield _plain_cells(np.column_stack([column.to_numpy() for column in group]))
        else:
            yield from map(_column_cells, group)


def _plain_kind(values: pd.Series) -> str | None:
    """Kind of numbers that JSON and Python write alike (no exponent, nothing infinite); None for anything else."""
    if values.dtype == np.float64:
        size = np.abs(values.to_numpy())
        plain = (size >= 1e-4) & (size < 1e16) | (size == 0) | np.isnan(size)
        return "float" if plain.all() else None
    return "int" if values.dtype == np.int64 else None


def _plain_cells(values: npt.NDArray[Any]) -> list[str]:
    """The cells of each row, joined."""
    rows = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY).decode().replace("null", "")
    return rows[2:-2].split("],[")


def _column_cells(values: pd.Series) -> Iterable[str]:
    """Each distinct value is written out once: tables of engine samples have few."""
    if values.dtype == object:
        given = values.tolist()
        texts = {value: "" if pd.isna(value) else _quoted(_text(value)) for value in dict.fromkeys(given)}
        return map(texts.__getitem__, given) if len(texts) > 1 else [*texts.values()] * len(given)
    if values.dtype == np.float64:
        return ["" if math.isnan(value) else repr(value) for value in values.tolist()]
    codes, distinct = pd.factorize(values)
    if pd.api.types.is_bool_dtype(values) or not pd.api.types.is_numeric_dtype(values):
        cells = [_quoted(_text(value)) for value in distinct]
    else:
        cells = [repr(value) for value in distinct.tolist()]
    found: list[str] = np.array([*cells, ""], dtype=object)[codes].tolist()
    return found


def _text(value: Any) -> str:
    return value if value in ("-inf", "nan", "inf") else _harmless(str(value))


def _quoted(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if _SPECIAL.search(text) else text


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_MARKS) else text


def trial_columns(run: Run, threshold: float) -> TrialColumns:
    """All trials as columns; see `TrialColumns`."""
    table = run.trials
    assert table is not None
    tasks, exceptions = _coded(table["task"]), _coded(table["exception"])
    reward = table["reward"].to_numpy("float64")
    outcome = np.where(np.isfinite(reward), (reward > threshold).astype("int64"), -1)
    columns: dict[str, list[Any]] = {"task": tasks[1], "trial": _short_names(table), "outcome": outcome.tolist()}
    columns["exception"] = exceptions[1]
    for name, places in (("reward", 6), ("turns", 2), ("input_tokens", 0), ("output_tokens", 0), ("wall_s", 1)):
        columns[name] = _numbers(table[name].to_numpy("float64"), places)
    missing = tuple(name for name in tables.TRIALS.names if not table[name].notna().any())
    filled = {name: values for name, values in columns.items() if name not in missing}
    return TrialColumns(
        total=len(table),
        names={"task": tasks[0], "exception": exceptions[0]},
        columns=filled,
        missing=missing,
        pages=_pages(run, table),
    )


def _pages(run: Run, table: pd.DataFrame) -> dict[int, str]:
    pages = {file.result: file.page for file in run.trajectories if file.page}
    if not pages:
        return {}
    found = ((row, pages.get(source)) for row, source in enumerate(table["source"]))
    return {row: page for row, page in found if page is not None}


def _coded(values: pd.Series) -> tuple[tuple[str, ...], list[int]]:
    """Distinct names sorted, and the place of each value among them (-1 for none)."""
    codes, names = pd.factorize(values, sort=True)
    return tuple(str(name) for name in names), codes.tolist()


def _short_names(table: pd.DataFrame) -> list[Any]:
    """Trial names without a leading `<task>__`, which most have."""
    pairs = zip(table["task"], table["trial"], strict=True)
    return [None if trial is None else str(trial).removeprefix(f"{task}__") for task, trial in pairs]


def _numbers(values: np.ndarray[Any, np.dtype[np.float64]], places: int) -> list[Any]:
    """JSON-ready numbers, whole ones without a decimal point; None where not finite."""
    rounded = np.round(values, places)
    return [None if not np.isfinite(v) else int(v) if v == int(v) else float(v) for v in rounded]
