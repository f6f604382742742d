"""Console output: lines on standard output, coloured in a terminal, and messages on standard error.

The same characters go to a terminal and to a file. Control characters from data are escaped, see
:mod:`textperceptron.cli.escaping`. Rich is imported for terminals only.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from textperceptron._format import escaped, shown_term
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.output import standard_output

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
    from rich.text import Text

Span = str | tuple[str, str]
"""A run of characters, or the characters and their Rich style."""

LINE_WIDTH = 80
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


class Console:
    """Prints the lines of a verb to standard output, or to another stream.

    Parameters
    ----------
    stream : text stream, optional
        Replaces standard output, for instance when that carries a model.

    Raises
    ------
    OSError
        If standard output is closed.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = standard_output() if stream is None else stream
        if isinstance(self._stream, io.TextIOWrapper):
            self._stream.reconfigure(errors="replace")  # a terminal without ━ still shows the figures
        self._rich: RichConsole | None = None
        self.is_terminal = is_terminal(self._stream)

    @property
    def rich(self) -> RichConsole:
        """The Rich console that writes to the same stream."""
        if self._rich is None:
            with deferred_interrupts():
                from rich.console import Console as RichConsole

            class PipeTolerantConsole(RichConsole):
                """Ignores a closed pipe, where Rich's own console ends the process."""

                def on_broken_pipe(self) -> None:
                    discard_output()

            self._rich = PipeTolerantConsole(file=self._stream, highlight=False, soft_wrap=True)
        return self._rich

    @property
    def has_colours(self) -> bool:
        """Whether lines are printed in colour: in a terminal, unless NO_COLOR is set."""
        return self.is_terminal and not self.rich.no_color

    def line(self, *spans: Span) -> None:
        """Print one line, with trailing spaces removed and control characters escaped.

        A closed pipe (``| head``) is ignored: the verb may still have a model to save.
        """
        if self.is_terminal:
            self.rich.print(as_rich_text(*spans), soft_wrap=True)
            return
        text = "".join(span if isinstance(span, str) else span[0] for span in spans)
        try:
            print(escaped(text).rstrip(), file=self._stream)
        except BrokenPipeError:
            discard_output()

    def lines(self, lines: Iterator[list[Span]] | Sequence[Sequence[Span]]) -> None:
        """Print several lines."""
        for line in lines:
            self.line(*line)


def as_rich_text(*spans: Span) -> Text:
    """Return the spans of a line as Rich text, without markup and with control characters escaped."""
    with deferred_interrupts():
        from rich.text import Text

    text = Text.assemble(*(escaped(span) if isinstance(span, str) else (escaped(span[0]), span[1]) for span in spans))
    text.rstrip()
    return text


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; FORCE_COLOR makes any stream count as one."""
    return bool(os.environ.get("FORCE_COLOR")) or (stream is not None and stream.isatty())


def print_message(message: str, prefix: str = "textperceptron") -> None:
    """Print a line to standard error, with control characters escaped; a closed standard error is ignored."""
    if sys.stderr is not None:  # print(file=None) would write to standard output, among the results
        with contextlib.suppress(OSError):
            print(escaped(f"{prefix}: {message}"), file=sys.stderr)


def discard_output() -> None:
    """Flush standard output, or discard its buffer, so that Python does not fail on it at exit."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # closed, or not a file of the system
        sys.stdout.flush()
        return
    with contextlib.suppress(AttributeError, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def align_columns(rows: Sequence[Sequence[Span]], *, left: int = 1, gap: str = "  ") -> Iterator[list[Span]]:
    """Yield the spans of each row as a line with aligned columns: the first ``left`` to the left, others to the right.

    Control characters in a cell, such as a tab in a label, are escaped before its width is taken.

    Examples
    --------
    >>> for line in align_columns([["label", "n"], ["neg", "240"]]):
    ...     print("".join(line))
    label    n
    neg    240
    """
    widths = [max(len(_cell_text(row[k])) for row in rows if k < len(row)) for k in range(max(map(len, rows)))]
    for row in rows:
        line: list[Span] = []
        for k, cell in enumerate(row):
            text = _cell_text(cell)
            padded = text.ljust(widths[k]) if k < left else text.rjust(widths[k])
            line += [gap] if k else []
            line.append(padded if isinstance(cell, str) else (padded, cell[1]))
        yield line


def span_width(spans: Iterable[Span]) -> int:
    """Return the number of characters in spans, with control characters escaped."""
    return sum(len(_cell_text(span)) for span in spans)


def _cell_text(cell: Span) -> str:
    return escaped(cell if isinstance(cell, str) else cell[0])


def wrapped(head: Sequence[Span], text: str, indent: int = 2) -> Iterator[list[Span]]:
    r"""Yield a head and the text after it as lines of at most 80 characters, indented from the second on.

    Lines are broken at spaces after ``,``, ``;`` or ``·``. A no-break space is printed as a space.

    Examples
    --------
    >>> for line in wrapped(["pos  "], " · ".join(["a\N{NO-BREAK SPACE}lot", "brilliant", "superb"] * 4), 5):
    ...     print("".join(line))
    pos  a lot · brilliant · superb · a lot · brilliant · superb · a lot ·
         brilliant · superb · a lot · brilliant · superb
    """
    import textwrap

    start = span_width(head)
    lines = textwrap.wrap(
        re.sub(r"(?<![,;·]) ", NO_BREAK_SPACE, escaped(text)), LINE_WIDTH,
        initial_indent=" " * start, subsequent_indent=" " * indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    shown = [line.replace(NO_BREAK_SPACE, " ") for line in lines]
    yield [*head, shown[0][start:]] if shown else [*head]
    for line in shown[1:]:
        yield [line]


def term_list(terms: Iterable[str]) -> str:
    """Return terms as a text for ``wrapped``, which keeps the words of a term on one line; very long ones are cut."""
    return " · ".join(shown_term(term).replace(" ", NO_BREAK_SPACE) for term in terms)


def shortened(text: str, width: int) -> str:
    r"""Return a text on one line of at most ``width`` columns, or its beginning; wide characters take two columns.

    Examples
    --------
    >>> shortened("Lovely  soup,\nbut cold", 14), shortened("不好吃", 5)
    ('Lovely soup, …', '不好…')
    """
    import unicodedata

    line, used = " ".join(text[: 4 * width].split()), 0
    for k, character in enumerate(line):
        used += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if used > width - (k + 1 < len(line) or len(text) > 4 * width):
            return line[:k] + "…"
    return line


def format_bytes(n: int) -> str:
    """Return a size in kB or MB."""
    return f"{n / 1e6:.1f} MB" if n >= 1e6 else f"{n / 1e3:.0f} kB"


def plural(n: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun; ``nouns`` is a plural that adds more than an s.

    Examples
    --------
    >>> plural(1, "trial"), plural(2000, "trial"), plural(2, "class", "classes")
    ('1 trial', '2,000 trials', '2 classes')
    """
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"
