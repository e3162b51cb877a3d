"""Three trials of the calendar run as Harbor leaves them: result and dialogue, agreeing with the run's trial table.

One is solved, one is not, one runs into the agent's time limit. Times of the results carry no zone, as older Harbor
writes them, so that three trials of four thousand give no course over training.
"""

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_EVENTS = (
    '[{"id": "ev-%d", "title": "Design review", "start": "2026-06-03T14:00", "end": "2026-06-03T15:00"},\n'
    ' {"id": "ev-%d", "title": "Dentist", "start": "2026-06-03T15:30", "end": "2026-06-03T16:15"}]'
)
_SYSTEM = """You are an assistant with access to a calendar.

Tools
- list_events(day): the events of a day
- move_event(id, start): moves an event, keeping its length
- create_event(title, start, minutes): adds an event

Times are local, written as 2026-06-03T14:00. Check a change by listing the day again. When the task is done, say so in
one sentence and call nothing.
"""
_TASK = "Move the design review on 3 June so that it ends half an hour before the dentist appointment begins."


def files(run: str, trials: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """Result and dialogue of three trials by path under `runs/`; the trials are rows of the trial table."""
    made: dict[str, bytes] = {}
    for trial in _chosen(trials):
        folder = f"{run}/trace_jobs/{trial['trial_name']}"
        made[f"{folder}/result.json"] = _json(_result(trial))
        made[f"{folder}/agent/trajectory.json"] = _json(_trajectory(trial))
    return made


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()


def _chosen(trials: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The first solved, the first unsolved and the first timed-out trial with enough turns to read."""
    clean = [row for row in trials if row["exception_type"] is None and row["n_episodes"]]
    yield next(row for row in clean if row["reward"] == 1.0 and row["n_episodes"] == 4)
    yield next(row for row in clean if row["reward"] == 0.0 and row["n_episodes"] == 3)
    yield next(row for row in trials if row["exception_type"] == "AgentTimeoutError" and row["n_episodes"])


def _result(trial: Mapping[str, Any]) -> dict[str, Any]:
    phases = ("environment_setup", "agent_setup", "agent_execution", "verifier")
    clock = dt.datetime(2026, 6, 2, 9, 30)  # noqa: DTZ001 - no zone on purpose
    made: dict[str, Any] = {
        "id": f"synthetic-{trial['trial_name']}",
        "task_name": trial["task_name"],
        "trial_name": trial["trial_name"],
        "started_at": clock.isoformat(),
        "finished_at": (clock + dt.timedelta(seconds=trial["trial_duration"])).isoformat(),
        "agent_info": {"name": "calendar-agent", "version": "0.3"},
        "agent_result": {
            "n_input_tokens": trial["n_input_tokens"],
            "n_output_tokens": trial["n_output_tokens"],
            "metadata": {"n_episodes": trial["n_episodes"]},
        },
        "verifier_result": None if trial["reward"] is None else {"rewards": {"reward": trial["reward"]}},
        "exception_info": trial["exception_type"]
        and {"exception_type": trial["exception_type"], "exception_message": "Agent execution timed out"},
    }
    for phase in phases:
        seconds = trial[f"{phase}_duration"]
        ended = clock + dt.timedelta(seconds=seconds or 0)
        made[phase] = seconds and {"started_at": clock.isoformat(), "finished_at": ended.isoformat()}
        clock = ended
    return made


def _trajectory(trial: Mapping[str, Any]) -> dict[str, Any]:
    turns = int(trial["n_episodes"])
    clock = dt.datetime(2026, 6, 2, 7, 30, 24, tzinfo=dt.UTC)
    steps: list[dict[str, Any]] = [
        {"step_id": 1, "source": "system", "message": _SYSTEM, "timestamp": _stamp(clock)},
        {"step_id": 2, "source": "user", "message": _TASK, "timestamp": _stamp(clock)},
    ]
    for turn in range(turns):
        clock += dt.timedelta(seconds=trial["agent_execution_duration"] / turns)
        last = turn == turns - 1 and trial["exception_type"] is None
        steps.append(
            {
                "step_id": turn + 3,
                "timestamp": _stamp(clock),
                "source": "agent",
                **(_closing(trial) if last else _acting(turn, int(trial["task_name"][-4:]))),
                "metrics": {
                    "prompt_tokens": _part(trial["n_input_tokens"], turn, turns),
                    "completion_tokens": _part(trial["n_output_tokens"], turn, turns),
                },
            }
        )
    return {
        "schema_version": "ATIF-v1.6",
        "session_id": f"synthetic-{trial['trial_name']}",
        "agent": {"name": "calendar-agent", "version": "0.3", "model_name": "qwen3-8b-step-62"},
        "notes": "Synthetic: written to show the page of a trial.",
        "steps": steps,
        "final_metrics": {
            "total_prompt_tokens": trial["n_input_tokens"],
            "total_completion_tokens": trial["n_output_tokens"],
            "total_steps": len(steps),
        },
    }


def _stamp(clock: dt.datetime) -> str:
    return clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _part(total: int, turn: int, turns: int) -> int:
    """A share of a count; the shares of all turns add up to it."""
    return total * (turn + 1) // turns - total * turn // turns


def _acting(turn: int, seed: int) -> dict[str, Any]:
    looking = turn % 2 == 0
    name = "list_events" if looking else "move_event"
    arguments: dict[str, Any] = (
        {"day": "2026-06-03"} if looking else {"id": f"ev-{seed}", "start": f"2026-06-03T{13 + turn % 3}:45"}
    )
    return {
        "message": "" if looking else "The review has to end by 15:00, so it starts earlier.",
        "reasoning_content": "The dentist is at 15:30 and the review takes an hour. I should look at the day first."
        if looking
        else "Half an hour before 15:30 is 15:00. The review lasts 60 minutes; I move its start and check again.",
        "tool_calls": [{"tool_call_id": f"call-{turn}", "function_name": name, "arguments": arguments}],
        "observation": {
            "results": [
                {
                    "source_call_id": f"call-{turn}",
                    "content": _EVENTS % (seed, seed + 1) if looking else f'{{"id": "ev-{seed}", "moved": true}}',
                }
            ]
        },
    }


def _closing(trial: Mapping[str, Any]) -> dict[str, Any]:
    if trial["reward"] == 1.0:
        return {"message": "Done: the design review runs from 14:00 to 15:00, half an hour before the dentist."}
    return {"message": "Done: the design review now begins at 14:45."}
