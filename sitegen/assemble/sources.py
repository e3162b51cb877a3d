"""Which of several sources of the same thing counts: never two of them added up.

Copies and parts of a table are recognised by what their rows say, older generations by the time stamp in their
names, and of the rest the source with the highest precedence wins, job by job.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sitegen.assemble.completion import completions, late_counts, left_out
from sitegen.assemble.signatures import row_hashes
from sitegen.model.problems import Problem, problem
from sitegen.model.run import ReadResult
from sitegen.model.tables import BATCHES, ENGINES, STEPS, TRIALS, TableSchema

TRACKER_PRECEDENCE = 20
"""Results of trackers; see `Reader.precedence`."""
REPORT_PRECEDENCE = 10
"""Results at or below this are a published report or surroundings: steps of theirs are used only without others."""
TableName = Literal["steps", "engines", "batches"]
SCHEMAS: dict[TableName, TableSchema] = {"steps": STEPS, "engines": ENGINES, "batches": BATCHES}

SURROUNDINGS = "surroundings"
"""Note of a source that gives no steps and is still to be compared."""
_TOLERANCE = (5.1e-5, 1e-4)
"""Absolute and relative difference that is none: what the log parser's and the reports' printing loses."""

_STAMPED = re.compile(r"(?P<stamp>\d{8}_\d{6})_(?P<rest>.+)")
_SHORT_NAME = re.compile(r"(?:job|v\d+_.+?)_(?P<digits>\d{6})")
_SHORT_LENGTH = 30
_EVERYWHERE = {"epoch"}
"""What any record may say besides."""


@dataclass(slots=True, eq=False)
class Chosen:
    """The tables that count, and why the others do not."""

    tables: list[pd.DataFrame] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)
    """Source to rows used."""
    notes: dict[str, str] = field(default_factory=dict)
    """Source to why it was set aside."""
    problems: list[Problem] = field(default_factory=list)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    """(source, job as it calls it) to the job's name in the run, for the jobs used."""
    nonfinite: list[pd.DataFrame] = field(default_factory=list)
    """Values that are not finite of metrics added to records of another source, at those records' lines."""
    in_parts: set[str] = field(default_factory=set)
    """Jobs whose records lie in several sources that share no metric: their rows of one step belong together."""

    def take(self, source: str, table: pd.DataFrame) -> None:
        """Adds a source's rows."""
        self.tables.append(table)
        self.used[source] = self.used.get(source, 0) + len(table)

    def take_parts(self, source: str, table: pd.DataFrame) -> None:
        """Adds a source's rows, some of which may be of other files: the parts of its log."""
        self.tables.append(table)
        files = table["source"].tolist()
        for file in dict.fromkeys([source, *files]):
            self.used[file] = self.used.get(file, 0) + files.count(file)

    def joined(self) -> pd.DataFrame | None:
        """All rows in one table; None without any."""
        if not self.tables:
            return None
        return pd.concat(self.tables, ignore_index=True) if len(self.tables) > 1 else self.tables[0]


def ranked(results: Iterable[ReadResult]) -> list[ReadResult]:
    """Best first: precedence, then undated (always the newest version) before dated, newest first, then by path."""
    by_path = sorted(results, key=lambda result: result.source)
    by_stamp = sorted(by_path, key=lambda result: _stamp(result.source) or "~", reverse=True)
    return sorted(by_stamp, key=lambda result: -result.precedence)


def older_generations(results: Sequence[ReadResult]) -> set[str]:
    """Sources that a newer file of the same name, time stamp aside, replaces."""
    newest: dict[tuple[str, str, str], tuple[str, str]] = {}
    older: set[str] = set()
    for result in sorted(results, key=lambda item: item.source):
        folder, _, name = result.source.rpartition("/")
        match = _STAMPED.fullmatch(name)
        if match is None:
            continue
        key = (result.reader, folder, match["rest"].lower())
        before = newest.get(key)
        if before is not None and before[0] < match["stamp"]:
            older.add(before[1])
        newest[key] = (match["stamp"], result.source)
    return older


