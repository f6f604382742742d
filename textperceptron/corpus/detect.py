"""Detection of a file's format: by the suffix of its name, else by its first lines."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

from textperceptron._interrupts import deferred_interrupts
from textperceptron.corpus.columns import are_named, names_columns
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.options import FILE_FORMATS, ReadOptions
from textperceptron.corpus.streams import Stream

FASTTEXT_PREFIX = "__label__"
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_BY_SUFFIX = {
    ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".ft": "fasttext",
    ".fasttext": "fasttext", ".parquet": "parquet", ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight",
    ".vw": "vw", ".xlsx": "xlsx", ".xlsm": "xlsx",
}  # fmt: skip
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_NOT_TEXT = (
    (b"%PDF-", "a PDF file", "Extract its text, for instance with pdftotext."),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (.xls, .doc) or an encrypted one",
     "Save it without a password as .xlsx, CSV or plain text."),
)  # fmt: skip
_SVMLIGHT = r"[-+]?\d[\d.,eE+-]*(?:[ \t]+(?:qid|\d+):[-+.\deE]+)+[ \t]*(?:#.*)?\r?"


def uncompressed_name(name: str) -> str:
    """Return a file's name without the suffixes of compression.

    Examples
    --------
    >>> uncompressed_name("imdb.train.tsv.gz")
    'imdb.train.tsv'
    """
    base = PurePath(name).name
    end = len(base)
    while (dot := base.rfind(".", 0, end)) > 0 and base[dot:end].lower() in COMPRESSED_SUFFIXES:
        end = dot
    return base[:end]


class Detected(NamedTuple):
    """A format, whether the first lines decided, and whether these are plain texts with a tab in most lines."""

    format: str
    by_content: bool = False
    has_tabs: bool = False


def detect_format(stream: Stream, options: ReadOptions) -> Detected:
    """Return the format of a file, from the options, the suffix or the first lines.

    Raises
    ------
    CorpusError
        If it is not a format for texts; the message shows the first line.
    """
    if options.format in FILE_FORMATS:
        return Detected(str(options.format))
    check_is_text(stream)
    by_suffix = _BY_SUFFIX.get(PurePath(uncompressed_name(stream.name)).suffix.lower())
    if by_suffix != "xlsx" and stream.data.head().startswith(ZIP_MAGIC):
        by_suffix = None  # archives are unpacked before: this is a workbook under another name
    found = Detected(by_suffix) if by_suffix else _by_content(stream, options)
    if found.format == "svmlight":
        raise CorpusError(
            "the file looks like svmlight, which holds numbers, not texts", Location(stream.name),
            f"Read it with textperceptron.corpus.read_svmlight, or name its format: {_format_option()}.",
        )  # fmt: skip
    return found


def check_is_text(stream: Stream) -> None:
    """Raise CorpusError for a file of another program; the remedy says how to get its text."""
    head = stream.data.head()
    for magic, what, remedy in _NOT_TEXT:
        if head.startswith(magic):
            raise CorpusError(f"the file is {what}, not text", Location(stream.name), remedy)


def _by_content(stream: Stream, options: ReadOptions) -> Detected:
    magic = stream.data.head()
    if magic.startswith(b"PAR1"):
        return Detected("parquet", True)
    if magic.startswith(ZIP_MAGIC):
        return Detected("xlsx", True)
    head = stream.text_head()
    if "\0" in head:
        raise CorpusError(
            f"the file contains zero bytes, so it is not text ({excerpt(head)})", Location(stream.name),
            f"If it is UTF-16, use --encoding utf-16; else name its format: {_format_option()}.",
        )  # fmt: skip
    lines = [line for line in head.split("\n")[:100] if line.strip()]
    if "\n" in head and not head.endswith("\n") and len(lines) > 1:
        lines.pop()  # it may be incomplete
    if not lines:
        return Detected("text", True)
    first = lines[0].rstrip("\r")
    if first.lstrip().startswith(FASTTEXT_PREFIX):
        return Detected("fasttext", True)
    if first.lstrip().startswith("{"):
        return Detected("jsonl", True)
    if re.match(r"\s*\[\s*(\{|$)", first):
        raise CorpusError(
            f"the file looks like one JSON array ({excerpt(first)}), not like JSON lines", Location(stream.name),
            f"Write one object per line (jq -c '.[]'), or name its format: {_format_option()}.",
        )  # fmt: skip
    if re.fullmatch(_SVMLIGHT, first):
        return Detected("svmlight", True)
    has_tabs = 2 * sum("\t" in line for line in lines) > len(lines)
    if has_tabs and _are_rows(lines, options):
        return Detected("tsv", True)
    with deferred_interrupts():
        from textperceptron.corpus.formats.csv import sniff_delimiter

    cells = [cell.strip('"') for cell in first.split(sniff_delimiter(first))]
    is_table = len(cells) > 1 and (names_columns(cells, options) or _has_named_columns(cells, options))
    if is_table or are_named(options.remembered_text, cells):
        return Detected("csv", True)
    return Detected("text", True, has_tabs)


def _are_rows(lines: list[str], options: ReadOptions) -> bool:
    """Whether lines with tabs are rows of TSV, not texts; with a model, one of them must have a known name or label."""
    known = options.known_labels
    if known is None or options.text_columns or any(options.knows_label(line.partition("\t")[0]) for line in lines):
        return True
    return names_columns(lines[0].rstrip("\r").split("\t"), options)


def _has_named_columns(cells: list[str], options: ReadOptions) -> bool:
    """Whether the cells include every column that the options name."""
    wanted = [column for column in (*options.text_columns, options.label_column) if column is not None]
    return bool(wanted) and all(column in cells for column in wanted)


def _format_option() -> str:
    return "--format " + ", ".join(FILE_FORMATS[:-1]) + f" or {FILE_FORMATS[-1]}"
