"""Ctrl-C and SIGTERM end a command by KeyboardInterrupt, at a moment when nothing swallows it."""

from __future__ import annotations

import signal
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_thread: int | None = None  # the one that handles signals; None as long as no handlers are installed
_depth = 0  # nested blocks that defer
_pending = False
_received = signal.SIGINT


def install_handlers() -> None:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt, so that nothing is left half-written.

    A signal that the parent process has set to be ignored stays ignored.
    """
    global _thread
    _thread = get_ident()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


@contextmanager
def deferred_interrupts() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back within the block, and raise KeyboardInterrupt when leaving it.

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
    """Return the name of the signal, as a user knows it."""
    return "SIGTERM" if _received == signal.SIGTERM else "Ctrl-C"


def message() -> str:
    """Return what the signal did to the command."""
    return "terminated" if _received == signal.SIGTERM else "interrupted"


def exit_code() -> int:
    """Return the exit code that shells use: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + _received