def choose_by_job(results: Sequence[ReadResult], kind: TableName) -> Chosen:
    """For steps, engine samples and batches: per job the best source."""
    chosen = Chosen()
    candidates = _candidates(results, kind, chosen)
    known: set[int] = set()
    taken: dict[str, tuple[ReadResult, pd.DataFrame]] = {}
    for result, table in candidates:
        alone = len(candidates) == 1  # nothing to compare it with
        hashes = np.zeros(len(table), dtype="uint64") if alone else row_hashes(table, SCHEMAS[kind])
        if known and _tells_apart(table, kind) and known.issuperset(hashes.tolist()):
            chosen.notes[result.source] = "duplicate"
            continue
        renamed = _renamed(table, list(taken))
        parts: set[str] = set()
        if kind == "steps":
            renamed = _as_part(result, renamed, taken, chosen)
            parts = _further_parts(result, renamed, taken, chosen)
        fresh = _fresh_jobs(result, renamed, taken, kind) | parts
        chosen.in_parts |= parts
        if kind == "steps":
            chosen.problems += _compared(result, renamed, taken, fresh)
            _complete(chosen, result, renamed[~renamed["job"].isin(fresh)], taken)
        if not fresh:
            chosen.notes[result.source] = "lower-precedence"
            continue
        mine = renamed["job"].isin(fresh).to_numpy()
        for theirs, ours in zip(table["job"][mine].unique(), renamed["job"][mine].unique(), strict=True):
            chosen.names[result.source, theirs] = ours
        rows = renamed if mine.all() else renamed[mine].reset_index(drop=True)
        taken.update(dict.fromkeys(fresh - parts, (result, rows)))
        known.update(() if alone else hashes[mine].tolist())
        chosen.take_parts(result.source, rows)
    if kind == "steps" and taken:
        for result in results:
            if result.steps is not None and chosen.notes.get(result.source) == SURROUNDINGS:
                chosen.notes[result.source] = "lower-precedence"
                chosen.problems += _compared(result, _renamed(result.steps, list(taken)), taken, set(), whole=False)
    return chosen


def _complete(
    chosen: Chosen, result: ReadResult, aside: pd.DataFrame, taken: dict[str, tuple[ReadResult, pd.DataFrame]]
) -> None:
    """Adds to records shown what only a source set aside has."""
    chosen.problems += late_counts(result, aside, taken)
    chosen.problems += left_out(result, aside, taken)
    for added in completions(result, aside, taken):
        other, before = taken[added.job]
        chosen.tables = [added.steps if rows is before else rows for rows in chosen.tables]
        taken.update({job: (other, added.steps) for job, (_, rows) in list(taken.items()) if rows is before})
        if added.nonfinite is not None:
            chosen.nonfinite.append(added.nonfinite)
        chosen.used[result.source] = chosen.used.get(result.source, 0) + added.rows
        chosen.problems.append(added.problem)


def choose_trials(results: Sequence[ReadResult]) -> Chosen:
    """For trials: each trial once, from the best source that has it."""
    chosen = Chosen()
    older = older_generations([result for result in results if _has_rows(result.trials)])
    known: set[int] = set()
    rewards = pd.Series(dtype="float64")
    owner: dict[str, str] = {}
    taken: list[tuple[int, pd.DataFrame]] = []
    for result in ranked(results):
        table = result.trials
        if table is None or table.empty:
            continue
        if result.source in older:
            chosen.notes[result.source] = "older"
            continue
        hashes = row_hashes(table, TRIALS)
        if known and known.issuperset(hashes.tolist()):
            chosen.notes[result.source] = "duplicate"
            continue
        repeated = table["trial"].isin(rewards.index).to_numpy()
        chosen.problems += _other_rewards(result.source, table[repeated], rewards, owner)
        nameless = _nameless(table, [rows for rank, rows in taken if rank > result.precedence])
        if nameless.any():
            chosen.problems.append(problem("assemble.trials-nameless", result.source, None, count=int(nameless.sum())))
            repeated = repeated | nameless
        if repeated.all():
            chosen.notes[result.source] = "lower-precedence"
            continue
        rows = table[~repeated].reset_index(drop=True)
        known.update(hashes[~repeated].tolist())
        named = rows[rows["trial"].notna()].drop_duplicates("trial", keep="last").set_index("trial")["reward"]
        rewards = named if rewards.empty else pd.concat([rewards, named])
        owner.update(dict.fromkeys(named.index, result.source))
        chosen.take(result.source, rows)
        taken.append((result.precedence, rows))
    return chosen


def _nameless(table: pd.DataFrame, better: Sequence[pd.DataFrame]) -> NDArray[np.bool_]:
    """Rows without a trial's name, of tasks that a better source has: they cannot be told from its trials."""
    nameless = table["trial"].isna().to_numpy()
    if not better or not nameless.any():
        return np.zeros(len(table), dtype=bool)
    known = {task for other in better for task in other["task"].dropna().unique()}
    return nameless & table["task"].isin(known).to_numpy()


def _has_rows(table: pd.DataFrame | None) -> bool:
    return table is not None and not table.empty


def _stamp(source: str) -> str | None:
    match = _STAMPED.fullmatch(source.rsplit("/", 1)[-1])
    return match["stamp"] if match else None


