"""Lines of text on standard output, in colour where it is a terminal; and on standard error.

The same characters go to a terminal and to a file, without control characters from data, see
:mod:`textperceptron.cli.escaping`. Rich is imported for a terminal only.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

from textperceptron.cli.escaping import escaped
from textperceptron.cli.output import standard_output

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Piece = str | tuple[str, str]
"""Some characters, or characters and their style as Rich names it."""


class Screen:
    """Where a verb prints to: standard output, or standard error if that one carries something else.

    Parameters
    ----------
    stream : text stream, optional
        Instead of standard output.

    Raises
    ------
    OSError
        If standard output is closed.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = standard_output() if stream is None else stream
        if isinstance(self._stream, io.TextIOWrapper):
            self._stream.reconfigure(errors="replace")  # a terminal without ━ still shows the figures
        self._console: Console | None = None
        self.is_terminal = is_terminal(self._stream)

    @property
    def console(self) -> Console:
        """Rich's console for it."""
        if self._console is None:
            from rich.console import Console

            class LastingConsole(Console):
                """Goes on when the reader is gone, where Rich's own ends the process."""

                def on_broken_pipe(self) -> None:
                    abandon_output()

            self._console = LastingConsole(file=self._stream, highlight=False, soft_wrap=True)
        return self._console

    def line(self, *pieces: Piece) -> None:
        """Print the pieces one behind the other, and a line's end; spaces at the end are left out.

        Control characters are escaped, tabs and line ends among them. A reader that is gone, such as head, does not
        keep a verb from what else it has to do.
        """
        if self.is_terminal:
            self.console.print(styled(*pieces), soft_wrap=True)
            return
        text = "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)
        try:
            print(escaped(text).rstrip(), file=self._stream)
        except BrokenPipeError:
            abandon_output()


def styled(*pieces: Piece) -> Text:
    """Return pieces of a line as Rich's text, which has no markup, with control characters escaped."""
    from rich.text import Text

    text = Text.assemble(
        *(escaped(piece) if isinstance(piece, str) else (escaped(piece[0]), piece[1]) for piece in pieces)
    )
    text.rstrip()
    return text


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is shown to a person; the variable FORCE_COLOR says so of any."""
    return bool(os.environ.get("FORCE_COLOR")) or (stream is not None and stream.isatty())


def say(message: str, by: str = "textperceptron") -> None:
    """Print a line to standard error, escaped; whether anybody reads it makes no difference to the command."""
    if sys.stderr is not None:  # else print would take standard output, which has results in it
        with contextlib.suppress(OSError):
            print(escaped(f"{by}: {message}"), file=sys.stderr)


def abandon_output() -> None:
    """Let what was not written yet go nowhere, so that Python does not try again and complain when it ends."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # closed, or no file of the system at all
        sys.stdout.flush()
        return
    with contextlib.suppress(AttributeError, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
