"""Vowpal Wabbit's format: label, perhaps importance, base and tag; then ``|`` and words, once per namespace."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from textperceptron.corpus.columns import keep_fields
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import ParsedRows, Report, is_blank, text_lines
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.record_fields import BadRowError
from textperceptron.corpus.streams import Stream

_SKIP = "or use --skip-bad to leave such lines out."
_WEIGHTED = re.compile(r"(.+):([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_MAX_COUNT = 1000


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a Vowpal Wabbit file: the words of all namespaces are the text."""
    for lines, numbers in text_lines(stream, options, report):
        texts: list[str] = []
        labels: list[str] = []
        kept: list[int] = []
        for line, number in zip(lines, numbers, strict=True):
            if is_blank(line):
                continue
            try:
                label, text = _label(line, options), _text(line)
            except BadRowError as problem:
                reason, remedy = problem.args
                report(CorpusError(f"{reason} ({excerpt(line)})", Location(stream.name, number), remedy))
            else:
                texts.append(text)
                labels.append(sys.intern(label))
                kept.append(number)
        fields = {"label": labels, "text": texts}
        yield ParsedRows(texts, labels, kept, records=keep_fields(fields, options, Location(stream.name)))


def _label(line: str, options: ReadOptions) -> str:
    """Return the label of a line, which may be empty if labels are ignored."""
    head, bar, _ = line.partition("|")
    if not bar:
        raise BadRowError("there is no | before the text", f"Write LABEL | TEXT, {_SKIP}")
    words = head.split()
    if words and (words[-1].startswith("'") or not head.endswith((" ", "\t"))):
        words.pop()  # the tag
    if options.labelled is False:
        return words[0] if words else ""
    if not words:
        raise BadRowError("there is no label before the |", f"Write LABEL | TEXT, with a space before the |, {_SKIP}")
    if ":" in words[0]:
        raise BadRowError("the label has a cost", f"Write the label alone, {_SKIP}")
    if len(words) > 1 and not _is_one(words[1]):
        raise BadRowError(
            f"the importance {words[1]} is not 1",
            f"Write the texts as CSV, with the importance in a --weight-column, {_SKIP}",
        )
    return words[0]


def _is_one(number: str) -> bool:
    try:
        return float(number) == 1
    except ValueError:
        return False


def _text(line: str) -> str:
    """Return the words of a line, a namespace per line; a word with a count stands as often."""
    found = []
    for namespace in line.split("|")[1:]:
        words = namespace.split()
        if namespace[:1].strip():
            del words[0]  # its name
        found.append(" ".join(repeated for word in words for repeated in _repeat(word)))
    return "\n".join(filter(None, found))


def _repeat(word: str) -> list[str]:
    weighted = _WEIGHTED.fullmatch(word)
    if weighted is None:
        return [word]
    name, value = weighted[1], float(weighted[2])
    if not (value.is_integer() and 0 <= value <= _MAX_COUNT):
        raise BadRowError(
            f"{word} has a weight that is not a count", f"Write words without weights: a text has none, {_SKIP}"
        )
    return [name] * int(value)
