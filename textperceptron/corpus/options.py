"""Options for reading a corpus, validated once."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from textperceptron.corpus.errors import CorpusError

FILE_FORMATS = ("tsv", "csv", "jsonl", "fasttext", "text", "parquet")
LAYOUTS = ("folders", "files")  # one folder per class, one file per class


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The keyword arguments of :func:`~textperceptron.corpus.read_corpus`."""

    format: str | None = None
    encoding: str = "utf-8"
    errors: str = "strict"
    text_column: str | int | None = None
    label_column: str | int | None = None
    header: bool | None = None
    delimiter: str | None = None
    labelled: bool | None = None
    on_bad: str = "raise"

    def __post_init__(self) -> None:
        formats = FILE_FORMATS + LAYOUTS
        if self.format == "svmlight":
            raise CorpusError(
                "svmlight files hold numbers, not texts", None, "Read them with textperceptron.corpus.read_svmlight."
            )
        if self.format is not None and self.format not in formats:
            raise CorpusError(f"format {self.format!r} is unknown", None, f"Use one of {', '.join(formats)}.")
        if self.on_bad not in ("raise", "skip"):
            raise CorpusError(f"on_bad={self.on_bad!r} is unknown", None, "Use 'raise' or 'skip'.")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '\r\n"'):
            raise CorpusError(f"delimiter {self.delimiter!r} is not one character", None, "Use one such as ',' or ';'.")
        for column in (self.text_column, self.label_column):
            if isinstance(column, int) and column < 1:
                raise CorpusError(f"there is no column {column}", None, "Columns are counted from 1.")
        try:
            "\n".encode(self.encoding)
        except LookupError:
            raise CorpusError(
                f"encoding {self.encoding!r} is unknown", None, "Use one that Python knows, such as utf-8 or latin-1."
            ) from None
        if not _handles_decoding(self.errors):
            raise CorpusError(
                f"errors={self.errors!r} is unknown", None, "Use strict, replace, ignore or backslashreplace."
            )


def _handles_decoding(errors: str) -> bool:
    """Whether Python has a decoding error handler of this name; some of its handlers are for encoding only."""
    try:
        codecs.lookup_error(errors)(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "probe"))
    except UnicodeDecodeError:
        return True
    except (LookupError, TypeError):
        return False
    return True
