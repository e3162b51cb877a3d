"""The inference engines over time: requests, throughput, cache. Every sample is a dot, a time bucket's mean a line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts import describe, payload, theme
from sitegen.charts.base import Chart, ChartSpec, DataColumn, LegendItem
from sitegen.charts.end_names import End, Path, names
from sitegen.charts.payload import Columns, number
from sitegen.charts.scales import LARGEST, Axis, step_domain, value_axis
from sitegen.charts.step_ends import step_ends
from sitegen.charts.thin import thin
from sitegen.format import count
from sitegen.format import number as shown_number
from sitegen.model.run import Run
from sitegen.text import Text, same, ui

BUCKETS = 120
"""Time buckets whose means make the line."""
TABLE_ROWS = 120
"""Samples in the table under a chart."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChart:
    """A chart of one or more engine fields. Its title is the interface string `charts.title.<id>`."""

    id: str
    """Chart id."""
    fields: tuple[str, ...]
    """Columns of `tables.ENGINES`."""
    unit: str
    """Unit code."""
    percent: bool = False
    """0 to 100."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clock:
    """Where samples lie on the time axis."""

    x: Floats
    """Hours since the first sample; the sample's number where a clock is missing."""
    hours: bool
    """Whether x is hours."""


def clock_of(engines: pd.DataFrame) -> Clock:
    """Hours since the first sample when every sample has a time, else the samples' numbers from 1 on."""
    time = engines["time"].to_numpy(dtype="float64")
    if len(time) and np.isfinite(time).all():
        return Clock(x=(time - time.min()) / 3600, hours=True)
    return Clock(x=np.arange(1.0, len(engines) + 1), hours=False)


def bucket_means(x: npt.ArrayLike, values: npt.ArrayLike, buckets: int = BUCKETS) -> list[tuple[float, float]]:
    """Middle of each bucket of equal width, and the mean of the finite values in it; NaN for a bucket without one."""
    places, heights = np.asarray(x, dtype="float64"), np.asarray(values, dtype="float64")
    if not len(places):
        return []
    low, high = float(places.min()), float(places.max())
    size = buckets if high > low else 1
    width = (high - low) / buckets or 1.0
    finite = np.isfinite(heights)
    bucket = np.minimum((places[finite] - low) / width, size - 1).astype("int64")
    counts = np.bincount(bucket, minlength=size)
    sums = np.bincount(bucket, weights=heights[finite], minlength=size)
    means = [float(total) / int(n) if n else math.nan for total, n in zip(sums, counts, strict=True)]
    return [(low + (at + 0.5) * width if high > low else low, mean) for at, mean in enumerate(means)]


def engine_chart(entry: EngineChart) -> ChartSpec:
    """The specification of an engine chart."""

    def needs(run: Run, analysis: RunAnalysis) -> bool:
        return bool(_present(run, entry))

    def build(run: Run, analysis: RunAnalysis) -> tuple[Chart, ...]:
        return (_chart(run, entry, _present(run, entry)),)

    return ChartSpec(
        id=entry.id, section="engines-page", title=ui(f"charts.title.{entry.id}"), needs=needs, build=build
    )


def _present(run: Run, entry: EngineChart) -> list[str]:
    engines = run.engines
    if engines is None or engines.empty:
        return []
    return [name for name in entry.fields if name in engines and engines[name].notna().any()]


def _chart(run: Run, entry: EngineChart, fields: list[str]) -> Chart:
    assert run.engines is not None
    engines = run.engines.sort_values("time", kind="stable") if clock_of(run.engines).hours else run.engines
    clock = clock_of(engines)
    datasets, shown = _datasets(engines, clock, fields)
    low, high = float(clock.x.min()), float(clock.x.max())
    x0, x1 = step_domain([low, high])
    if clock.hours:
        margin = 0.015 * (high or 1.0)
        x0, x1 = low - margin, high + margin
    values = _range(engines, fields)
    position = ui("charts.readout.hours" if clock.hours else "charts.readout.sample")
    said = [{"key": str(at + 1), "en": name, "zh": name} for at, name in enumerate(fields)]
    axis = value_axis([0.0, 100.0] if entry.percent else values)
    means, domain, ends = datasets["means"], (x0, x1), step_ends(run)
    datasets["steps"] = ends.ticks
    height = float(theme.MEDIUM - theme.TOP - theme.BOTTOM)
    datasets["names"] = names(_ends(means, fields, axis, domain), _paths(means, axis, domain), height)
    params: dict[str, Any] = {"x0": x0, "x1": x1, "xStep": 0 if clock.hours else 1, "names": said, **axis.params()}
    params["position"] = {"en": position.en, "zh": position.zh}
    total = len(engines) * len(fields)
    words = _words(engines, fields)
    return Chart(
        id=entry.id,
        section="engines-page",
        form="engine",
        title=ui(f"charts.title.{entry.id}"),
        caption=words,
        summary=words,
        note=describe.notes(
            ui("charts.note.engine-hours" if clock.hours else "charts.note.engine-samples"),
            ends.note,
            ui("charts.note.thinned", shown=count(shown), total=count(total)) if shown < total else None,
        ),
        metrics=tuple(fields),
        datasets=datasets,
        params=params,
        columns=_columns(clock, fields, entry.unit),
        rows=_rows(engines, clock, fields),
        rows_left=max(0, len(engines) - TABLE_ROWS),
        static_svg=None,
        height=theme.MEDIUM,
        wide=True,
        legend=_legend(fields) if len(fields) > 1 and not datasets["names"]["series"] else (),
    )


