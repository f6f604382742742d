"""An open file of a corpus: decompressed, without byte order mark, with lookahead at the first lines."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress

from textperceptron.corpus.byte_blocks import PeekableBlocks, decompress
from textperceptron.corpus.errors import CorpusError, Location
from textperceptron.corpus.options import ReadOptions

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def contains_line(head: str) -> bool:
    """Whether a line that is not blank ends within ``head``."""
    return "\n" in head.lstrip("\r\n\t ")


class Stream:
    r"""Bytes in which ``\n`` ends a line, and their encoding.

    Attributes
    ----------
    name : str
        Its name in messages.
    data : PeekableBlocks
        The bytes of the file, recoded as UTF-8 if a line end is not the single byte ``\n`` in the file's encoding.
    encoding : str
        The encoding of ``data``.
    path : str or None
        The file on disk; None for a stream or a member of an archive.
    has_mark : bool
        Whether the text begins with a byte order mark; known after its first bytes were read.
    """

    def __init__(self, name: str, blocks: Iterable[bytes], options: ReadOptions, path: str | None = None) -> None:
        self.name, self.path = name, path
        self._source = blocks
        # Peekable: the caller can check for an archive before reading the bytes as text.
        self.data = PeekableBlocks(decompress(PeekableBlocks(blocks), name))
        self.encoding = options.encoding
        self._errors = options.errors
        self._is_text = self.has_mark = False

    def close(self) -> None:
        """Close the file, wherever reading stopped: an error's traceback would keep it open."""
        if isinstance(self._source, Generator):
            self._source.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def as_text(self) -> Stream:
        """Prepare the bytes for reading as lines of text."""
        if self._is_text:
            return self
        self._is_text = True
        kind = codecs.lookup(self.encoding).name
        if kind == "utf-8-sig":
            kind = self.encoding = "utf-8"
        if "\n".encode(self.encoding) != b"\n":
            self.data = PeekableBlocks(_as_utf8(self.data, self.name, self.encoding, self._errors))
            kind = self.encoding = "utf-8"
        if kind == "utf-8":
            self.data = PeekableBlocks(self._without_mark(self.data))
        return self

    def _without_mark(self, data: PeekableBlocks) -> Iterator[bytes]:
        head = data.head(lambda peeked: len(peeked) >= len(codecs.BOM_UTF8))
        if head.startswith(_UTF16_MARKS):
            raise CorpusError(
                "the file begins with the byte order mark of UTF-16", Location(self.name),
                "Use --encoding utf-16, or utf-32.",
            )  # fmt: skip
        self.has_mark = head.startswith(codecs.BOM_UTF8)
        for number, block in enumerate(data):
            yield block[len(codecs.BOM_UTF8) :] if self.has_mark and not number else block

    def text_head(self, is_enough: Callable[[str], bool] = contains_line) -> str:
        """Return the first lines, until ``is_enough``, without consuming them; the last may be incomplete."""
        head = self.as_text().data.head(lambda peeked: is_enough(peeked.decode(self.encoding, "replace")))
        return head.decode(self.encoding, "replace")

    def read_all(self) -> bytes:
        """Return all bytes."""
        return b"".join(self.data)

    def as_file(self, magic: bytes | tuple[bytes, ...]) -> str | io.BytesIO:
        """Return the path of a file on disk that begins with ``magic``, so is not compressed; else all bytes."""
        if self.path is not None:
            with open(self.path, "rb") as file:
                if file.read(8).startswith(magic):
                    return self.path
        return io.BytesIO(self.read_all())


def _as_utf8(data: PeekableBlocks, name: str, encoding: str, errors: str) -> Iterator[bytes]:
    """Recode an encoding whose line end is more than one byte, such as UTF-16."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    done, line = 0, 1
    blocks: Iterator[bytes | None] = iter(data)
    is_final = False
    while not is_final:
        block = next(blocks, None)
        is_final = block is None
        before = decoder.getstate()
        try:
            text = decoder.decode(block or b"", is_final)
        except UnicodeDecodeError as error:
            held = len(before[0])  # bytes of a character that the previous block began
            decoder.setstate(before)
            decoder.errors = "replace"
            with suppress(UnicodeError):  # the byte order mark may be missing as well
                line += decoder.decode(error.object[held : error.start]).count("\n")
            raise CorpusError(
                f"byte {done - held + error.start + 1} of the file is not {encoding} ({error.reason})",
                Location(name, line),
                "Name another encoding (--encoding), or replace such bytes (--errors replace).",
            ) from None  # fmt: skip
        except UnicodeError as error:  # UTF-16 or UTF-32 without a byte order mark
            raise CorpusError(
                f"the file is not {encoding} ({error})", Location(name),
                f"Name its byte order (--encoding {encoding}-le or {encoding}-be), or another encoding.",
            ) from None  # fmt: skip
        done += len(block or b"")
        line += text.count("\n")
        yield text.encode("utf-8", "surrogatepass")
