"""Per-metric statistics over a run's logged rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.analyse.clocks import main_clock, second_clock
from sitegen.analyse.numbers import finite, median
from sitegen.model import tables
from sitegen.model.roles import RowKind
from sitegen.model.run import Run

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """Statistics of one metric over all train rows that logged it (superseded rows included)."""

    name: str
    """Logged name."""
    kind: str
    """train or eval: the records it was logged in."""
    mean: float | None
    """Arithmetic mean over finite values; None without any."""
    std: float | None
    """Sample standard deviation (ddof 1) over finite values; None below two."""
    min: float | None
    """Smallest finite value."""
    max: float | None
    """Largest finite value."""
    last: float | None
    """Value at the lineage's last train step (its last evaluated step in a run without train records); None when
    that step did not log it or logged a non-finite value."""
    count: int
    """Finite values."""
    non_finite: int
    """Values logged as NaN or infinite."""
    first_step: int | None
    """First step that logged it."""
    last_step: int | None
    """Last lineage step that logged a finite value of it."""
    latest: float | None = None
    """Value at `last_step`: the newest there is, for metrics that are not logged at every step."""
    constant: bool
    """True when all finite values are equal (and there are at least two)."""
    whole: bool = False
    """True when every finite value is a whole number (and there is one)."""
    median: float | None = None
    """Median over finite values; None without any, and where records of two kinds are joined."""
    never_falls: bool = False
    """True when along the lineage no finite value is below the one before it (and there are at least two)."""


def summarise(run: Run) -> tuple[MetricSummary, ...]:
    """Statistics of every metric, train records first, then evaluation records, each in table order.

    Population: all rows of the kind, superseded ones included; statistics over finite values. `non_finite` comes
    from the table of values logged as NaN or infinite. A metric whose column holds no value at all is listed once,
    with count 0 under `train`, so that a column that lost its values is seen.
    """
    names = tables.STEPS.measures(run.steps)
    bad = _nonfinite_counts(run.nonfinite)
    last_step, apart = _last_step(run), second_clock(run)
    last_apart = _last_step(run, every_clock=True)
    kinds: tuple[RowKind, ...] = ("train", "eval")
    valued = {kind: _Columns.of(run, kind, names) for kind in kinds}
    seen_in_eval = {n for n, c in zip(names, valued["eval"].count, strict=True) if c} | {
        n for k, n in bad if k == "eval"
    }
    found: list[MetricSummary] = []
    for kind in kinds:
        columns = valued[kind]
        extra = [name for k, name in bad if k == kind and name not in set(names)]
        for index, name in enumerate([*names, *dict.fromkeys(extra)]):
            non_finite, first_bad = bad.get((kind, name), (0, None))
            wanted = kind == "train" and name not in seen_in_eval
            if wanted or non_finite or (index < len(names) and columns.count[index]):
                wanted_step = last_apart if name in apart else last_step
                found.append(columns.summary(name, index, wanted_step, non_finite=non_finite, first_bad=first_bad))
    return tuple(found)


def merged(parts: tuple[MetricSummary, ...]) -> MetricSummary:
    """One summary over the rows of several summaries of one metric (train and evaluation records together).

    Mean and standard deviation are those of the joint values (parallel form of the sum of squares); the first
    part's `last` wins over the second's.
    """
    some = [part for part in parts if part.count]
    if len(some) < 2:
        first = some[0] if some else parts[0]
        return replace(first, non_finite=sum(part.non_finite for part in parts))
    count = sum(part.count for part in some)
    mean = math.fsum((part.mean or 0.0) * (part.count / count) for part in some)
    within = [(part.std or 0.0) * math.sqrt(part.count - 1) for part in some]
    between = [((part.mean or 0.0) - mean) * math.sqrt(part.count) for part in some]
    newest = max(some, key=lambda part: part.last_step if part.last_step is not None else -1)
    low = min(part.min for part in some if part.min is not None)
    high = max(part.max for part in some if part.max is not None)
    return MetricSummary(
        name=parts[0].name,
        kind=parts[0].kind,
        mean=low if low == high else mean,
        std=0.0 if low == high else finite(math.hypot(*within, *between) / math.sqrt(count - 1)),
        min=low,
        max=high,
        last=next((part.last for part in parts if part.last is not None), None),
        count=count,
        non_finite=sum(part.non_finite for part in parts),
        first_step=min(part.first_step for part in parts if part.first_step is not None),
        last_step=newest.last_step,
        constant=low == high,
        whole=all(part.whole for part in some),
        latest=newest.latest,
    )


def _nonfinite_counts(table: pd.DataFrame) -> dict[tuple[str, str], tuple[int, int]]:
    """(kind, metric) to how many values were logged as NaN or infinite, and the first such step."""
    if table.empty:
        return {}
    grouped = table.groupby(["kind", "metric"], sort=False)["step"].agg(["size", "min"])
    return {
        (str(k[0]), str(k[1])): (int(n), int(s))
        for k, n, s in zip(grouped.index, grouped["size"], grouped["min"], strict=True)
    }


def _last_step(run: Run, *, every_clock: bool = False) -> int | None:
    steps = run.steps if every_clock else main_clock(run, run.steps)
    on_lineage = steps[steps[f"superseded_{run.overlap_rule}"] == 0]
    train = on_lineage.loc[on_lineage["kind"] == "train", "step"]
    chosen = train if len(train) else on_lineage["step"]
    return int(chosen.max()) if len(chosen) else None


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """All metrics over the rows of one kind, as arrays with one entry per metric."""

    kind: str
    values: Floats
    step: NDArray[np.int64]
    on_lineage: NDArray[np.bool_]
    finite: NDArray[np.bool_]
    count: NDArray[np.int64]
    mean: Floats
    std: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, run: Run, kind: RowKind, names: list[str]) -> _Columns:
        rows = run.steps[(run.steps["kind"] == kind).to_numpy()]
        values = rows[names].to_numpy(dtype="float64")
        finite = np.isfinite(values)
        count = finite.sum(axis=0)
        low = np.where(finite, values, np.inf).min(axis=0, initial=np.inf)
        high = np.where(finite, values, -np.inf).max(axis=0, initial=-np.inf)
        mean, std = _moments(np.where(finite, values, 0.0), finite, count)
        constant = low == high
        return cls(
            kind=kind,
            values=values,
            step=rows["step"].to_numpy(dtype="int64"),
            on_lineage=(rows[f"superseded_{run.overlap_rule}"] == 0).to_numpy(),
            finite=finite,
            count=count,
            mean=np.where(constant, low, mean),
            std=np.where(constant, 0.0, std),
            low=low,
            high=high,
        )

    def summary(
        self, name: str, index: int, last_step: int | None, *, non_finite: int, first_bad: int | None
    ) -> MetricSummary:
        """One metric of the block; an index beyond it is a metric that never had a finite value."""
        count = int(self.count[index]) if index < len(self.count) else 0
        if not count:
            return _without_values(name, self.kind, non_finite=non_finite, first_bad=first_bad)
        finite = self.finite[:, index]
        newest = _newest(self.step, finite & self.on_lineage)
        first = int(self.step[finite].min())
        last_logged = int(self.step[newest]) if newest is not None else None
        latest = float(self.values[newest, index]) if newest is not None else None
        return MetricSummary(
            name=name,
            kind=self.kind,
            mean=float(self.mean[index]),
            std=float(self.std[index]) if count > 1 and np.isfinite(self.std[index]) else None,
            min=float(self.low[index]),
            max=float(self.high[index]),
            last=latest if last_logged == last_step else None,
            count=count,
            non_finite=non_finite,
            first_step=first if first_bad is None else min(first, first_bad),
            last_step=last_logged,
            constant=count > 1 and bool(self.low[index] == self.high[index]),
            median=median(self.values[finite, index]),
            whole=bool(np.equal(np.mod(self.values[finite, index], 1.0), 0.0).all()),
            never_falls=self._never_falls(index),
            latest=latest,
        )

    def _never_falls(self, index: int) -> bool:
        kept = self.finite[:, index] & self.on_lineage
        values = self.values[kept, index][np.argsort(self.step[kept], kind="stable")]
        return len(values) > 1 and bool((values[1:] >= values[:-1]).all())


def _moments(filled: Floats, finite: NDArray[np.bool_], count: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Mean and sample standard deviation per column in two passes; `filled` holds 0 where a value is missing.

    Columns are scaled by a power of two first (exact), so that values near the largest float do not overflow.
    """
    _, exponent = np.frexp(np.abs(filled).max(axis=0, initial=0.0))
    scaled = np.ldexp(filled, -exponent)
    n = np.maximum(count, 1)
    mean = scaled.sum(axis=0) / n
    deviation = np.where(finite, scaled - mean, 0.0)
    std = np.sqrt((deviation * deviation).sum(axis=0) / np.maximum(count - 1, 1))
    with np.errstate(over="ignore"):  # a spread beyond the largest float stays infinite: no number says it
        return np.ldexp(mean, exponent), np.ldexp(std, exponent)


def _newest(step: NDArray[np.int64], mask: NDArray[np.bool_]) -> int | None:
    """Index of the last row with the highest step under a mask."""
    rows = np.flatnonzero(mask)
    if not len(rows):
        return None
    steps = step[rows]
    return int(rows[np.flatnonzero(steps == steps.max())[-1]])


def _without_values(name: str, kind: str, *, non_finite: int, first_bad: int | None) -> MetricSummary:
    return MetricSummary(
        name=name,
        kind=kind,
        mean=None,
        std=None,
        min=None,
        max=None,
        last=None,
        count=0,
        non_finite=non_finite,
        first_step=first_bad,
        last_step=None,
        constant=False,
        latest=None,
    )
