"""One module per format: ``read(stream, options, report)`` yields :class:`~textperceptron.corpus.lines.ParsedRows`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from textperceptron._interrupts import deferred_interrupts
from textperceptron.corpus.lines import ParsedRows, Report
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

Reader = Callable[[Stream, ReadOptions, Report], Iterator[ParsedRows]]


def reader_of(kind: str) -> Reader:
    """Return the reader of a format, one of :data:`~textperceptron.corpus.options.FILE_FORMATS`."""
    with deferred_interrupts():
        read: Reader = import_module(f"{__name__}.{'plain' if kind == 'text' else kind}").read
    return read
