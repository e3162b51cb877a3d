"""What is sent to a host: the site's own files, how they differ from what lies there, and what may be taken away.

`.sitegen-manifest.json` goes along: it marks a place as ours and names the files there that are. Nothing else is ever
removed or replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sitegen.errors import OutputError, SitegenError
from sitegen.write import MANIFEST, MANIFEST_SCHEMA, WriteError, checked, foreign, manifest, owned_files

Sent = Callable[[int, int], None]
"""Told how many files are done, of how many."""
_NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFile:
    """One file to send."""

    size: int
    """Bytes."""
    sha256: str
    """Of its content, hexadecimal."""
    sha1: str
    """Git's name for its content, hexadecimal."""
    place: Path | None = None
    """Where it lies; None when it is not on disk."""
    content: bytes = b""
    """Its bytes, when it is not on disk."""

    def read(self) -> bytes:
        """Its bytes.

        Raises:
            OutputError: it is not what it was when the site was looked at: a build has written the site meanwhile.
        """
        if self.place is None:
            return self.content
        content = self.place.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise OutputError(f"{self.place}: changed while it was being published; run the same command again")
        return content


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """The files of a site that go to a host."""

    files: Mapping[str, LocalFile]
    """POSIX path to file, in path order; the manifest is not among them."""
    left: tuple[str, ...]
    """What lies in the site's folder, is not sitegen's and stays here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file that a host has to change."""

    path: str
    """POSIX path relative to the site."""
    size: int
    """Bytes: of the new content, or of what is removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What sending a parcel does to a place; the manifest is not counted."""

    added: tuple[Change, ...]
    """Files that the place does not have."""
    changed: tuple[Change, ...]
    """Files that it has with another content."""
    removed: tuple[Change, ...]
    """Our files that the site no longer has."""
    unchanged: int
    """Files that are there as they should be."""
    marked: bool
    """Whether the place's manifest is what it should be."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return self.marked and not (self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class There:
    """What lies at a host's place."""

    ids: Mapping[str, str]
    """POSIX path relative to the site to the name of its content."""
    sizes: Mapping[str, int]
    """The same paths to bytes."""
    ours: Mapping[str, str] | None
    """What its manifest names, path to SHA-256; None without one."""


