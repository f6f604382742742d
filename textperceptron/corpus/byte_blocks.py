"""Raw bytes in blocks, from a file or a stream: decompressed, and with lookahead."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

from textperceptron.corpus.errors import CHECK_PERMISSIONS, CorpusError, Location, import_optional

# Decompressed, a block is a few hundred kB of text: large enough to make a loop's cost vanish, small enough for L2.
BLOCK_BYTES = 1 << 17
MIN_OUTPUT_BYTES = 1 << 16  # unpacked bytes are collected into blocks of at least this size
STANDARD_INPUT = "standard input"  # its name in messages
# Compressed data may unpack to MAX_UNPACKED bytes, or to MAX_RATIO times their size if that is more. Text has 3 to 10
# times its compressed size, a repetitive log perhaps 100 times.
MAX_UNPACKED, MAX_RATIO = 100_000_000, 200
_MAGIC = (
    ("gzip", re.compile(rb"\x1f\x8b\x08")),
    ("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")),
    ("xz", re.compile(rb"\xfd7zXZ\x00")),
    ("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")),
)


class PeekableBlocks:
    """Blocks of bytes with lookahead; nothing is read twice."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._rest = iter(blocks)
        self._peeked = b""

    def head(self, is_enough: Callable[[bytes], bool] = bool, limit: int = 1 << 20) -> bytes:
        """Return the first bytes without consuming them: until ``is_enough``, ``limit`` bytes, or the end."""
        while len(self._peeked) < limit and not is_enough(self._peeked):
            block = next(self._rest, None)
            if block is None:
                break
            self._peeked += block
        return self._peeked

    def __iter__(self) -> Iterator[bytes]:
        if peeked := self._peeked:
            self._peeked = b""
            yield peeked
        yield from self._rest


def file_blocks(path: str | os.PathLike[str], name: str) -> Iterator[bytes]:
    """Yield the bytes of a file on disk."""
    try:
        with open(path, "rb", buffering=0) as file:
            while block := file.read(BLOCK_BYTES):
                yield block
    except OSError as error:
        raise CorpusError(
            f"the file cannot be read ({error.strerror})", Location(name), CHECK_PERMISSIONS
        ) from None  # fmt: skip


def regular_file_blocks(path: str) -> Iterator[bytes]:
    """Yield the bytes of a file found in a folder or by a pattern, which must be a regular file.

    Opening a pipe could block forever.

    Raises
    ------
    CorpusError
        If it is a pipe, a socket or a device.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:
        mode = stat.S_IFREG  # opening it raises the right error
    if not stat.S_ISREG(mode):
        kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
        raise CorpusError(
            f"this is a {kind}, not a regular file", Location(path),
            "Move it out of the corpus, or read it by itself: name its path.",
        )  # fmt: skip
    yield from file_blocks(path, path)


def stream_blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of an open stream as they arrive, so that the lines of a slow writer are not held back."""
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    while block := read(BLOCK_BYTES):
        if not isinstance(block, bytes):
            raise CorpusError("a stream of bytes is needed, not of text", None, "Open the file in mode 'rb'.")
        yield block


def standard_input() -> BinaryIO:
    """Return standard input as a binary stream.

    Raises
    ------
    CorpusError
        If it is closed.
    """
    if sys.stdin is None or sys.stdin.closed:
        remedy = "Send a file or a pipe to it, or name a file instead of -."
        raise CorpusError("it is closed", Location(STANDARD_INPUT), remedy)
    return sys.stdin.buffer


class UnpackLimit:
    """Counts compressed and unpacked bytes, and raises at a ratio that only a decompression bomb has.

    Parameters
    ----------
    kind : str
        The kind of data, for messages.
    packed : int, default=0
        The compressed size if it is known in advance; else the caller adds to :attr:`packed`.
    """

    def __init__(self, kind: str, packed: int = 0) -> None:
        self.kind, self.packed, self.unpacked = kind, packed, 0

    def add(self, n_bytes: int, name: str) -> None:
        """Count unpacked bytes.

        Raises
        ------
        CorpusError
            If there are too many; the message names the file ``name``.
        """
        self.unpacked += n_bytes
        if self.unpacked > max(MAX_UNPACKED, MAX_RATIO * self.packed):
            raise CorpusError(
                f"the {self.kind} data unpack to more than {MAX_RATIO} times their size: {self.unpacked:,} bytes so "
                f"far, from {self.packed:,}", Location(name),
                "If you trust the file, unpack it and read the result; below 100 MB there is no limit.",
            )  # fmt: skip


def decompress(blocks: PeekableBlocks, name: str) -> Iterator[bytes]:
    """Yield the content of gzip, bzip2, xz or Zstandard data; other data pass unchanged.

    Raises
    ------
    CorpusError
        If the data are damaged or truncated, or if they unpack to more than :class:`UnpackLimit` allows.
    """
    head = blocks.head()
    kind = next((kind for kind, magic in _MAGIC if magic.match(head)), None)
    if kind is None:
        yield from blocks
        return
    codec = _codec(kind)
    limit = UnpackLimit(kind)
    decoder = codec.new()
    try:
        for block in blocks:
            limit.packed += len(block)
            unpacked, size, position = [], 0, 0
            while position < len(block):
                if decoder.eof:  # another member follows, or zero padding (tapes)
                    if not block[position]:
                        position = len(block) - len(block[position:].lstrip(b"\0"))
                        continue
                    decoder = codec.new()
                chunk = block[position : position + codec.step]
                out = decoder.decompress(chunk)
                position += len(chunk) - (len(decoder.unused_data) if decoder.eof else 0)
                limit.add(len(out), name)
                unpacked.append(out)
                size += len(out)
                if size >= MIN_OUTPUT_BYTES:
                    yield b"".join(unpacked)
                    unpacked, size = [], 0
            if size:
                yield b"".join(unpacked)
    except codec.failures as error:
        raise CorpusError(
            f"the {kind} data are damaged ({error})", Location(name), "Fetch or write it again."
        ) from None  # fmt: skip
    if not decoder.eof:
        raise CorpusError(f"the {kind} data are truncated", Location(name), "Fetch or write the file again.")


class _Codec(NamedTuple):
    """How to decompress one kind of data.

    ``new`` makes a decoder for one member, ``failures`` are its exceptions for bad data, and ``step`` is its input
    chunk in bytes: a chunk unpacks to at most 135 MB, which are in memory before they are counted.
    """

    new: Callable[[], Any]
    failures: tuple[type[Exception], ...]
    step: int


def _codec(kind: str) -> _Codec:
    if kind == "gzip":  # a byte unpacks to at most 1032
        import zlib

        return _Codec(lambda: zlib.decompressobj(31), (zlib.error,), BLOCK_BYTES)
    if kind == "bzip2":  # 45 bytes unpack to 900,000
        import bz2

        return _Codec(bz2.BZ2Decompressor, (OSError,), 1 << 10)
    if kind == "xz":  # a byte unpacks to about 7000
        import lzma

        return _Codec(lzma.LZMADecompressor, (lzma.LZMAError,), 1 << 12)
    zstandard = import_optional("zstandard", "zstd", "Zstandard data")  # 4 bytes unpack to 128 kB
    return _Codec(lambda: zstandard.ZstdDecompressor().decompressobj(), (zstandard.ZstdError,), 1 << 10)
