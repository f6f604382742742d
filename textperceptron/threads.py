"""Work for other threads that Ctrl-C, at whatever moment it comes, leaves in order.

The classes of ``threading`` and ``concurrent.futures`` are written in Python. An interrupt between two of their steps
can leave a lock behind that somebody else waits for, become a RuntimeError, or get lost. What is used here instead does
each step in C, as a whole, and takes less time to import.
"""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

Worker = TypeVar("Worker")
Result = TypeVar("Result")


class GivenUpError(Exception):
    """Somebody waits for what nobody wants any more."""


class Task(Generic[Worker, Result]):
    """Something to do for whoever comes first, and what becomes of it.

    Examples
    --------
    >>> from textperceptron.threads import Task
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
        """Do it and return True, unless somebody has begun or it was given up."""
        try:
            work = self._work.pop()  # of several threads, one gets it
        except IndexError:
            return False
        try:
            self._result = work(worker)
        except BaseException as error:
            self._error = error
        finally:
            del work  # before somebody goes on who thinks that nothing holds it
            self._finish()
            del self  # which the error would hold, by this call, and it the error: both would outlive their use
        return True

    def give_up(self) -> None:
        """Do not begin with it, if that can still be helped, and let nobody wait for it."""
        self._work.clear()
        if not self.is_done:
            self._error = GivenUpError  # another one for each who waits, so that none holds what holds it
            self._finish()

    def wait(self) -> None:
        """Wait until there is a result, or an error."""
        if not self.is_done:
            self._end.get()
            self._finish()  # for others who wait

    def result(self) -> Result:
        """Wait for the result; raise the error, if there was one instead."""
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


def begin(work: Callable[[], Result]) -> Task[None, Result]:
    """Begin with something on a thread of its own. Python does not wait for it at its end.

    Examples
    --------
    >>> from textperceptron.threads import begin
    >>> begin(lambda: 6 * 7).result()
    42
    """
    task: Task[None, Result] = Task(lambda _: work())
    start_new_thread(task.run, (None,))
    return task
