"""What is true of a story's trials: turns, exceptions, outcomes, tasks, phases, halves, the funnel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tests.truth.lineage_truth import line
from tests.truth.plain import mean, median, spread, total
from tests.truth.step_truth import role, series
from tests.truth.story import Story, Trial

PHASES = ("environment_setup", "agent_setup", "agent", "verifier")


def attempts(story: Story) -> list[Trial]:
    """The trials that have a result."""
    return [trial for trial in story.trials if trial.ended]


def _turns(found: Sequence[Trial]) -> dict[str, Any]:
    return spread(trial.turns for trial in found)


def summary(story: Story) -> dict[str, Any] | None:
    """The trial analysis."""
    all_of_them = attempts(story)
    if not all_of_them:
        return None
    graded = [trial for trial in all_of_them if trial.reward is not None]
    solved = [trial for trial in graded if _solved(story, trial)]
    failed = [trial for trial in graded if not _solved(story, trial)]
    tasks = _tasks(story)
    sums = {name: [getattr(trial, name) for trial in all_of_them] for name in _SUMS}
    return {
        "total": len(all_of_them),
        "graded": len(graded),
        "success_threshold": story.threshold,
        "successes": len(solved),
        "success_rate": len(solved) / len(graded) if graded else None,
        "mean_reward": mean(trial.reward for trial in graded),
        "turns": _turns(all_of_them),
        "long_tail": sum(trial.turns is not None and trial.turns > 10 for trial in all_of_them),
        "exceptions": _exceptions(story),
        "outcomes": [
            {"name": "success", "count": len(solved), "turns": _turns(solved)},
            {"name": "failure", "count": len(failed), "turns": _turns(failed)},
        ],
        "turn_bins": _bins(story, graded),
        "tasks": tasks,
        "never_solved": sum(task["graded"] > 0 and task["solved"] == 0 for task in tasks),
        "always_solved": sum(0 < task["graded"] == task["solved"] for task in tasks),
        "sometimes_solved": sum(0 < task["solved"] < task["graded"] for task in tasks),
        **{name: total(values) for name, values in sums.items()},
        "token_counts": {_SUMS[name]: sum(v is not None for v in values) for name, values in sums.items()},
    }


_SUMS = {"input_tokens": "input", "output_tokens": "output", "cache_tokens": "cache", "cost_usd": "cost_usd"}


def _solved(story: Story, trial: Trial) -> bool:
    return trial.reward is not None and trial.reward > story.threshold


def treatment(story: Story, exception: str) -> tuple[str, bool]:
    """Passed through before masked before scored 0; what no list names gets the default; and whether two name it."""
    config, lists = story.config or {}, "terminal_bench.harbor."
    enabled = config.get(f"{lists}enable_error_classification")
    if enabled is None:
        return "not-stated", False
    if not enabled:
        return "not-classified", False
    naming = [
        kind for kind in ("passthrough", "mask", "zero") if exception in config.get(f"{lists}{kind}_exceptions", ())
    ]
    if naming:
        return naming[0], len(naming) > 1
    default = config.get(f"{lists}default_error_treatment", "zero")
    return default if default in ("passthrough", "mask", "zero") else "not-stated", False


def _exceptions(story: Story) -> list[dict[str, Any]]:
    """Those without one first, then the most frequent."""
    groups: dict[str, list[Trial]] = {}
    for trial in attempts(story):
        groups.setdefault(trial.exception or "none", []).append(trial)
    found = []
    for name, group in sorted(groups.items(), key=lambda item: (item[0] != "none", -len(item[1]), item[0])):
        rewards = [trial.reward for trial in group if trial.reward is not None]
        done, twice = (None, False) if name == "none" else treatment(story, name)
        found.append(
            {
                "name": name,
                "count": len(group),
                "share": len(group) / len(attempts(story)),
                "turns": _turns(group),
                "graded": len(rewards),
                "mean_reward": mean(rewards),
                "treatment": done,
                "listed_twice": twice,
            }
        )
    return found


def _bins(story: Story, graded: Sequence[Trial]) -> list[dict[str, Any]]:
    limits: list[tuple[str, int, float]] = [("1", 1, 1), ("2", 2, 2), ("3", 3, 3), ("4", 4, 4), ("5-9", 5, 9)]
    limits.append(("10+", 10, math.inf))
    if any(trial.turns == 0 for trial in graded):
        limits.insert(0, ("0", 0, 0))
    found = []
    for label, low, high in limits:
        outcomes = [_solved(story, trial) for trial in graded if trial.turns is not None and low <= trial.turns <= high]
        found.append({"label": label, "low": low, "solved": sum(outcomes), "unsolved": outcomes.count(False)})
    return found


def _tasks(story: Story) -> list[dict[str, Any]]:
    groups: dict[str, list[Trial]] = {}
    for trial in attempts(story):
        groups.setdefault(trial.task, []).append(trial)
    return [
        {
            "task": task,
            "attempts": len(group),
            "graded": sum(trial.reward is not None for trial in group),
            "solved": sum(_solved(story, trial) for trial in group),
            "mean_reward": mean(trial.reward for trial in group),
            "exceptions": sum(trial.exception is not None for trial in group),
            "mean_turns": mean(trial.turns for trial in group),
        }
        for task, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def funnel(story: Story) -> dict[str, Any] | None:
    """From attempt to training."""
    found = attempts(story)
    if not found:
        return None
    metric = role(story, "effective_samples")
    sizes = [size for size in series(line(story), metric) if size is not None]
    known = bool(sizes)
    return {
        "attempted": len(found),
        "finished": sum(trial.exception is None or trial.reward is not None for trial in found),
        "graded": sum(trial.reward is not None for trial in found),
        "solved": sum(_solved(story, trial) for trial in found),
        "trained_on": int(math.fsum(sizes)) if known else None,
        "trained_on_metric": metric if known else None,
        "trained_on_steps": len(sizes),
        "missing": {} if known else {"trained_on": "not-logged"},
    }


def halves(story: Story) -> dict[str, Any]:
    """Tasks before and after the middle of the trials' starts."""
    found = attempts(story)
    starts = [trial.started for trial in found if trial.started is not None]
    split = median(starts)
    untimed = len(found) - len(starts)
    if split is None:
        reason = "no-times" if found else "no-trials"
        return {"tasks": [], "split": None, "untimed": untimed, "reason": reason}
    if not any(start < split for start in starts):
        return {"tasks": [], "split": split, "untimed": untimed, "reason": "one-time"}
    timed = [(trial, trial.started < split) for trial in found if trial.started is not None]
    counted = [(trial, early) for trial, early in timed if trial.reward is not None]
    tasks = []
    for task in sorted({trial.task for trial, _ in counted}):
        early = [trial for trial, first in counted if first and trial.task == task]
        late = [trial for trial, first in counted if not first and trial.task == task]
        tasks.append(
            {
                "task": task,
                "early_graded": len(early),
                "early_solved": sum(_solved(story, trial) for trial in early),
                "late_graded": len(late),
                "late_solved": sum(_solved(story, trial) for trial in late),
            }
        )
    return {"tasks": tasks, "split": split, "untimed": untimed, "reason": None}


