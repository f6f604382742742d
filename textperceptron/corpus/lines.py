r"""Blocks of bytes → lines of text; a line ends at ``\n`` or ``\r\n`` and nowhere else."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from textperceptron._kernels import cut_labelled, cut_lines
from textperceptron.corpus.documents import ColumnChoice, Records
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

Report = Callable[[CorpusError], None]  # raises the error or counts it
NumberedLines = tuple[list[str], Sequence[int]]  # lines without their ends, and their numbers

# The characters that "surrogateescape" makes of undecodable bytes; strict decoding never yields them.
_UNDECODABLE = re.compile("[\udc80-\udcff]")


class UndecodableError(CorpusError):
    """A document with undecodable bytes; other errors mean that a file is damaged, and are never skipped."""


class ParsedRows(NamedTuple):
    """Documents of one file, their labels (empty without labels) and the numbers of their first lines.

    ``choice`` tells which columns they come from, and ``records`` has the columns to keep.
    """

    texts: list[str]
    labels: list[Any]
    numbers: Sequence[int]
    unit: str = "line"
    choice: ColumnChoice | None = None
    records: Records | None = None


class TextBlock(NamedTuple):
    """Complete lines, decoded, and the number of the first."""

    text: str
    number: int
    has_undecodable: bool


@dataclass(frozen=True, slots=True)
class LineSpan:
    r"""Complete lines: ``head``, a line that began in earlier blocks (or empty), then ``block[start:stop]``.

    All lines end in ``\n``, except perhaps the last of a file.
    """

    head: bytes
    block: bytes
    start: int
    stop: int

    def copy(self) -> bytes:
        """Return the lines as one bytes object."""
        return self.head + self.block[self.start : self.stop]


def line_spans(blocks: Iterable[bytes]) -> Iterator[LineSpan]:
    """Yield all lines; only lines that cross a block border are copied."""
    incomplete: list[bytes] = []
    for block in blocks:
        stop = block.rfind(b"\n") + 1
        if stop:
            start = block.find(b"\n") + 1 if incomplete else 0
            yield LineSpan(b"".join([*incomplete, block[:start]]), block, start, stop)
            incomplete = []
        if stop < len(block):
            incomplete.append(block[stop:])
    if incomplete:
        yield LineSpan(b"".join(incomplete), b"", 0, 0)


class LineReader:
    """Reads the lines of a file and numbers them: one span at a time, each span once.

    Compiled code reads UTF-8, which nearly all files are. It has neither rules for special cases nor messages: a span
    that it rejects takes the slow path, and so does every other encoding.
    """

    def __init__(self, stream: Stream, options: ReadOptions, report: Report) -> None:
        self._stream, self._options, self._report = stream.as_text(), options, report
        self._is_utf8 = codecs.lookup(stream.encoding).name == "utf-8"
        self._next_number = 1

    def spans(self) -> Iterator[LineSpan]:
        """Yield the spans to read."""
        return line_spans(self._stream.data)

    def read_labelled(self, span: LineSpan, prefix: bytes = b"", *, ends_at_space: bool = False) -> ParsedRows | None:
        """Return the rows of a span if every line is prefix, label, tab (or space) and text; else None."""
        found = None
        if self._is_utf8:
            with suppress(UnicodeDecodeError):
                found = cut_labelled(span.head, span.block, span.start, span.stop, prefix, ends_at_space)
        return None if found is None else ParsedRows(*found, self._numbers(len(found[0])))

    def read_lines(self, span: LineSpan) -> Iterator[NumberedLines]:
        """Yield the lines of a span, as more than one list if there are undecodable lines between them."""
        lines = None
        if self._is_utf8:
            with suppress(UnicodeDecodeError):
                lines = cut_lines(span.head, span.block, span.start, span.stop)
        if lines is None:
            return self._read_slow_path(span.copy())
        return iter([(lines, self._numbers(len(lines)))])

    def _numbers(self, count: int) -> range:
        first = self._next_number
        self._next_number += count
        return range(first, self._next_number)

    def _read_slow_path(self, block: bytes) -> Iterator[NumberedLines]:
        raw = block.split(b"\n")
        last = raw.pop()
        if b"\r" in block:
            raw = [line.removesuffix(b"\r") for line in raw]
        if last:  # the end of the file, without a line end
            raw.append(last)
        return self._decode_lines(raw, self._numbers(len(raw)))

    def _decode_lines(self, raw: list[bytes], numbers: range) -> Iterator[NumberedLines]:
        """Yield the lines before an undecodable one first, so that errors are reported in the order of the file."""
        start = 0
        lines: list[str] = []
        for stop, line in enumerate(raw):
            try:
                lines.append(str(line, self._stream.encoding, self._options.errors))
            except UnicodeDecodeError as error:
                yield lines, numbers[start:stop]
                self._report(undecodable_error(self._stream, numbers[stop], line, error))
                start, lines = stop + 1, []
        yield lines, numbers[start:]


def text_lines(stream: Stream, options: ReadOptions, report: Report) -> Iterator[NumberedLines]:
    """Yield lists of lines without their ends, and their numbers."""
    reader = LineReader(stream, options, report)
    for span in reader.spans():
        yield from reader.read_lines(span)


def text_blocks(stream: Stream, options: ReadOptions) -> Iterator[TextBlock]:
    """Yield decoded blocks of complete lines, for formats whose rows may span several lines.

    Undecodable bytes raise, or with ``on_bad="skip"`` are escaped so that :func:`is_undecodable` finds them and the
    caller can skip the row.
    """
    stream.as_text()
    number = 1
    for span in line_spans(stream.data):
        block = span.copy()
        try:
            text, has_undecodable = block.decode(stream.encoding, options.errors), False
        except UnicodeDecodeError as error:
            escaped = _escape(block, stream.encoding) if options.on_bad == "skip" else None
            if escaped is None:
                raise undecodable_error(stream, number, block, error) from None
            text, has_undecodable = escaped, True
        yield TextBlock(text, number, has_undecodable)
        number += block.count(b"\n")


def _escape(block: bytes, encoding: str) -> str | None:
    with suppress(UnicodeDecodeError):  # some bytes of UTF-7 cannot be escaped either
        return block.decode(encoding, "surrogateescape")
    return None


def is_undecodable(text: str) -> bool:
    """Whether a text contains escaped undecodable bytes."""
    return _UNDECODABLE.search(text) is not None


def decode_document(raw: bytes, stream: Stream, options: ReadOptions) -> str:
    """Return a whole file as one text; undecodable bytes raise."""
    try:
        return raw.decode(stream.encoding, options.errors)
    except UnicodeDecodeError as error:
        raise undecodable_error(stream, 1, raw, error) from None


def undecodable_error(stream: Stream, first: int, block: bytes, error: UnicodeDecodeError) -> UndecodableError:
    """Build the error for undecodable bytes in a block whose first line has the number ``first``."""
    start = block.rfind(b"\n", 0, error.start) + 1
    line = first + block.count(b"\n", 0, start)
    around = block[max(start, error.start - 20) : error.start + 20].partition(b"\n")[0]
    shown = excerpt(around.decode(stream.encoding, "backslashreplace").rstrip("\r"))
    other = "latin-1 or cp1252" if stream.encoding.lower().replace("-", "") == "utf8" else "utf-8"
    return UndecodableError(
        f"byte {error.start - start + 1} of the line, 0x{block[error.start]:02x}, is not {stream.encoding} ({shown})",
        Location(stream.name, line),
        f"Name the file's encoding (--encoding {other}), replace such bytes (--errors replace), "
        "or use --skip-bad to leave such lines out.",
        f"not {stream.encoding}",
    )


def is_blank(line: str) -> bool:
    """Whether a line is empty or only spaces; a tab would be a separator."""
    return not line.strip(" ")
