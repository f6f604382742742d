"""One file for each format: ``read(stream, options, report)`` yields :class:`~textperceptron.corpus.lines.Rows`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from textperceptron.corpus.formats import csv, fasttext, jsonl, parquet, plain, tsv
from textperceptron.corpus.lines import Report, Rows
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

READERS: dict[str, Callable[[Stream, ReadOptions, Report], Iterator[Rows]]] = {
    "tsv": tsv.read,
    "csv": csv.read,
    "jsonl": jsonl.read,
    "fasttext": fasttext.read,
    "text": plain.read,
    "parquet": parquet.read,
}
