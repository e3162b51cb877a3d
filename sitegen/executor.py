"""The same work on many items: in this process, or in several.

Worker processes are forked from a server that has imported the heavy modules once, so each costs milliseconds; where
there is no fork they start afresh. A worker ends with its parent, whatever ends that.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext, ForkServerContext
from types import FrameType
from typing import Self, TypeVar

from sitegen.errors import SitegenError

Item = TypeVar("Item")
Result = TypeVar("Result")


PRELOAD = "sitegen.preload"
"""What every worker needs; imports everything heavy."""


def warm_up(count: int | None) -> None:
    """Starts the server that workers are forked from, which then imports while this process does."""
    if (count or default_workers()) > 1:
        _start_server(_context())


def _start_server(context: BaseContext) -> None:
    """Starts the server with Ctrl-C masked: this process answers that, and the other would print a traceback."""
    if not isinstance(context, ForkServerContext):
        return
    resource_tracker.ensure_running()  # the server would start it first, and that lifts the mask
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def default_workers() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Processes that work for one command; a context manager. Few or one job are done in this process."""

    def __init__(self, count: int | None, jobs: int | None, preload: str = PRELOAD) -> None:
        """For so many jobs.

        Args:
            count: processes; None for as many as there are processors.
            jobs: how much there is to do, None while nobody knows; one job needs no further process.
            preload: module that the server of all workers imports, if this command is the first to need it.
        """
        size = count or default_workers()
        if jobs is not None:
            size = min(size, jobs)
        self._pool = None
        if size > 1:
            self._context = context = _context(preload)
            ended, self._alive = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(size, mp_context=context, initializer=_start, initargs=(ended,))

    def __enter__(self) -> Self:
        """Nothing starts before there is work."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Ends the workers; at once, whatever they are doing, when this process gives up."""
        if self._pool is not None:
            if kind is not None:
                self._alive.close()
            self._pool.shutdown(cancel_futures=True)
            self._alive.close()

    def aside(self, work: Callable[[Item], Result], item: Item) -> Callable[[], Result]:
        """Begins one piece of work beside what this process does meanwhile; call what is returned for the result."""
        if self._pool is None:
            return partial(work, item)
        with _uninterrupted():
            _start_server(self._context)
            return self._pool.submit(work, item).result

    def each(
        self, work: Callable[[Item], Result], items: Sequence[Item], name: Callable[[Item], str]
    ) -> Iterator[tuple[Item, Result]]:
        """Every item with its result, in the order they are finished.

        An exception of the work rises with a note that names the item.

        Args:
            work: a module's function, or a `partial` of one; pure.
            items: what to work on.
            name: what an item is called in the note.

        Raises:
            SitegenError: a worker was killed.
        """
        if self._pool is None:
            for item in items:
                yield item, _named(partial(work, item), name(item))
            return
        with _uninterrupted():
            _start_server(self._context)
            futures: dict[Future[Result], Item] = {self._pool.submit(work, item): item for item in items}
        try:
            for future in as_completed(futures):
                item = futures.pop(future)
                yield item, _named(future.result, name(item))
        except BrokenProcessPool as error:
            raise SitegenError(
                "a worker process was killed, probably for want of memory; try again with --workers 1"
            ) from error


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Puts Ctrl-C off until the end: a worker whose start is cut in half finds nobody to report to, and complains."""
    answer = signal.getsignal(signal.SIGINT)
    if answer is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: asked.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, answer)
        if asked and callable(answer):
            answer(*asked[0])


def _named(call: Callable[[], Result], name: str) -> Result:
    try:
        return call()
    except Exception as error:
        error.add_note(f"while working on {name}")
        raise


def _context(preload: str = PRELOAD) -> BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    return context


def _start(ended: Connection) -> None:
    """Makes a worker end with its parent, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(ended,), daemon=True).start()


def _end_with(ended: Connection) -> None:
    """Waits until nobody holds the other end any more."""
    ended.poll(None)
    os._exit(1)
