"""The same work on many items: in this process, or in several.

Worker processes are forked from a server that has imported the heavy modules once, so each costs milliseconds; where
there is no fork they start afresh. A worker ends with its parent, whatever ends that.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.context import BaseContext
from typing import Any, TypeVar

from sitegen.errors import SitegenError

Item = TypeVar("Item")
Result = TypeVar("Result")


def default_workers() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    workers: int,
    name: Callable[[Item], str],
    preload: Sequence[str] = (),
) -> Iterator[tuple[Item, Result]]:
    """Every item with its result, in the order they are finished.

    An exception of the work rises with a note that names the item.

    Args:
        work: a module's function, or a `partial` of one; pure.
        items: what to work on.
        workers: processes; 1 works in this one.
        name: what an item is called in the note.
        preload: modules that every worker needs.

    Raises:
        SitegenError: a worker was killed.
    """
    if workers <= 1 or len(items) <= 1:
        for item in items:
            yield item, _named(partial(work, item), name(item))
        return
    pool = ProcessPoolExecutor(min(workers, len(items)), mp_context=_context(preload), initializer=_start)
    try:
        futures: dict[Future[Result], Item] = {pool.submit(work, item): item for item in items}
        for future in as_completed(futures):
            item = futures.pop(future)
            yield item, _named(future.result, name(item))
    except BrokenProcessPool as error:
        raise SitegenError(
            "a worker process was killed, probably for want of memory; try again with --workers 1"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _named(call: Callable[[], Result], name: str) -> Result:
    try:
        return call()
    except Exception as error:
        error.add_note(f"while working on run {name}")
        raise


def _context(preload: Sequence[str]) -> BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    return context


def _start() -> None:
    """Makes a worker end with its parent and quietly on Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    with contextlib.suppress(OSError):
        parent.join()
    os._exit(1)
