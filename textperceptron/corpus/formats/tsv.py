"""Tab-separated values: ``label<TAB>text``, or columns named by a header or the caller. Quotes are text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from textperceptron.corpus.columns import Columns, is_header, pick_columns
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import LineReader, ParsedRows, Report, is_blank
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a TSV file."""
    columns: Columns | None = None
    has_first_row = False
    reader = LineReader(stream, options, report)
    for span in reader.spans():
        if has_first_row and columns is None and (rows := reader.read_labelled(span)) is not None:
            yield rows
            continue
        for lines, numbers in reader.read_lines(span):
            if not has_first_row:
                first = next((k for k, line in enumerate(lines) if not is_blank(line)), None)
                if first is None:
                    continue
                has_first_row = True
                columns, has_header = _columns(lines[first].split("\t"), options, Location(stream.name, numbers[first]))
                if has_header:
                    lines, numbers = lines[first + 1 :], numbers[first + 1 :]
            if columns is None:
                yield _label_and_text(lines, numbers, stream, report)
            else:
                kept = [k for k, line in enumerate(lines) if not is_blank(line)]
                cells = [lines[k].split("\t") for k in kept]
                yield columns.select(cells, [numbers[k] for k in kept], stream.name, report)


def _columns(first: list[str], options: ReadOptions, location: Location) -> tuple[Columns | None, bool]:
    """Return the columns (None if they are label and text) and whether the first line is a header."""
    is_named = options.text_column is not None or options.label_column is not None
    if not is_named and (options.header is False or not is_header(first)):
        return None, bool(options.header)
    found = pick_columns(first, options, location)
    is_default = not is_named and (found.label, found.text, found.width) == (0, 1, 2)
    return None if is_default else found, found.has_header


def _label_and_text(lines: list[str], numbers: Sequence[int], stream: Stream, report: Report) -> ParsedRows:
    rows = [line.partition("\t") for line in lines]
    labels = [sys.intern(label) for label, _, _ in rows]
    texts = [text for _, _, text in rows]
    if all(labels) and all(tab for _, tab, _ in rows):
        return ParsedRows(texts, labels, numbers)
    kept = []
    for k, (label, tab, _) in enumerate(rows):
        if is_blank(lines[k]):
            continue
        if tab and label:
            kept.append(k)
        elif tab:
            report(CorpusError(
                f"there is no label before the tab ({excerpt(lines[k])})", Location(stream.name, numbers[k]),
                "Add it, or use --skip-bad to leave such lines out.",
            ))  # fmt: skip
        else:
            report(CorpusError(
                f"no tab between label and text ({excerpt(lines[k])})", Location(stream.name, numbers[k]),
                "Use --format text for unlabelled documents, or --skip-bad to leave such lines out.",
            ))  # fmt: skip
    return ParsedRows([texts[k] for k in kept], [labels[k] for k in kept], [numbers[k] for k in kept])
