"""Comma-separated: fields in quotes may hold delimiters and line ends; with or without a header."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from textperceptron.corpus.columns import Columns, pick_columns
from textperceptron.corpus.errors import CorpusError, Place, excerpt
from textperceptron.corpus.lines import Report, Rows, TextBlock, is_blank, is_undecodable, text_blocks
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

DELIMITERS = ",;\t|"
LONGEST_FIELD = 2**31 - 1  # what a C long holds everywhere
FIRST_LINE = 1 << 16  # characters in which a first delimiter must stand
# Python's reader takes \r for a line's end, also where it is text. It meets this character instead, which no decoder
# makes: lone surrogates below \udc80 are neither UTF-8 nor "surrogateescape".
_LONE_RETURN, _STAND_IN = re.compile("\r(?!\n)"), "\udc0d"
# A field in quotes, or what there is of it; a quote inside a field that does not begin with one is text.
_QUOTED = re.compile(rf'(?:\A|(?<=[{DELIMITERS}]))"(?:[^"]|"")*+"?')


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[Rows]:
    """Yield the rows of a CSV file."""
    delimiter = options.delimiter or sniff_delimiter(stream.text_head(has_a_record))
    feed = _Feed(text_blocks(stream, options))
    # strict: an unclosed quote must not swallow the rest of the file in silence.
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    columns: Columns | None = None
    is_last = False
    while not is_last:
        rows, numbers, problem, is_last = _next_part(reader, feed, stream)
        if rows and columns is None:
            columns = pick_columns(rows[0], options, Place(stream.name, numbers[0]))
            if columns.has_header:
                rows, numbers = rows[1:], numbers[1:]
        if columns is not None:
            if columns.width > 1:  # a line of nothing but spaces is empty, too
                kept = [k for k, row in enumerate(rows) if len(row) > 1 or not is_blank(row[0])]
                rows, numbers = [rows[k] for k in kept], [numbers[k] for k in kept]
            yield columns.take(rows, numbers, stream.name, report)
        if isinstance(problem, _UnclosedQuoteError):
            raise problem
        if problem is not None:
            report(problem)


class _Feed:
    """The lines of a file, for csv.reader; ``left`` says how many more have come."""

    def __init__(self, blocks: Iterator[TextBlock]) -> None:
        self._blocks = blocks
        self._lines: Iterator[str] = iter(())
        self.left = 0
        self.has_undecodable = self.has_stand_in = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self.left:
            lines = self._cut(next(self._blocks))
            self._lines, self.left = iter(lines), len(lines)
        self.left -= 1
        return next(self._lines)

    def _cut(self, block: TextBlock) -> list[str]:
        self.has_undecodable |= block.has_undecodable
        text = block.text
        if "\r" in text and (changed := _LONE_RETURN.sub(_STAND_IN, text)) != text:
            text, self.has_stand_in = changed, True
        return list(io.StringIO(text, newline="\n"))


class _Part(NamedTuple):
    """The next rows, the lines they begin at, a bad row behind them if there is one, and whether this is the end."""

    rows: list[list[str]]
    numbers: list[int]
    problem: CorpusError | None = None
    is_last: bool = False


def _next_part(reader: Any, feed: _Feed, stream: Stream) -> _Part:
    rows: list[list[str]] = []
    numbers: list[int] = []
    _allow_long_fields()
    while feed.left or not rows:  # rows that have come are not held back until others come
        number = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return _Part(rows, numbers, is_last=True)
        except csv.Error as error:
            return _Part(rows, numbers, _not_csv(error, Place(stream.name, number)))
        if feed.has_undecodable and any(map(is_undecodable, row)):
            return _Part(rows, numbers, _no_text(row, stream, number))
        if feed.has_stand_in:
            row = [cell.replace(_STAND_IN, "\r") for cell in row]
        if row:
            rows.append(row)
            numbers.append(number)
    return _Part(rows, numbers)


def _allow_long_fields() -> None:
    """Raise the csv module's limit on the length of a field: a document may be longer than its 128 kB.

    The limit is one for the whole process, so it is never lowered again: another thread may be reading. That needs no
    lock, as every thread sets the same value, and one that the caller has set higher stays.
    """
    if csv.field_size_limit() < LONGEST_FIELD:
        csv.field_size_limit(LONGEST_FIELD)


class _UnclosedQuoteError(CorpusError):
    """No bad row, but the end of all rows, so that it cannot be left out."""


def _not_csv(error: csv.Error, place: Place) -> CorpusError:
    if "end of data" in str(error):
        return _UnclosedQuoteError(
            "a quote that is opened here is never closed", place,
            'Close it, or double a quote that is part of the text ("").',
        )  # fmt: skip
    return CorpusError(
        f"the row is not CSV ({error})", place,
        'Double a quote that is part of the text (""), or use --skip-bad to leave such lines out.',
    )  # fmt: skip


def _no_text(row: list[str], stream: Stream, number: int) -> CorpusError:
    cell = next(filter(is_undecodable, row))
    return CorpusError(f"the row is not {stream.encoding} ({excerpt(cell)})", Place(stream.name, number))


def sniff_delimiter(head: str) -> str:
    """Return the character that most often separates fields of the first line, outside quotes; a comma if none does.

    Examples
    --------
    >>> sniff_delimiter('label;text' + chr(10)), sniff_delimiter('"one; two; three","four"')
    (';', ',')
    """
    return max(DELIMITERS, key=_outside_quotes(head).partition("\n")[0].count)


def has_a_record(head: str) -> bool:
    r"""Whether there is the end of a record, which is none in quotes; or so much that there should be.

    Examples
    --------
    >>> has_a_record('"one; two\nthree'), has_a_record('"one; two\nthree",pos\n')
    (False, True)
    """
    return "\n" in _outside_quotes(head) or len(head) >= FIRST_LINE


def _outside_quotes(head: str) -> str:
    return _QUOTED.sub("", head[:FIRST_LINE].lstrip())
