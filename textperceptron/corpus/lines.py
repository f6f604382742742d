r"""Blocks of bytes → lines of text; a line ends at ``\n`` or ``\r\n`` and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from textperceptron.corpus.errors import CorpusError, Place, excerpt
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

Report = Callable[[CorpusError], None]  # raises the error or counts it

# What "surrogateescape" makes of bytes that are no text; strict decoding never makes these characters.
_UNDECODABLE = re.compile("[\udc80-\udcff]")


class UndecodableError(CorpusError):
    """A document that is not in the encoding; other errors mean that a file is damaged, and are never skipped."""


class Rows(NamedTuple):
    """Documents of one file, their labels (none if they have none) and the numbers of the lines they begin at."""

    texts: list[str]
    labels: list[str]
    numbers: Sequence[int]
    unit: str = "line"


class TextBlock(NamedTuple):
    """Whole lines, decoded, and the number of the first."""

    text: str
    number: int
    has_undecodable: bool


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the same bytes, each block but perhaps the last ending in ``\n``."""
    begun: list[bytes] = []
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            begun.append(block[:cut] if cut < len(block) else block)
            yield b"".join(begun) if len(begun) > 1 else begun[0]
            begun = [block[cut:]] if cut < len(block) else []
        elif block:
            begun.append(block)
    if begun:
        yield b"".join(begun)


def text_blocks(stream: Stream, options: ReadOptions) -> Iterator[TextBlock]:
    """Yield decoded blocks of whole lines, for rows that may go over several.

    Bytes that are no text raise, or are left in as what :func:`is_undecodable` finds, for the caller to skip the row.
    """
    stream.as_text()
    number = 1
    for block in whole_lines(stream.data):
        try:
            text, bad = block.decode(stream.encoding, options.errors), False
        except UnicodeDecodeError as error:
            escaped = _escaped(block, stream.encoding) if options.on_bad == "skip" else None
            if escaped is None:
                raise _undecodable(stream, number, block, error) from None
            text, bad = escaped, True
        yield TextBlock(text, number, bad)
        number += block.count(b"\n")


def _escaped(block: bytes, encoding: str) -> str | None:
    with suppress(UnicodeDecodeError):  # UTF-7 has bytes that even so cannot be kept
        return block.decode(encoding, "surrogateescape")
    return None


def text_lines(stream: Stream, options: ReadOptions, report: Report) -> Iterator[tuple[list[str], Sequence[int]]]:
    """Yield lists of lines without their ends, and their numbers.

    Bytes are split before they are decoded: it takes half the time of decoding a block at once, where a few wide
    characters make all of it wide, and splitting that.
    """
    stream.as_text()
    encoding, errors = stream.encoding, options.errors
    number = 1
    for block in whole_lines(stream.data):
        raw = block.split(b"\n")
        last = raw.pop()
        if b"\r" in block:
            raw = [line.removesuffix(b"\r") for line in raw]
        if last:  # the end of the file, without a line's end
            raw.append(last)
        numbers = range(number, number + len(raw))
        number += len(raw)
        try:
            decoded = [str(line, encoding, errors) for line in raw]
        except UnicodeDecodeError:
            yield from _lines_between_bad_ones(raw, numbers, stream, options, report)
        else:
            yield decoded, numbers


def _lines_between_bad_ones(
    raw: list[bytes], numbers: range, stream: Stream, options: ReadOptions, report: Report
) -> Iterator[tuple[list[str], range]]:
    """Yield the lines before a bad one first, so that whatever else is wrong is reported in the order of the file."""
    begin, lines = 0, []
    for end, line in enumerate(raw):
        try:
            lines.append(line.decode(stream.encoding, options.errors))
        except UnicodeDecodeError as error:
            yield lines, numbers[begin:end]
            report(_undecodable(stream, numbers[end], line, error))
            begin, lines = end + 1, []
    yield lines, numbers[begin:]


def is_undecodable(text: str) -> bool:
    """Whether undecodable bytes were left in a text."""
    return _UNDECODABLE.search(text) is not None


def decode_document(raw: bytes, stream: Stream, options: ReadOptions) -> str:
    """Return a whole file as one text; bytes that are no text raise."""
    try:
        return raw.decode(stream.encoding, options.errors)
    except UnicodeDecodeError as error:
        raise _undecodable(stream, 1, raw, error) from None


def _undecodable(stream: Stream, first: int, block: bytes, error: UnicodeDecodeError) -> UndecodableError:
    begin = block.rfind(b"\n", 0, error.start) + 1
    line = first + block.count(b"\n", 0, begin)
    around = block[max(begin, error.start - 20) : error.start + 20].partition(b"\n")[0]
    shown = excerpt(around.decode(stream.encoding, "backslashreplace").rstrip("\r"))
    other = "latin-1 or cp1252" if stream.encoding.lower().replace("-", "") == "utf8" else "utf-8"
    return UndecodableError(
        f"byte {error.start - begin + 1} of the line, 0x{block[error.start]:02x}, is not {stream.encoding} ({shown})",
        Place(stream.name, line),
        f"Name the file's encoding (--encoding {other}), put a character in its place (--errors replace), "
        "or use --skip-bad to leave such lines out.",
    )


def is_blank(line: str) -> bool:
    """Whether a line holds nothing but spaces; a tab would be a separator."""
    return not line.strip(" ")
