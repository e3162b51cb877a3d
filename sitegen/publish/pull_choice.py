"""Which files of a repository a site needs: what a reader reads, and nothing that is never read.

The list is one of what may come, not of what may not: a file that no reader names stays there, whatever it is. Weights,
models, pictures and the like stay there too where a reader only looks at their names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from sitegen.format import size
from sitegen.readers import READERS
from sitegen.readers.known_files import KNOWN_FILES
from sitegen.settings import RUN_FILE
from sitegen.text import Text, ui
from sitegen.write import MANIFEST, WriteError, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """A file as the hub lists it."""

    path: str
    """Path in the repository, as told; not to be trusted."""
    size: int
    """Bytes."""
    id: str
    """SHA-256 of a large file, git's name for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that is not fetched."""

    path: str
    """Path in the repository."""
    size: int
    """Bytes."""
    reason: Text
    """Why."""


def choose(files: Iterable[RemoteFile], largest: int) -> tuple[tuple[RemoteFile, ...], tuple[Skipped, ...]]:
    """What to fetch and what not, both in path order.

    Args:
        files: All files of a repository.
        largest: Most bytes of one file.
    """
    ordered = sorted(files, key=lambda file: file.path)
    sites = tuple(file.path.removesuffix(MANIFEST) for file in ordered if file.path.endswith(f"/{MANIFEST}"))
    wanted: dict[str, RemoteFile] = {}
    skipped: list[Skipped] = []
    for file in ordered:
        reason = _reason(file, sites, largest) or _clash(file.path, wanted)
        if reason is None:
            wanted[_folded(file.path)] = file
        else:
            skipped.append(Skipped(path=file.path, size=file.size, reason=reason))
    return tuple(wanted.values()), tuple(skipped)


def is_evidence(path: str) -> bool:
    """Whether a file with such a name makes its folder a run."""
    name = path.rpartition("/")[2]
    return any(reader.evidence and reader.names_match(name) for reader in READERS)


def _reason(file: RemoteFile, sites: tuple[str, ...], largest: int) -> Text | None:
    try:
        checked(file.path)
    except WriteError:
        return ui("pull.unsafe")
    if not file.path.isprintable() or any(part.startswith(".") for part in file.path.split("/")):
        return ui("pull.hidden")
    if file.path.startswith(sites):
        return ui("pull.site")
    name, lowered = file.path.rpartition("/")[2], file.path.lower()
    known = _never_read(name.lower(), f"/{lowered}")
    if known is not None:
        return known
    if name != RUN_FILE and not any(reader.names_match(name) for reader in READERS):
        return ui("pull.not-needed")
    if file.size > largest:
        return ui("pull.too-large", size=size(largest).replace("\u00a0", " "))
    return None


@cache
def _never_read(name: str, path: str) -> Text | None:
    """Why a file of that name is never read; None when that is not known from the name alone."""
    for known in KNOWN_FILES:
        named = not known.keys and any(fnmatchcase(name, pattern) for pattern in known.names)
        if named and fnmatchcase(path, known.place):
            return known.reason
    return None


def _clash(path: str, taken: Mapping[str, RemoteFile]) -> Text | None:
    """Whether another file, or a file in place of a folder, has the same name when case is ignored."""
    folded = _folded(path)
    parts = folded.split("/")
    above = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
    other = next((taken[part] for part in above if part in taken), None)
    below = next((file for key, file in taken.items() if key.startswith(f"{folded}/")), None)
    found = other or below
    return ui("pull.clash", other=found.path) if found is not None else None


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
