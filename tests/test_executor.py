"""The same work in one process or in several, and what happens when one fails or is killed."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitegen.errors import SitegenError
from sitegen.executor import Workers, default_workers


def each(work, items, workers, name):
    with Workers(workers, len(items)) as pool:
        yield from pool.each(work, items, name)


def square(item: int) -> int:
    return item * item


def fail_on_three(item: int) -> int:
    if item == 3:
        raise ZeroDivisionError("three")
    return item


def die_on_three(item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def ready(_: int) -> bool:
    return gc.get_freeze_count() > 0 and gc.isenabled() and "sitegen.run_work" in sys.modules


def announce_and_wait(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(60)


@pytest.mark.parametrize("workers", [1, 2])
def test_every_item_comes_with_its_result(workers: int) -> None:
    assert dict(each(square, range(5), workers=workers, name=str)) == {0: 0, 1: 1, 2: 4, 3: 9, 4: 16}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bug_keeps_its_type_and_names_its_item(workers: int) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        list(each(fail_on_three, range(5), workers=workers, name=lambda item: f"number-{item}"))
    assert any("number-3" in note for note in caught.value.__notes__)


def test_workers_begin_with_everything_imported() -> None:
    assert dict(each(ready, range(2), workers=2, name=str)) == {0: True, 1: True}


def test_a_killed_worker_is_something_the_user_is_told() -> None:
    with pytest.raises(SitegenError, match="--workers 1"):
        list(each(die_on_three, range(5), workers=2, name=str))


def test_no_items_need_no_workers() -> None:
    assert list(each(square, [], workers=2, name=str)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_work_aside_gives_its_result_when_asked(workers: int) -> None:
    with Workers(workers, 2) as pool:
        result = pool.aside(square, 7)
        assert result() == 49


def test_there_is_at_least_one_worker() -> None:
    assert default_workers() >= 1


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_their_parent_whatever_ends_it(tmp_path: Path, sent: signal.Signals) -> None:
    code = (
        "import sys; from tests.test_executor import announce_and_wait, each;"
        "list(each(announce_and_wait, [sys.argv[1]] * 2, workers=2, name=str))"
    )
    root = Path(__file__).parents[1]
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=root, stderr=subprocess.DEVNULL)
    workers = wait_for(lambda: found if len(found := [int(p.name) for p in tmp_path.iterdir()]) == 2 else None)
    parent.send_signal(sent)
    parent.wait(20)
    assert wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def wait_for(condition):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError("waited in vain")
