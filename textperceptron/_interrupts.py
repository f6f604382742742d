"""Ctrl-C and SIGTERM raise KeyboardInterrupt, deferred while an import could swallow it."""

from __future__ import annotations

import signal
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_thread: int | None = None  # id of the thread that handles signals; None until handlers are installed
_depth = 0  # of nested deferred_interrupts blocks
_pending = False
_received = signal.SIGINT


def install_handlers() -> None:
    """Make Ctrl-C and SIGTERM raise KeyboardInterrupt, so that cleanup code runs.

    A signal that the parent process ignores remains ignored.
    """
    global _thread
    _thread = get_ident()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


@contextmanager
def deferred_interrupts() -> Iterator[None]:
    """Defer Ctrl-C and SIGTERM: KeyboardInterrupt is raised at the end of the block.

    For imports: Python drops exceptions that are raised in callbacks of its import system, Cython modules drop those
    raised while they register their classes with ABCs, and ``__set_name__`` turns them into a RuntimeError. Blocks may
    be nested. Without :func:`install_handlers`, as in a library, and on other threads this does nothing.
    """
    global _depth, _pending
    if get_ident() != _thread:
        yield
        return
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _pending and _depth == 0:
            _pending = False
            raise KeyboardInterrupt


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _pending, _received
    _received = signal.Signals(number)
    _pending = _depth > 0
    if not _pending:
        raise KeyboardInterrupt


def name() -> str:
    """Return the name of the signal for messages."""
    return "SIGTERM" if _received == signal.SIGTERM else "Ctrl-C"


def message() -> str:
    """Return the message of an interrupted command."""
    return "terminated" if _received == signal.SIGTERM else "interrupted"


def exit_code() -> int:
    """Return the exit code that shells use: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + _received
