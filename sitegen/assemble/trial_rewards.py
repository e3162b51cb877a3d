"""Which of several rewards of a trial is *the* reward: a run has one answer for all its trials."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult

_PREFIX = "reward/"


def with_primary_reward(trials: pd.DataFrame, key: str | None) -> pd.DataFrame:
    """The trials, graded by the site's key where it names one that a trial of the run has.

    Trials of a source that gives no rewards by key keep the reward that they have.
    """
    column = f"{_PREFIX}{key}"
    if key is None or column not in trials.columns:
        return trials
    keyed = trials[_keys(trials)].notna().any(axis=1)
    return trials.assign(reward=trials["reward"].where(~keyed, trials[column]))


def reward_problems(path: str, trials: pd.DataFrame, results: Sequence[ReadResult], key: str | None) -> list[Problem]:
    """Trials with rewards and none that is the reward, and sources that take it from different keys."""
    problems: list[Problem] = []
    keys = _keys(trials)
    open_ones = trials["reward"].isna() & trials[keys].notna().any(axis=1)
    if open_ones.any():
        names = ", ".join(sorted(name.removeprefix(_PREFIX) for name in keys if trials[name][open_ones].notna().any()))
        problems.append(problem("harbor.no-primary-reward", path, None, count=int(open_ones.sum()), keys=names))
    if key is None or f"{_PREFIX}{key}" not in trials.columns:
        problems += _mixed(results)
    return problems


def _mixed(results: Sequence[ReadResult]) -> list[Problem]:
    """The first source, and those that take the reward from another key than it does."""
    taken = [(name, result.source) for result in results if (name := _taken_from(result)) is not None]
    return [
        problem("harbor.reward-keys-differ", source, None, key=name, other=taken[0][0], source=taken[0][1])
        for name, source in taken[1:]
        if name != taken[0][0]
    ]


def _taken_from(result: ReadResult) -> str | None:
    if result.trials is None or result.trials["reward"].isna().all():
        return None
    keys = [name.removeprefix(_PREFIX) for name in _keys(result.trials)]
    return "reward" if "reward" in keys or not keys else keys[0]


def _keys(trials: pd.DataFrame) -> list[str]:
    return [name for name in trials.columns if name.startswith(_PREFIX)]
