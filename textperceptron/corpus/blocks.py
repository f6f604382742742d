"""Bytes in blocks: from a file or a stream, decompressed, with a look at the first."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

from textperceptron.corpus.errors import MAY_READ, CorpusError, Place, optional_module

# Compressed, this becomes a few hundred kB of text: large enough to make a loop's cost vanish, small enough for L2.
BLOCK = 1 << 17
ENOUGH = 1 << 16  # unpacked bytes that are handed on together
STANDARD_INPUT = "standard input"  # as messages call it
# What compressed data may unpack to: this many bytes, or this many times their size if that is more. Text has 3 to 10
# times its compressed size, a log that repeats itself perhaps 100 times.
UNPACKED, TIMES = 100_000_000, 200
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


class UnpackLimit:
    """Counts the bytes that compressed data take and unpack to, and raises where a few unpack to very many.

    Parameters
    ----------
    kind : str
        What unpacks, for messages.
    packed : int, default=0
        Bytes that they take, if that is known from the beginning; else :attr:`packed` grows.
    """

    def __init__(self, kind: str, packed: int = 0) -> None:
        self.kind, self.packed, self.unpacked = kind, packed, 0

    def add(self, n_bytes: int, name: str) -> None:
        """Count unpacked bytes.

        Raises
        ------
        CorpusError
            If there are too many of them; ``name`` says where.
        """
        self.unpacked += n_bytes
        if self.unpacked > max(UNPACKED, TIMES * self.packed):
            raise CorpusError(
                f"the {self.kind} data unpack to more than {TIMES} times their size: {self.unpacked:,} bytes so far, "
                f"from {self.packed:,}", Place(name),
                "If you trust the file, unpack it and read the result; below 100 MB there is no limit.",
            )  # fmt: skip


def decompressed(blocks: Peeked, name: str) -> Iterator[bytes]:
    """Yield what is inside gzip, bzip2, xz or Zstandard data; other data as they are.

    Raises
    ------
    CorpusError
        If the data are damaged or cut short, or if they unpack to more than :class:`UnpackLimit` allows.
    """
    head = blocks.head()
    kind = next((kind for kind, magic in _COMPRESSED if magic.match(head)), None)
    if kind is None:
        yield from blocks
        return
    codec = _codec(kind)
    limit = UnpackLimit(kind)
    decoder = codec.new()
    try:
        for block in blocks:
            limit.packed += len(block)
            unpacked, size, at = [], 0, 0
            while at < len(block):
                if decoder.eof:  # another member follows, or the zeros that fill up a tape
                    if not block[at]:
                        at = len(block) - len(block[at:].lstrip(b"\0"))
                        continue
                    decoder = codec.new()
                piece = block[at : at + codec.step]
                out = decoder.decompress(piece)
                at += len(piece) - (len(decoder.unused_data) if decoder.eof else 0)
                limit.add(len(out), name)
                unpacked.append(out)
                size += len(out)
                if size >= ENOUGH:
                    yield b"".join(unpacked)
                    unpacked, size = [], 0
            if size:
                yield b"".join(unpacked)
    except codec.failures as error:
        raise CorpusError(f"the {kind} data are damaged ({error})", Place(name), "Fetch or write it again.") from None
    if not decoder.eof:
        raise CorpusError(f"the {kind} data are cut short", Place(name), "Fetch or write the file again.")


class _Codec(NamedTuple):
    """How one kind of data is decompressed.

    ``new`` makes a decoder for one member, ``failures`` are what it raises for bad data, and ``step`` is how many
    bytes it takes at a time: these unpack to 135 MB at most, which are held before they are counted.
    """

    new: Callable[[], Any]
    failures: tuple[type[Exception], ...]
    step: int


def _codec(kind: str) -> _Codec:
    if kind == "gzip":  # a byte unpacks to at most 1032
        import zlib

        return _Codec(lambda: zlib.decompressobj(31), (zlib.error,), BLOCK)
    if kind == "bzip2":  # 45 bytes unpack to 900,000
        import bz2

        return _Codec(bz2.BZ2Decompressor, (OSError,), 1 << 10)
    if kind == "xz":  # a byte unpacks to about 7000
        import lzma

        return _Codec(lzma.LZMADecompressor, (lzma.LZMAError,), 1 << 12)
    zstandard = optional_module("zstandard", "zstd", "Zstandard data")  # 4 bytes unpack to 128 kB
    return _Codec(lambda: zstandard.ZstdDecompressor().decompressobj(), (zstandard.ZstdError,), 1 << 10)
