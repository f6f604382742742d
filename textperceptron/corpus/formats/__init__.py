"""One file for each format: ``read(stream, options, report)`` yields :class:`~textperceptron.corpus.lines.Rows`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from textperceptron.corpus.lines import Report, Rows
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

Reader = Callable[[Stream, ReadOptions, Report], Iterator[Rows]]


def reader_of(kind: str) -> Reader:
    """Return what reads a format, one of :data:`~textperceptron.corpus.options.FILE_FORMATS`."""
    read: Reader = import_module(f"{__name__}.{'plain' if kind == 'text' else kind}").read
    return read
