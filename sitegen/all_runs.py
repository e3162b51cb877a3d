"""The work on all runs of an archive: what has not changed is taken from the cache, the rest is given to workers.

What imports the readers, pandas or the pages is imported by the functions that workers call, so that a build whose
workers do everything does not import it twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from sitegen.cache import Cache, CachedFile, Entry, key_of, load
from sitegen.executor import Workers
from sitegen.settings import SiteSettings
from sitegen.tasks import RunTask, SiteTask
from sitegen.text import LANGS, Lang
from sitegen.write import Output

SitePart = Literal["data", "en", "zh"]
"""What the site's own files are made in: the scripts about all runs, then the pages of each language."""

Progress = Callable[[int, int], None]
"""Told how many runs are done, of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What there is to do, and what is done already."""

    tasks: tuple[RunTask, ...]
    """The runs, in path order."""
    keys: tuple[str, ...]
    """Their cache keys."""
    folder: Path
    """The folder of cache entries."""
    found: tuple[Entry | None, ...]
    """The entries of the runs that have not changed, None for the others."""

    base: str
    """Key of what all pages are made from."""

    def site_keys(self, entries: Sequence[Entry]) -> dict[SitePart, str]:
        """Keys of the site's own files, a part each: they are made from the runs' rows and series."""
        made = [file.sha256 for name in ("series", "compare") for file in _scripts(entries, name).values()]
        rows = key_of([entry.row for entry in entries], made)
        parts: tuple[SitePart, ...] = ("data", *LANGS)
        return {part: key_of(self.base, rows, part) for part in parts}

    @property
    def missing(self) -> tuple[tuple[RunTask, str], ...]:
        """The runs to work on with their keys, the largest first, so that no worker is left with it at the end."""
        left = [
            (task, key) for task, key, entry in zip(self.tasks, self.keys, self.found, strict=True) if entry is None
        ]
        return tuple(sorted(left, key=lambda item: -sum(file.size for file in item[0].folder.files)))


def plan_runs(tasks: Sequence[RunTask], settings: SiteSettings, archive: Path, folder: Path) -> Plan:
    """Which runs have to be worked on.

    Args:
        tasks: the runs, in path order.
        settings: `sitegen.toml`.
        archive: the archive's root.
        folder: the cache entries; empty when nothing is kept.
    """
    own_terms = (path.read_bytes() for path in sorted((archive / "glossary").glob("*.toml")))
    base = key_of(settings, *own_terms)
    keys = tuple(key_of(base, task) for task in tasks)
    return Plan(tasks=tuple(tasks), keys=keys, folder=folder, found=tuple(load(folder, key) for key in keys), base=base)


def do_runs(plan: Plan, parcel: bytes, workers: Workers, progress: Progress) -> tuple[Entry, ...]:
    """Every run's files and row, in path order.

    Args:
        plan: what there is to do.
        parcel: what every worker needs, a packed `Parcel`.
        workers: who does it.
        progress: told the runs done and the runs there are.
    """
    missing = plan.missing
    done = len(plan.tasks) - len(missing)
    progress(done, len(plan.tasks))
    work = partial(_make_run, root=plan.folder, parcel=parcel)
    for _ in workers.each(work, missing, lambda item: f"run {item[0].folder.path}"):
        done += 1
        progress(done, len(plan.tasks))
    return tuple(entry or _made(plan.folder, key) for entry, key in zip(plan.found, plan.keys, strict=True))


def do_site(plan: Plan, entries: Sequence[Entry], parcel: bytes, workers: Workers) -> tuple[Entry, ...]:
    """The scripts about all runs and the pages of the site as a whole; found when nothing of a run has changed.

    Args:
        plan: what there was to do.
        entries: the finished runs, in path order.
        parcel: as in `do_runs`.
        workers: who does it.
    """
    keys = plan.site_keys(entries)
    series = {slug: file.location for slug, file in _scripts(entries, "series").items()}
    compare = {slug: file.path for slug, file in _scripts(entries, "compare").items()}
    task = SiteTask(rows=[entry.row for entry in entries], series=series, compare=compare)
    if load(plan.folder, keys["data"]) is None:
        work = partial(_make_data, root=plan.folder, parcel=parcel, task=task)
        for _ in workers.each(work, [keys["data"]], lambda item: "the data of all runs"):
            pass
    data = _made(plan.folder, keys["data"])
    missing = [(lang, keys[lang]) for lang in LANGS if load(plan.folder, keys[lang]) is None]
    task = replace(task, series={}, compare={}, data=[file.path for file in data.files])
    pages = partial(_make_site, root=plan.folder, parcel=parcel, task=task)
    for _ in workers.each(pages, missing, lambda item: f"the site's pages, {item[0]}"):
        pass
    return (data, *(_made(plan.folder, keys[lang]) for lang in LANGS))


def _scripts(entries: Sequence[Entry], name: str) -> dict[str, CachedFile]:
    """Run address to the run's script of a name."""
    found: dict[str, CachedFile] = {}
    for entry in entries:
        slug = entry.row["slug"]
        mine = [file for file in entry.files if file.path.startswith(f"runs/{slug}/data/{name}.")]
        found |= dict(zip([slug], mine, strict=False))
    return found


def put(output: Output, entry: Entry, *, maker: str) -> None:
    """Puts an entry's files into the site."""
    for file in entry.files:
        output.link(file.path, file.location, sha256=file.sha256, maker=maker)


def cache_for(archive: Path, site: Path, given: Path | None, *, keep: bool) -> AbstractContextManager[Cache | None]:
    """The cache to use: the one given, else a hidden folder beside the site; None when nothing is to be kept."""
    if not keep:
        return nullcontext()
    site = site.resolve()
    return Cache(given or site.with_name(f".{site.name}.sitegen-cache"), archive, site)


def _make_run(item: tuple[RunTask, str], root: Path, parcel: bytes) -> None:
    from sitegen.run_work import make_run

    make_run(*item, root, parcel)


def _make_site(item: tuple[Lang, str], root: Path, parcel: bytes, task: SiteTask) -> None:
    from sitegen.run_work import make_site

    make_site(*item, root, parcel, task)


def _make_data(key: str, root: Path, parcel: bytes, task: SiteTask) -> None:
    from sitegen.run_work import make_archive_data

    make_archive_data(key, root, parcel, task)


def _made(folder: Path, key: str) -> Entry:
    """An entry that a worker has just stored."""
    entry = load(folder, key)
    assert entry is not None, f"{folder / key} has just been written and cannot be read"
    return entry
