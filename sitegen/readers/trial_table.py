"""The table of agent trials that the team's log parser writes from Harbor's result files.

`<YYYYmmdd_HHMMSS>_trial_results.csv` or `trial_stats.csv`, one row per trial. Older tables end in
`agent_duration_sec`; newer ones have the durations of the trial and of its four phases instead. Only the reward
under Harbor's key `reward` is in them.

Source: OpenThoughts-Agent, `scripts/analysis/parse_skyrl_metrics.py` (2026-06), `parse_result_files`;
newer columns: MarinSkyRL a14d377b.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.model.tables import TRIALS, conform
from sitegen.readers.base import Reader
from sitegen.readers.csv_columns import float_column
from sitegen.readers.csv_table import CsvTable, Lines, header_of, parse_csv
from sitegen.readers.text_file import head_text, is_placeholder, load
from sitegen.text import Text

TEXTS = {"task_name": "task", "trial_name": "trial", "exception_type": "exception"}
"""Text columns: theirs and ours."""
NUMBERS = {
    "n_episodes": "turns",
    "n_input_tokens": "input_tokens",
    "n_cache_tokens": "cache_tokens",
    "n_output_tokens": "output_tokens",
    "cost_usd": "cost_usd",
    "reward": "reward",
    "agent_duration_sec": "agent_s",
    "trial_duration": "wall_s",
    "environment_setup_duration": "environment_setup_s",
    "agent_setup_duration": "agent_setup_s",
    "agent_execution_duration": "agent_s",
    "verifier_duration": "verifier_s",
}
"""Number columns: theirs and ours. The two generations name the agent's phase differently."""
_KEYS = frozenset({*TEXTS, *NUMBERS})
_OWN_SUFFIXES = ("_trial_results.csv", "trial_stats.csv")


def is_trial_header(row: Sequence[str]) -> bool:
    """Whether a row is the header of a trial table: at least two of its columns are named."""
    return len(_KEYS.intersection(row)) >= 2


def sniff(source: SourceFile) -> bool:
    """Whether the head is a trial table (or stands where one should be)."""
    header = header_of(head_text(source))
    return is_placeholder(source) or is_trial_header(header) or source.name.lower().endswith(_OWN_SUFFIXES)


def read(source: SourceFile) -> ReadResult:
    """The table's rows as trials (`tables.TRIALS`); an empty reward is an ungraded trial, not 0."""
    loaded = load(source)
    if loaded.text is None:
        return _result(source, None, list(loaded.problems))
    table, found = parse_csv(source.path, loaded.text, is_trial_header)
    problems = [*loaded.problems, *found]
    if not any(name in table.columns for name in _KEYS) or not len(table):
        return _result(source, None, [*problems, problem("table.no-rows", source.path)])
    frame, column_problems = _frame(source, table)
    return _result(source, frame, [*problems, *column_problems, *_unknown(source.path, table)])


def _result(source: SourceFile, trials: pd.DataFrame | None, problems: list[Problem]) -> ReadResult:
    return ReadResult(
        reader=READER.name,
        source=source.path,
        precedence=READER.precedence,
        trials=trials,
        rows=0 if trials is None else len(trials),
        problems=tuple(problems),
    )


def _frame(source: SourceFile, table: CsvTable) -> tuple[pd.DataFrame, list[Problem]]:
    problems: list[Problem] = []
    columns: dict[str, object] = {
        "row": np.array(table.lines, dtype="int64"),
        "source": [source.path] * len(table),
    }
    for theirs, ours in TEXTS.items():
        columns[ours] = table.text(theirs)
    columns["task"], unnamed = _tasks(source.path, table)
    problems += unnamed
    for theirs, ours in NUMBERS.items():
        if theirs not in table.columns:
            continue
        values, found = float_column(source.path, table, theirs)
        problems += found
        before = columns.get(ours)
        columns[ours] = np.where(np.isnan(values), before, values) if isinstance(before, np.ndarray) else values
    for name in table.columns:
        if name.startswith("reward/"):
            columns[name], found = float_column(source.path, table, name)
            problems += found
    return conform(pd.DataFrame(columns), TRIALS), problems


def _tasks(path: str, table: CsvTable) -> tuple[list[str | None], list[Problem]]:
    """Task names; where one is missing, the trial's name up to its `__<suffix>`."""
    noted = Lines(path)
    tasks: list[str | None] = []
    for task, trial, line in zip(table.text("task_name"), table.text("trial_name"), table.lines, strict=True):
        name = task or (trial.rpartition("__")[0] or trial if trial else None)
        if name is None:
            noted.add("table.trial-unnamed", line)
        tasks.append(name)
    return tasks, noted.problems()


def _unknown(path: str, table: CsvTable) -> list[Problem]:
    names = [name for name in table.columns if name not in _KEYS and not name.startswith("reward/")]
    return [problem("table.unknown-columns", path, names=", ".join(names))] if names else []


READER = Reader(
    name="trial_table",
    title=Text("Table of agent trials (CSV)", "智能体 trial 表（CSV）"),
    names=("*_trial_results.csv", "trial_stats.csv", "*_trial_stats.csv"),
    sniff=sniff,
    read=read,
    evidence=True,
    precedence=30,
    version=1,
)
