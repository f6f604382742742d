"""Options for reading a corpus, validated once."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from textperceptron.corpus.errors import CorpusError
from textperceptron.corpus.merge_labels import LabelMerge
from textperceptron.settings.corpus_columns import Column, CorpusColumns

FILE_FORMATS = ("tsv", "csv", "jsonl", "fasttext", "vw", "text", "parquet", "xlsx")
LAYOUTS = ("folders", "files")  # one folder per class, one file per class


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The keyword arguments of :func:`~textperceptron.corpus.iter_corpus`."""

    format: str | None = None
    encoding: str = "utf-8"
    errors: str = "strict"
    text_column: Column | Sequence[Column] | None = None
    label_column: Column | None = None
    header: bool | None = None
    delimiter: str | None = None
    labelled: bool | None = None
    on_bad: str = "raise"
    sheet: str | None = None
    merge_labels: LabelMerge | None = None
    columns: CorpusColumns | None = None
    known_labels: Collection[str] | None = None
    keep_columns: bool | Sequence[Column] = False
    label_separator: str | None = None
    weight_column: Column | None = None

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
        if self.label_separator is not None and (not self.label_separator or set(self.label_separator) & set("\r\n")):
            raise CorpusError(
                f"{self.label_separator!r} cannot separate labels", None, "Use --label-separator '|' or another mark."
            )
        if self.text_column is not None and not self.text_columns:
            raise CorpusError("the list of text columns is empty", None, "Name at least one.")
        for column in (*self.text_columns, self.label_column, self.weight_column):
            if isinstance(column, int) and column < 1:
                raise CorpusError(f"there is no column {column}", None, "Columns are counted from 1.")
        if repeated := [column for k, column in enumerate(self.text_columns) if column in self.text_columns[:k]]:
            raise CorpusError(f"the text column {repeated[0]!r} is named twice", None, "Name each column once.")
        try:
            "\n".encode(self.encoding)
        except LookupError:
            raise CorpusError(
                f"encoding {self.encoding!r} is unknown", None, "Use one that Python knows, such as utf-8 or latin-1."
            ) from None
        if not _handles_decoding(self.errors):
            raise CorpusError(
                f"error handler {self.errors!r} is unknown",
                None,
                "Use --errors strict, replace, ignore or backslashreplace.",
            )

    @property
    def text_columns(self) -> tuple[Column, ...]:
        """The columns of the text that the caller named."""
        if self.text_column is None:
            return ()
        return (self.text_column,) if isinstance(self.text_column, str | int) else tuple(self.text_column)

    @property
    def separator(self) -> str | None:
        """What separates the labels of a text: the caller's choice, or what a model was trained with."""
        return self.label_separator or (None if self.columns is None else self.columns.label_separator)

    def knows_label(self, cell: str) -> bool:
        """Whether a cell has a label of the model, or several."""
        if self.known_labels is None:
            return False
        return cell in self.known_labels or any(label in self.known_labels for label in self.split_labels(cell))

    def split_labels(self, cell: str) -> tuple[str, ...]:
        """Return the labels in a cell, each once."""
        return tuple(dict.fromkeys(filter(None, map(str.strip, cell.split(self.separator))))) if self.separator else ()

    @property
    def remembered_text(self) -> tuple[Column, ...]:
        """The columns of the text that a model was trained on, unless the caller named others."""
        return () if self.columns is None or self.text_column is not None else self.columns.text

    @property
    def remembered_label(self) -> Column | None:
        """The column of the label that a model was trained on, unless the caller named another."""
        return None if self.columns is None or self.label_column is not None else self.columns.label


def _handles_decoding(errors: str) -> bool:
    """Whether Python has a decoding error handler of this name; some of its handlers are for encoding only."""
    try:
        codecs.lookup_error(errors)(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "probe"))
    except UnicodeDecodeError:
        return True
    except (LookupError, TypeError):
        return False
    return True
