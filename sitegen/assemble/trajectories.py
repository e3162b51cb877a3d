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
from sitegen.readers.harbor_trajectory import NAME, PLACE, STEPS, in_order, read_trajectory
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
    good: dict[str, tuple[str, int]] = {}
    for files, page in zip(chosen, _addresses(chosen), strict=True):
        for order, file in enumerate(in_order(files)):
            try:
                read_trajectory(file, oddities)
            except Unusable as reason:
                oddities.add(reason.kind, file.name)
            else:
                good[file.path] = page, order
    return replace(
        run,
        trajectories=tuple(_placed(file, *good.get(file.path, ("", 0))) for file in run.trajectories),
        problems=(*run.problems, *oddities.problems(run.path), *_without_result(run)),
        sources=tuple(sorted(_sources(run, good), key=lambda source: source.path)),
    )


def _placed(file: TrajectoryFile, page: str, order: int) -> TrajectoryFile:
    return replace(file, page=page, order=order)


def _chosen(
    files: Sequence[TrajectoryFile], trials: pd.DataFrame | None, most: int
) -> list[tuple[TrajectoryFile, ...]]:
    """The files of each trial that gets a page, in table order: every task has one before any has two."""
    if trials is None:
        return []
    by_result: dict[str, tuple[TrajectoryFile, ...]] = {}
    for file in files:
        by_result[file.result] = (*by_result.get(file.result, ()), file)
    rows: list[tuple[int, int, tuple[TrajectoryFile, ...]]] = []
    seen: dict[object, int] = {}
    for place, (source, task) in enumerate(zip(trials["source"], trials["task"], strict=True)):
        found = by_result.get(source)
        if found is not None:
            seen[task] = seen.get(task, 0) + 1
            rows.append((seen[task], place, found))
    rows.sort(key=lambda row: row[:2])
    return [found for _, _, found in sorted(rows[:most], key=lambda row: row[1])]


def _addresses(trials: Iterable[Sequence[TrajectoryFile]]) -> Iterator[str]:
    """`trials/3f/<name>-<hash>.html`: 256 folders, so that none grows beyond what hosts allow."""
    taken: set[str] = set()
    for file, *_ in trials:
        stem = (
            re.sub(r"[^a-z0-9._-]+", "-", (file.trial or file.path).lower()).strip("-._")[:_STEM].rstrip("-._")
            or "trial"
        )
        count, page = 0, ""
        while not page or page in taken:
            digest = hashlib.sha256(f"{file.path}{'#' * count}".encode()).hexdigest()
            page = f"trials/{digest[:2]}/{stem}-{digest[2:10]}.html"
            count += 1
        taken.add(page)
        yield page


def _without_result(run: Run) -> list[Problem]:
    known = set(run.trials["source"]) if run.trials is not None else set()
    lost = list(dict.fromkeys(file.trial or file.path for file in run.trajectories if file.result not in known))
    if not lost:
        return []
    return [problem("trajectory.no-result", run.path, None, count=len(lost), names=name_list(lost, len(lost)))]


def _sources(run: Run, good: Mapping[str, tuple[str, int]]) -> Iterator[SourceUse]:
    """The run's sources, with the trajectories of trial folders as one per folder of trials."""
    own = {file.path for file in run.trajectories}
    for source in run.sources:
        if source.path not in own:
            yield source
    listed = {source.path: source for source in run.sources}
    groups: dict[str, list[TrajectoryFile]] = {}
    for file in run.trajectories:
        above = file.result.rpartition("/")[0].rpartition("/")[0]
        inner = f"{STEPS}/*/{PLACE}" if file.step else PLACE
        place = file.path if file.path in listed else f"{above}/*/{inner}".removeprefix("/")
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
