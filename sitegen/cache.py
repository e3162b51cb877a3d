"""Finished work on runs, kept by what it was made from.

An entry is a folder named by a key: `row.json` (the run's row and its files' hashes, sealed by a hash of their own)
and `files/` (the run's part of the site). The key covers everything that can change the result, so an entry never
goes stale; whatever is wrong with one makes it a miss. Files of an entry are hard-linked into sites; one that was
edited there is found by its size or modification time and is a miss too.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from sitegen.budgets import sent_bytes
from sitegen.errors import OutputError
from sitegen.resources import PACKAGE, folder
from sitegen.write import checked

if TYPE_CHECKING:
    from sitegen.pages.base import SiteFile

ENTRY_SCHEMA = 3
"""Raised when the layout of an entry changes."""
TAG = "CACHEDIR.TAG"
TAG_TEXT = b"Signature: 8a477f597d28d172789f06886806bc55\n# sitegen's cache; safe to remove.\n"
"""Marks the folder as a cache, for us and for backup programs. Source: bford.info/cachedir."""
KEPT_S = 30 * 24 * 3600
"""How long another archive's entries stay in a shared cache without being used."""
LIBRARIES = ("altair", "jinja2", "markdown-it-py", "nh3", "numpy", "pandas", "pyyaml", "vl-convert-python", "zstandard")
"""Whose versions can change what a run's files hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedFile:
    """One file of an entry."""

    path: str
    """Site path."""
    location: Path
    """Where it lies."""
    sha256: str
    """Hash of its content."""
    sent: int
    """Its bytes as `budgets.sent_bytes` counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A run's finished work."""

    row: Any
    """The run's row as JSON data."""
    files: tuple[CachedFile, ...]
    """Its files, in path order."""


class Cache:
    """A cache folder in use by one build; a context manager."""

    def __init__(self, root: Path, archive: Path, site: Path) -> None:
        """For the entries of one archive.

        Args:
            root: the cache folder; made when missing.
            archive: the archive's root, under whose address its entries lie.
            site: the output folder, which must not hold the cache.
        """
        self.root = root.resolve()
        self.entries = self.root / hashlib.sha256(os.fsencode(archive.resolve())).hexdigest()[:12]
        self._archive = archive.resolve()
        self._site = site.resolve()
        self._lock: BinaryIO | None = None

    def __enter__(self) -> Cache:
        """Makes the folder and notes that it is in use.

        Raises:
            OutputError: the folder holds something else, would be read as part of the archive or published, or
                cannot be written.
        """
        self._check()
        try:
            self.entries.mkdir(parents=True, exist_ok=True)
            tag = self.root / TAG
            if not tag.exists():
                tag.write_bytes(TAG_TEXT)
            self._lock = tag.open("rb")
            fcntl.flock(self._lock, fcntl.LOCK_SH)
            os.utime(self.entries)
        except OSError as error:
            raise OutputError(f"{self.root}: the cache cannot be written: {error.strerror}; see --no-cache") from error
        return self

    def __exit__(self, *_: object) -> None:
        """Releases the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def prune(self, used: Iterable[str]) -> None:
        """Removes this archive's entries that were not used, and other archives' that have not been for long.

        Does nothing while another build uses the cache.
        """
        if self._lock is None:
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return
        keep = set(used)
        for entry in self.entries.iterdir():
            if entry.name not in keep:
                shutil.rmtree(entry, ignore_errors=True)
        for other in self.root.iterdir():
            if other.is_dir() and other != self.entries and time.time() - other.stat().st_mtime > KEPT_S:
                shutil.rmtree(other, ignore_errors=True)

    def _check(self) -> None:
        if self.root == self._site or self._site in self.root.parents:
            raise OutputError(f"{self.root}: the cache would be published with the site; give another --cache")
        if self._archive in (self.root, *self.root.parents) and not any(
            part.startswith(".") for part in self.root.relative_to(self._archive).parts
        ):
            raise OutputError(f"{self.root}: the cache would be read as part of the archive; give another --cache")
        if self.root.exists() and not self.root.is_dir():
            raise OutputError(f"{self.root}: is a file; give a folder with --cache")
        if self.root.is_dir() and any(self.root.iterdir()) and not (self.root / TAG).is_file():
            raise OutputError(f"{self.root}: is not empty and no cache of ours; give another --cache")


def key_of(*parts: object) -> str:
    """A key over everything that the result is made from: the parts' `repr`, our code, the libraries' versions."""
    digest = hashlib.sha256(f"{ENTRY_SCHEMA}\0{code_hash()}\0{library_versions()}".encode())
    for part in parts:
        digest.update(b"\0" + repr(part).encode(errors="backslashreplace"))
    return digest.hexdigest()[:40]


def store(root: Path, key: str, files: Iterable[SiteFile], row: Any) -> None:
    """Keeps a run's work under its key; an entry is complete or absent.

    Args:
        root: the folder of entries.
        key: from `key_of`.
        files: the run's files; taken one by one, so that one at a time is in memory.
        row: JSON data.
    """
    building = root / f"new-{key}-{os.getpid()}"
    shutil.rmtree(building, ignore_errors=True)
    kept: dict[str, list[Any]] = {}
    for file in files:
        if file.path in kept:
            raise ValueError(f"{file.path}: the run makes this file twice")
        target = building / "files" / checked(file.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        state = target.stat()
        sha256, sent = hashlib.sha256(file.content).hexdigest(), sent_bytes(file.path, file.content)
        kept[file.path] = [sha256, state.st_size, state.st_mtime_ns, sent]
    content = json.dumps({"schema": ENTRY_SCHEMA, "row": row, "files": kept}, allow_nan=False, ensure_ascii=False)
    building.mkdir(exist_ok=True)
    (building / "row.json").write_bytes(_sealed(key, content.encode()))
    shutil.rmtree(root / key, ignore_errors=True)
    with contextlib.suppress(OSError):  # another build has just stored the same
        building.rename(root / key)
    shutil.rmtree(building, ignore_errors=True)


def load(root: Path, key: str) -> Entry | None:
    """The entry of a key in a folder of entries; None for anything but a whole one."""
    try:
        content = json.loads(_unsealed(key, _regular(root / key / "row.json")))
        if content["schema"] != ENTRY_SCHEMA:
            return None
        files = tuple(_files(root / key / "files", content["files"]))
        return Entry(row=content["row"], files=files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _regular(path: Path) -> bytes:
    """A file's bytes; a pipe or device in its place would be waited for.

    Raises:
        ValueError: it is no regular file.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError(path)
    return path.read_bytes()