def _candidates(
    results: Sequence[ReadResult], kind: TableName, chosen: Chosen
) -> list[tuple[ReadResult, pd.DataFrame]]:
    """Sources with rows, best first, older generations and needless reports noted and left out."""
    found: list[tuple[ReadResult, pd.DataFrame]] = []
    older = older_generations([result for result in results if _has_rows(getattr(result, kind))])
    for result in ranked(results):
        table: pd.DataFrame | None = getattr(result, kind)
        if table is None or table.empty:
            continue
        if result.source in older:
            chosen.notes[result.source] = "older"
        elif kind == "steps" and found and result.precedence <= REPORT_PRECEDENCE < found[0][0].precedence:
            # a published report is held against the run number by number elsewhere
            chosen.notes[result.source] = SURROUNDINGS if result.published is None else "lower-precedence"
        else:
            found.append((result, table))
    # within one precedence a whole table goes before its parts
    return sorted(found, key=lambda item: (-item[0].precedence, -len(item[1])))


def _tells_apart(table: pd.DataFrame, kind: TableName) -> bool:
    """Whether equal rows mean a copy: samples without a clock repeat themselves."""
    return kind != "engines" or bool(table["time"].notna().all())


def _fresh_jobs(
    result: ReadResult, table: pd.DataFrame, taken: dict[str, tuple[ReadResult, pd.DataFrame]], kind: TableName
) -> set[str]:
    """The jobs of a source that no better source has."""
    jobs = set(table["job"].unique())
    fresh = jobs - set(taken)
    better = [rows for other, rows in taken.values() if other.precedence > result.precedence]
    if not better or not fresh or fresh != jobs:
        return fresh  # nothing above it, or it names its jobs as the better source does
    if kind != "steps":
        return set()
    covered = np.unique(np.concatenate([rows["step"].to_numpy() for rows in better]))
    overlap = np.isin(table["step"].to_numpy(), covered).any()
    return set() if overlap else fresh


def _as_part(
    result: ReadResult, table: pd.DataFrame, taken: dict[str, tuple[ReadResult, pd.DataFrame]], chosen: Chosen
) -> pd.DataFrame:
    """The table under the name of the only job that logged the same steps under other metrics only, if there is one.

    Programs of one launch (a trainer and its orchestrator) may each keep a log of their own.
    """
    jobs = table["job"].unique()
    if len(jobs) != 1 or jobs[0] in taken:
        return table
    candidates = {job: table.assign(job=job) for job in sorted(taken)}
    found = [renamed for renamed in candidates.values() if _further_parts(result, renamed, taken, chosen)]
    return found[0] if len(found) == 1 else table


def _further_parts(
    result: ReadResult, table: pd.DataFrame, taken: dict[str, tuple[ReadResult, pd.DataFrame]], chosen: Chosen
) -> set[str]:
    """The jobs of which another tracker logged the same train steps under other metrics only."""
    found: set[str] = set()
    if result.precedence != TRACKER_PRECEDENCE:  # each console log is a launch of its own
        return found
    for job in sorted(table["job"].unique()):
        rows = table[table["job"] == job]
        if job not in taken or taken[job][0].precedence != result.precedence:
            continue
        theirs = pd.concat([known[known["job"] == job] for known in chosen.tables])
        if not (_logged_names(rows) & _logged_names(theirs)) and _go_together(rows, theirs):
            found.add(job)
    return found


def _go_together(rows: pd.DataFrame, others: pd.DataFrame) -> bool:
    """Whether both logged at least half of the train steps of the one that logged fewer."""
    mine, theirs = (set(table.loc[table["kind"] == "train", "step"]) for table in (rows, others))
    return len(mine & theirs) * 2 >= min(len(mine), len(theirs)) > 0


def _logged_names(rows: pd.DataFrame) -> set[str]:
    """The metrics with a value in these rows."""
    return {name for name in STEPS.measures(rows) if rows[name].notna().any()} - _EVERYWHERE


def _renamed(table: pd.DataFrame, known: Sequence[str]) -> pd.DataFrame:
    """The table with jobs called as better sources call them."""
    names = {job: same_job(job, known) for job in table["job"].unique() if job is not None}
    changed = {job: name for job, name in names.items() if job != name}
    if not changed or len(set(names.values())) < len(names):
        return table
    return table.assign(job=table["job"].map(names).astype(object))


def same_job(name: str, known: Sequence[str]) -> str:
    """The known job that a name means: itself, or the only one that the log parser shortens to it.

    The parser calls a long log `job_<6 digits>` or `v<n>_<x>_<6 digits>` after its number, or by its last 30
    characters.
    """
    if name in known:
        return name
    found = [job for job in known if _shortened(name, job) or _shortened(job, name)]
    return found[0] if len(found) == 1 else name


def _shortened(short: str, long: str) -> bool:
    match = _SHORT_NAME.fullmatch(short)
    if match is None:
        return len(short) == _SHORT_LENGTH < len(long) and long.endswith(short)
    numbers = re.findall(r"\d{6,}", long)
    return len(long) > len(short) and any(number.startswith(match["digits"]) for number in numbers)


