"""Times without a year, as inference engines log them, on an axis that keeps their order over New Year.

Source: vLLM 0.6-0.20 log prefix `MM-DD HH:MM:SS` (`vllm/logging_utils/formatter.py`, `_DATE_FORMAT`).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

ASSUMED_YEAR = 2000
"""The year that stands in for the one the log does not give; a leap year, so that 29 February is a date."""
_START = datetime(ASSUMED_YEAR, 1, 1, tzinfo=UTC)
_CLOCK = re.compile(r"(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{1,2}):(\d{1,2})", re.ASCII)
_CLOCK_PLAIN = re.compile(r"\d\d-\d\d \d\d:\d\d:\d\d", re.ASCII)
_YEAR_S = 366 * 86400
_RUN_GAP_S = 180 * 86400
"""No run pauses for half a year: a longer gap between two times means that they lie on both sides of New Year …"""
_TURN_GAP_S = 31 * 86400
"""… provided that the gap over New Year is at most a month."""


def assumed_times(clocks: Sequence[str | None]) -> npt.NDArray[np.float64]:
    """Unix seconds in an assumed year of `MM-DD HH:MM:SS` texts, in the order given; NaN where there is no time.

    Times of one run that lie on both sides of New Year are recognised by their gaps, not by the order of rows:
    tables are sorted by this text, which puts January before December.
    """
    parsed = {clock: _seconds(clock) for clock in set(clocks) if clock is not None}
    known = sorted({value for value in parsed.values() if value is not None})
    january_ends = _turn(known)
    start = _START.timestamp()
    times = np.full(len(clocks), np.nan)
    for row, clock in enumerate(clocks):
        seconds = None if clock is None else parsed[clock]
        if seconds is not None:
            times[row] = start + seconds + (_YEAR_S if january_ends is not None and seconds <= january_ends else 0)
    return times


def dated_times(clocks: Sequence[str | None], near: float) -> npt.NDArray[np.float64]:
    """Unix seconds of `MM-DD HH:MM:SS` texts, each in the year that brings it nearest to a known moment.

    Args:
        clocks: as `assumed_times`.
        near: Unix s, for example of a dated line of the same log.
    """
    moment = datetime.fromtimestamp(near, tz=UTC)
    distinct = [clock for clock in dict.fromkeys(clocks) if clock is not None]
    times = _all_in_year(distinct, moment.year)
    if times is None or (np.abs(times - near) >= _RUN_GAP_S).any():
        times = np.array([_nearest(clock, moment) for clock in distinct], dtype="float64")
    known = dict(zip(distinct, times.tolist(), strict=True))
    return np.array([np.nan if clock is None else known[clock] for clock in clocks], dtype="float64")


def _all_in_year(clocks: Sequence[str], year: int) -> npt.NDArray[np.float64] | None:
    """Unix seconds of texts of the plain form in a year, all at once; None when one of them is no such time."""
    if not all(map(_CLOCK_PLAIN.fullmatch, clocks)):
        return None
    try:
        moments = np.array([f"{year}-{clock[:5]}T{clock[6:]}" for clock in clocks], dtype="datetime64[s]")
    except ValueError:
        return None
    return moments.astype("int64").astype("float64")


def _nearest(clock: str, moment: datetime) -> float:
    """NaN for a text that is no time in any of the three years."""
    times = (_in_year(clock, year) for year in (moment.year, moment.year - 1, moment.year + 1))
    best = math.nan
    for time in times:
        if time is not None and not abs(time - moment.timestamp()) >= abs(best - moment.timestamp()):
            best = time
        if abs(best - moment.timestamp()) < _RUN_GAP_S:
            break
    return best


def _seconds(clock: str) -> float | None:
    """Seconds since the first of January."""
    time = _in_year(clock, ASSUMED_YEAR)
    return None if time is None else time - _START.timestamp()


def _in_year(clock: str, year: int) -> float | None:
    match = _CLOCK.fullmatch(clock.strip())
    if match is None:
        return None
    month, day, hour, minute, second = map(int, match.groups())
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _turn(known: list[float]) -> float | None:
    """The last time that belongs to the new year; None when all times lie in one year."""
    if len(known) < 2 or known[0] + _YEAR_S - known[-1] > _TURN_GAP_S:
        return None
    gap, before = max((after - before, before) for before, after in itertools.pairwise(known))
    return before if gap > _RUN_GAP_S else None
