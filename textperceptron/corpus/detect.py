"""Which format a file has: by its name where that says it, else by its first lines."""

from __future__ import annotations

import re
from pathlib import PurePath

from textperceptron.corpus.columns import is_header
from textperceptron.corpus.errors import CorpusError, Place, excerpt
from textperceptron.corpus.formats.fasttext import PREFIX
from textperceptron.corpus.options import FILE_FORMATS, ReadOptions
from textperceptron.corpus.streams import Stream

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_BY_SUFFIX = {
    ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".ft": "fasttext",
    ".fasttext": "fasttext", ".parquet": "parquet", ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight",
}  # fmt: skip
_SVMLIGHT = r"[-+]?\d[\d.,eE+-]*(?:[ \t]+(?:qid|\d+):[-+.\deE]+)+[ \t]*(?:#.*)?\r?"


def plain_name(name: str) -> str:
    """Return a file's name without the suffixes of compression.

    Examples
    --------
    >>> plain_name("imdb.train.tsv.gz")
    'imdb.train.tsv'
    """
    plain = PurePath(name).name
    end = len(plain)
    while (dot := plain.rfind(".", 0, end)) > 0 and plain[dot:end].lower() in COMPRESSED:
        end = dot
    return plain[:end]


def detect_format(stream: Stream, options: ReadOptions) -> str:
    """Return the format that the caller named, that the name says, or that the first lines have.

    Raises
    ------
    CorpusError
        If it is none that holds texts; the message says what was seen.
    """
    if options.format in FILE_FORMATS:
        return str(options.format)
    by_name = _BY_SUFFIX.get(PurePath(plain_name(stream.name)).suffix.lower())
    found = by_name or _by_content(stream, options)
    if found == "svmlight":
        raise CorpusError(
            "the file looks like svmlight, which holds numbers and no texts", Place(stream.name),
            f"Read it with textperceptron.corpus.read_svmlight, or name its format: {_named()}.",
        )  # fmt: skip
    return found


def _by_content(stream: Stream, options: ReadOptions) -> str:
    if stream.data.head().startswith(b"PAR1"):
        return "parquet"
    head = stream.text_head()
    if "\0" in head:
        raise CorpusError(
            f"the file holds bytes 0, so it is no text ({excerpt(head)})", Place(stream.name),
            f"If it is UTF-16, use --encoding utf-16; else name its format: {_named()}.",
        )  # fmt: skip
    lines = [line for line in head.split("\n")[:100] if line.strip()]
    if "\n" in head and not head.endswith("\n") and len(lines) > 1:
        lines.pop()  # it may be incomplete
    if not lines:
        return "text"
    first = lines[0].rstrip("\r")
    if first.lstrip().startswith(PREFIX):
        return "fasttext"
    if first.lstrip().startswith("{"):
        return "jsonl"
    if re.match(r"\s*\[\s*(\{|$)", first):
        raise CorpusError(
            f"the file looks like one JSON array ({excerpt(first)}), not like JSON lines", Place(stream.name),
            f"Write one object a line (jq -c '.[]'), or name its format: {_named()}.",
        )  # fmt: skip
    if re.fullmatch(_SVMLIGHT, first):
        return "svmlight"
    if 2 * sum("\t" in line for line in lines) > len(lines):
        return "tsv"
    from textperceptron.corpus.formats.csv import sniff_delimiter

    cells = [cell.strip('"') for cell in first.split(sniff_delimiter(first))]
    if len(cells) > 1 and (is_header(cells) or _names_wanted(cells, options)):
        return "csv"
    return "text"


def _names_wanted(cells: list[str], options: ReadOptions) -> bool:
    """Whether the caller named columns that these cells have."""
    wanted = [column for column in (options.text_column, options.label_column) if column is not None]
    return bool(wanted) and all(column in cells for column in wanted)


def _named() -> str:
    return "--format " + ", ".join(FILE_FORMATS[:-1]) + f" or {FILE_FORMATS[-1]}"
