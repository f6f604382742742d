"""Bytes in blocks: from a file or a stream, decompressed, with a look at the first."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from textperceptron.corpus.errors import MAY_READ, CorpusError, Place, optional_module

# Compressed, this becomes a few hundred kB of text: large enough to make a loop's cost vanish, small enough for L2.
BLOCK = 1 << 17
STANDARD_INPUT = "standard input"  # as messages call it
_COMPRESSED = (
    ("gzip", re.compile(rb"\x1f\x8b\x08")),
    ("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")),
    ("xz", re.compile(rb"\xfd7zXZ\x00")),
    ("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")),
)


class Peeked:
    """Blocks that can be looked at before they are read; nothing is read twice."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._rest = iter(blocks)
        self._held = b""

    def head(self, enough: Callable[[bytes], bool] = bool, most: int = 1 << 20) -> bytes:
        """Return the first bytes: as many as are ``enough``, ``most``, or all there are."""
        while len(self._held) < most and not enough(self._held):
            block = next(self._rest, None)
            if block is None:
                break
            self._held += block
        return self._held

    def __iter__(self) -> Iterator[bytes]:
        if held := self._held:
            self._held = b""
            yield held
        yield from self._rest


def file_blocks(path: str | os.PathLike[str], name: str) -> Iterator[bytes]:
    """Yield the bytes of a file on disk."""
    try:
        with open(path, "rb", buffering=0) as file:
            while block := file.read(BLOCK):
                yield block
    except OSError as error:
        raise CorpusError(f"the file cannot be read ({error.strerror})", Place(name), MAY_READ) from None


def regular_blocks(path: str) -> Iterator[bytes]:
    """Yield the bytes of a file that a folder or a pattern led to; a pipe would be waited for, perhaps for ever.

    Raises
    ------
    CorpusError
        If it is a pipe, a socket or a device.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:
        mode = stat.S_IFREG  # opening it says what is wrong
    if not stat.S_ISREG(mode):
        kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
        raise CorpusError(
            f"this is a {kind}, not a regular file", Place(path),
            "Move it out of the corpus, or read it by itself: name its path.",
        )  # fmt: skip
    yield from file_blocks(path, path)


def stream_blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of an open stream as they come, so that a slow writer's lines are not held back."""
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    while block := read(BLOCK):
        if not isinstance(block, bytes):
            raise CorpusError("a stream of bytes is needed, not of text", None, "Open the file in mode 'rb'.")
        yield block


def standard_input() -> BinaryIO:
    """Return standard input as bytes.

    Raises
    ------
    CorpusError
        If whoever started the process has closed it.
    """
    if sys.stdin is None or sys.stdin.closed:
        remedy = "Send a file or a pipe to it, or name a file instead of -."
        raise CorpusError("it is closed", Place(STANDARD_INPUT), remedy)
    return sys.stdin.buffer


def decompressed(blocks: Peeked, name: str) -> Iterator[bytes]:
    """Yield what is inside gzip, bzip2, xz or Zstandard data; other data as they are."""
    head = blocks.head()
    kind = next((kind for kind, magic in _COMPRESSED if magic.match(head)), None)
    if kind is None:
        yield from blocks
        return
    new, failures = _decompressor(kind)
    decoder = new()
    try:
        for block in blocks:
            while block:
                if decoder.eof:  # another member follows, or the zeros that fill up a tape
                    block = block.lstrip(b"\0")
                    if not block:
                        break
                    decoder = new()
                if out := decoder.decompress(block):
                    yield out
                block = decoder.unused_data if decoder.eof else b""
    except failures as error:
        raise CorpusError(f"the {kind} data are damaged ({error})", Place(name), "Fetch or write it again.") from None
    if not decoder.eof:
        raise CorpusError(f"the {kind} data are cut short", Place(name), "Fetch or write the file again.")


def _decompressor(kind: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """Return what makes a decoder for one member, and what it raises for bad data."""
    if kind == "gzip":
        import zlib

        return lambda: zlib.decompressobj(31), (zlib.error,)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, (OSError,)
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor, (lzma.LZMAError,)
    zstandard = optional_module("zstandard", "zstd", "Zstandard data")
    return lambda: zstandard.ZstdDecompressor().decompressobj(), (zstandard.ZstdError,)
