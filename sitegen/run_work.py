"""All work on one run: run folder and settings in, files of the site and one row out.

A pure function of its arguments and the run's files, so that it can be done in any process, in any order, and its
result be kept. Only the row leaves the process that did the work; the files go straight into the cache's folder.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path

from sitegen import cache
from sitegen.analyse.crosscheck import CrossCheck, cross_check
from sitegen.analyse.roles import check_roles
from sitegen.analyse.run_analysis import analyse
from sitegen.assemble import assemble
from sitegen.assemble.trajectories import with_pages
from sitegen.charts import run_charts
from sitegen.charts.compiled import install
from sitegen.glossary.report import LoggedName
from sitegen.model.problems import Problem
from sitegen.model.run import ReadResult, Run, RunConfig, RunFolder, RunSettings
from sitegen.model.tables import STEPS
from sitegen.model.trajectory import Trajectory, TrajectoryFile
from sitegen.pages import run_files, site_files
from sitegen.pages.archive_data import archive_files, found_scripts
from sitegen.pages.base import SiteContext
from sitegen.pages.compare_data import compare_script
from sitegen.pages.index import newest_first
from sitegen.pages.moved import with_old_addresses
from sitegen.pages.row import RunRow, run_row
from sitegen.pages.trial import trial_files
from sitegen.privacy import masked, masked_value
from sitegen.readers import READERS
from sitegen.readers.harbor_json import Unusable
from sitegen.readers.harbor_trajectory import read_trajectory, trajectory_files
from sitegen.render import install_templates
from sitegen.scan import addresses, claimant, scan_archive, settings_file, with_heads
from sitegen.settings import SiteSettings, load_run_settings
from sitegen.tasks import ArchiveTasks as ArchiveTasks
from sitegen.tasks import Parcel, SiteTask
from sitegen.tasks import RunTask as RunTask
from sitegen.text import Lang


def find_runs(archive: Path, site: SiteSettings, output: Path | None = None) -> ArchiveTasks:
    """The runs of an archive with their settings and addresses; runs that say `publish = false` are left out.

    Raises:
        SettingsError: a `run.toml` or a role of `sitegen.toml` cannot be used, or two runs claim one address.
    """
    check_roles(site)
    found = scan_archive(archive, site, output=output)
    settings = {run.path: _settings(run) for run in found.runs}
    runs = [run for run in found.runs if settings[run.path].publish]
    where = addresses(runs, settings)
    tasks = tuple(
        RunTask(
            folder=replace(run, problems=run.problems + where.problems.get(run.path, ())),
            settings=settings[run.path],
            slug=where.slugs[run.path],
        )
        for run in runs
    )
    return ArchiveTasks(tasks=tasks, problems=found.problems)


def read_run(task: RunTask, site: SiteSettings) -> Run:
    """The run, assembled from its files, nothing in it that must not be shown."""
    return with_pages(masked(_assembled(task, site)), site)


def _assembled(task: RunTask, site: SiteSettings) -> Run:
    folder = with_heads(task.folder, READERS)
    run = assemble(folder, _read(folder), site, task.settings, task.slug)
    return replace(run, trajectories=trajectory_files(folder))


def make_site(lang: Lang, key: str, root: Path, parcel: bytes, task: SiteTask) -> None:
    """Makes the site's own pages in one language and stores them under a key.

    Args:
        lang: the language.
        key: their cache key.
        root: a folder of cache entries.
        parcel: a packed `Parcel`.
        task: what they are made from.
    """
    known = [RunRow.from_json(row) for row in task.rows]
    data = found_scripts(task.data) if task.data is not None else None
    cache.store(root, key, site_files(known, _unpacked(parcel), (lang,), data), None)


def make_archive_data(key: str, root: Path, parcel: bytes, task: SiteTask) -> None:
    """Makes the scripts about all runs and stores them under a key.

    Args:
        key: their cache key.
        root: a folder of cache entries.
        parcel: a packed `Parcel`.
        task: what they are made from.
    """
    known = newest_first([RunRow.from_json(row) for row in task.rows])
    reads = {slug: path.read_bytes for slug, path in task.series.items()}
    site = _unpacked(parcel)
    cache.store(root, key, chain(archive_files(known, site, reads), compare_script(known, site, task.compare)), None)


def make_run(task: RunTask, key: str, root: Path, parcel: bytes) -> None:
    """Makes the run's files and row and stores them under a key.

    Args:
        task: the run.
        key: its cache key.
        root: a folder of cache entries.
        parcel: a packed `Parcel`.
    """
    site = _unpacked(parcel)
    whole = _assembled(task, site.settings)
    run = with_pages(masked(whole), site.settings)
    analysis = analyse(run, site.settings)
    talks = partial(_dialogue, config=whole.config)
    files = chain(run_files(run, analysis, run_charts(run, analysis), site), trial_files(run, analysis, site, talks))
    cache.store(root, key, with_old_addresses(files, run, site), run_row(run, analysis).to_json())


def _dialogue(file: TrajectoryFile, config: RunConfig | None) -> Trajectory | None:
    """A trajectory with nothing in it that must not be shown; None when it cannot be read any more."""
    try:
        return masked_value(read_trajectory(file), config)
    except Unusable:
        return None  # said by `with_pages`


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What reading one run brought up."""

    problems: tuple[Problem, ...]
    """Everything that could not be used as it stands."""
    crosscheck: tuple[CrossCheck, ...]
    """Published numbers against the run."""


def check_run(task: RunTask, site: SiteSettings) -> Checked:
    """The problems of one run, and how its published numbers fare."""
    run = read_run(task, site)
    return Checked(problems=run.problems, crosscheck=cross_check(run, site))


def logged_names(task: RunTask, site: SiteSettings) -> tuple[LoggedName, ...]:
    """What a run logs under a name of its own: metrics, and exceptions of its trials.

    The columns that every engine and trial table has are ours, and of a configuration only the keys worth explaining
    have entries: neither is listed. Where files of several frameworks lie in one folder, a metric belongs to the
    frameworks of the files that hold it.
    """
    folder = with_heads(task.folder, READERS)
    results = _read(folder)
    run = masked(assemble(folder, results, site, task.settings, task.slug))
    holders: dict[str, set[str]] = {}
    for result in results:
        if result.framework is not None and result.steps is not None:
            for name in STEPS.measures(result.steps):
                holders.setdefault(name, set()).add(result.framework)
    found = {
        LoggedName(name=name, framework=framework, run=task.slug)
        for name in STEPS.measures(run.steps)
        for framework in holders.get(name, {run.framework})
    }
    raised = set(run.trials["exception"].dropna()) - {"none"} if run.trials is not None else set()
    found |= {LoggedName(name=name, framework=run.framework, kind="exception", run=task.slug) for name in raised}
    return tuple(sorted(found, key=lambda item: (item.name, item.framework or "")))


def _settings(run: RunFolder) -> RunSettings:
    path = settings_file(run)
    return load_run_settings(path) if path is not None else RunSettings()


def _read(folder: RunFolder) -> tuple[ReadResult, ...]:
    """What the readers make of the files they claim, each read once."""
    claimed = ((claimant(source, READERS), source) for source in folder.files)
    return tuple(reader.read(source) for reader, source in claimed if reader is not None)


@lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> SiteContext:
    parcel = pickle.loads(packed)
    assert isinstance(parcel, Parcel)
    install(parcel.forms)
    install_templates(parcel.templates)
    return SiteContext(settings=parcel.settings, assets=parcel.assets, glossary=parcel.glossary, version=parcel.version)
