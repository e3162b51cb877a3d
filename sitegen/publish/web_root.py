"""Sending a site to a folder: the root of a web server, a mounted share."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sitegen import exchange
from sitegen.errors import OutputError
from sitegen.publish.parcel import (
    LocalFile,
    Parcel,
    Plan,
    Sent,
    There,
    in_order,
    local_file,
    mark,
    parents,
    parse_manifest,
    plan_for,
    refuse_foreign,
)
from sitegen.write import MANIFEST, checked, foreign

_PARTIAL = ".sitegen-partial"
"""End of the name under which a file is written before it takes its place."""
_LOCK = ".sitegen-lock"
"""Held in the folder for as long as one writes there, so that two never mix; what a killed one left does not count."""
_NOT_OURS = "give an empty or new folder, or one inside it"


class WebRoot:
    """A folder that gets the site, file by file, each in one step.

    The folder itself is never exchanged, so that it may be a mount point or one that only its owner could make.
    What was begun is in the manifest before the first file comes: a run that was cut off is continued by the next.
    """

    def __init__(self, parcel: Parcel, root: Path, site: Path) -> None:
        """For the files of a parcel, whose site lies at `site`.

        Raises:
            OutputError: the folder is the site's, or one lies in the other.
        """
        self.root = root
        self._files = parcel.files
        here, there = site.resolve(), root.resolve()
        if here == there or here in there.parents or there in here.parents:
            raise OutputError(f"{root}: lies in the site {site} or holds it; give a folder elsewhere")
        if root.is_symlink() and not root.exists():
            raise OutputError(f"{root}: is a link that leads nowhere; remove it, or make the folder that it names")
        if root.exists() and not root.is_dir():
            raise OutputError(f"{root}: is a file; give a folder")

    def plan(self) -> Plan:
        """What has to change in the folder.

        Raises:
            OutputError: it is not ours, or something in it is in the way.
        """
        with self._disk_errors("read"):
            there = self._there()
        refuse_foreign(there, str(self.root), _NOT_OURS)
        self._refuse_links()
        plan = plan_for(self._files, there, lambda _, file: file.sha256, str(self.root))
        return replace(plan, marked=plan.marked and not (self.root / _LOCK).exists())

    def notes(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """Nothing to say."""
        return ()

    def send(self, sent: Sent) -> None:
        """Writes what is new or different, removes what the site no longer has.

        Raises:
            OutputError: the folder is not ours, or the disk refuses.
        """
        with self._disk_errors("written"):
            self.root.mkdir(parents=True, exist_ok=True)
        with self._held():
            self._send(self.plan(), sent)

    def _send(self, plan: Plan, sent: Sent) -> None:
        with self._disk_errors("written"):
            self._put(MANIFEST, mark(self._files, {change.path: "" for change in plan.removed}))
            wanted = in_order(change.path for change in (*plan.added, *plan.changed))
            for done, path in enumerate(wanted, 1):
                self._put(path, self._files[path])
                sent(done, len(wanted))
            for change in plan.removed:
                self._remove(change.path)
            self._put(MANIFEST, mark(self._files))
            for _, place in foreign(self.root, {}):
                if place.name.endswith(_PARTIAL):
                    place.unlink()

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Keeps others from writing there meanwhile.

        Raises:
            OutputError: somebody else is writing there, or the disk refuses.
        """
        if (self.root / _LOCK).is_symlink():
            raise OutputError(f"{self.root / _LOCK}: is a link; remove it")
        with self._disk_errors("locked"):
            handle = exchange.held(self.root / _LOCK)
        if handle is None:
            raise OutputError(
                f"{self.root}: somebody else is publishing there; run the same command when they are done"
            )
        with handle:
            try:
                yield
            finally:
                (self.root / _LOCK).unlink(missing_ok=True)

    def addresses(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """Where the first page lies."""
        return (("publish.at", {"address": str(self.root / "index.html")}),)

    def _there(self) -> There:
        """What the folder holds; only files that the site needs are read."""
        marker = self.root / MANIFEST
        ours = parse_manifest(marker.read_bytes(), str(self.root)) if marker.is_file() else None
        found = {path: place for path, place in foreign(self.root, {}) if not _is_passing(place)}
        if ours is not None:
            found[MANIFEST] = marker
        ids = {path: self._id(path, place) for path, place in found.items()}
        return There(ids=ids, sizes={path: place.lstat().st_size for path, place in found.items()}, ours=ours)

    def _id(self, path: str, place: Path) -> str:
        """The hash of a plain file that the site needs; nothing that equals one for all else."""
        compared = path in self._files or path == MANIFEST
        return local_file(place.read_bytes()).sha256 if compared and place.is_file() and not place.is_symlink() else ""

    def _refuse_links(self) -> None:
        """Refuses to write through a link that leads elsewhere."""
        for folder in sorted({parent for path in self._files for parent in parents(path)}):
            if (self.root / folder).is_symlink():
                raise OutputError(f"{self.root / folder}: is a link, and the site needs a folder there; remove it")

    def _put(self, path: str, file: LocalFile) -> None:
        target = self.root / checked(path) if path != MANIFEST else self.root / path
        content = file.read()
        with self._disk_errors("written", target):
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f".{target.name[:200]}{_PARTIAL}")
            partial.unlink(missing_ok=True)
            with partial.open("xb") as stream:  # never through a link that somebody put there
                stream.write(content)
            partial.replace(target)

    def _remove(self, path: str) -> None:
        """Removes a file of ours and the folders that it leaves empty."""
        (self.root / path).unlink(missing_ok=True)
        for folder in reversed(parents(path)):
            try:
                (self.root / folder).rmdir()
            except OSError:
                return

    @contextmanager
    def _disk_errors(self, done: str, target: Path | None = None) -> Iterator[None]:
        """Turns what the disk refuses into one line, about the target or whatever the system names."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or errno.errorcode.get(error.errno or 0, "unknown error")
            place = target or (self.root if error.filename is None else os.fsdecode(error.filename))
            raise OutputError(
                f"{place}: cannot be {done}: {reason}; when that is mended, run the same command to go on"
            ) from error


def _is_passing(place: Path) -> bool:
    """Whether it does not count: an empty folder, the lock, or part of a file that a cut-off run left."""
    return place.name.endswith(_PARTIAL) or place.name == _LOCK or (place.is_dir() and not place.is_symlink())
