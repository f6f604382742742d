"""Threads: an ordered map, background tasks, cancellation.

``threading`` and ``concurrent.futures`` are written in Python. Ctrl-C between two of their steps can leave a lock
held, turn into a RuntimeError, or get lost. The primitives used here (``_thread``, ``SimpleQueue``) do each step in
C, and import faster.
"""

from __future__ import annotations

import os
import sys
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice, pairwise
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

Item = TypeVar("Item")
Prepared = TypeVar("Prepared")
Worker = TypeVar("Worker")
Result = TypeVar("Result")

MAX_THREADS = 64
_MAX_WAIT = 0.5  # seconds until a waiting thread looks for signals


def count_jobs(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means: None is 1, -1 every processor, -2 all but one.

    At most 64, or the number of processors if that is larger: results do not depend on it, and threads without a
    processor only take memory.

    Raises
    ------
    ValueError
        If ``n_jobs`` is 0.
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning. Use None or 1 for one thread, -1 for all processors.")
    return min(n_jobs, max(MAX_THREADS, _n_processors())) if n_jobs > 0 else max(1, _n_processors() + 1 + n_jobs)


def _n_processors() -> int:
    """Return the number of processors that this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class CancelledError(Exception):
    """Raised to waiters when a task is cancelled."""


class Task(Generic[Worker, Result]):
    """A unit of work that exactly one thread runs, and its result.

    Examples
    --------
    >>> from textperceptron._parallel import Task
    >>> task = Task(str.upper)
    >>> task.run("film"), task.run("book")
    (True, False)
    >>> task.result()
    'FILM'
    """

    def __init__(self, work: Callable[[Worker], Result]) -> None:
        self._work = [work]
        self._error: BaseException | type[BaseException] | None = None
        self._end: SimpleQueue[None] = SimpleQueue()
        self.is_done = False

    def run(self, worker: Worker) -> bool:
        """Run the work and return True; return False if another thread has started it or it was cancelled."""
        try:
            work = self._work.pop()  # atomic: one thread gets it
        except IndexError:
            return False
        try:
            self._result = work(worker)
        except BaseException as error:
            self._error = error
        finally:
            del work  # a waiter may rely on nothing holding it
            self._finish()
            del self  # breaks the cycle error → traceback → frame → task
        return True

    def cancel(self) -> None:
        """Cancel the task if it has not started, and release all waiters."""
        self._work.clear()
        if not self.is_done:
            self._error = CancelledError  # the class: each waiter raises its own instance
            self._finish()

    def wait(self) -> None:
        """Wait for the result or an error."""
        while not self.is_done:
            # A signal that arrives just before the thread sleeps does not wake it: Ctrl-C would be lost.
            with suppress(Empty):
                self._end.get(timeout=_MAX_WAIT)
                self._finish()  # wake the next waiter

    def result(self) -> Result:
        """Wait for the result, or raise the error."""
        self.wait()
        try:
            if self._error is not None:
                raise self._error
            return self._result
        finally:
            del self

    def _finish(self) -> None:
        self.is_done = True
        self._end.put(None)


def start(work: Callable[[], Result]) -> Task[None, Result]:
    """Start a daemon thread that runs ``work``.

    Examples
    --------
    >>> from textperceptron._parallel import start
    >>> start(lambda: 6 * 7).result()
    42
    """
    task: Task[None, Result] = Task(lambda _: work())
    start_new_thread(task.run, (None,))
    return task


class Future(Task[None, Result]):
    """A result that is computed in the background, or by the first caller that needs it."""

    def result(self) -> Result:
        """Return the result; compute it on this thread if no other has started."""
        self.run(None)
        return super().result()


def in_background(work: Callable[[], Result], jobs: int) -> Future[Result]:
    """Run ``work`` on a new thread, or with one job lazily on the caller's.

    Examples
    --------
    >>> from textperceptron._parallel import in_background
    >>> names = in_background(lambda: ["fine", "film"], jobs=2)
    >>> names.result()
    ['fine', 'film']
    """
    future: Future[Result] = Future(lambda _: work())
    if jobs > 1:
        with suppress(RuntimeError):  # the system's limit of threads: run lazily
            start_new_thread(future.run, (None,))
    return future


def balanced_chunks(work: npt.NDArray[Any], limit: int, jobs: int) -> Iterator[tuple[int, int]]:
    """Divide items into consecutive chunks of similar work, at least one per thread and none much above ``limit``.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron._parallel import balanced_chunks
    >>> list(balanced_chunks(np.array([5, 1, 1, 1, 2, 4]), limit=100, jobs=2))
    [(0, 3), (3, 6)]
    """
    done = np.cumsum(work)
    total = int(done[-1]) if len(done) else 0
    step = max(1, min(limit, -(-total // jobs)))
    ends = np.searchsorted(done, np.arange(step, total, step)) + 1
    return pairwise(dict.fromkeys((0, *ends.tolist(), len(done))))  # np.unique would import numpy.ma: 8 ms


def ordered_map(
    work: Callable[[Worker, Item], Result],
    items: Iterable[Item],
    workers: Sequence[Worker],
    *,
    depth: int | None = None,
    on_idle: Callable[[], bool] | None = None,
    on_cancel: Callable[[], object] = lambda: None,
) -> Iterator[Result]:
    """Yield ``work(worker, item)`` for every item, in order; each worker has one item at a time.

    With one worker, or for one item, no thread is started. Items are taken on the caller's thread, at most ``depth``
    (default: twice the number of workers) ahead of the results. An error of ``items`` is raised after the results of
    the items before it.

    With a depth, a single worker gets a thread as well, for callers that process each result themselves. Before it
    waits, the caller's thread calls ``on_idle`` as long as that returns True.

    After Ctrl-C, or an error of ``work``, queued items are cancelled; then ``on_cancel`` is called, which may stop the
    running ones, and these are waited for.
    """
    if len(workers) == 1 and depth is None:
        for item in items:
            yield work(workers[0], item)
        return
    failures: list[Exception] = []
    source = _until_failure(items, failures)
    try:
        first = list(islice(source, 2))
        if len(first) < 2:
            yield from (work(workers[0], item) for item in first)
        else:
            ahead = 2 * len(workers) if depth is None else depth
            yield from _map_on_threads(work, chain(first, source), workers, ahead, on_idle, on_cancel)
    finally:
        source.close()  # the items may come from other threads
    if failures:
        raise failures[0]


def prefetch_map(
    prepare: Callable[[Item], Prepared],
    use: Callable[[Prepared], Result],
    items: Iterable[Item],
    *,
    depth: int = 4,
) -> Iterator[Result]:
    """Yield ``use(prepare(item))`` for every item, in order, from a thread that runs ahead of the caller.

    That thread uses one item at a time. The caller prepares items instead of waiting. Items are taken on the caller's
    thread, at most ``depth`` ahead. A single item needs no thread.

    Examples
    --------
    >>> from textperceptron._parallel import prefetch_map
    >>> seen = []
    >>> def use(word):
    ...     seen.append(word)
    ...     return len(seen)
    >>> list(prefetch_map(str.upper, use, ["so", "good"])), seen
    ([1, 2], ['SO', 'GOOD'])
    """
    in_flight: deque[Task[None, Prepared]] = deque(maxlen=depth + 1)

    def task_for(item: Item) -> Task[None, Prepared]:
        return Task(lambda _: prepare(item))

    def tasks() -> Iterator[Task[None, Prepared]]:
        for item in items:
            in_flight.append(task_for(item))
            yield in_flight[-1]

    def prepared(task: Task[None, Prepared]) -> Prepared:
        task.run(None)
        return task.result()

    def cancel() -> None:  # the thread could be waiting for an item that the interrupted caller was preparing
        for task in in_flight:
            task.cancel()

    return ordered_map(
        lambda _, task: use(prepared(task)), tasks(), [None], depth=depth,
        on_idle=lambda: any(task.run(None) for task in reversed(in_flight)), on_cancel=cancel,
    )  # fmt: skip


def _until_failure(items: Iterable[Item], failures: list[Exception]) -> Generator[Item, None, None]:
    try:
        yield from items
    except Exception as failure:
        failures.append(failure)


def _map_on_threads(
    work: Callable[[Worker, Item], Result],
    items: Iterable[Item],
    workers: Sequence[Worker],
    depth: int,
    on_idle: Callable[[], bool] | None,
    on_cancel: Callable[[], object],
) -> Iterator[Result]:
    queued: SimpleQueue[Task[Worker, Result] | None] = SimpleQueue()
    pending: deque[Task[Worker, Result]] = deque()
    threads: list[Task[None, None]] = []

    def serve(worker: Worker) -> None:
        while (task := queued.get()) is not None:
            task.run(worker)

    def put(item: Item) -> None:
        pending.append(Task(lambda worker: work(worker, item)))
        queued.put(pending[-1])

    def next_result() -> Result:
        while on_idle is not None and not pending[0].is_done and on_idle():
            pass
        return pending.popleft().result()

    try:
        with suppress(RuntimeError):  # the system's limit of threads: those that started do all the work
            for worker in workers:
                threads.append(start(partial(serve, worker)))
        if not threads:
            yield from (work(workers[0], item) for item in items)
            return
        for item in items:
            put(item)
            if len(pending) > depth:
                yield next_result()
        while pending:
            yield next_result()
    except BaseException:
        for task in pending:
            task.cancel()
        on_cancel()
        raise
    finally:
        for _ in workers:
            queued.put(None)
        # After an uncaught error, this generator may be finalised at interpreter exit, when no other thread runs.
        if not sys.is_finalizing():
            for thread in threads:
                thread.wait()
