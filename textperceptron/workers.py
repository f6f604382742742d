"""Threads: items spread over workers, results in the order of the items."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, islice, pairwise
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

Item = TypeVar("Item")
Prepared = TypeVar("Prepared")
Worker = TypeVar("Worker")
Result = TypeVar("Result")


def count_jobs(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means: None is 1, -1 every processor, -2 all but one.

    Raises
    ------
    ValueError
        If it is 0.
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning. Use None or 1 for one thread, -1 for all processors.")
    return n_jobs if n_jobs > 0 else max(1, _processors() + 1 + n_jobs)


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
    if jobs == 1:
        return cache(work)
    task: _Task[None, Result] = _Task(lambda _: work())
    Thread(target=task.run, args=(None,)).start()
    return task.result


class _Task(Generic[Worker, Result]):
    """Something for another thread to do, and what becomes of it.

    Python has this in ``concurrent.futures``, whose import takes four milliseconds of a command.
    """

    def __init__(self, work: Callable[[Worker], Result]) -> None:
        self._work: Callable[[Worker], Result] | None = work
        self._done = Event()
        self._error: BaseException | None = None

    def run(self, worker: Worker) -> None:
        """Do it, unless it was given up."""
        work, self._work = self._work, None
        if work is None:
            return
        try:
            self._result = work(worker)
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()
            del self  # which the error would hold, by this call, and it the error: both would outlive their use

    def give_up(self) -> None:
        """Do not begin with it, if that can still be helped."""
        self._work = None

    @property
    def is_done(self) -> bool:
        """Whether there is a result, or an error."""
        return self._done.is_set()

    def result(self) -> Result:
        """Wait for the result; raise the error, if there was one instead."""
        self._done.wait()
        try:
            if self._error is not None:
                raise self._error
            return self._result
        finally:
            del self


class _Ahead(Generic[Item, Prepared]):
    """An item on its way: whoever gets to it first prepares it."""

    def __init__(self, item: Item, prepare: Callable[[Item], Prepared]) -> None:
        self._item, self._prepare = item, prepare
        self._lock = Lock()
        self._outcome: list[Callable[[], Prepared]] = []

    def prepared(self) -> Prepared:
        """Return the item as it is prepared, or raise what that raised; wait if it is under way."""
        with self._lock:
            self._do()
        return self._outcome[0]()

    def help(self) -> bool:
        """Prepare it if nobody has begun to; return whether there was something to do."""
        if self._outcome or not self._lock.acquire(blocking=False):
            return False
        try:
            self._do()
        finally:
            self._lock.release()
        return True

    def _do(self) -> None:
        if self._outcome:
            return
        try:
            prepared = self._prepare(self._item)
        except Exception as failure:
            self._outcome.append(partial(_raise, failure))
        else:
            self._outcome.append(lambda: prepared)


def _raise(failure: Exception) -> NoReturn:
    raise failure


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
    in_flight: deque[_Ahead[Item, Prepared]] = deque(maxlen=depth + 1)

    def coming() -> Iterator[_Ahead[Item, Prepared]]:
        for item in items:
            in_flight.append(_Ahead(item, prepare))
            yield in_flight[-1]

    return spread(
        lambda _, each: use(each.prepared()), coming(), [None],
        depth=depth, meanwhile=lambda: any(each.help() for each in reversed(in_flight)),
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
    waiting: SimpleQueue[_Task[Worker, Result] | None] = SimpleQueue()
    pending: deque[_Task[Worker, Result]] = deque()

    def serve(worker: Worker) -> None:
        while (task := waiting.get()) is not None:
            task.run(worker)

    def put(item: Item) -> None:
        pending.append(_Task(lambda worker: work(worker, item)))
        waiting.put(pending[-1])

    def next_result() -> Result:
        while meanwhile is not None and not pending[0].is_done and meanwhile():
            pass
        return pending.popleft().result()

    # Daemons: an error that nobody catches keeps this generator, which would end them, until Python has waited for all
    # other threads.
    threads = [Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
    try:
        for thread in threads:
            thread.start()
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
        for _ in threads:
            waiting.put(None)
        for thread in threads:
            if thread.ident is not None:  # it did start
                thread.join()
