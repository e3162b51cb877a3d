"""`sitegen check` and `sitegen glossary --missing`: everything is read as a build does, and nothing written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sitegen.analyse.crosscheck import CrossCheck
from sitegen.executor import Workers
from sitegen.glossary.lookup import load_glossary
from sitegen.glossary.report import LoggedName, MissingReport, missing_names
from sitegen.model.problems import Problem
from sitegen.publish.run_json import crosscheck as published_number
from sitegen.run_work import Checked, check_run, find_runs, logged_names
from sitegen.settings import load_site_settings
from sitegen.tasks import ProblemCounts, counted
from sitegen.text import Lang

JSON_SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an archive's files do not tell, or tell twice."""

    runs: int
    """Runs read."""
    problems: tuple[Problem, ...]
    """The archive's own first, then run by run in path order."""
    crosscheck: tuple[tuple[str, tuple[CrossCheck, ...]], ...] = ()
    """Run folder and its published numbers, for the runs that have any, in path order."""

    @property
    def counts(self) -> ProblemCounts:
        """The problems by severity."""
        return counted(self.problems)


def check_archive(archive: Path, *, workers: int | None, progress: Callable[[int, int], None]) -> Found:
    """The problems of every run of an archive.

    Args:
        archive: the archive's root.
        workers: processes; None for as many as there are processors.
        progress: told the runs done and the runs there are.

    Raises:
        SettingsError: `sitegen.toml` or a `run.toml` cannot be used.
    """
    site = load_site_settings(archive)
    found = find_runs(archive, site)
    by_run: dict[str, Checked] = {}
    with Workers(workers, len(found.tasks)) as pool:
        for task, checked in pool.each(
            partial(check_run, site=site), found.tasks, lambda task: f"run {task.folder.path}"
        ):
            by_run[task.slug] = checked
            progress(len(by_run), len(found.tasks))
    in_order = [problem for task in found.tasks for problem in by_run[task.slug].problems]
    crosscheck = [(task.folder.path, by_run[task.slug].crosscheck) for task in found.tasks]
    return Found(
        runs=len(found.tasks),
        problems=(*found.problems, *in_order),
        crosscheck=tuple((path, checks) for path, checks in crosscheck if checks),
    )


def unexplained(archive: Path, *, workers: int | None, progress: Callable[[int, int], None]) -> MissingReport:
    """The names that the runs of an archive log and that have no checked entry, neither of ours nor of its own.

    Args:
        archive: the archive's root.
        workers: processes; None for as many as there are processors.
        progress: told the runs done and the runs there are.

    Raises:
        SettingsError: a settings file or one of `glossary/*.toml` cannot be used.
    """
    site = load_site_settings(archive)
    glossary = load_glossary(archive)
    tasks = find_runs(archive, site).tasks
    logged: list[LoggedName] = []
    with Workers(workers, len(tasks)) as pool:
        names = pool.each(partial(logged_names, site=site), tasks, lambda task: f"run {task.folder.path}")
        for done, (_, found) in enumerate(names, start=1):
            logged += found
            progress(done, len(tasks))
    return missing_names(glossary, logged, len(tasks))


def to_json(found: Found, lang: Lang) -> str:
    """The problems and the published numbers as JSON text, in one language."""
    content = {
        "schema": JSON_SCHEMA,
        "runs": found.runs,
        "problems": [
            {
                "kind": item.kind,
                "severity": item.severity,
                "path": item.path,
                "line": item.line,
                "what": item.what.of(lang),
                "effect": item.effect.of(lang),
            }
            for item in found.problems
        ],
        "crosscheck": [{"run": path} | _published(item, lang) for path, checks in found.crosscheck for item in checks],
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def _published(item: CrossCheck, lang: Lang) -> dict[str, object]:
    said = {"how": item.how.of(lang), "reason": item.reason.of(lang) if item.reason else None}
    return published_number(item) | said
