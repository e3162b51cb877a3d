"""One trial of Harbor as one row: what its `result.json` says, in the columns of `tables.TRIALS`.

Old results (until 2026) give local times without a zone, newer ones UTC; both are subtracted only within one file,
and only times with a zone become points in time. A trial of several steps keeps tokens, turns and phases in its
steps: they are summed where the trial itself says nothing. `n_input_tokens` includes the cached ones.

Source: Harbor 0.26.0, `harbor/models/trial/result.py` (`TrialResult`, `StepResult`, `TimingInfo`), `harbor/models/
agent/context.py` (`AgentContext`), `harbor/models/verifier/result.py`; the older form as of 2025-11.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

UNNAMED_EXCEPTION = "unknown"
"""Shown for an exception whose type is not given."""
NAN = math.nan

Note = Callable[[str], None]
"""Told the problem kind of what is odd in the trial."""

_FOLDERS_OF_ALL = frozenset({"", ".", "jobs", "trace_jobs"})
"""Names of folders that hold trials of any job."""


class TrialRow(NamedTuple):
    """A trial; the names are the columns' of `tables.TRIALS`, missing is NaN or None."""

    task: str | None
    trial: str
    job: str | None
    turns: float
    input_tokens: float
    cache_tokens: float
    output_tokens: float
    cost_usd: float
    exception: str | None
    started: float
    finished: float
    wall_s: float
    environment_setup_s: float
    agent_setup_s: float
    agent_s: float
    verifier_s: float


class Trial(NamedTuple):
    """A trial with what is not a column of its own."""

    row: TrialRow
    rewards: tuple[tuple[str, float], ...]
    """Reward key and value, as given."""
    id: str | None
    """Harbor's id of the attempt."""
    ended: str
    """`finished_at` as written, else `started_at`, else empty."""


def trial_of(record: Mapping[str, Any], note: Note) -> Trial | None:
    """The trial that a result describes; None when it names none, so that it is no trial's result."""
    name = record.get("trial_name")
    if not isinstance(name, str) or not name:
        return None
    task = record.get("task_name")
    steps = _steps(record.get("step_results"), note)
    agents = [_mapping(part.get("agent_result"), note) for part in (record, *steps)]
    counts = [_mapping(agent.get("metadata"), note) for agent in agents]
    started = _time(record.get("started_at"), note)
    finished = _time(record.get("finished_at"), note)
    row = TrialRow(
        task=task if isinstance(task, str) and task else name.rpartition("__")[0] or name,
        trial=name,
        job=_job(record.get("config")),
        turns=_total("n_episodes", counts, note),
        input_tokens=_total("n_input_tokens", agents, note),
        cache_tokens=_total("n_cache_tokens", agents, note),
        output_tokens=_total("n_output_tokens", agents, note),
        cost_usd=_total("cost_usd", agents, note),
        exception=_exception((record, *steps)),
        started=_moment(started, note),
        finished=_moment(finished, note),
        wall_s=_between(started, finished, note),
        environment_setup_s=_phase(record.get("environment_setup"), note),
        agent_setup_s=_phase(record.get("agent_setup"), note),
        agent_s=_phases("agent_execution", record, steps, note),
        verifier_s=_phases("verifier", record, steps, note),
    )
    ended = record.get("finished_at") or record.get("started_at")
    identity = record.get("id")
    return Trial(
        row=row,
        rewards=_rewards(record.get("verifier_result"), note),
        id=identity if isinstance(identity, str) else None,
        ended=ended if isinstance(ended, str) else "",
    )


def number(value: object, note: Note) -> float:
    """A number as given; NaN when there is none, or none that can be used."""
    if value is None:
        return NAN
    if not isinstance(value, int | float) or isinstance(value, bool):
        note("harbor.wrong-type")
        return NAN
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        note("harbor.not-finite")
        return NAN
    return found


def _mapping(value: object, note: Note) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    if value is not None:
        note("harbor.wrong-type")
    return {}


def _steps(value: object, note: Note) -> list[Mapping[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list):
        note("harbor.wrong-type")
        return []
    return [_mapping(step, note) for step in value]


def _total(name: str, parts: Sequence[Mapping[str, Any]], note: Note) -> float:
    """The trial's own value (the first part's); without one the sum of its steps'; NaN when none gives any."""
    own = number(parts[0].get(name), note)
    if len(parts) == 1 or not math.isnan(own):
        return own
    given = [value for part in parts[1:] if not math.isnan(value := number(part.get(name), note))]
    return math.fsum(given) if given else NAN


def _exception(records: Iterable[Mapping[str, Any]]) -> str | None:
    """The trial's own exception, else that of the first step that failed."""
    for record in records:
        info = record.get("exception_info")
        if info is not None:
            kind = info.get("exception_type") if isinstance(info, dict) else None
            return kind if isinstance(kind, str) and kind else UNNAMED_EXCEPTION
    return None


def _rewards(result: object, note: Note) -> tuple[tuple[str, float], ...]:
    rewards = _mapping(_mapping(result, note).get("rewards"), note)
    return tuple((key, number(value, note)) for key, value in rewards.items())


def _job(config: object) -> str | None:
    """The folder that the trial was written to is its job's; None where that is one for all jobs."""
    folder = config.get("trials_dir") if isinstance(config, dict) else None
    name = folder.replace("\\", "/").rstrip("/").rpartition("/")[2] if isinstance(folder, str) else ""
    return None if name in _FOLDERS_OF_ALL else name


# Time ----------------------------------------------------------------------------------------------------------------


def _time(value: object, note: Note) -> dt.datetime | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return dt.datetime.fromisoformat(value)
        except ValueError:
            pass
    note("harbor.wrong-type")
    return None


def _moment(time: dt.datetime | None, note: Note) -> float:
    """Unix seconds; NaN of a local time, whose zone nobody knows."""
    if time is None:
        return NAN
    if time.tzinfo is None:
        note("harbor.local-times")
        return NAN
    return time.timestamp()


def _between(start: dt.datetime | None, end: dt.datetime | None, note: Note) -> float:
    if start is None or end is None:
        return NAN
    if (start.tzinfo is None) != (end.tzinfo is None):
        note("harbor.mixed-clocks")
        return NAN
    seconds = (end - start).total_seconds()
    if seconds < 0:
        note("harbor.backwards")
        return NAN
    return seconds


def _phase(value: object, note: Note) -> float:
    """Seconds of a phase; NaN when it was not reached or did not end."""
    phase = _mapping(value, note)
    if not phase:
        return NAN
    return _between(_time(phase.get("started_at"), note), _time(phase.get("finished_at"), note), note)


def _phases(name: str, record: Mapping[str, Any], steps: Iterable[Mapping[str, Any]], note: Note) -> float:
    """Seconds of the trial's phase, else the sum over its steps."""
    if record.get(name) is not None:
        return _phase(record.get(name), note)
    given = [seconds for step in steps if not math.isnan(seconds := _phase(step.get(name), note))]
    return math.fsum(given) if given else NAN