class Destination(Protocol):
    """A place that a site can be sent to."""

    def plan(self) -> Plan:
        """What sending would do; changes nothing."""
        ...

    def notes(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """What to say before anything is sent: ids of strings with their values."""
        ...

    def send(self, sent: Sent) -> None:
        """Does what the plan says."""
        ...

    def addresses(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """Where the result is: ids of strings with their values."""
        ...


def local_file(content: bytes, place: Path | None = None) -> LocalFile:
    """A file with the names that hosts know its content by."""
    return LocalFile(
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        sha1=hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest(),
        place=place,
        content=content if place is None else b"",
    )


def read_parcel(site: Path) -> Parcel:
    """The files of a finished site.

    Raises:
        SitegenError: the folder is no site of ours, or a file of it is missing.
    """
    if not (site / MANIFEST).is_file():
        raise SitegenError(f"{site}: is no site made by sitegen; build one with: sitegen build ARCHIVE -o {site}")
    owned = owned_files(site)
    files = {}
    for path in sorted(owned):
        _refuse_elsewhere(site, path)
        try:
            files[path] = local_file((site / path).read_bytes(), site / path)
        except OSError as error:
            raise SitegenError(f"{site / path}: cannot be read: {error.strerror}; build the site again") from None
    return Parcel(files=files, left=_left(site, owned))


def _refuse_elsewhere(site: Path, path: str) -> None:
    """Refuses what the manifest names and the site does not hold itself.

    Raises:
        SitegenError: the path leaves the site, or leads through a link.
    """
    try:
        checked(path)
    except WriteError:
        raise SitegenError(f"{site / MANIFEST}: names {path!r}, which is no path in a site; build it again") from None
    for name in (*parents(path), path):
        if (site / name).is_symlink():
            raise SitegenError(f"{site / name}: is a link, and what it leads to is not the site's; build it again")


def _left(site: Path, owned: dict[str, str]) -> tuple[str, ...]:
    """What lies in a site and is not ours; empty folders are nothing."""
    return tuple(path for path, place in foreign(site, owned) if place.is_symlink() or not place.is_dir())


def parse_manifest(content: bytes, where: str) -> Mapping[str, str]:
    """The paths and hashes of a place's manifest.

    Raises:
        OutputError: it is not one that this version can read.
    """
    try:
        found = json.loads(content)
        files = {str(path): str(value) for path, value in found["files"].items()}
        known = found["generator"] == "sitegen" and found["schema"] <= MANIFEST_SCHEMA
    except (ValueError, KeyError, TypeError, AttributeError):
        raise OutputError(
            f"{where}: its {MANIFEST} cannot be read, so nothing there is known to be ours; remove it yourself"
        ) from None
    if not known:
        raise OutputError(f"{where}: was published by a newer sitegen; update first")
    return files


def mark(files: Mapping[str, LocalFile], more: Mapping[str, str] | None = None) -> LocalFile:
    """The manifest of a place that holds these files, and `more` that it held before."""
    return local_file(manifest({**(more or {}), **{path: file.sha256 for path, file in files.items()}}))


def plan_for(
    files: Mapping[str, LocalFile],
    there: There,
    name: Callable[[str, LocalFile], str],
    where: str,
    kept: Mapping[str, str] | None = None,
) -> Plan:
    """What has to change at a place.

    Args:
        files: What is to lie there.
        there: What lies there.
        name: The name of a file's content, as the place tells it for that path.
        where: The place, for messages.
        kept: What is ours and stays as somebody changed it, with the hash that we published.

    Raises:
        OutputError: the place is not ours, or something there is in the way.
    """
    ours = there.ours or {}
    kept = kept or {}
    wanted = {**files, MANIFEST: mark(files, kept)}
    same = {path for path, file in wanted.items() if there.ids.get(path) == name(path, file)}
    others = there.ids.keys() - ours.keys() - {MANIFEST}
    _refuse_clashes(wanted.keys(), others - same, where)
    removed = sorted(path for path in ours if path in there.ids and path not in wanted and path not in kept)
    return Plan(
        added=_changes(files, [path for path in files if path not in there.ids]),
        changed=_changes(files, [path for path in files if path in there.ids and path not in same]),
        removed=tuple(Change(path=path, size=there.sizes[path]) for path in removed),
        unchanged=sum(path in same for path in files),
        marked=MANIFEST in same,
    )


def refuse_foreign(there: There, where: str, instead: str) -> None:
    """Refuses a place that has content and no manifest.

    Raises:
        OutputError: so it is.
    """
    if there.ours is None and there.ids:
        some = shown_names(sorted(there.ids))
        raise OutputError(f"{where}: is not empty and was not published by sitegen ({some}); {instead}")


def _refuse_clashes(wanted: Iterable[str], others: Iterable[str], where: str) -> None:
    """Refuses to take the place of what is not ours: the same path, or a file where a folder is needed."""
    taken = set(others)
    needed = {parent for path in wanted for parent in parents(path)} | set(wanted)
    clashes = sorted((taken & needed) | {path for path in taken for parent in parents(path) if parent in set(wanted)})
    if clashes:
        raise OutputError(
            f"{where}: {shown_names(clashes)}: not sitegen's, and the site needs the place; move it away there"
        )


def parents(path: str) -> tuple[str, ...]:
    """The folders above a path, from the top."""
    parts = path.split("/")
    return tuple("/".join(parts[:end]) for end in range(1, len(parts)))


def in_order(paths: Iterable[str]) -> list[str]:
    """Paths in the order of sending: what pages load first, then pages, so that no page misses anything."""
    return sorted(paths, key=lambda path: (path.endswith(".html"), path))


def shown_names(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - _NAMES_SHOWN} more" if len(listed) > _NAMES_SHOWN else ""
    return f"{', '.join(listed[:_NAMES_SHOWN])}{more}"


def _changes(files: Mapping[str, LocalFile], paths: Iterable[str]) -> tuple[Change, ...]:
    return tuple(Change(path=path, size=files[path].size) for path in paths)
