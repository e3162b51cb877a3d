"""Kills the command line with SIGKILL at a chosen moment, for real, and as often as wanted for one start of Python.

A process that has imported everything forks a child for each call; the child runs the command and is killed. Asked to,
it kills itself before it changes the disk or starts another program for the n-th time; or the test kills it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KILLED = -signal.SIGKILL
_CHANGES = (
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "subprocess.Popen",
)


class Calls:
    """The process that forks."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self, arguments: Sequence[object], *, at: int = 0, started: Callable[[int], None] = lambda pid: None
    ) -> int:
        """Runs the command line; its exit code, or `KILLED`.

        Args:
            arguments: What follows `sitegen`.
            at: Before which change it kills itself, counted from 1; 0 for none.
            started: Told the process before it begins.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._say([str(argument) for argument in arguments], at)
        started(int(self._process.stdout.readline()))
        self._say()
        return int(self._process.stdout.readline())

    def _say(self, *values: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(values) + "\n")
        self._process.stdin.flush()


@contextmanager
def calls(folder: Path, variables: Mapping[str, str] | None = None) -> Iterator[Calls]:
    """Calls of the command line with a working folder and further variables of the environment."""
    command = [sys.executable, "-c", "from tests.publish.killing import serve; serve()"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), **(variables or {})}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Calls(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def serve() -> None:
    """The process that forks: a line with the command, a line to let it begin, a line back with its end."""
    import huggingface_hub
    from huggingface_hub import HfApi, RepoFile  # noqa: F401 - imported once, for all children

    from sitegen import cli
    from sitegen.publish import check_site, hub, pages_branch, pull, web_root  # noqa: F401 - likewise

    assert huggingface_hub.__version__
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        arguments, at = json.loads(line)
        ready, begin = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(begin)
            os.read(ready, 1)
            if at:
                sys.addaudithook(_Death(at))
            os._exit(cli.run(arguments))
        os.close(ready)
        out.write(f"{pid}\n")
        out.flush()
        sys.stdin.readline()
        os.write(begin, b"g")
        os.close(begin)
        _, status = os.waitpid(pid, 0)
        out.write(f"{os.waitstatus_to_exitcode(status)}\n")
        out.flush()


class _Death:
    """An audit hook that kills the process before its n-th change."""

    def __init__(self, at: int) -> None:
        self._left = at

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in _CHANGES:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
