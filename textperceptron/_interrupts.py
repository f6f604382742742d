"""Signals that end a command in good order: Ctrl-C, and SIGTERM, which other programs send."""

from __future__ import annotations

import signal
from types import FrameType

# Modules of Python whose code holds locks, or is called where errors are forgotten: compiled modules register their
# classes when they are imported, and catch whatever is raised. An interrupt there can get lost, or leave a lock behind
# for which other threads then wait.
_UNSAFE_MODULES = {
    "_frozen_importlib", "_frozen_importlib_external", "importlib._bootstrap", "importlib._bootstrap_external",
    "threading", "weakref", "_weakrefset", "abc", "collections.abc", "_collections_abc",
}  # fmt: skip
_PAUSE = 0.002  # seconds until it is tried again
_MOST_PAUSES = 250  # it may be waiting there for something that does not come

_came = signal.SIGINT
_n_pauses = 0


def install_handlers() -> None:
    """Let Ctrl-C and SIGTERM end the command by KeyboardInterrupt, so that nothing is left half-written.

    A signal that whoever started us ignores stays ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, after some pauses if it would come at a bad moment."""
    global _came, _n_pauses
    if number in (signal.SIGINT, signal.SIGTERM):
        _came = signal.Signals(number)
    if _is_holding(frame) and _n_pauses < _MOST_PAUSES and hasattr(signal, "setitimer"):
        _n_pauses += 1
        signal.setitimer(signal.ITIMER_REAL, _PAUSE)
        return
    _n_pauses = 0
    raise KeyboardInterrupt


def _is_holding(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_globals.get("__name__") in _UNSAFE_MODULES


def name() -> str:
    """Return what the signal that came is called."""
    return "SIGTERM" if _came == signal.SIGTERM else "Ctrl-C"


def message() -> str:
    """Return what the signal that came has done."""
    return "terminated" if _came == signal.SIGTERM else "interrupted"


def exit_code() -> int:
    """Return the exit code that a shell has for it: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + _came
