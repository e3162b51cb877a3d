"""`sitegen check`: reads everything as a build does, and writes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sitegen.executor import Workers
from sitegen.model.problems import Problem
from sitegen.run_work import ProblemCounts, counted, find_runs, problems_of
from sitegen.settings import load_site_settings
from sitegen.text import Lang

JSON_SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an archive's files do not tell, or tell twice."""

    runs: int
    """Runs read."""
    problems: tuple[Problem, ...]
    """The archive's own first, then run by run in path order."""

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
    by_run: dict[str, tuple[Problem, ...]] = {}
    with Workers(workers, len(found.tasks)) as pool:
        for task, problems in pool.each(
            partial(problems_of, site=site), found.tasks, lambda task: f"run {task.folder.path}"
        ):
            by_run[task.slug] = problems
            progress(len(by_run), len(found.tasks))
    in_order = [problem for task in found.tasks for problem in by_run[task.slug]]
    return Found(runs=len(found.tasks), problems=(*found.problems, *in_order))


def to_json(found: Found, lang: Lang) -> str:
    """The problems as JSON text, in one language."""
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
    }
    return json.dumps(content, indent=2, ensure_ascii=False)
