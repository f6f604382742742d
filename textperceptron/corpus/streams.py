"""One file of a corpus, ready to be cut into lines: decompressed, its byte order mark gone, its format looked at."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress

from textperceptron.corpus.blocks import Peeked, decompressed
from textperceptron.corpus.errors import CorpusError, Place
from textperceptron.corpus.options import ReadOptions

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def has_a_line(head: str) -> bool:
    """Whether there is the end of a line that is not empty."""
    return "\n" in head.lstrip("\r\n\t ")


class Stream:
    r"""Bytes in which ``\n`` ends a line, and the encoding to read them in.

    Attributes
    ----------
    name : str
        What messages call it.
    data : Peeked
        The bytes. They are those of the file, or UTF-8 if in the file's encoding a line's end is not one byte.
    encoding : str
        The encoding of ``data``.
    path : str or None
        Where the file lies on disk; None if it is a stream or a member of an archive.
    """

    def __init__(self, name: str, blocks: Iterable[bytes], options: ReadOptions, path: str | None = None) -> None:
        self.name, self.path = name, path
        self._source = blocks
        # Peeked: whoever opens the stream may look whether it is an archive before it is taken for text.
        self.data = Peeked(decompressed(Peeked(blocks), name))
        self.encoding = options.encoding
        self._errors = options.errors
        self._is_text = False

    def close(self) -> None:
        """Close the file, wherever reading stopped: an error's traceback would keep it open."""
        if isinstance(self._source, Generator):
            self._source.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def as_text(self) -> Stream:
        """Prepare the bytes for being read as lines of text."""
        if self._is_text:
            return self
        self._is_text = True
        kind = codecs.lookup(self.encoding).name
        if kind == "utf-8-sig":
            kind = self.encoding = "utf-8"
        if "\n".encode(self.encoding) != b"\n":
            self.data = Peeked(_as_utf8(self.data, self.name, self.encoding, self._errors))
            kind = self.encoding = "utf-8"
        if kind == "utf-8":
            self.data = Peeked(_without_mark(self.data, self.name))
        return self

    def text_head(self, enough: Callable[[str], bool] = has_a_line) -> str:
        """Return the first lines that have come, ``enough`` of them; the last may be incomplete."""
        head = self.as_text().data.head(lambda held: enough(held.decode(self.encoding, "replace")))
        return head.decode(self.encoding, "replace")

    def read_all(self) -> bytes:
        """Return all bytes."""
        return b"".join(self.data)


def _without_mark(data: Peeked, name: str) -> Iterator[bytes]:
    head = data.head(lambda held: len(held) >= len(codecs.BOM_UTF8))
    if head.startswith(_UTF16_MARKS):
        raise CorpusError(
            "the file begins with the byte order mark of UTF-16", Place(name), "Use --encoding utf-16, or utf-32."
        )
    marked = head.startswith(codecs.BOM_UTF8)
    for number, block in enumerate(data):
        yield block[len(codecs.BOM_UTF8) :] if marked and not number else block


def _as_utf8(data: Peeked, name: str, encoding: str, errors: str) -> Iterator[bytes]:
    """Recode blocks in which a line's end is more than one byte, such as UTF-16."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    done, line = 0, 1
    blocks: Iterator[bytes | None] = iter(data)
    final = False
    while not final:
        block = next(blocks, None)
        final = block is None
        before = decoder.getstate()
        try:
            text = decoder.decode(block or b"", final)
        except UnicodeDecodeError as error:
            held = len(before[0])  # bytes of a character that the last block broke off
            decoder.setstate(before)
            decoder.errors = "replace"
            with suppress(UnicodeError):  # no mark, either
                line += decoder.decode(error.object[held : error.start]).count("\n")
            raise CorpusError(
                f"byte {done - held + error.start + 1} of the file is not {encoding} ({error.reason})",
                Place(name, line),
                "Name another encoding (--encoding) or put a character in its place (--errors replace).",
            ) from None  # fmt: skip
        except UnicodeError as error:  # UTF-16 and UTF-32 say so of a file that does not begin with a mark
            raise CorpusError(
                f"the file is not {encoding} ({error})", Place(name),
                f"Name the order of its bytes (--encoding {encoding}-le or {encoding}-be), or another encoding.",
            ) from None  # fmt: skip
        done += len(block or b"")
        line += text.count("\n")
        yield text.encode("utf-8", "surrogatepass")
