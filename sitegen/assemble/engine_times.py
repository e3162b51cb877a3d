"""Engine samples of several sources on one axis of time.

Sources whose clock has no year put their samples into an assumed one; beside sources that know the year they are moved
to where they belong.
"""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
import pandas as pd

from sitegen.readers.log_clock import ASSUMED_YEAR, dated_times

_ASSUMED_UNTIL = datetime(ASSUMED_YEAR + 2, 1, 1, tzinfo=UTC).timestamp()


def one_axis(engines: pd.DataFrame | None) -> pd.DataFrame | None:
    """The samples, those of an assumed year moved next to the dated ones where there are both."""
    if engines is None:
        return None
    times = engines["time"].to_numpy(dtype="float64")
    assumed = times < _ASSUMED_UNTIL
    dated = times >= _ASSUMED_UNTIL
    if not assumed.any() or not dated.any():
        return engines
    moved = times.copy()
    moved[assumed] = dated_times(engines["clock"][assumed].tolist(), float(np.median(times[dated])))
    return engines.assign(time=moved)


def times_near(engines: pd.DataFrame, moment: float) -> npt.NDArray[np.float64]:
    """Unix s of the samples, those of an assumed year in the year that brings them nearest to a moment (Unix s)."""
    times = engines["time"].to_numpy(dtype="float64").copy()
    assumed = times < _ASSUMED_UNTIL
    if moment >= _ASSUMED_UNTIL and assumed.any():
        times[assumed] = dated_times(engines["clock"][assumed].tolist(), moment)
    return times