# Disagreement --------------------------------------------------------------------------------------------------------


def _compared(
    result: ReadResult,
    table: pd.DataFrame,
    taken: dict[str, tuple[ReadResult, pd.DataFrame]],
    fresh: set[str],
    *,
    whole: bool = True,
) -> list[Problem]:
    """How far a source that is set aside differs from the one that is shown, job by job.

    Args:
        result: The source.
        table: Its steps, jobs called as in the run.
        taken: Job to the source shown and its rows.
        fresh: Jobs that are shown from this source.
        whole: Whether it records every step, so that one which is not shown is lost.
    """
    problems: list[Problem] = []
    for job in sorted(set(table["job"].unique()) - fresh):
        mine = table[table["job"] == job]
        if job in taken:
            other, theirs = taken[job]
            theirs = theirs[theirs["job"] == job]
        elif taken:
            other = next(iter(taken.values()))[0]
            theirs = pd.concat([rows for _, rows in _distinct(taken)])
        else:
            continue
        problems += _lacking(result.source, mine, other.source, theirs, job) if whole else []
        problems += _differences(result, mine, other, theirs, job)
    return problems


def _distinct(taken: dict[str, tuple[ReadResult, pd.DataFrame]]) -> list[tuple[ReadResult, pd.DataFrame]]:
    return list({id(rows): (result, rows) for result, rows in taken.values()}.values())


def _lacking(source: str, mine: pd.DataFrame, other: str, theirs: pd.DataFrame, job: str) -> list[Problem]:
    lacking = sorted(set(mine["step"]) - set(theirs["step"]))
    values = {"job": job, "other": other, "count": len(lacking), "step": lacking[0] if lacking else 0}
    return [problem("assemble.steps-only-here", source, None, **values)] if lacking else []


def _tolerance(*results: ReadResult) -> tuple[float, float]:
    """Absolute and relative difference that rounding explains where one of the sources prints few digits."""
    decimals = min(result.facts.get("rounded_decimals", 9) for result in results)
    digits = min(result.facts.get("rounded_digits", 9) for result in results)
    return max(_TOLERANCE[0], 0.51 * 10.0**-decimals), max(_TOLERANCE[1], 0.51 * 10.0 ** (1 - digits))


def _differences(
    result: ReadResult, mine: pd.DataFrame, other: ReadResult, theirs: pd.DataFrame, job: str
) -> list[Problem]:
    problems: list[Problem] = []
    least, share = _tolerance(result, other)
    left, right = _by_step(mine), _by_step(theirs)
    steps = left.index.intersection(right.index)
    metrics = [name for name in STEPS.measures(mine) if name in theirs.columns]
    a, b = left.loc[steps, metrics].to_numpy(), right.loc[steps, metrics].to_numpy()
    both = np.isfinite(a) & np.isfinite(b)
    with np.errstate(invalid="ignore"):
        gap = np.where(both, np.abs(a - b), 0.0)
        wrong = both & (gap > np.maximum(least, share * np.abs(b)))
    if wrong.any():
        relative = np.where(wrong, gap / np.maximum(np.abs(b), 1e-12), 0.0)
        row, column = np.unravel_index(int(relative.argmax()), relative.shape)
        problems.append(
            problem(
                "assemble.sources-disagree",
                result.source,
                None,
                job=job,
                other=other.source,
                count=int(wrong.sum()),
                compared=int(both.sum()),
                step=int(steps.to_numpy()[row]),
                metric=metrics[column],
                mine=f"{a[row, column]:.6g}",
                theirs=f"{b[row, column]:.6g}",
            )
        )
    return problems


def _by_step(table: pd.DataFrame) -> pd.DataFrame:
    """Train rows by step, steps logged more than once left out: which of them is meant cannot be told."""
    train = table[table["kind"] == "train"]
    return train[~train["step"].duplicated(keep=False)].set_index("step")


def _other_rewards(
    source: str, repeated: pd.DataFrame, rewards: pd.Series[float], owner: dict[str, str]
) -> list[Problem]:
    if repeated.empty:
        return []
    mine = repeated["reward"].to_numpy()
    theirs = rewards.reindex(repeated["trial"]).to_numpy()
    apart = ~(np.isclose(mine, theirs, rtol=1e-6, atol=1e-9) | (np.isnan(mine) & np.isnan(theirs)))
    if not apart.any():
        return []
    at = int(np.flatnonzero(apart)[0])
    trial = repeated["trial"].iloc[at]
    shown = [_shown(float(values[at])) for values in (mine, theirs)]
    values = {"count": int(apart.sum()), "other": owner[trial], "trial": trial, "mine": shown[0], "theirs": shown[1]}
    return [problem("assemble.trials-disagree", source, None, **values)]


def _shown(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.6g}"
