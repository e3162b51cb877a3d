"""One run for the commands that work on one: found by its folder, or by its address or name in an archive."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from sitegen.analyse.run_analysis import RunAnalysis, analyse
from sitegen.errors import SitegenError
from sitegen.model.run import Run
from sitegen.publish.report import Report, metrics_report
from sitegen.run_work import RunTask, find_runs, read_run
from sitegen.settings import SITE_FILE, SiteSettings, load_site_settings

LEVELS = 6
"""So many folders above a run its archive's `sitegen.toml` is looked for: as deep as a run may lie in an archive."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneRun:
    """A run that one command works on; it has passed the privacy border."""

    run: Run
    """The run."""
    analysis: RunAnalysis
    """Its analyses."""
    site: SiteSettings
    """Settings of its archive."""
    archive: Path
    """Root of its archive."""


def one_run(name: str, archive: Path | None) -> OneRun:
    """One run with its analyses.

    Args:
        name: The run's folder; with an archive also its path, address or name there.
        archive: The archive's root; None for the one above the folder, or the folder alone.

    Raises:
        SitegenError: no such run, or several of that name.
        SettingsError: a settings file cannot be used.
    """
    task, site, root = _found(name, archive)
    run = read_run(task, site)
    return OneRun(run=run, analysis=analyse(run, site), site=site, archive=root)


def report_of(name: str, archive: Path | None) -> Report:
    """The metrics report of one run.

    Args:
        name: The run's folder; with an archive also its path, address or name there.
        archive: The archive's root; None for the one above the folder, or the folder alone.

    Raises:
        SitegenError: no such run, or several of that name.
        SettingsError: a settings file cannot be used.
    """
    found = one_run(name, archive)
    return metrics_report(found.run, found.analysis)


def write_text(path: Path, text: str) -> None:
    """Writes a file for the user.

    Raises:
        SitegenError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise SitegenError(f"cannot write {path}: {error.strerror or error}") from error


def _found(name: str, archive: Path | None) -> tuple[RunTask, SiteSettings, Path]:
    folder = Path(name)
    if archive is None:
        if not folder.is_dir():
            raise SitegenError(f"{name}: no such folder; give a run's folder, or --archive and the run's name")
        archive = _archive_above(folder.resolve())
    site = load_site_settings(archive)
    tasks = find_runs(archive, site).tasks
    chosen = _by_folder(tasks, folder) or [task for task in tasks if name in _names(task)]
    if len(chosen) == 1:
        return chosen[0], site, archive
    if len(chosen) > 1:
        raise SitegenError(f"{name}: several runs: {_listed(chosen)}; give one of these with --archive {archive}")
    known = sorted({each for task in tasks for each in _names(task)})
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; there are {len(tasks)} runs in {archive}"
    raise SitegenError(f"{name}: no such run{hint}")


def _archive_above(folder: Path) -> Path:
    """The nearest folder above that has a `sitegen.toml`, so that its settings hold; else the folder itself."""
    above = [folder, *folder.parents[:LEVELS]]
    return next((parent for parent in above if (parent / SITE_FILE).is_file()), folder)


def _by_folder(tasks: tuple[RunTask, ...], folder: Path) -> list[RunTask]:
    """The run of a folder, else the runs in it."""
    if not folder.is_dir():
        return []
    place = folder.resolve()
    exact = [task for task in tasks if task.folder.location.resolve() == place]
    return exact or [task for task in tasks if task.folder.location.resolve().is_relative_to(place)]


def _names(task: RunTask) -> tuple[str, str, str]:
    return (task.slug, task.folder.path, task.folder.name)


def _listed(tasks: list[RunTask]) -> str:
    shown = ", ".join(task.slug for task in tasks[:3])
    return shown if len(tasks) <= 3 else f"{shown}, …"
