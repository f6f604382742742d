r"""Blocks of bytes → whole lines, and what of them is no text; a line ends at ``\n`` or ``\r\n`` and nowhere else."""

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


class Part(NamedTuple):
    r"""Whole lines: one that other blocks begin, if there is one, and ``block[start:stop]``.

    All end in ``\n``, but perhaps the last of a file.
    """

    head: bytes
    block: bytes
    start: int
    stop: int

    def raw(self) -> bytes:
        """Return a copy of the lines."""
        return self.head + self.block[self.start : self.stop]


def line_parts(blocks: Iterable[bytes]) -> Iterator[Part]:
    """Yield all lines; of the bytes only those of lines that go over blocks are copied."""
    begun: list[bytes] = []
    for block in blocks:
        stop = block.rfind(b"\n") + 1
        if stop:
            start = block.find(b"\n") + 1 if begun else 0
            yield Part(b"".join([*begun, block[:start]]), block, start, stop)
            begun = []
        if stop < len(block):
            begun.append(block[stop:])
    if begun:
        yield Part(b"".join(begun), b"", 0, 0)


def text_blocks(stream: Stream, options: ReadOptions) -> Iterator[TextBlock]:
    """Yield decoded blocks of whole lines, for rows that may go over several.

    Bytes that are no text raise, or are left in as what :func:`is_undecodable` finds, for the caller to skip the row.
    """
    stream.as_text()
    number = 1
    for part in line_parts(stream.data):
        block = part.raw()
        try:
            text, bad = block.decode(stream.encoding, options.errors), False
        except UnicodeDecodeError as error:
            escaped = _escaped(block, stream.encoding) if options.on_bad == "skip" else None
            if escaped is None:
                raise undecodable(stream, number, block, error) from None
            text, bad = escaped, True
        yield TextBlock(text, number, bad)
        number += block.count(b"\n")


def _escaped(block: bytes, encoding: str) -> str | None:
    with suppress(UnicodeDecodeError):  # UTF-7 has bytes that even so cannot be kept
        return block.decode(encoding, "surrogateescape")
    return None


def is_undecodable(text: str) -> bool:
    """Whether undecodable bytes were left in a text."""
    return _UNDECODABLE.search(text) is not None


def decode_document(raw: bytes, stream: Stream, options: ReadOptions) -> str:
    """Return a whole file as one text; bytes that are no text raise."""
    try:
        return raw.decode(stream.encoding, options.errors)
    except UnicodeDecodeError as error:
        raise undecodable(stream, 1, raw, error) from None


def undecodable(stream: Stream, first: int, block: bytes, error: UnicodeDecodeError) -> UndecodableError:
    """Return the error for bytes that are no text, in a block whose first line has the number ``first``."""
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
