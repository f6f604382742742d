"""Plain text: one document per line, without labels. An empty line is an empty document: lines in, lines out."""

from __future__ import annotations

from collections.abc import Iterator

from textperceptron.corpus.columns import keep_fields
from textperceptron.corpus.errors import Location
from textperceptron.corpus.lines import ParsedRows, Report, is_blank, text_lines
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield every line as a document."""
    for lines, numbers in text_lines(stream, options, report):
        yield ParsedRows(lines, [], numbers, records=keep_fields({"text": lines}, options, Location(stream.name)))


def read_class(stream: Stream, label: str, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield every line that is not blank as a document of one class."""
    for lines, numbers in text_lines(stream, options, report):
        kept = [k for k, line in enumerate(lines) if not is_blank(line)]
        if len(kept) < len(lines):
            lines, numbers = [lines[k] for k in kept], [numbers[k] for k in kept]
        labels = [label] * len(lines)
        fields = {"label": labels, "text": lines}
        yield ParsedRows(lines, labels, numbers, records=keep_fields(fields, options, Location(stream.name)))
