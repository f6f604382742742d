"""A time limit for a block, for code that used to hang or take quadratic time."""

from __future__ import annotations

import contextlib
import signal


@contextlib.contextmanager
def within(seconds):
    """Raise TimeoutError in the block after ``seconds``."""

    def stop(number, frame):
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
