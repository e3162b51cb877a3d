"""One folder takes the place of another: the lock, the exchange, and what a killed build left behind.

Everything that a build of `SITE` needs beside it lies in one hidden sibling, `.<name>.sitegen-work`:

    lock      held (flock) for as long as the build lives; a dead build holds nothing
    next      the site being built
    old       the previous site, only between the two renames of a system without an exchange
    scratch   per-run work that is not kept

The names are the journal: `old` exists only when `next` was complete. So whoever takes the lock finds the site in
place, or finishes the second rename, whatever moment the last build was killed at.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from sitegen.errors import OutputError

Step = Callable[[str], None]
"""Told the name of every step that changes the disk; a test kills the process there."""
Swap = Callable[[Path, Path], bool]
"""Exchanges two names in one step and says whether it could."""

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_NO_EXCHANGE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def work_folder(site: Path) -> Path:
    """The hidden sibling in which a site is built."""
    return site.with_name(f".{site.name}.sitegen-work")


def lock(site: Path) -> IO[bytes]:
    """The held lock of a site's work folder, which is made when it is missing.

    Raises:
        OutputError: another build holds it, or the folder cannot be made.
    """
    path = work_folder(site) / "lock"
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{site}: cannot build beside it: {error.strerror}") from error
        try:
            handle = held(path)
        except FileNotFoundError:  # the previous holder has just removed the folder
            continue
        except OSError as error:
            raise OutputError(f"{site}: cannot build beside it: {error.strerror}") from error
        if handle is None:
            raise OutputError(f"{site}: another build is writing it; wait for it to end")
        return handle


def held(path: Path) -> IO[bytes] | None:
    """A lock file, made when it is missing and held until it is closed; None while somebody else holds it.

    Whoever holds it may remove it; who had it open by then gets the new one.

    Raises:
        OSError: it cannot be made, or the file system has no locks.
    """
    while True:
        handle = path.open("ab")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
            return None
        except OSError:
            handle.close()
            raise
        if _is(handle, path):
            return handle
        handle.close()


def release(site: Path, handle: IO[bytes]) -> None:
    """Removes the work folder, the lock last, and lets the next build in."""
    work = work_folder(site)
    clear(work)
    (work / "lock").unlink(missing_ok=True)
    try:
        work.rmdir()
    except OSError as error:  # the next build is already in
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}:
            raise
    handle.close()


def clear(work: Path) -> None:
    """Removes everything in a work folder but its lock."""
    for entry in work.iterdir():
        if entry.name == "lock":
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def recover(site: Path) -> None:
    """Puts the site in its place if a build was killed between two renames, then clears the work folder.

    Call with the lock held.
    """
    work = work_folder(site)
    if not os.path.lexists(site) and (work / "old").is_dir():
        complete = work / "next"
        os.rename(complete if complete.is_dir() else work / "old", site)  # noqa: PTH104 - the call meant is rename(2)
    clear(work)


def replace(site: Path, step: Step, swap: Swap | None = None) -> None:
    """`next` of the work folder becomes `site`; the previous site stays in the work folder.

    One rename where the site is new or the system can exchange two names; otherwise two, which `recover` finishes.

    Args:
        site: the site folder; may be absent.
        step: told before and after each rename.
        swap: exchanges two names at once and says whether it could; None for this system's own.
    """
    work = work_folder(site)
    built = work / "next"
    step("before exchange")
    if not site.exists():
        built.rename(site)
    elif not (swap or exchange)(built, site):
        site.rename(work / "old")
        step("between renames")
        built.rename(site)
    step("after exchange")


def exchange(one: Path, other: Path) -> bool:
    """Exchanges two names in one step; False where the system or the file system cannot.

    Raises:
        OSError: it can, but not these two.

    Source: Linux `renameat2(2)`, flag `RENAME_EXCHANGE`.
    """
    if not sys.platform.startswith("linux"):
        return False
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    if renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _NO_EXCHANGE:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _is(handle: IO[bytes], path: Path) -> bool:
    """Whether the open file is still the one at the path."""
    try:
        return os.path.samestat(os.fstat(handle.fileno()), path.stat())
    except FileNotFoundError:
        return False
