"""Named data sets of the step forms, from curves: JSON-ready columns with safe field names, rounded and thinned.

Drawn values carry seven significant digits; tables and CSV carry all of them.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts.axes import on_clock
from sitegen.charts.drawn import few, smoothed, sparse
from sitegen.charts.step_frame import step_frame
from sitegen.charts.thin import LIMIT, thin
from sitegen.model.run import Run

Columns = dict[str, list[Any]]

_LABELLED_JOBS = 3
"""More job boundaries than this carry no name on the drawing; their labels would lie over each other."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """A curve as it is drawn."""

    curve: Curve
    """Values."""
    series: str
    """Code of its colour and dash (`theme.SERIES`)."""
    name: str
    """Direct label; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Data sets and what had to be left out of them."""

    datasets: dict[str, Columns]
    """By name."""
    shown: int
    """Positions drawn."""
    total: int
    """Positions there are."""


def lines(
    lines: Sequence[Line], *, log: bool = False, run: Run | None = None, limit: int = LIMIT, top: float | None = None
) -> Drawn:
    """`points` and the superseded, non-finite and non-positive `marks` of some curves.

    Args:
        lines: What is drawn.
        log: Whether values of 0 or less cannot be drawn.
        run: The run, so that superseded marks get their own moments where its clock is known.
        limit: Most points of a line.
        top: Where the axis ends, when some values lie beyond it.
    """
    points: Columns = {key: [] for key in ("step", "series", "raw", "ema", "mean5", "lone")}
    marks = empty_marks()
    shown = total = 0
    for line in lines:
        kept = thin([line.curve.raw.tolist()], limit)
        shown, total = shown + len(kept), total + len(line.curve.step)
        _add_points(points, line, kept, log=log, top=top)
        _add_marks(marks, line, superseded_times(run, line.curve), log=log)
    return Drawn(datasets={"points": points, "marks": marks, "band": _empty_band()}, shown=shown, total=total)


def _add_points(points: Columns, line: Line, kept: list[int], *, log: bool, top: float | None) -> None:
    curve = line.curve
    raw = [_positive(value) if log else value for value in curve.raw.tolist()]
    values = np.array(raw, dtype="float64")
    mean, dots, stems = smoothed(values, top)[1].tolist(), few(values), not log and sparse(values)
    present = [math.isfinite(raw[at]) for at in kept]
    for place, at in enumerate(kept):
        near = (place > 0 and present[place - 1]) or (place + 1 < len(kept) and present[place + 1])
        points["step"].append(int(curve.step[at]))
        points["series"].append(line.series)
        points["raw"].append(number(raw[at]))
        points["ema"].append(number(_positive(float(curve.ema[at])) if log else float(curve.ema[at])))
        points["mean5"].append(number(mean[at]))
        points["lone"].append(int(present[place] and (dots or not near)) if not stems else 2 * int(present[place]))


def superseded_times(run: Run | None, curve: Curve) -> list[float | None]:
    """Where each superseded value of a curve lies on the clock axis; None without one."""
    values = curve.superseded_raw
    if run is None or not len(values):
        return [None] * len(values)
    off = step_frame(run).off
    kept = np.isfinite(off[curve.metric].to_numpy(dtype="float64")) if curve.metric in off else np.empty(0, dtype=bool)
    if int(kept.sum()) != len(values):
        return [None] * len(values)
    return on_clock(run, off["time"].to_numpy(dtype="float64")[kept].tolist())


def _add_marks(marks: Columns, line: Line, times: Sequence[float | None], *, log: bool) -> None:
    curve = line.curve
    superseded = curve.superseded_raw.tolist()
    for at in thin([superseded], LIMIT):
        step = int(curve.superseded_step[at])
        add_mark(marks, "superseded", step, line.series, raw=superseded[at], clock=times[at])
    bad = sorted(set(curve.nonfinite_step.tolist()))
    for at in thin([[float(step) for step in bad]], LIMIT):
        add_mark(marks, "nonfinite", int(bad[at]), line.series)
    if log:
        low = [int(step) for step, value in zip(curve.step, curve.raw, strict=True) if value <= 0]
        for at in thin([[float(step) for step in low]], LIMIT):
            add_mark(marks, "nonpositive", low[at], line.series)


def empty_marks() -> Columns:
    """The `marks` data set without rows."""
    return {key: [] for key in ("step", "series", "kind", "raw", "ema", "mean5", "label", "clock")}


def _empty_band() -> Columns:
    return {"step": [], "low": [], "high": []}


def add_mark(marks: Columns, kind: str, step: int, series: str, **values: Any) -> None:
    """One more mark; `raw`, `ema`, `mean5` say where on the line it lies, `label` what is written at it.

    `clock` is its own place on the clock axis, where that is not its step's.
    """
    marks["step"].append(step)
    marks["series"].append(series)
    marks["kind"].append(kind)
    for key in ("raw", "ema", "mean5"):
        marks[key].append(number(values.get(key)))
    marks["label"].append(values.get("label", ""))
    marks["clock"].append(values.get("clock"))


def checkpoint_marks(marks: Columns, analysis: RunAnalysis, curve: Curve, series: str) -> None:
    """Rings at the candidates and at the selected checkpoint, on whichever line is bold."""
    choice = analysis.checkpoint
    at_step = {int(step): at for at, step in enumerate(curve.step)}
    mean, single = smoothed(curve.raw)[1].tolist(), few(curve.raw)
    for candidate in choice.candidates:
        at = at_step.get(candidate.step)
        if at is None or not math.isfinite(curve.raw[at]):
            continue
        chosen = candidate.step == choice.step
        add_mark(
            marks,
            "selected" if chosen else "candidate",
            candidate.step,
            series,
            raw=float(curve.raw[at]),
            ema=float(curve.ema[at]),
            mean5=mean[at],
            label=(f"{candidate.step} · {'' if single else 'EMA '}{curve.ema[at]:.3f}") if chosen else "",
        )


def band(step: Sequence[int], low: Sequence[float], high: Sequence[float]) -> Columns:
    """The `band` data set: a range per step, thinned like a line."""
    kept = thin([list(low), list(high)])
    return {
        "step": [int(step[at]) for at in kept],
        "low": [number(low[at]) for at in kept],
        "high": [number(high[at]) for at in kept],
    }


def boundaries(run: Run, *, labels: bool) -> Columns:
    """The `jobs` data set: half a step before each step at which the lineage passes to another job."""
    changes = step_frame(run).changes
    named = labels and len(changes) <= _LABELLED_JOBS
    return {
        "step": [step for step, _ in changes],
        "label": [job_label(job) if named else "" for _, job in changes],
    }


def job_label(job: str) -> str:
    """A job's name as short as it stays telling: its trailing number when it has one."""
    found = re.search(r"(\d{4,})\D*$", job)
    return found.group(1) if found else label(job, 18)


