"""Signals that end a command in good order: Ctrl-C, and SIGTERM, which other programs send."""

from __future__ import annotations

import signal
from types import FrameType

_came = signal.SIGINT


def heed_termination() -> None:
    """Let SIGTERM do what Ctrl-C does, so that nothing is left half-written, unless whoever started us ignores it."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _came
    _came = signal.Signals(number)
    raise KeyboardInterrupt


def name() -> str:
    """Return what the signal that came is called."""
    return "SIGTERM" if _came == signal.SIGTERM else "Ctrl-C"


def what_happened() -> str:
    """Return what the signal that came has done."""
    return "terminated" if _came == signal.SIGTERM else "interrupted"


def exit_code() -> int:
    """Return the exit code that a shell has for it: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + _came