def _legend(fields: list[str]) -> tuple[LegendItem, ...]:
    """The lines' names, where they have no free place at their ends."""
    return tuple(LegendItem(swatch=f"line-{at + 1}", name=same(name), value="") for at, name in enumerate(fields))


def _datasets(engines: pd.DataFrame, clock: Clock, fields: list[str]) -> tuple[dict[str, Columns], int]:
    dots: Columns = {"x": [], "series": [], "v": []}
    means: Columns = {"x": [], "series": [], "v": []}
    shown = 0
    for index, name in enumerate(fields):
        values, series = _drawn(engines[name]), str(index + 1)
        kept = thin([values])
        shown += len(kept)
        for at in kept:
            dots["x"].append(number(float(clock.x[at])))
            dots["series"].append(series)
            dots["v"].append(number(float(values[at])))
        for middle, mean in bucket_means(clock.x, values):
            means["x"].append(number(middle))
            means["series"].append(series)
            means["v"].append(number(mean))
    return {"dots": dots, "means": means, "jobs": _boundaries(engines, clock)}, shown


def _ends(means: Columns, fields: list[str], axis: Axis, domain: tuple[float, float]) -> list[End]:
    """Where the lines end, for their names; a single line needs none."""
    inner = theme.MEDIUM - theme.TOP - theme.BOTTOM
    low, high = domain
    columns = (means["series"], means["x"], means["v"])
    last = {code: (x, v) for code, x, v in zip(*columns, strict=True) if v is not None}
    if len(fields) < 2:
        return []
    return [
        End(
            series=code,
            name=fields[int(code) - 1],
            y=inner * (axis.high - v) / (axis.high - axis.low),
            below=0.0,
            x=(x - low) / (high - low),
        )
        for code, (x, v) in last.items()
    ]


def _paths(means: Columns, axis: Axis, domain: tuple[float, float]) -> list[Path]:
    """The drawn lines, each gap parting one in two."""
    inner = theme.MEDIUM - theme.TOP - theme.BOTTOM
    low, high = domain
    found: list[list[tuple[float, float]]] = [[]]
    before = ""
    for x, code, v in zip(means["x"], means["series"], means["v"], strict=True):
        if v is None or code != before:
            found.append([])
        if v is not None:
            found[-1].append(((x - low) / (high - low), inner * (axis.high - v) / (axis.high - axis.low)))
        before = code
    return [path for path in found if path]


def _boundaries(engines: pd.DataFrame, clock: Clock) -> Columns:
    """The first sample of each job after the first."""
    codes, jobs = pd.factorize(engines["job"])
    first = pd.Series(clock.x).groupby(codes).min()
    seen = [(str(job), float(first[code])) for code, job in enumerate(jobs)]
    later = sorted(seen, key=lambda item: item[1])[1:]
    return {"step": [number(x) for _, x in later], "label": [payload.job_label(job) for job, _ in later]}


def _drawn(samples: pd.Series[float]) -> npt.NDArray[np.float64]:
    """Values as they are drawn: NaN for those whose place would be no number; the words and the table have them."""
    values = samples.to_numpy(dtype="float64")
    drawn: npt.NDArray[np.float64] = np.where(np.abs(values) <= LARGEST, values, np.nan)
    return drawn


def _range(engines: pd.DataFrame, fields: list[str]) -> list[float]:
    """The least and the greatest finite value of the fields."""
    values = np.concatenate([_drawn(engines[name]) for name in fields])
    values = values[np.isfinite(values)]
    return [float(values.min()), float(values.max())] if len(values) else []


def _words(engines: pd.DataFrame, fields: list[str]) -> Text:
    parts = []
    for name in fields:
        values = engines[name].to_numpy(dtype="float64")
        finite = values[np.isfinite(values)]
        with np.errstate(over="ignore"):
            mean = float(finite.mean()) if len(finite) else math.nan
        if not len(finite):
            parts.append(ui("charts.caption.engine-empty", name=same(name)))
            continue
        parts.append(
            ui(
                "charts.caption.engine",
                name=same(name),
                mean=shown_number(mean, 3),
                high=shown_number(float(finite.max()), 3),
                n=count(len(finite)),
            )
        )
    return Text(" · ".join(part.en for part in parts), " · ".join(part.zh for part in parts))


def _columns(clock: Clock, fields: list[str], unit: str) -> tuple[DataColumn, ...]:
    first = ui("charts.column.hours" if clock.hours else "charts.column.sample")
    return (
        DataColumn(key="job", title=ui("charts.column.job"), unit=""),
        DataColumn(key="engine", title=ui("charts.column.engine"), unit=""),
        DataColumn(key="x", title=first, unit="h" if clock.hours else ""),
        *(DataColumn(key=f"m{at}", title=same(name), unit=unit) for at, name in enumerate(fields)),
    )


def _rows(engines: pd.DataFrame, clock: Clock, fields: list[str]) -> tuple[tuple[Any, ...], ...]:
    """The first samples; all of them are in `engines.csv`."""
    first = engines.head(TABLE_ROWS)
    columns = [[None if math.isnan(value) else value for value in first[name].tolist()] for name in fields]
    x = clock.x[:TABLE_ROWS].tolist()
    return tuple(zip(first["job"].tolist(), first["engine"].tolist(), x, *columns, strict=True))


ENGINES: tuple[ChartSpec, ...] = tuple(
    engine_chart(entry)
    for entry in (
        EngineChart(id="engine-requests", fields=("running", "waiting"), unit=""),
        EngineChart(id="engine-throughput", fields=("generation_tps", "prompt_tps"), unit="tokens/s"),
        EngineChart(id="engine-cache", fields=("kv_cache_pct", "prefix_hit_pct"), unit="%", percent=True),
    )
)