def number(value: float | None) -> float | int | None:
    """A value as data for a drawing: seven significant digits, None when missing or not finite."""
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.7g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def label(text: str, longest: int = 40) -> str:
    """A name as text on a drawing: no control characters, the middle taken out when it is long."""
    clean = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    if len(clean) <= longest:
        return clean
    head = (longest - 1) // 2
    return f"{clean[:head]}…{clean[len(clean) - (longest - 1 - head) :]}"


def short_name(metric: str) -> str:
    """The last part of a logged name, for a direct label."""
    return label(metric.rsplit("/", 1)[-1] or metric, 28)


def chart_id(prefix: str, name: str, taken: set[str]) -> str:
    """An address for a metric's chart: lower-case ASCII, unique on its page, the same in every build.

    A name that does not survive the change of letters, or is taken, gets `-` and six hex digits of its hash.
    """
    slug = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60]
    found = f"{prefix}-{slug}" if slug else prefix
    if found in taken or not re.fullmatch(r"[a-z0-9_]+(/[a-z0-9_]+)*", name) or len(name) > 60:
        found = f"{found}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"
    taken.add(found)
    return found


def all_values(curves: Iterable[Curve]) -> list[float]:
    """Every value that a line chart of the curves may draw."""
    values: list[float] = []
    for curve in curves:
        values += curve.raw.tolist() + curve.ema.tolist() + curve.superseded_raw.tolist()
    return values


def _positive(value: float) -> float:
    return value if value > 0 else math.nan
