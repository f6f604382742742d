"""Threads: items spread over workers, results in the order of the items."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

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
