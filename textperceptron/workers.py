"""Threads: items spread over workers, results in the order of the items."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Item = TypeVar("Item")
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
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


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
    return pairwise(np.unique(np.r_[0, ends, len(done)]).tolist())


def spread(
    work: Callable[[Worker, Item], Result], items: Iterable[Item], workers: Sequence[Worker]
) -> Iterator[Result]:
    """Yield ``work(worker, item)`` for every item, in order; a worker does one item at a time.

    With one worker no thread is started. Only a few items are taken ahead of the results.
    """
    if len(workers) == 1:
        for item in items:
            yield work(workers[0], item)
        return
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def run(item: Item) -> Result:
        worker = idle.get()
        try:
            return work(worker, item)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(len(workers)) as pool:
        pending: deque[Future[Result]] = deque()
        for item in items:
            pending.append(pool.submit(run, item))
            if len(pending) > 2 * len(workers):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
