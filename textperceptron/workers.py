"""Threads: items spread over workers, results in the order of the items."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain, islice, pairwise
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from textperceptron.threads import Task, begin

Item = TypeVar("Item")
Prepared = TypeVar("Prepared")
Worker = TypeVar("Worker")
Result = TypeVar("Result")

MOST_THREADS = 64


def count_jobs(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means: None is 1, -1 every processor, -2 all but one.

    It is at most 64, or the number of processors where that is larger: results do not depend on it, and threads
    without a processor take memory only.

    Raises
    ------
    ValueError
        If it is 0.
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning. Use None or 1 for one thread, -1 for all processors.")
    return min(n_jobs, max(MOST_THREADS, _processors())) if n_jobs > 0 else max(1, _processors() + 1 + n_jobs)


def _processors() -> int:
    """Return how many processors this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def even_parts(work: npt.NDArray[Any], most: int, jobs: int) -> Iterator[tuple[int, int]]:
    """Divide items into consecutive parts of about the same work, at least one a thread and none much above ``most``.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.workers import even_parts
    >>> list(even_parts(np.array([5, 1, 1, 1, 2, 4]), most=100, jobs=2))
    [(0, 3), (3, 6)]
    """
    done = np.cumsum(work)
    total = int(done[-1]) if len(done) else 0
    step = max(1, min(most, -(-total // jobs)))
    ends = np.searchsorted(done, np.arange(step, total, step)) + 1
    return pairwise(dict.fromkeys((0, *ends.tolist(), len(done))))  # np.unique would import numpy.ma first: 8 ms


def spread(
    work: Callable[[Worker, Item], Result],
    items: Iterable[Item],
    workers: Sequence[Worker],
    *,
    depth: int | None = None,
    meanwhile: Callable[[], bool] | None = None,
    when_interrupted: Callable[[], object] = lambda: None,
) -> Iterator[Result]:
    """Yield ``work(worker, item)`` for every item, in order; a worker does one item at a time.

    With one worker, or for one item, no thread is started. Items are taken on the caller's thread, only a few of them
    ahead of the results (``depth``: twice as many as there are workers). If there is an error where they come from, it
    is raised behind the results of those that came before it.

    A caller who has work of its own for each result gives a depth, and one worker has a thread as well. When it would
    have to wait, ``meanwhile`` is called, as long as that finds something to do.

    After Ctrl-C, or an error of ``work``, items that wait are given up, and ``when_interrupted`` is called before those
    under way are waited for: it can tell them to end.
    """
    if len(workers) == 1 and depth is None:
        for item in items:
            yield work(workers[0], item)
        return
    failures: list[Exception] = []
    coming = _until_failure(items, failures)
    try:
        first = list(islice(coming, 2))
        if len(first) < 2:
            yield from (work(workers[0], item) for item in first)
        else:
            ahead_of_results = 2 * len(workers) if depth is None else depth
            yield from _side_by_side(work, chain(first, coming), workers, ahead_of_results, meanwhile, when_interrupted)
    finally:
        coming.close()  # and with it the items, which may come from other threads
    if failures:
        raise failures[0]


def aside(work: Callable[[], Result], jobs: int) -> Callable[[], Result]:
    """Begin with something on a thread of its own, and return what waits for its result.

    With one job there is no thread: the work is done when its result is asked for.

    Examples
    --------
    >>> from textperceptron.workers import aside
    >>> names = aside(lambda: ["fine", "film"], jobs=2)
    >>> names()
    ['fine', 'film']
    """
    if jobs > 1:
        with suppress(RuntimeError):  # the system has no thread left
            return begin(work).result
    return cache(work)


def ahead(
    prepare: Callable[[Item], Prepared],
    use: Callable[[Prepared], Result],
    items: Iterable[Item],
    *,
    depth: int = 4,
) -> Iterator[Result]:
    """Yield ``use(prepare(item))`` for every item, in order, done by a thread of its own that runs ahead of the caller.

    It uses one item after the other. When the caller, who has work of its own for each result, would have to wait, it
    helps to prepare. Items are taken on the caller's thread, ``depth`` of them ahead. One item alone needs no thread.

    Examples
    --------
    >>> from textperceptron.workers import ahead
    >>> seen = []
    >>> def use(word):
    ...     seen.append(word)
    ...     return len(seen)
    >>> list(ahead(str.upper, use, ["so", "good"])), seen
    ([1, 2], ['SO', 'GOOD'])
    """
    in_flight: deque[Task[None, Prepared]] = deque(maxlen=depth + 1)

    def preparing(item: Item) -> Task[None, Prepared]:
        return Task(lambda _: prepare(item))

    def coming() -> Iterator[Task[None, Prepared]]:
        for item in items:
            in_flight.append(preparing(item))
            yield in_flight[-1]

    def prepared(each: Task[None, Prepared]) -> Prepared:
        each.run(None)
        return each.result()

    def give_up() -> None:  # else the thread would wait for what the caller was to prepare when it was interrupted
        for each in in_flight:
            each.give_up()

    return spread(
        lambda _, each: use(prepared(each)), coming(), [None], depth=depth,
        meanwhile=lambda: any(each.run(None) for each in reversed(in_flight)), when_interrupted=give_up,
    )  # fmt: skip


def _until_failure(items: Iterable[Item], failures: list[Exception]) -> Generator[Item, None, None]:
    try:
        yield from items
    except Exception as failure:
        failures.append(failure)


def _side_by_side(
    work: Callable[[Worker, Item], Result],
    items: Iterable[Item],
    workers: Sequence[Worker],
    depth: int,
    meanwhile: Callable[[], bool] | None,
    when_interrupted: Callable[[], object],
) -> Iterator[Result]:
    waiting: SimpleQueue[Task[Worker, Result] | None] = SimpleQueue()
    pending: deque[Task[Worker, Result]] = deque()
    threads: list[Task[None, None]] = []

    def serve(worker: Worker) -> None:
        while (task := waiting.get()) is not None:
            task.run(worker)

    def put(item: Item) -> None:
        pending.append(Task(lambda worker: work(worker, item)))
        waiting.put(pending[-1])

    def next_result() -> Result:
        while meanwhile is not None and not pending[0].is_done and meanwhile():
            pass
        return pending.popleft().result()

    try:
        with suppress(RuntimeError):  # the system has no more threads: those that began do all of the work
            for worker in workers:
                threads.append(begin(partial(serve, worker)))
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
            task.give_up()
        when_interrupted()
        raise
    finally:
        for _ in workers:
            waiting.put(None)
        # After an error that nobody caught, this generator may end with Python itself, when no other thread runs.
        if not sys.is_finalizing():
            for thread in threads:
                thread.wait()
