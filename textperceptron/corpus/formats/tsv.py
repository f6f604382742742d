"""Tab-separated values: ``label<TAB>text``, or columns named by a header or the caller. Quotes are text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from textperceptron.corpus.columns import Columns, keep_fields, names_columns, pick_columns, unclear_columns
from textperceptron.corpus.documents import ColumnChoice
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import LineReader, ParsedRows, Report, is_blank
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

_LABEL_AND_TEXT = ColumnChoice((2,), 1, names=("label", "text"), has_header=False, is_default=True)


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a TSV file."""
    columns: Columns | None = None
    choice: ColumnChoice | None = None
    reader = LineReader(stream, options, report)
    for span in reader.spans():
        is_simple = choice is not None and columns is None and not options.keep_columns
        if is_simple and (rows := reader.read_labelled(span)) is not None:
            yield rows
            continue
        for lines, numbers in reader.read_lines(span):
            if choice is None:
                first = next((k for k, line in enumerate(lines) if not is_blank(line)), None)
                if first is None:
                    continue
                columns, choice, has_header = _columns(lines[first:], options, Location(stream.name, numbers[first]))
                if has_header:
                    lines, numbers = lines[first + 1 :], numbers[first + 1 :]
            if columns is None:
                yield _label_and_text(lines, numbers, choice, stream, options, report)
            else:
                kept = [k for k, line in enumerate(lines) if not is_blank(line)]
                cells = [lines[k].split("\t") for k in kept]
                yield columns.select(cells, [numbers[k] for k in kept], stream.name, report)


def _columns(
    lines: list[str], options: ReadOptions, location: Location
) -> tuple[Columns | None, ColumnChoice, bool]:  # fmt: skip
    """Return the columns (None for label and text), the choice to report, and whether the first line is a header."""
    first = lines[0].split("\t")
    remembered = options.remembered_text
    named = options.text_column, options.label_column, options.weight_column
    is_named = any(column is not None for column in named)
    has_names = options.header is not False and names_columns(first, options)
    has_numbers = bool(remembered) and isinstance(remembered[0], int)
    is_plain = options.labelled is False and len(first) == 1  # for predict, a line without a tab is a text
    if not (is_named or has_names or has_numbers or is_plain):
        known = options.known_labels
        if known is not None and not any(options.knows_label(line.partition("\t")[0]) for line in lines):
            raise unclear_columns((), first, (), options, location)
        return None, _LABEL_AND_TEXT, bool(options.header)
    found = pick_columns(first, options, location)
    is_default = not is_named and found.text == (1,) and found.label in (0, None) and len(first) == 2
    return None if is_default else found, found.choice, found.has_header


def _label_and_text(
    lines: list[str], numbers: Sequence[int], choice: ColumnChoice, stream: Stream, options: ReadOptions,
    report: Report,
) -> ParsedRows:  # fmt: skip
    rows = [line.partition("\t") for line in lines]
    labels = [sys.intern(label) for label, _, _ in rows]
    texts = [text for _, _, text in rows]
    kept: list[int] | None = None
    if not (all(labels) and all(tab for _, tab, _ in rows)):
        kept = []
        for k, (label, tab, _) in enumerate(rows):
            if is_blank(lines[k]):
                continue
            if tab and (label or options.labelled is False or options.separator is not None):
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
        texts, labels, numbers = [texts[k] for k in kept], [labels[k] for k in kept], [numbers[k] for k in kept]
    records = keep_fields(dict(zip(choice.names, (labels, texts), strict=True)), options, Location(stream.name))
    return ParsedRows(texts, labels, numbers, choice=choice, records=records)
