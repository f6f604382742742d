"""JSON lines: one object a line, its text and label under known or named keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from textperceptron.corpus.errors import Place, excerpt
from textperceptron.corpus.line_reader import text_lines
from textperceptron.corpus.lines import Report, Rows, is_blank
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.records import SKIP, BadRowError, Keys, bad_row, pick_keys, take
from textperceptron.corpus.streams import Stream


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[Rows]:
    """Yield the rows of a file of JSON lines."""
    keys: Keys | None = None
    for lines, numbers in text_lines(stream, options, report):
        # One at a time, so that whatever is wrong is reported in the order of the file.
        records = _objects(lines, numbers, stream, report)
        if keys is None:
            first = next(records, None)
            if first is None:
                continue
            keys = pick_keys(list(first[1]), options, Place(stream.name, first[0]))
            records = chain([first], records)
        yield take(records, keys, stream.name, "line", report)


def _objects(
    lines: list[str], numbers: Sequence[int], stream: Stream, report: Report
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, number in zip(lines, numbers, strict=True):
        if not is_blank(line):
            try:
                yield number, _object(line)
            except BadRowError as problem:
                report(bad_row(problem, Place(stream.name, number)))


def _object(line: str) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadRowError(_not_json(line, error.msg), f"Write one object a line, {SKIP}") from None
    except (ValueError, RecursionError) as error:  # a number of too many digits, too many brackets
        raise BadRowError(_not_json(line, str(error)), f"Write one object a line, {SKIP}") from None
    if not isinstance(found, dict):
        raise BadRowError(f"the line is no JSON object ({excerpt(line)})", f"Write one object a line, {SKIP}")
    return found


def _not_json(line: str, why: str) -> str:
    return f"the line is not JSON: {why[:1].lower()}{why[1:]} ({excerpt(line)})"
