"""What stands on a chart of lines over steps: the lines, what is marked on them, and their names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.analyse.progress import Curve
from sitegen.analyse.run_analysis import RunAnalysis
from sitegen.charts import payload
from sitegen.charts.beyond import add_beyond
from sitegen.charts.drawn import drawn_curve
from sitegen.charts.end_names import End, Path, names
from sitegen.charts.evaluation_marks import add_evaluations
from sitegen.charts.payload import Drawn, Line
from sitegen.charts.step_look import Look
from sitegen.charts.step_scale import Band, StepScale
from sitegen.model.run import Run

_SELECTED_LABEL = 16.0
"""Pixels that the selected checkpoint's label takes under its line."""
_SHORT = 12
"""Records up to which the thin raw lines are as telling as the bold ones: names keep off them too."""


def step_marks(
    run: Run, analysis: RunAnalysis, look: Look, lines: Sequence[Line], band: Band | None, scale: StepScale
) -> Drawn:
    """Every data set of the form.

    Args:
        run: The run.
        analysis: Its analyses.
        look: How the chart looks.
        lines: Its lines, the leading one first.
        band: A range drawn behind them; None for none.
        scale: Its scale.
    """
    small = [replace(line, curve=drawn_curve(scale.shrunk(line.curve), scale.top)) for line in lines]
    drawn = payload.lines(small, log=scale.log, run=run, limit=look.points, top=scale.top)
    datasets = dict(drawn.datasets)
    if look.checkpoint:
        payload.checkpoint_marks(datasets["marks"], analysis, small[0].curve, lines[0].series)
    if band is not None:
        low, high = (scale.shrunk(curve) for curve in band)
        datasets["band"] = payload.band(low.step.tolist(), low.raw.tolist(), high.raw.tolist())
    datasets["jobs"] = payload.boundaries(run, labels=look.wide)
    if scale.evaluations is not None:
        add_evaluations(datasets["marks"], scale.evaluations)
    if scale.top is not None:
        add_beyond(datasets["marks"], lines, scale.top)
    datasets["names"] = names(_ends(analysis, look, scale, small), list(_paths(scale, small)), scale.height)
    return replace(drawn, datasets=datasets, total=sum(len(line.curve.step) for line in lines))


def _ends(analysis: RunAnalysis, look: Look, scale: StepScale, lines: Sequence[Line]) -> list[End]:
    """Where the named lines end, for their labels."""
    ends = []
    for index, line in enumerate(lines):
        smooth = zip(line.curve.step.tolist(), line.curve.ema.tolist(), strict=True)
        finite = [(step, value) for step, value in smooth if math.isfinite(value) and (value > 0 or not scale.log)]
        if not line.name or not finite:
            continue
        step, last = finite[-1]
        marked = index == 0 and look.checkpoint and _chosen_late(analysis, line.curve)
        below = _SELECTED_LABEL if marked else 0.0
        ends.append(End(series=line.series, name=line.name, y=scale.y(last), below=below, x=scale.x(step)))
    return ends


def _paths(scale: StepScale, lines: Sequence[Line]) -> Iterator[Path]:
    """What the names must not cross: the bold lines, on a short run the raw ones too."""
    if not any(line.name for line in lines):
        return
    for line in lines:
        kinds = (line.curve.ema, line.curve.raw) if len(line.curve.step) <= _SHORT else (line.curve.ema,)
        for values in kinds:
            stretch: list[tuple[float, float]] = []
            for step, value in zip(line.curve.step.tolist(), values.tolist(), strict=True):
                if math.isfinite(value) and (value > 0 or not scale.log):
                    stretch.append((scale.x(step), scale.y(value)))
                    continue
                yield stretch
                stretch = []
            yield stretch


def _chosen_late(analysis: RunAnalysis, curve: Curve) -> bool:
    """Whether the selected checkpoint lies in the last third, where the line's name is."""
    step = analysis.checkpoint.step
    return step is not None and step >= curve.step[-1] - (curve.step[-1] - curve.step[0]) / 3
