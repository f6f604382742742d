"""fastText's format: ``__label__x`` and a space, once or more often, then the text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from textperceptron.corpus.columns import keep_fields
from textperceptron.corpus.detect import FASTTEXT_PREFIX as PREFIX
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import LineReader, ParsedRows, Report, is_blank
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.record_fields import BadRowError
from textperceptron.corpus.streams import Stream


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a fastText file; labels are tuples if a row has several."""
    reader = LineReader(stream, options, report)
    for span in reader.spans():
        if (rows := reader.read_labelled(span, PREFIX.encode(), ends_at_space=True)) is not None:
            yield _with_records(rows, stream, options)
            continue
        for lines, numbers in reader.read_lines(span):
            yield _with_records(_labels_and_text(lines, numbers, stream, report), stream, options)


def _with_records(rows: ParsedRows, stream: Stream, options: ReadOptions) -> ParsedRows:
    fields = {"label": rows.labels, "text": rows.texts}
    return rows._replace(records=keep_fields(fields, options, Location(stream.name)))


def _labels_and_text(lines: list[str], numbers: Sequence[int], stream: Stream, report: Report) -> ParsedRows:
    texts: list[str] = []
    sets: list[tuple[str, ...]] = []
    kept: list[int] = []
    for line, number in zip(lines, numbers, strict=True):
        if is_blank(line):
            continue
        try:
            labels, text = _split(line)
        except BadRowError as problem:
            reason, remedy = problem.args
            report(CorpusError(f"{reason} ({excerpt(line)})", Location(stream.name, number), remedy))
        else:
            texts.append(text)
            sets.append(labels)
            kept.append(number)
    is_single = all(len(labels) == 1 for labels in sets)
    return ParsedRows(texts, [labels[0] for labels in sets] if is_single else sets, kept)


def _split(line: str) -> tuple[tuple[str, ...], str]:
    """Return the labels of a line, each once, and its text, which is what follows the separator of the last label."""
    labels: list[str] = []
    rest = line
    while not labels or rest.lstrip().startswith(PREFIX):
        rest = rest.lstrip() if labels else rest
        first, _, after = rest.partition(" ")
        if "\t" in first:
            first, _, after = rest.partition("\t")
        if not first.startswith(PREFIX):
            has_label = f" {PREFIX}" in line
            remedy = "Move its labels there, or use" if has_label else "Use --format text for unlabelled documents, or"
            raise BadRowError(f"the line does not begin with {PREFIX}", f"{remedy} --skip-bad to leave such lines out.")
        if len(first) == len(PREFIX):
            raise BadRowError(f"there is no label after {PREFIX}", "Add it, or use --skip-bad to leave such lines out.")
        labels.append(sys.intern(first[len(PREFIX) :]))
        rest = after
    return tuple(dict.fromkeys(labels)), rest
