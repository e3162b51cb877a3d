"""The work on all runs of an archive: what has not changed is taken from the cache, the rest is given to workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sitegen.cache import Cache, Entry, key_of, load
from sitegen.charts.assets import charts_script, vega_script
from sitegen.executor import Workers
from sitegen.pages.assets import site_assets
from sitegen.pages.base import SiteContext
from sitegen.pages.row import RunRow
from sitegen.run_work import RunTask, make_run, packed
from sitegen.settings import SiteSettings

Progress = Callable[[int, int], None]
"""Told how many runs are done, of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What there is to do, and what is done already."""

    tasks: tuple[RunTask, ...]
    """The runs, in path order."""
    keys: tuple[str, ...]
    """Their cache keys."""
    store: Path
    """The folder of cache entries."""
    found: tuple[Entry | None, ...]
    """The entries of the runs that have not changed, None for the others."""

    @property
    def missing(self) -> tuple[tuple[RunTask, str], ...]:
        """The runs to work on with their keys, the largest first, so that no worker is left with it at the end."""
        left = [
            (task, key) for task, key, entry in zip(self.tasks, self.keys, self.found, strict=True) if entry is None
        ]
        return tuple(sorted(left, key=lambda item: -sum(file.size for file in item[0].folder.files)))


def plan_runs(tasks: Sequence[RunTask], settings: SiteSettings, archive: Path, store: Path) -> Plan:
    """Which runs have to be worked on.

    Args:
        tasks: the runs, in path order.
        settings: `sitegen.toml`.
        archive: the archive's root.
        store: the folder of cache entries; empty when nothing is kept.
    """
    own_terms = key_of(*(path.read_bytes() for path in sorted((archive / "glossary").glob("*.toml"))))
    keys = tuple(key_of(task, settings, own_terms) for task in tasks)
    return Plan(tasks=tuple(tasks), keys=keys, store=store, found=tuple(load(store, key) for key in keys))


def all_assets(workers: Workers, kept: Path | None) -> dict[str, bytes]:
    """Logical name to content of what all pages share; the two that take a second each are made side by side.

    Args:
        workers: who may help.
        kept: folder where they are kept between builds; None for none.
    """
    vega = workers.aside(vega_script, kept)
    charts = charts_script(kept)
    return {**site_assets(), "charts.js": charts, "vega.js": vega()}


def do_runs(plan: Plan, context: SiteContext, workers: Workers, progress: Progress) -> tuple[Entry, ...]:
    """Every run's files and row, in path order.

    Args:
        plan: what there is to do.
        context: the site the runs stand in.
        workers: who does it.
        progress: told the runs done and the runs there are.
    """
    missing = plan.missing
    done = len(plan.tasks) - len(missing)
    progress(done, len(plan.tasks))
    if missing:
        work = partial(_make, root=plan.store, parcel=packed(context))
        for _ in workers.each(work, missing, lambda item: item[0].folder.path):
            done += 1
            progress(done, len(plan.tasks))
    entries = tuple(entry or load(plan.store, key) for entry, key in zip(plan.found, plan.keys, strict=True))
    whole = tuple(entry for entry in entries if entry is not None)
    assert len(whole) == len(entries), "an entry has just been written and cannot be read"
    return whole


def rows_of(entries: Sequence[Entry]) -> tuple[RunRow, ...]:
    """The rows of finished runs."""
    return tuple(RunRow.from_json(entry.row) for entry in entries)


def cache_for(archive: Path, site: Path, given: Path | None, *, keep: bool) -> AbstractContextManager[Cache | None]:
    """The cache to use: the one given, else a hidden folder beside the site; None when nothing is to be kept."""
    if not keep:
        return nullcontext()
    site = site.resolve()
    return Cache(given or site.with_name(f".{site.name}.sitegen-cache"), archive, site)


def _make(item: tuple[RunTask, str], root: Path, parcel: bytes) -> None:
    task, key = item
    make_run(task, key, root, parcel)
