"""`Output`: every write of the product.

A site is built in a sibling folder and takes the old one's place in one step (`exchange.py`), so whoever looks at
`SITE` sees the previous site or the new one, whole. Files whose content has not changed are hard links to the old
ones: same inode, same modification time. `.sitegen-manifest.json` lists what is ours; whatever else lies in the
folder is the user's and is carried over.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Literal, Self

from sitegen import exchange
from sitegen.errors import OutputError

MANIFEST = ".sitegen-manifest.json"
MANIFEST_SCHEMA = 1


class WriteError(Exception):
    """A bug of ours: a path that leaves the site, or a place that is written twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a build did to the site folder."""

    files: int
    """Files of the site, the manifest not counted."""
    pages: int
    """Of these, the HTML pages, both languages counted."""
    changed: int
    """Of these, the ones whose content is new or different."""
    removed: tuple[str, ...]
    """Our files of the previous site that the new one no longer has, in path order."""
    kept: tuple[str, ...]
    """Files that are not ours, carried over, in path order."""


def check_target(site: Path, archive: Path) -> None:
    """Refuses an output folder that could not be written without losing something.

    Raises:
        OutputError: the folder holds the archive, is no folder, is where the user stands, or is not empty and
            not ours.
    """
    site, archive = site.resolve(), archive.resolve()
    if site == archive or site in archive.parents:
        raise OutputError(f"{site}: the output folder holds the archive {archive}; give another with -o")
    if site.exists() and not site.is_dir():
        raise OutputError(f"{site}: is a file; give a folder with -o")
    if site.is_dir() and site in (cwd := Path.cwd().resolve(), *cwd.parents):
        raise OutputError(f"{site}: is the folder you are in and cannot be exchanged; run from outside it")
    if os.path.ismount(site):
        raise OutputError(f"{site}: is a mount point and cannot be exchanged; give a folder inside it with -o")
    owned_files(site)


def owned_files(site: Path) -> dict[str, str]:
    """Path to SHA-256 of the files in a site folder that are ours; empty for an absent or empty folder.

    Raises:
        OutputError: the folder has content but no manifest of ours that can be read.
    """
    try:
        manifest = json.loads((site / MANIFEST).read_bytes())
        files = manifest["files"]
        known = manifest["generator"] == "sitegen" and manifest["schema"] <= MANIFEST_SCHEMA
    except FileNotFoundError:
        if site.is_dir() and any(site.iterdir()):
            raise OutputError(
                f"{site}: is not empty and was not made by sitegen; give an empty or new folder with -o"
            ) from None
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OutputError(
            f"{site / MANIFEST}: cannot be read, so nothing here is known to be ours; remove the folder yourself"
        ) from error
    if not known or not isinstance(files, dict):
        raise OutputError(f"{site / MANIFEST}: is of a newer sitegen; update, or remove the folder yourself")
    return files


def checked(path: str) -> str:
    """The site path itself when it names a file inside the site.

    Raises:
        WriteError: it is empty, absolute, leaves the site, or has a part that no file system or URL takes.
    """
    parts = path.split("/")
    if any(part in ("", ".", "..") or len(part.encode()) > 255 for part in parts):
        raise WriteError(f"{path!r}: not a path inside the site")
    if any(char == "\\" or unicodedata.category(char) == "Cc" for char in path) or parts[0][1:2] == ":":
        raise WriteError(f"{path!r}: not a portable path")
    if path == MANIFEST:
        raise WriteError(f"{path!r}: is the manifest's place")
    return path


@dataclass(frozen=True, slots=True)
class _Claim:
    """Who takes a name in the site."""

    name: str
    kind: Literal["file", "folder"]
    maker: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} of {self.maker}"


class Output:
    """The site being built; a context manager that holds the site's lock.

    Leaving it without `publish` leaves the previous site as it was. Nothing but this class writes into a site.
    """

    def __init__(
        self, site: Path, archive: Path, *, step: exchange.Step | None = None, swap: exchange.Swap | None = None
    ) -> None:
        """For the folder `site`, of an `archive` that it must not hold.

        Args:
            site: the output folder; made when missing.
            archive: the archive's root.
            step: told every step that changes the disk, for tests that kill the build there.
            swap: as in `exchange.replace`.
        """
        self.site = site.resolve()
        self.work = exchange.work_folder(self.site)
        self._archive = archive
        self._next = self.work / "next"
        self._step = step or (lambda name: None)
        self._swap = swap
        self._lock: IO[bytes] | None = None
        self._old: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._claims: dict[str, _Claim] = {}
        self._folders: set[str] = set()
        self._changed = 0

    def __enter__(self) -> Self:
        """Takes the lock, mends what a killed build left, and starts an empty site.

        Raises:
            OutputError: the folder cannot be used, or another build is at it.
        """
        check_target(self.site, self._archive)
        self._lock = exchange.lock(self.site)
        try:
            with self._disk_errors("."):
                exchange.recover(self.site)
                self._next.mkdir()
            self._old = owned_files(self.site)
        except BaseException:
            exchange.release(self.site, self._lock)
            raise
        self._step("locked")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Removes the work folder and releases the lock."""
        if self._lock is not None:
            exchange.release(self.site, self._lock)
            self._lock = None

    def write(self, path: str, content: bytes, *, maker: str) -> None:
        """Puts one file into the site.

        Args:
            path: POSIX path relative to the site.
            content: its bytes.
            maker: what makes it, for the message when two make the same.

        Raises:
            WriteError: the path is not usable or taken.
            OutputError: the disk refuses.
        """
        target = self._take(path, maker, hashlib.sha256(content).hexdigest())
        old = self._old_file(path)
        with self._disk_errors(path):
            if old is not None and old.stat().st_size == len(content) and old.read_bytes() == content:
                link(old, target)
            else:
                target.write_bytes(content)
                self._changed += 1
        self._step(path)

    def link(self, path: str, source: Path, *, sha256: str, maker: str) -> None:
        """Puts a file that exists already (in the cache) into the site, without copying it where possible.

        Args:
            path: POSIX path relative to the site.
            source: the file; never changed afterwards.
            sha256: its hash.
            maker: as in `write`.

        Raises:
            WriteError: the path is not usable or taken.
            OutputError: the disk refuses.
        """
        target = self._take(path, maker, sha256)
        old = self._old_file(path)
        with self._disk_errors(path):
            if old is not None and same_content(old, source):
                link(old, target)
            else:
                link(source, target)
                self._changed += 1
        self._step(path)

    def scratch(self) -> Path:
        """An empty folder that goes with this build."""
        with self._disk_errors("."):
            (self.work / "scratch").mkdir()
        return self.work / "scratch"

    def publish(self) -> Written:
        """Makes what was written the site.

        Raises:
            OutputError: a file that is not ours lies where the site needs the place, or the disk refuses.
        """
        with self._disk_errors("."):
            kept = self._carry_over()
            self._write_manifest()
            removed = tuple(sorted(self._old.keys() - self._files.keys()))
            if self._changed or removed or self._old != self._files or not self.site.is_dir():
                if self.site.is_dir():
                    shutil.copymode(self.site, self._next)
                exchange.replace(self.site, self._step, self._swap)
        pages = sum(path.endswith(".html") for path in self._files)
        return Written(files=len(self._files), pages=pages, changed=self._changed, removed=removed, kept=kept)

    def _take(self, path: str, maker: str, sha256: str) -> Path:
        """The staging place of a path, its folders made; the path and its folders are taken from now on."""
        self._make_folder(checked(path).rpartition("/")[0], maker)
        self._claim(_Claim(path, "file", maker))
        self._files[path] = sha256
        return self._next / path

    def _make_folder(self, name: str, maker: str) -> None:
        """Makes a folder in the staging place with those above it, once."""
        if not name or name in self._folders:
            return
        self._make_folder(name.rpartition("/")[0], maker)
        self._claim(_Claim(name, "folder", maker))
        with self._disk_errors(name):
            (self._next / name).mkdir()
        self._folders.add(name)

    def _claim(self, claim: _Claim) -> None:
        """Notes a name; one file made twice, or two names that differ only in case, are a bug."""
        key = unicodedata.normalize("NFC", claim.name).casefold()
        first = self._claims.setdefault(key, claim)
        if first is not claim:
            raise WriteError(f"{claim} clashes with {first}")

    def _old_file(self, path: str) -> Path | None:
        """Our file of the previous site at a path, when it is one and still a plain file."""
        if path not in self._old:
            return None
        old = self.site / path
        try:
            return old if stat.S_ISREG(old.lstat().st_mode) else None
        except OSError:
            return None

    def _carry_over(self) -> tuple[str, ...]:
        """Links what lies in the previous site and is not ours into the new one; their paths."""
        kept = []
        for name, entry in foreign(self.site, self._old):
            target = self._next / name
            if target.is_dir() and entry.is_dir() and not entry.is_symlink():
                continue
            if os.path.lexists(target) or not _has_folders(self._next, name):
                raise OutputError(f"{entry}: is not sitegen's, and the site needs its place; move it away")
            target.parent.mkdir(parents=True, exist_ok=True)
            if entry.is_symlink():
                target.symlink_to(entry.readlink())
            elif entry.is_dir():
                target.mkdir()
            else:
                link(entry, target)
            kept.append(name)
            self._step(f"kept {name}")
        return tuple(sorted(kept))

    def _write_manifest(self) -> None:
        """Lists our files; an unchanged list keeps its file."""
        target = self._next / MANIFEST
        content = manifest(self._files)
        old = self.site / MANIFEST
        if old.is_file() and old.read_bytes() == content:
            link(old, target)
        else:
            target.write_bytes(content)
        self._step("manifest")

    @contextmanager
    def _disk_errors(self, path: str) -> Iterator[None]:
        """Turns what the disk refuses into one line."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or errno.errorcode.get(error.errno or 0, "unknown error")
            raise OutputError(f"{self.site / path}: cannot be written: {reason}") from error


def manifest(files: dict[str, str]) -> bytes:
    """The manifest's bytes, one path a line, in path order."""
    content = {"generator": "sitegen", "schema": MANIFEST_SCHEMA, "files": files}
    return (json.dumps(content, sort_keys=True, indent=0, ensure_ascii=False) + "\n").encode()


