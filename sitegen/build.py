"""`sitegen build`: the pipeline in order."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from sitegen import __version__
from sitegen.all_runs import Progress, all_assets, cache_for, do_runs, do_site, plan_runs, put, rows_of
from sitegen.budgets import OverBudget, over_budget
from sitegen.executor import Workers
from sitegen.glossary.lookup import load_glossary
from sitegen.pages.assets import hashed
from sitegen.pages.base import SiteContext
from sitegen.run_work import ProblemCounts, counted, find_runs, packed
from sitegen.settings import load_site_settings
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
    glossary = load_glossary(archive)
    with Output(site, archive) as output, cache_for(archive, site, options.cache, keep=options.keep) as cache:
        found = find_runs(archive, settings, output.site)
        plan = plan_runs(found.tasks, settings, archive, cache.entries if cache else output.scratch())
        with Workers(options.workers, len(plan.missing)) as workers:
            assets = all_assets(workers, cache.root if cache else None)
            paths = hashed(assets)
            parcel = packed(SiteContext(settings=settings, assets=paths, glossary=glossary, version=__version__))
            entries = do_runs(plan, parcel, workers, options.progress)
            pages = do_site(plan, entries, parcel, workers)
        for name, content in assets.items():
            output.write(paths[name], content, maker="assets")
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
        problems=counted(found.problems, rows_of(entries)),
        heavy=over_budget((file.path, file.sent) for entry in (*entries, *pages) for file in entry.files),
        written=written,
        seconds=time.monotonic() - started,
    )
