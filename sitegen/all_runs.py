"""The work on all runs of an archive: what is kept is taken from the cache, the rest goes through the executor."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sitegen.cache import Cache, Entry, key_of, load
from sitegen.executor import default_workers, each
from sitegen.pages.base import SiteContext
from sitegen.pages.row import RunRow
from sitegen.run_work import PRELOAD, RunTask, make_run

Progress = Callable[[int, int], None]
"""Told how many runs are done, of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsDone:
    """The finished work on every run."""

    entries: tuple[Entry, ...]
    """One per run, in path order."""
    keys: tuple[str, ...]
    """Their cache keys."""
    cached: int
    """Runs that had not changed."""

    @property
    def rows(self) -> tuple[RunRow, ...]:
        """One row per run, in path order."""
        return tuple(RunRow.from_json(entry.row) for entry in self.entries)


def do_runs(
    tasks: Sequence[RunTask],
    context: SiteContext,
    archive: Path,
    store: Path,
    *,
    workers: int | None,
    progress: Progress,
) -> RunsDone:
    """Every run's files and row, found in a folder of cache entries or made and put there.

    Args:
        tasks: the runs, in path order.
        context: the site they stand in.
        archive: the archive's root.
        store: the folder of entries; empty when nothing is kept.
        workers: processes; None for as many as there are processors.
        progress: told the runs done and the runs there are.
    """
    own_terms = key_of(*(path.read_bytes() for path in sorted((archive / "glossary").glob("*.toml"))))
    keys = {task.slug: key_of(task, context.settings, context.version, own_terms) for task in tasks}
    entries = {task.slug: entry for task in tasks if (entry := load(store, keys[task.slug])) is not None}
    cached = len(entries)
    missing = [(task, keys[task.slug]) for task in tasks if task.slug not in entries]
    progress(cached, len(tasks))
    work = partial(_make, root=store, context=pickle.dumps(context))
    for (task, key), _ in each(
        work, missing, workers=workers or default_workers(), name=lambda item: item[0].folder.path, preload=PRELOAD
    ):
        made = load(store, key)
        assert made is not None, f"{task.folder.path}: its files have just been written and cannot be read"
        entries[task.slug] = made
        progress(len(entries), len(tasks))
    return RunsDone(
        entries=tuple(entries[task.slug] for task in tasks),
        keys=tuple(keys[task.slug] for task in tasks),
        cached=cached,
    )


def _make(item: tuple[RunTask, str], root: Path, context: bytes) -> None:
    task, key = item
    make_run(task, key, root, context)


def cache_for(archive: Path, site: Path, given: Path | None, *, keep: bool) -> AbstractContextManager[Cache | None]:
    """The cache to use: the one given, else a hidden folder beside the site; None when nothing is to be kept."""
    if not keep:
        return nullcontext()
    site = site.resolve()
    return Cache(given or site.with_name(f".{site.name}.sitegen-cache"), archive, site)