def link(source: Path, target: Path) -> None:
    """The same file under a second name, or a copy where the file system has no hard links between the two."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def same_content(one: Path, other: Path) -> bool:
    """Whether two files hold the same bytes; modification times are not asked."""
    first, second = one.stat(), other.stat()
    if os.path.samestat(first, second):
        return True
    return first.st_size == second.st_size and one.read_bytes() == other.read_bytes()


def foreign(site: Path, owned: dict[str, str]) -> Iterator[tuple[str, Path]]:
    """Site path and place of what lies in a site folder and is not ours, in path order.

    Files, links (whatever they point to, never followed) and folders without content.
    """
    if not site.is_dir():
        return
    for folder, subfolders, names in os.walk(site):
        here = Path(folder)
        links = [name for name in subfolders if (here / name).is_symlink()]
        subfolders[:] = sorted(set(subfolders) - set(links))
        for name in sorted([*names, *links]):
            path = (here / name).relative_to(site).as_posix()
            if path not in owned and path != MANIFEST:
                yield path, here / name
        if not subfolders and not names and not links and here != site:
            yield here.relative_to(site).as_posix(), here


def _has_folders(root: Path, name: str) -> bool:
    """Whether the folders above a name exist or can be made: no file lies in the way."""
    return not any((root / parent).is_file() for parent in Path(name).parents)
