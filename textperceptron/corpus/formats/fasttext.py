"""fastText's format: ``__label__x``, a space, the text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from textperceptron.corpus.columns import keep_fields
from textperceptron.corpus.detect import FASTTEXT_PREFIX as PREFIX
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import LineReader, ParsedRows, Report, is_blank
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a fastText file; a row has one label."""
    reader = LineReader(stream, options, report)
    for span in reader.spans():
        if (rows := reader.read_labelled(span, PREFIX.encode(), ends_at_space=True)) is not None:
            yield _with_records(rows, stream, options)
            continue
        for lines, numbers in reader.read_lines(span):
            yield _with_records(_label_and_text(lines, numbers, stream, report), stream, options)


def _with_records(rows: ParsedRows, stream: Stream, options: ReadOptions) -> ParsedRows:
    fields = {"label": rows.labels, "text": rows.texts}
    return rows._replace(records=keep_fields(fields, options, Location(stream.name)))


def _label_and_text(lines: list[str], numbers: Sequence[int], stream: Stream, report: Report) -> ParsedRows:
    texts, labels, kept = [], [], []
    for line, number in zip(lines, numbers, strict=True):
        if is_blank(line):
            continue
        first, _, text = line.partition(" ")
        if "\t" in first:
            first, _, text = line.partition("\t")
        problem = _problem(first, text)
        if problem is None:
            texts.append(text)
            labels.append(sys.intern(first[len(PREFIX) :]))
            kept.append(number)
        else:
            reason, remedy = problem
            report(CorpusError(f"{reason} ({excerpt(line)})", Location(stream.name, number), remedy))
    return ParsedRows(texts, labels, kept)


def _problem(first: str, text: str) -> tuple[str, str] | None:
    if not first.startswith(PREFIX):
        return (
            f"the line does not begin with {PREFIX}",
            "Use --format text for unlabelled documents, or --skip-bad to leave such lines out.",
        )
    if len(first) == len(PREFIX):
        return f"there is no label after {PREFIX}", "Add it, or use --skip-bad to leave such lines out."
    if text.lstrip().startswith(PREFIX):
        return "the line has more than one label", "Keep one, or use --skip-bad to leave such lines out."
    return None
