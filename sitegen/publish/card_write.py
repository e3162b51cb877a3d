"""Writing what a command makes for the user: whole or not at all, and only what changed."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sitegen.errors import SitegenError


def changed_files(folder: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Names of the files that a folder does not hold with this content, in the order given."""
    return tuple(name for name, content in files.items() if _content(folder / name) != content)


def write_files(folder: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Puts files into a folder, which is made when missing; those that are the same stay untouched.

    Returns:
        The names written.

    Raises:
        SitegenError: the disk refuses; what was there stays.
    """
    names = changed_files(folder, files)
    for name in names:
        write_whole(folder / name, files[name])
    return names


def write_whole(path: Path, content: bytes) -> None:
    """Puts a file in the place of the one of its name in one step; an interrupted write leaves the old one.

    What is no plain file, a pipe or a device as in `-o /dev/stdout`, is written to and stays what it is.

    Raises:
        SitegenError: the disk refuses; the old file stays.
    """
    if path.exists() and not path.is_file():
        return _write_to(path, content)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        mode = _mode(target)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    except OSError as error:
        raise _refused(path, error) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(mode)
        part.replace(target)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError):
            raise _refused(path, error) from error
        raise


def _write_to(path: Path, content: bytes) -> None:
    try:
        with path.open("wb", buffering=0) as file:
            while content:
                content = content[file.write(content) or 0 :]
    except OSError as error:
        raise SitegenError(f"cannot write {path}: {error.strerror or error}") from error


def _refused(path: Path, error: OSError) -> SitegenError:
    return SitegenError(f"cannot write {path}: {error.strerror or error}; what was there before is unchanged")


def _mode(path: Path) -> int:
    """Permissions of the file that is replaced, else those of a new one."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
