"""Detection of a file's format: by the suffix of its name, else by its first lines."""

from __future__ import annotations

import re
from pathlib import PurePath

from textperceptron._interrupts import deferred_interrupts
from textperceptron.corpus.columns import is_header
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.options import FILE_FORMATS, ReadOptions
from textperceptron.corpus.streams import Stream

FASTTEXT_PREFIX = "__label__"
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_BY_SUFFIX = {
    ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".ft": "fasttext",
    ".fasttext": "fasttext", ".parquet": "parquet", ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight",
}  # fmt: skip
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


def detect_format(stream: Stream, options: ReadOptions) -> str:
    """Return the format of a file, from the options, the suffix or the first lines.

    Raises
    ------
    CorpusError
        If it is not a format for texts; the message shows the first line.
    """
    if options.format in FILE_FORMATS:
        return str(options.format)
    by_suffix = _BY_SUFFIX.get(PurePath(uncompressed_name(stream.name)).suffix.lower())
    found = by_suffix or _by_content(stream, options)
    if found == "svmlight":
        raise CorpusError(
            "the file looks like svmlight, which holds numbers, not texts", Location(stream.name),
            f"Read it with textperceptron.corpus.read_svmlight, or name its format: {_format_option()}.",
        )  # fmt: skip
    return found


def _by_content(stream: Stream, options: ReadOptions) -> str:
    if stream.data.head().startswith(b"PAR1"):
        return "parquet"
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
        return "text"
    first = lines[0].rstrip("\r")
    if first.lstrip().startswith(FASTTEXT_PREFIX):
        return "fasttext"
    if first.lstrip().startswith("{"):
        return "jsonl"
    if re.match(r"\s*\[\s*(\{|$)", first):
        raise CorpusError(
            f"the file looks like one JSON array ({excerpt(first)}), not like JSON lines", Location(stream.name),
            f"Write one object per line (jq -c '.[]'), or name its format: {_format_option()}.",
        )  # fmt: skip
    if re.fullmatch(_SVMLIGHT, first):
        return "svmlight"
    if 2 * sum("\t" in line for line in lines) > len(lines):
        return "tsv"
    with deferred_interrupts():
        from textperceptron.corpus.formats.csv import sniff_delimiter

    cells = [cell.strip('"') for cell in first.split(sniff_delimiter(first))]
    if len(cells) > 1 and (is_header(cells) or _has_named_columns(cells, options)):
        return "csv"
    return "text"


def _has_named_columns(cells: list[str], options: ReadOptions) -> bool:
    """Whether the cells include every column that the options name."""
    wanted = [column for column in (options.text_column, options.label_column) if column is not None]
    return bool(wanted) and all(column in cells for column in wanted)


def _format_option() -> str:
    return "--format " + ", ".join(FILE_FORMATS[:-1]) + f" or {FILE_FORMATS[-1]}"
