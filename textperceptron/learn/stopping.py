"""Training on several threads that ends on all of them when it ends on one."""

from __future__ import annotations

import threading

from textperceptron.learn.loop import Callback, Progress


class StoppedElsewhereError(Exception):
    """Ends the training of a thread because that of another was interrupted."""


def heeding(stop: threading.Event, callback: Callback | None) -> Callback:
    """Return a callback that ends training once ``stop`` is set, and else calls another, if there is one."""

    def heed(progress: Progress) -> None:
        if stop.is_set():
            raise StoppedElsewhereError
        if callback is not None:
            callback(progress)

    return heed
