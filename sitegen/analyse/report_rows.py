"""The rows of a run that a published report speaks of, with the rounding of those that were read from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from sitegen.analyse.printed import Bounded, Column, parse
from sitegen.assemble.sources import same_job
from sitegen.model.run import Published, PublishedValue, Run
from sitegen.readers.report_published import metric_of

PROGRESSION = "Training Progression"
"""Beginning of the headings above a report's per-step tables."""
COMPARISON = "Cross-Log Comparison"
"""Heading above the table of means per log."""
PER_LOG = ("Overview", COMPARISON)
"""Headings above tables of one row per log."""
GLOBAL_STEP = "trainer/global_step"
BATCH_PREFIX = "batch_errors/"
BATCH_COUNTS = ("batches", "instances", "successful", "failed", "masked")
"""Columns of `tables.BATCHES` that the parser calls `batch_errors/total_<name>`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportRows:
    """The records behind a report: those of the logs that it names, in the order in which each log wrote them."""

    run: Run
    """The run."""
    published: Published
    """The report."""

    @cached_property
    def logs(self) -> Mapping[str, str]:
        """Log as the report calls it to the run's job, for every log that it names."""
        known = [job.name for job in self.run.jobs]
        return {log: same_job(log, known) for log in dict.fromkeys(filter(None, map(_log_of, self.published.values)))}

    @cached_property
    def table(self) -> pd.DataFrame:
        """All records of these logs, superseded ones included; of all logs where the report names none."""
        steps = self.run.steps
        jobs = set(self.logs.values())
        kept = steps[steps["job"].isin(jobs)] if jobs else steps
        return kept.sort_values(["source", "row"], kind="stable").reset_index(drop=True)

    @cached_property
    def lineage(self) -> pd.DataFrame:
        """The records of `table` that are not superseded under the run's overlap rule."""
        return self.table[self.table[f"superseded_{self.run.overlap_rule}"] == 0].reset_index(drop=True)

    def of_log(self, log: str) -> pd.DataFrame:
        """The train records of one log, named as in the report, in the order in which it wrote them."""
        return self._by_job.get(self.logs.get(log, log), self.table.iloc[:0])

    def record(self, log: str, step: int, occurrence: int) -> int | None:
        """Place in `of_log` of the record that a log wrote of a step for the first (0), second (1), … time."""
        places = self._places.get(self.logs.get(log, log), {}).get(step, [])
        return places[occurrence] if occurrence < len(places) else None

    def value(self, metric: str, log: str, place: int) -> Bounded:
        """A metric in one record of a log; nothing where that has none."""
        key = (metric, self.logs.get(log, log))
        if key not in self._columns:
            self._columns[key] = self.column(metric, self.of_log(log))
        found = self._columns[key]
        value, half = float(found.values[place]), float(found.half[place])
        return Bounded(value=value, slack=half) if math.isfinite(value) else Bounded(value=None)

    def origin(self, log: str, place: int) -> tuple[str, int]:
        """File and line of one record of a log."""
        return self._origins[self.logs.get(log, log)][place]

    def read_from_report(self, log: str) -> bool:
        """Whether the records of a log are the report's own printed rows, so that comparing them proves nothing."""
        return self.logs.get(log, log) in self._own_jobs

    def logs_metric(self, metric: str | None) -> bool:
        """Whether any of these records holds a value of a metric."""
        return metric in self.table.columns and bool(np.isfinite(self.table[metric].to_numpy(dtype="float64")).any())

    def column(self, metric: str, rows: pd.DataFrame) -> Column:
        """A metric over some records; the step itself under its logged name."""
        if metric == GLOBAL_STEP and metric not in rows.columns:
            return self._printed_steps() if rows is self.table else _exact(rows["step"].to_numpy(dtype="float64"))
        if metric not in rows.columns:
            return _exact(np.full(len(rows), np.nan))
        own = (rows["source"] == self.published.path).to_numpy()
        half = np.zeros(len(rows))
        if own.any():
            lines = rows["row"].to_numpy()
            half[own] = [self._halves.get((int(line), metric), 0.0) for line in lines[own]]
        return Column(values=rows[metric].to_numpy(dtype="float64"), half=half)

    def batch_column(self, metric: str, *, late: bool) -> Column | None:
        """A `batch_errors/` metric from the logs' batch lines; None when it is none or no such lines are known.

        Args:
            metric: `batch_errors/total_<name>` or `batch_errors/avg_<name>` (total over batches of the step).
            late: As the parser counts: the lines before the header of step N + 1 as step N, so that every step gets
                the next one's. What comes before the first header it takes for step 1's, so that step 1 gets its own
                as well, and the first step of a log that resumed does not.
        """
        batches = self.run.batches
        if batches is None or not metric.startswith(BATCH_PREFIX):
            return None
        kind, _, name = metric.removeprefix(BATCH_PREFIX).partition("_")
        column = name if name in BATCH_COUNTS else f"exception/{name}"
        if kind not in ("total", "avg") or column not in batches.columns:
            return None
        kept = batches[batches["job"].isin(set(self.logs.values()))] if self.logs else batches
        parts = []
        for _, rows in kept.sort_values(["job", "step"], kind="stable").groupby("job", sort=False):
            counts = rows[column].to_numpy(dtype="float64")
            size = rows["batches"].to_numpy(dtype="float64")
            if late:
                begins = bool(rows["step"].iloc[0] == 1)
                counts, size = _one_late(counts, begins=begins), _one_late(size, begins=begins)
            parts.append(counts if kind == "total" else counts / np.where(size > 0, size, np.nan))
        return _exact(np.concatenate(parts)) if parts else None

    @cached_property
    def compared(self) -> Mapping[str, Mapping[str, tuple[float, float]]]:
        """Metric to log to the mean that the comparison of logs prints, with half a unit of its last digit."""
        found: dict[str, dict[str, tuple[float, float]]] = {}
        for value in self.published.values:
            section, _, log = value.where.partition("/")
            metric = metric_of(value.name) if section == COMPARISON else None
            parsed = parse(value.text) if metric else None
            if metric and parsed:
                found.setdefault(metric, {})[log] = parsed
        return found

    @cached_property
    def _by_job(self) -> Mapping[str, pd.DataFrame]:
        train = self.table[self.table["kind"] == "train"]
        return {str(job): part.reset_index(drop=True) for job, part in train.groupby("job", sort=False)}

    @cached_property
    def _places(self) -> Mapping[str, Mapping[int, list[int]]]:
        """Job to step to the places of its records."""
        found: dict[str, dict[int, list[int]]] = {}
        for job, rows in self._by_job.items():
            by_step = found.setdefault(job, {})
            for place, step in enumerate(rows["step"].tolist()):
                by_step.setdefault(step, []).append(place)
        return found

    @cached_property
    def _origins(self) -> Mapping[str, list[tuple[str, int]]]:
        return {
            job: list(zip(rows["source"].tolist(), rows["row"].tolist(), strict=True))
            for job, rows in self._by_job.items()
        }

    @cached_property
    def _columns(self) -> dict[tuple[str, str], Column]:
        """What `value` has made so far."""
        return {}

    @cached_property
    def _own_jobs(self) -> frozenset[str]:
        """Jobs whose records all come from the report."""
        return frozenset(job for job, rows in self._by_job.items() if (rows["source"] == self.published.path).all())

    @cached_property
    def _halves(self) -> Mapping[tuple[int, str], float]:
        """Half a unit of the last digit of every number in the progression, by line and metric."""
        found = {}
        for value in self.published.values:
            metric = metric_of(value.name) if value.where.startswith(PROGRESSION) else None
            parsed = parse(value.text) if metric else None
            if metric and parsed:
                found[value.line, metric] = parsed[1]
        return found

    def _printed_steps(self) -> Column:
        """Steps as the progression prints them: reading drops those that the report's own summary excludes."""
        if not self.run.steps_from_report:
            return _exact(self.table["step"].to_numpy(dtype="float64"))
        printed = {v.line: parse(v.where.rpartition("/")[2]) for v in self.published.values if _in_progression(v)}
        return _exact(np.array([step[0] for step in printed.values() if step]))


def _in_progression(value: PublishedValue) -> bool:
    return value.where.startswith(PROGRESSION)


def _log_of(value: PublishedValue) -> str | None:
    section, _, rest = value.where.partition("/")
    if _in_progression(value):
        return rest.rpartition("/")[0] or None
    return rest if section in PER_LOG and rest else None


def _one_late(values: np.ndarray, *, begins: bool) -> np.ndarray:
    """Each but the first; the first two together where they begin with step 1. Nothing is left for the last step."""
    if not begins:
        return values[1:]
    if len(values) < 2:
        return values
    first = np.nansum(values[:2]) if np.isfinite(values[:2]).any() else np.nan
    return np.concatenate(([first], values[2:]))


def _exact(values: np.ndarray) -> Column:
    return Column(values=values, half=np.zeros(len(values)))