def _seal(key: str, content: bytes) -> bytes:
    return b'{"sha256":"' + hashlib.sha256(key.encode() + b"\0" + content).hexdigest().encode() + b'","entry":'


def _sealed(key: str, content: bytes) -> bytes:
    """The entry's JSON with a hash over it and its key, as JSON."""
    return _seal(key, content) + content + b"}"


def _unsealed(key: str, sealed: bytes) -> bytes:
    """The entry's JSON.

    Raises:
        ValueError: it is not what was stored under this key.
    """
    content = sealed[len(_seal(key, b"")) : -1]
    if sealed != _sealed(key, content):
        raise ValueError(key)
    return content


def _files(root: Path, listed: Mapping[str, list[Any]]) -> Iterator[CachedFile]:
    """The entry's files.

    Raises:
        ValueError: one is not as it was stored.
    """
    for path, (sha256, size, mtime_ns, sent) in sorted(listed.items()):
        state = (root / path).lstat()
        if not stat.S_ISREG(state.st_mode) or (state.st_size, state.st_mtime_ns) != (size, mtime_ns):
            raise ValueError(path)
        yield CachedFile(path=path, location=root / path, sha256=sha256, sent=sent)


@cache
def code_hash() -> str:
    """Hash of everything of ours that decides what a page says: code, strings, glossary, templates, static files."""
    digest = hashlib.sha256()
    for root in dict.fromkeys((PACKAGE, folder("templates"), folder("static"))):
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                content = path.read_bytes()
                digest.update(f"{root.name}/{path.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


@cache
def library_versions() -> tuple[str, ...]:
    """`name version` of the libraries that matter, where installed."""
    found = []
    for name in LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append(f"{name} {metadata.version(name)}")
    return tuple(found)
