"""The inference engines over time: requests, throughput, cache. Every sample is a dot, a time bucket's mean a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pandas as pd

from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts import describe, payload, theme
from sitegen.charts.base import Chart, ChartSpec, DataColumn
from sitegen.charts.payload import Columns, End, number
from sitegen.charts.scales import Axis, step_domain, value_axis
from sitegen.charts.thin import thin
from sitegen.format import count
from sitegen.format import number as shown_number
from sitegen.model.run import Run
from sitegen.text import Text, same, ui

BUCKETS = 120
"""Time buckets whose means make the line."""


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

    x: list[float]
    """Hours since the first sample; the sample's number where a clock is missing."""
    hours: bool
    """Whether x is hours."""


def clock_of(engines: pd.DataFrame) -> Clock:
    """Hours since the first sample when every sample has a time, else the samples' numbers from 1 on."""
    time = engines["time"].tolist()
    if time and all(math.isfinite(value) for value in time):
        first = min(time)
        return Clock(x=[(value - first) / 3600 for value in time], hours=True)
    return Clock(x=[float(at + 1) for at in range(len(engines))], hours=False)


def bucket_means(x: Sequence[float], values: Sequence[float], buckets: int = BUCKETS) -> list[tuple[float, float]]:
    """Middle of each bucket of equal width, and the mean of the finite values in it; NaN for a bucket without one."""
    if not x:
        return []
    low, high = min(x), max(x)
    width = (high - low) / buckets or 1.0
    groups: list[list[float]] = [[] for _ in range(buckets if high > low else 1)]
    for at, value in zip(x, values, strict=True):
        if math.isfinite(value):
            groups[min(int((at - low) / width), len(groups) - 1)].append(value)
    middle = [low + (at + 0.5) * width if high > low else low for at in range(len(groups))]
    return [(at, fmean(group) if group else math.nan) for at, group in zip(middle, groups, strict=True)]


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
    x0, x1 = step_domain(clock.x)
    if clock.hours:
        margin = 0.015 * (max(clock.x) or 1.0)
        x0, x1 = min(clock.x) - margin, max(clock.x) + margin
    values = [value for name in fields for value in engines[name].tolist()]
    position = ui("charts.readout.hours" if clock.hours else "charts.readout.sample")
    names = [{"key": str(at + 1), "en": name, "zh": name} for at, name in enumerate(fields)]
    axis = value_axis([0.0, 100.0] if entry.percent else values)
    datasets["names"] = payload.names(_ends(datasets["means"], fields, axis))
    params: dict[str, Any] = {"x0": x0, "x1": x1, "names": names, **axis.params()}
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
            ui("charts.note.thinned", shown=count(shown), total=count(total)) if shown < total else None,
        ),
        metrics=tuple(fields),
        datasets=datasets,
        params=params,
        columns=_columns(clock, fields, entry.unit),
        rows=_rows(engines, clock, fields),
        static_svg=None,
        height=theme.MEDIUM,
        wide=True,
    )


def _datasets(engines: pd.DataFrame, clock: Clock, fields: list[str]) -> tuple[dict[str, Columns], int]:
    dots: Columns = {"x": [], "series": [], "v": []}
    means: Columns = {"x": [], "series": [], "v": []}
    shown = 0
    for index, name in enumerate(fields):
        values, series = engines[name].tolist(), str(index + 1)
        kept = thin([values])
        shown += len(kept)
        for at in kept:
            dots["x"].append(number(clock.x[at]))
            dots["series"].append(series)
            dots["v"].append(number(values[at]))
        for middle, mean in bucket_means(clock.x, values):
            means["x"].append(number(middle))
            means["series"].append(series)
            means["v"].append(number(mean))
    return {"dots": dots, "means": means, "jobs": _boundaries(engines, clock)}, shown


def _ends(means: Columns, fields: list[str], axis: Axis) -> list[End]:
    """Where the lines end, for their names; a single line needs none."""
    inner = theme.MEDIUM - theme.TOP - theme.BOTTOM
    last = {code: v for code, v in zip(means["series"], means["v"], strict=True) if v is not None}
    if len(fields) < 2:
        return []
    return [
        End(series=code, name=fields[int(code) - 1], y=inner * (axis.high - v) / (axis.high - axis.low), below=0.0)
        for code, v in last.items()
    ]


def _boundaries(engines: pd.DataFrame, clock: Clock) -> Columns:
    """The first sample of each job after the first."""
    seen: dict[str, float] = {}
    for job, x in zip(engines["job"].tolist(), clock.x, strict=True):
        seen[str(job)] = min(x, seen.get(str(job), math.inf))
    later = sorted(seen.items(), key=lambda item: item[1])[1:]
    return {"step": [number(x) for _, x in later], "label": [payload.job_label(job) for job, _ in later]}


def _words(engines: pd.DataFrame, fields: list[str]) -> Text:
    parts = []
    for name in fields:
        finite = [value for value in engines[name].tolist() if math.isfinite(value)]
        if not finite:
            parts.append(ui("charts.caption.engine-empty", name=same(name)))
            continue
        parts.append(
            ui(
                "charts.caption.engine",
                name=same(name),
                mean=shown_number(fmean(finite), 3),
                high=shown_number(max(finite), 3),
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
    columns = [[None if math.isnan(value) else value for value in engines[name].tolist()] for name in fields]
    return tuple(zip(engines["job"].tolist(), engines["engine"].tolist(), clock.x, *columns, strict=True))


ENGINES: tuple[ChartSpec, ...] = tuple(
    engine_chart(entry)
    for entry in (
        EngineChart(id="engine-requests", fields=("running", "waiting"), unit=""),
        EngineChart(id="engine-throughput", fields=("generation_tps", "prompt_tps"), unit="tokens/s"),
        EngineChart(id="engine-cache", fields=("kv_cache_pct", "prefix_hit_pct"), unit="%", percent=True),
    )
)
