"""What the process that runs a build and its workers hand to each other.

Nothing here imports the readers, pandas or the pages: the build's own process has no use for them while workers have
everything to do.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sitegen.glossary.lookup import Glossary
from sitegen.model.problems import Problem
from sitegen.model.run import RunFolder, RunSettings
from sitegen.settings import SiteSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTask:
    """One run to work on."""

    folder: RunFolder
    """Its files, and what scan had to say."""
    settings: RunSettings
    """Its `run.toml`."""
    slug: str
    """Its address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveTasks:
    """What there is to do for an archive."""

    tasks: tuple[RunTask, ...]
    """The runs to publish, in path order."""
    problems: tuple[Problem, ...]
    """What was noticed outside every run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteTask:
    """What the site's own files are made from."""

    rows: Sequence[Mapping[str, Any]]
    """One row per run, as JSON data."""
    series: Mapping[str, Path]
    """Run address to its series script, of the runs that have one."""
    compare: Mapping[str, str] = field(default_factory=dict)
    """Run address to the site path of its compare script."""
    data: Sequence[str] | None = None
    """Site paths of the scripts about all runs; None while they are being made."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parcel:
    """What every worker needs beside its run."""

    settings: SiteSettings
    """`sitegen.toml`."""
    assets: Mapping[str, str]
    """Logical asset name to its site path with a content hash."""
    glossary: Glossary
    """All entries, the archive's own included."""
    version: str
    """Version of sitegen."""
    forms: Mapping[str, dict[str, Any]]
    """The chart forms compiled to Vega."""
    templates: Mapping[str, bytes] = field(default_factory=dict)
    """Compiled templates (`render.compiled_templates`); a worker compiles what is not there."""

    def packed(self) -> bytes:
        """As one value that a worker opens once."""
        return pickle.dumps(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemCounts:
    """Problems by severity."""

    errors: int
    """Data lost."""
    warnings: int
    """Part lost, or doubtful."""
    infos: int
    """Worth knowing."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.errors + self.warnings + self.infos

    @property
    def serious(self) -> int:
        """The ones that `--strict` does not let pass."""
        return self.errors + self.warnings


def counted(problems: Sequence[Problem], rows: Sequence[Mapping[str, Any]] = ()) -> ProblemCounts:
    """Problems, and those that runs' rows (as JSON data) count, by severity."""
    severities = [problem.severity for problem in problems]
    return ProblemCounts(
        errors=severities.count("error") + sum(row["errors"] for row in rows),
        warnings=severities.count("warning") + sum(row["warnings"] for row in rows),
        infos=severities.count("info") + sum(row["infos"] for row in rows),
    )
