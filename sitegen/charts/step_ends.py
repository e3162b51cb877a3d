"""Where training steps ended among the engine samples: ticks along the top of the engine charts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sitegen.assemble.engine_times import times_near
from sitegen.charts.payload import Columns, number
from sitegen.charts.step_frame import step_frame
from sitegen.format import count
from sitegen.model.run import Run
from sitegen.text import Text, ui

MOST_TICKS = 150
"""More would be a band on a phone."""
MOST_NUMBERS = 8
"""Numbered ticks."""
APART = 0.1
"""Least distance of two numbers, as a share of the width."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepEnds:
    """The ends of the training steps that lie among the samples."""

    ticks: Columns
    """`x` in hours since the first sample, `label` the step's number or nothing."""
    note: Text | None
    """What the ticks are; None without any."""


@lru_cache(maxsize=1)
def step_ends(run: Run) -> StepEnds:
    """The ticks of a run, none where the samples or the step records have no clock, or their times do not meet.

    The last run's are kept, because all engine charts of a run share them. Superseded steps are among them: the
    engines served these too.
    """
    found = _ends(run)
    if not found:
        return StepEnds(ticks={"x": [], "label": []}, note=None)
    steps = [step for _, step in found]
    every = _every(steps, MOST_TICKS)
    numbered = _every(steps, MOST_NUMBERS, multiple_of=every)
    width = _width(run)
    ticks: Columns = {"x": [], "label": []}
    free = -width
    for x, step in found:
        if step % every:
            continue
        shown = step % numbered == 0 and x >= free
        free = x + APART * width if shown else free
        ticks["x"].append(number(x))
        ticks["label"].append(count(step) if shown else "")
    return StepEnds(ticks=ticks, note=_note(every, numbered))


def _width(run: Run) -> float:
    assert run.engines is not None
    time = run.engines["time"].to_numpy(dtype="float64")
    return float(time.max() - time.min()) / 3600


def _ends(run: Run) -> list[tuple[float, int]]:
    """Hours since the first sample and step of every training record between the first and the last sample."""
    if run.engines is None or run.engines.empty or not np.isfinite(run.engines["time"].to_numpy(dtype="float64")).all():
        return []
    rows = step_frame(run).rows
    known = rows[np.isfinite(rows["time"].to_numpy(dtype="float64"))]
    if known.empty:
        return []
    times = known["time"].to_numpy(dtype="float64")
    samples = times_near(run.engines, float(np.median(times)))
    low, high = float(samples.min()), float(samples.max())
    pairs = zip(times.tolist(), known["step"].tolist(), strict=True)
    return sorted({((time - low) / 3600, int(step)) for time, step in pairs if low <= time <= high})


def _every(steps: list[int], most: int, multiple_of: int = 1) -> int:
    """The least round number, a multiple of another, that divides at most so many of the steps."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            every = factor * power
            if every % multiple_of == 0 and sum(step % every == 0 for step in steps) <= most:
                return every
        power *= 10
        if power > max(map(abs, steps)):  # what is left is step 0, logged again and again
            return power


def _note(every: int, numbered: int) -> Text:
    drawn = ui("charts.note.engine-steps") if every == 1 else ui("charts.note.engine-steps-thin", n=count(every))
    if numbered == 1:
        return drawn
    more = ui("charts.note.engine-steps-numbered", n=count(numbered))
    return Text(f"{drawn.en} {more.en}", f"{drawn.zh}{more.zh}")
