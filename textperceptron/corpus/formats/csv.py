"""Comma-separated values: quoted fields may contain delimiters and line ends; with or without a header."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from textperceptron.corpus.columns import Columns, pick_columns
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import ParsedRows, Report, TextBlock, is_blank, is_undecodable, text_blocks
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

DELIMITERS = ",;\t|"
MAX_FIELD_LENGTH = 2**31 - 1  # the largest C long on every platform
FIRST_LINE_LENGTH = 1 << 16  # characters that are searched for the delimiter
# Python's reader treats a lone \r as a line end, so it gets this character instead, which no decoder yields: surrogates
# below \udc80 come neither from UTF-8 nor from "surrogateescape".
_LONE_RETURN, _PLACEHOLDER = re.compile("\r(?!\n)"), "\udc0d"
# A quoted field, perhaps incomplete; a quote inside a field that does not begin with one is text.
_QUOTED = re.compile(rf'(?:\A|(?<=[{DELIMITERS}]))"(?:[^"]|"")*+"?')


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a CSV file."""
    delimiter = options.delimiter or sniff_delimiter(stream.text_head(contains_record))
    feed = _Feed(text_blocks(stream, options))
    # strict: an unclosed quote must not silently swallow the rest of the file.
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    columns: Columns | None = None
    is_last = False
    while not is_last:
        rows, numbers, problem, is_last = _next_chunk(reader, feed, stream)
        if rows and columns is None:
            columns = pick_columns(rows[0], options, Location(stream.name, numbers[0]), rows)
            choice = replace(columns.choice, delimiter=delimiter, has_mark=stream.has_mark)
            columns = replace(columns, choice=choice)
            if columns.has_header:
                rows, numbers = rows[1:], numbers[1:]
        if columns is not None:
            if len(columns.names) > 1:  # a line of spaces is blank, too
                kept = [k for k, row in enumerate(rows) if len(row) > 1 or not is_blank(row[0])]
                rows, numbers = [rows[k] for k in kept], [numbers[k] for k in kept]
            yield columns.select(rows, numbers, stream.name, report)
        if isinstance(problem, _UnclosedQuoteError):
            raise problem
        if problem is not None:
            report(problem)


class _Feed:
    """The lines of a file for csv.reader; ``n_buffered`` counts those that are available without reading."""

    def __init__(self, blocks: Iterator[TextBlock]) -> None:
        self._blocks = blocks
        self._lines: Iterator[str] = iter(())
        self.n_buffered = 0
        self.has_undecodable = self.has_placeholder = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self.n_buffered:
            lines = self._split(next(self._blocks))
            self._lines, self.n_buffered = iter(lines), len(lines)
        self.n_buffered -= 1
        return next(self._lines)

    def _split(self, block: TextBlock) -> list[str]:
        self.has_undecodable |= block.has_undecodable
        text = block.text
        if "\r" in text and (changed := _LONE_RETURN.sub(_PLACEHOLDER, text)) != text:
            text, self.has_placeholder = changed, True
        return list(io.StringIO(text, newline="\n"))


class _Chunk(NamedTuple):
    """Rows, the numbers of their first lines, the error of a bad row after them, and whether the file ends here."""

    rows: list[list[str]]
    numbers: list[int]
    problem: CorpusError | None = None
    is_last: bool = False


def _next_chunk(reader: Any, feed: _Feed, stream: Stream) -> _Chunk:
    rows: list[list[str]] = []
    numbers: list[int] = []
    _allow_long_fields()
    while feed.n_buffered or not rows:  # available rows do not wait for a slow writer
        number = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return _Chunk(rows, numbers, is_last=True)
        except csv.Error as error:
            return _Chunk(rows, numbers, _not_csv(error, Location(stream.name, number)))
        if feed.has_undecodable and any(map(is_undecodable, row)):
            return _Chunk(rows, numbers, _undecodable_row(row, stream, number))
        if feed.has_placeholder:
            row = [cell.replace(_PLACEHOLDER, "\r") for cell in row]
        if row:
            rows.append(row)
            numbers.append(number)
    return _Chunk(rows, numbers)


def _allow_long_fields() -> None:
    """Raise the csv module's limit on the length of a field: a document may be longer than the default of 128 kB.

    The limit is global, so it is never lowered again: another thread may be reading. This needs no lock, because every
    thread sets the same value; a higher limit set by the caller is kept.
    """
    if csv.field_size_limit() < MAX_FIELD_LENGTH:
        csv.field_size_limit(MAX_FIELD_LENGTH)


class _UnclosedQuoteError(CorpusError):
    """Not one bad row but the end of all rows, so it cannot be skipped."""


def _not_csv(error: csv.Error, location: Location) -> CorpusError:
    if "end of data" in str(error):
        return _UnclosedQuoteError(
            "a quote that is opened here is never closed", location,
            'Close it, or double a quote that is part of the text ("").',
        )  # fmt: skip
    return CorpusError(
        f"the row is not CSV ({error})", location,
        'Double a quote that is part of the text (""), or use --skip-bad to leave such lines out.',
    )  # fmt: skip


def _undecodable_row(row: list[str], stream: Stream, number: int) -> CorpusError:
    cell = next(filter(is_undecodable, row))
    return CorpusError(
        f"the row is not {stream.encoding} ({excerpt(cell)})", Location(stream.name, number),
        kind=f"not {stream.encoding}",
    )  # fmt: skip


def sniff_delimiter(head: str) -> str:
    """Return the delimiter that is most frequent outside quotes in the first line; a comma if there is none.

    Examples
    --------
    >>> sniff_delimiter('label;text' + chr(10)), sniff_delimiter('"one; two; three","four"')
    (';', ',')
    """
    return max(DELIMITERS, key=_outside_quotes(head).partition("\n")[0].count)


def contains_record(head: str) -> bool:
    r"""Whether ``head`` contains the end of a record, outside quotes, or is too long to search further.

    Examples
    --------
    >>> contains_record('"one; two\nthree'), contains_record('"one; two\nthree",pos\n')
    (False, True)
    """
    return "\n" in _outside_quotes(head) or len(head) >= FIRST_LINE_LENGTH


def _outside_quotes(head: str) -> str:
    return _QUOTED.sub("", head[:FIRST_LINE_LENGTH].lstrip())
