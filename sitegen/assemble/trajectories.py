"""Which trials of a run get a page with their agent's dialogue, and what is wrong with the dialogues read for that."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from sitegen.model.problems import Problem, problem
from sitegen.model.run import Run, SourceUse
from sitegen.model.trajectory import TrajectoryFile
from sitegen.readers.harbor_json import Oddities, Unusable, name_list
from sitegen.readers.harbor_trajectory import NAME, PLACE, read_trajectory
from sitegen.settings import SiteSettings

_STEM = 48
"""Characters of a trial's name in its address."""


def with_pages(run: Run, settings: SiteSettings) -> Run:
    """The run with an address for every trial that gets a page; unchanged where the site does not ask for any.

    The trajectories of these trials are read one by one, to say now what cannot be read. Call it on a masked run:
    addresses and problems are made from names that may be shown.
    """
    if not settings.trajectories or not run.trajectories:
        return run
    chosen = _chosen(run.trajectories, run.trials, settings.trajectory_pages)
    oddities = Oddities()
    good: dict[str, str] = {}
    for file, page in zip(chosen, _addresses(chosen), strict=True):
        try:
            read_trajectory(file, oddities)
        except Unusable as reason:
            oddities.add(reason.kind, _trial(file))
        else:
            good[file.path] = page
    return replace(
        run,
        trajectories=tuple(replace(file, page=good.get(file.path, "")) for file in run.trajectories),
        problems=(*run.problems, *oddities.problems(run.path), *_without_result(run)),
        sources=tuple(sorted(_sources(run, good), key=lambda source: source.path)),
    )


def _chosen(files: Sequence[TrajectoryFile], trials: pd.DataFrame | None, most: int) -> list[TrajectoryFile]:
    """The files whose trials get a page, in table order: every task has one before any has two."""
    if trials is None:
        return []
    by_result = {file.result: file for file in files}
    rows: list[tuple[int, int, TrajectoryFile]] = []
    seen: dict[object, int] = {}
    for place, (source, task) in enumerate(zip(trials["source"], trials["task"], strict=True)):
        file = by_result.get(source)
        if file is not None:
            seen[task] = seen.get(task, 0) + 1
            rows.append((seen[task], place, file))
    rows.sort(key=lambda row: row[:2])
    return [file for _, _, file in sorted(rows[:most], key=lambda row: row[1])]


def _addresses(files: Iterable[TrajectoryFile]) -> Iterator[str]:
    """`trials/3f/<name>-<hash>.html`: 256 folders, so that none grows beyond what hosts allow."""
    taken: set[str] = set()
    for file in files:
        stem = re.sub(r"[^a-z0-9._-]+", "-", _trial(file).lower()).strip("-._")[:_STEM].rstrip("-._") or "trial"
        count, page = 0, ""
        while not page or page in taken:
            digest = hashlib.sha256(f"{file.path}{'#' * count}".encode()).hexdigest()
            page = f"trials/{digest[:2]}/{stem}-{digest[2:10]}.html"
            count += 1
        taken.add(page)
        yield page


def _trial(file: TrajectoryFile) -> str:
    return file.path.removesuffix(f"/{PLACE}").rpartition("/")[2] or file.path


def _without_result(run: Run) -> list[Problem]:
    known = set(run.trials["source"]) if run.trials is not None else set()
    lost = [_trial(file) for file in run.trajectories if file.result not in known]
    if not lost:
        return []
    return [problem("trajectory.no-result", run.path, None, count=len(lost), names=name_list(lost, len(lost)))]


def _sources(run: Run, good: Mapping[str, str]) -> Iterator[SourceUse]:
    """The run's sources, with the trajectories of trial folders as one per folder of trials."""
    own = {file.path for file in run.trajectories}
    for source in run.sources:
        if source.path not in own:
            yield source
    listed = {source.path: source for source in run.sources}
    groups: dict[str, list[TrajectoryFile]] = {}
    for file in run.trajectories:
        above = file.path.removesuffix(f"/{PLACE}").rpartition("/")[0]
        place = file.path if file.path in listed else f"{above}/*/{PLACE}".removeprefix("/")
        groups.setdefault(place, []).append(file)
    for place, files in groups.items():
        count = sum(file.path in good for file in files)
        yield SourceUse(
            path=place,
            size=sum(_size(file) for file in files),
            reader=NAME,
            rows=count,
            used_for=("trajectories",) if count else (),
            note=None if count else "unread",
        )


def _size(file: TrajectoryFile) -> int:
    try:
        return file.location.stat().st_size
    except OSError:
        return 0
