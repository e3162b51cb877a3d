"""`sitegen build`: the pipeline in order."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from sitegen.all_runs import Progress, cache_for, do_runs, do_site, put
from sitegen.budgets import OverBudget, over_budget
from sitegen.executor import Workers
from sitegen.prepare import Search, planned, prepared
from sitegen.settings import load_site_settings
from sitegen.tasks import ProblemCounts, counted
from sitegen.write import Output, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How to build; nothing of it reaches the site."""

    workers: int | None = None
    """Processes; None for as many as there are processors."""
    cache: Path | None = None
    """Folder for finished work; None for one beside the site."""
    keep: bool = True
    """Whether finished work is kept and used at all."""
    progress: Progress = lambda done, total: None
    """Told the runs done and the runs there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What was built."""

    runs: int
    """Runs in the site."""
    cached: int
    """Of these, the ones that had not changed."""
    problems: ProblemCounts
    """Problems of the archive and of all runs."""
    heavy: tuple[OverBudget, ...]
    """What weighs more than it may."""
    written: Written
    """What was done to the site folder."""
    seconds: float
    """Time it took."""


def build_site(archive: Path, site: Path, options: BuildOptions | None = None) -> BuildReport:
    """Builds the site of an archive.

    Raises:
        SitegenError: something that the user can fix, in one line.
    """
    options, started = options or BuildOptions(), time.monotonic()
    settings = load_site_settings(archive)
    fresh = not options.keep or not site.exists()
    with Output(site, archive) as output, cache_for(archive, site, options.cache, keep=options.keep) as cache:
        kept, folder = (cache.root, cache.entries) if cache else (None, output.scratch())
        search = Search(archive=archive, settings=settings, site=output.site, folder=folder)
        known = None if fresh else planned(search)
        with Workers(options.workers, len(known[1].missing) if known else None) as workers:
            ready = prepared(search, kept, known, workers)
            plan = ready.plan
            entries = do_runs(plan, ready.parcel, workers, options.progress)
            pages = do_site(plan, entries, ready.parcel, workers)
        for path, content in ready.assets.items():
            output.write(path, content, maker="assets")
        for task, entry in zip(plan.tasks, entries, strict=True):
            put(output, entry, maker=f"run {task.folder.path}")
        for entry in pages:
            put(output, entry, maker="the site's pages")
        written = output.publish()
        if cache:
            cache.prune([*plan.keys, *plan.site_keys(entries).values()])
    return BuildReport(
        runs=len(plan.tasks),
        cached=len(plan.tasks) - len(plan.missing),
        problems=counted(ready.problems, [entry.row for entry in entries]),
        heavy=over_budget((file.path, file.sent) for entry in (*entries, *pages) for file in entry.files),
        written=written,
        seconds=time.monotonic() - started,
    )
