"""fastText's format: ``__label__x``, a space, the text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from textperceptron.corpus.errors import CorpusError, Place, excerpt
from textperceptron.corpus.line_reader import LineReader
from textperceptron.corpus.lines import Report, Rows, is_blank
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

PREFIX = "__label__"


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[Rows]:
    """Yield the rows of a fastText file; a row has one label."""
    reader = LineReader(stream, options, report)
    for part in reader.parts():
        if (rows := reader.labelled(part, PREFIX.encode(), ends_at_space=True)) is not None:
            yield rows
            continue
        for lines, numbers in reader.lines(part):
            yield _label_and_text(lines, numbers, stream, report)


def _label_and_text(lines: list[str], numbers: Sequence[int], stream: Stream, report: Report) -> Rows:
    texts, labels, kept = [], [], []
    for line, number in zip(lines, numbers, strict=True):
        if is_blank(line):
            continue
        first, _, text = line.partition(" ")
        if "\t" in first:
            first, _, text = line.partition("\t")
        wrong = _problem(first, text)
        if wrong is None:
            texts.append(text)
            labels.append(sys.intern(first[len(PREFIX) :]))
            kept.append(number)
        else:
            reason, remedy = wrong
            report(CorpusError(f"{reason} ({excerpt(line)})", Place(stream.name, number), remedy))
    return Rows(texts, labels, kept)


def _problem(first: str, text: str) -> tuple[str, str] | None:
    if not first.startswith(PREFIX):
        return (
            f"the line does not begin with {PREFIX}",
            "Use --format text for unlabelled documents, or --skip-bad to leave such lines out.",
        )
    if len(first) == len(PREFIX):
        return f"there is no label behind {PREFIX}", "Add it, or use --skip-bad to leave such lines out."
    if text.lstrip().startswith(PREFIX):
        return "the line has more than one label", "Leave one, or use --skip-bad to leave such lines out."
    return None
