"""Trials as Harbor leaves them: a folder each with a `result.json`.

The folders of one job are read as one source, each result opened once and nothing else of a trial's folder. A trial
whose result cannot be read, or that has none yet, gives no row: it ended in no way that is known, and a row would
count it among those that ended without an exception. A problem says how many there are.

Every reward key becomes a column `reward/<key>`. `reward` is the value under that key; where no trial of the source
has it and all have one and the same key, the value under that one. Anything else is left to the site's `reward_key`.

Source: Harbor 0.26.0, `harbor/models/trial/paths.py` (`TrialPaths`), `harbor/models/trial/result.py`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult, SourceFile
from sitegen.model.tables import TRIALS, conform
from sitegen.readers.base import Reader
from sitegen.readers.harbor_json import Oddities, Unusable, name_list, read_object
from sitegen.readers.harbor_trial import Trial, TrialRow, trial_of
from sitegen.readers.text_file import head_text, is_placeholder
from sitegen.text import Text

PRIMARY = "reward"
"""Harbor's own name of the primary reward."""
MAX_REWARD_KEYS = 64
"""Reward keys that become columns; of more, the ones that most trials have."""
TITLE = Text("Harbor trial results", "Harbor 试验结果")
PRECEDENCE = 35
"""Nearer to the run than a table made from the same files."""
VERSION = 1

_TRIAL_KEY = re.compile(r'"trial_name"\s*:')
_JOB_KEY = re.compile(r'"n_total_trials"\s*:')


def sniff_bundle(source: SourceFile) -> bool:
    """The folders' names have already decided: what is not a trial's result among them is a problem."""
    return source.bundled


def sniff_single(source: SourceFile) -> bool:
    """Whether a result in a folder of any name is a trial's: a job's has other keys."""
    if source.bundled:
        return False
    head = head_text(source)
    return is_placeholder(source) or (_TRIAL_KEY.search(head) is not None and _JOB_KEY.search(head) is None)


def read_bundle(source: SourceFile) -> ReadResult:
    """One row per trial (`tables.TRIALS`), `source` being the trial's own file."""
    oddities = Oddities()
    above = source.path.removesuffix(f"*/{source.name}")
    base = str(source.location) + os.sep
    found: list[tuple[str, Trial]] = []
    for member in source.members:
        trial = _trial(base + member, member.rpartition("/")[0], oddities)
        if trial is not None:
            found.append((above + member, trial))
    problems = oddities.problems(source.path)
    if source.absent:
        count = len(source.absent)
        values = {"count": count, "names": name_list(list(source.absent), count)}
        problems.append(problem("harbor.unfinished", source.path, None, **values))
    return _result(BUNDLE.name, source.path, found, problems)


def read_single(source: SourceFile) -> ReadResult:
    """The one trial."""
    oddities = Oddities()
    name = source.path.rpartition("/")[0].rpartition("/")[2] or source.name
    trial = _trial(str(source.location), name, oddities)
    found = [] if trial is None else [(source.path, trial)]
    return _result(SINGLE.name, source.path, found, oddities.problems(source.path))


def _trial(location: str, name: str, oddities: Oddities) -> Trial | None:
    def note(kind: str) -> None:
        oddities.add(kind, name)

    try:
        trial = trial_of(read_object(location, name, oddities), note)
    except Unusable as reason:
        note(reason.kind)
        return None
    if trial is None:
        note("harbor.no-trial")
    return trial


def _result(reader: str, source: str, found: Sequence[tuple[str, Trial]], problems: list[Problem]) -> ReadResult:
    kept, retries, repeated = _latest(found)
    if repeated:
        problems.append(
            problem("harbor.repeated", source, None, count=len(repeated), names=name_list(repeated, len(repeated)))
        )
    table = None
    if kept:
        table, more = _table(source, kept, retries)
        problems += more
    return ReadResult(
        reader=reader,
        source=source,
        precedence=PRECEDENCE,
        trials=table,
        rows=len(kept),
        problems=tuple(problems),
    )


def _latest(found: Sequence[tuple[str, Trial]]) -> tuple[Sequence[tuple[str, Trial]], list[float], list[str]]:
    """Each trial once, the attempt that ended last; how many it had before that, and which had several folders."""
    counts = Counter(trial.row.trial for _, trial in found)
    repeated = [name for name, count in counts.items() if count > 1]
    if not repeated:
        return found, [np.nan] * len(found), []
    several = set(repeated)
    best: dict[str, tuple[str, Trial]] = {}
    attempts: dict[str, set[str]] = {}
    for item in found:
        source, trial = item
        name = trial.row.trial
        if name in several:
            attempts.setdefault(name, set()).add(trial.id or source)
            if name not in best or best[name][1].ended <= trial.ended:
                best[name] = item
    kept = [item for item in found if item[1].row.trial not in several or best[item[1].row.trial] is item]
    retries = [float(len(attempts[trial.row.trial]) - 1) if trial.row.trial in several else np.nan for _, trial in kept]
    return kept, retries, repeated


def _table(
    source: str, found: Sequence[tuple[str, Trial]], retries: Sequence[float]
) -> tuple[pd.DataFrame, list[Problem]]:
    columns: dict[str, object] = dict(
        zip(TrialRow._fields, zip(*(trial.row for _, trial in found), strict=True), strict=True)
    )
    columns["source"] = [path for path, _ in found]
    columns["row"] = np.ones(len(found), dtype="int64")
    columns["retries"] = np.array(retries, dtype="float64")
    rewards, problems = _rewards(source, [trial for _, trial in found])
    frame = pd.DataFrame(columns | {f"reward/{key}": values for key, values in rewards.items()})
    primary = PRIMARY if PRIMARY in rewards else next(iter(rewards)) if len(rewards) == 1 else None
    if primary is not None:
        frame["reward"] = rewards[primary]
    return conform(frame, TRIALS), problems


def _rewards(
    source: str, trials: Iterable[Trial]
) -> tuple[dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]], list[Problem]]:
    """Values by reward key, the primary key first and the others by name; NaN where a trial lacks the key."""
    given = [trial.rewards for trial in trials]
    counts = Counter(key for rewards in given for key, _ in rewards)
    keys = sorted(counts, key=lambda key: (key != PRIMARY, -counts[key], key))
    values = {
        key: np.full(len(given), np.nan) for key in sorted(keys[:MAX_REWARD_KEYS], key=lambda k: (k != PRIMARY, k))
    }
    for row, rewards in enumerate(given):
        for key, value in rewards:
            if key in values:
                values[key][row] = value
    left = len(keys) - len(values)
    return values, [problem("harbor.many-reward-keys", source, None, count=left, kept=len(values))] if left else []


BUNDLE = Reader(
    name="harbor_trials",
    title=TITLE,
    names=("result.json",),
    sniff=sniff_bundle,
    read=read_bundle,
    evidence=True,
    precedence=PRECEDENCE,
    version=VERSION,
    bundle=True,
)
SINGLE = Reader(
    name="harbor_trial",
    title=TITLE,
    names=("result.json",),
    sniff=sniff_single,
    read=read_single,
    evidence=True,
    precedence=PRECEDENCE,
    version=VERSION,
)