def phases(story: Story) -> dict[str, Any] | None:
    """Phase durations against the wall clock."""
    found = attempts(story)
    known = [name for name in PHASES if any(name in trial.phases for trial in found)]
    if not known:
        return None
    wall = [_wall(trial) for trial in found]
    listed = []
    for name in known:
        pairs = [(trial.phases[name], _wall(trial)) for trial in found if name in trial.phases]
        both = [(seconds, whole) for seconds, whole in pairs if whole]
        listed.append({"name": name, "seconds": spread(s for s, _ in pairs), "share": _share(both)})
    compared = [
        (whole - math.fsum(trial.phases.values()), whole) for trial in found if (whole := _wall(trial)) and trial.phases
    ]
    if compared:
        left = math.fsum(rest for rest, _ in compared)
        overlap = left < -1e-3 * math.fsum(whole for _, whole in compared)
        signed = [(-rest if overlap else rest, whole) for rest, whole in compared]
        name = "overlap" if overlap else "unattributed"
        listed.append({"name": name, "seconds": spread(rest for rest, _ in signed), "share": _share(signed)})
    return {"phases": listed, "wall": spread(wall), "compared": len(compared)}


def _wall(trial: Trial) -> float | None:
    return None if trial.started is None or trial.finished is None else trial.finished - trial.started


def _share(pairs: Sequence[tuple[float, float]]) -> float | None:
    return math.fsum(part for part, _ in pairs) / math.fsum(whole for _, whole in pairs) if pairs else None
