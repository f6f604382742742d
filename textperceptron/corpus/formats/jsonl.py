"""JSON lines: one object per line, its text and label under common or given keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from textperceptron.corpus.errors import Location, excerpt
from textperceptron.corpus.lines import ParsedRows, Report, is_blank, text_lines
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.record_fields import SKIP, BadRowError, Keys, bad_row, pick_keys, select
from textperceptron.corpus.streams import Stream

_NOT_JSON = "the line is not JSON"


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a file of JSON lines."""
    keys: Keys | None = None
    for lines, numbers in text_lines(stream, options, report):
        # Parsed one at a time, so that errors are reported in the order of the file.
        records = _objects(lines, numbers, stream, report)
        if keys is None:
            first = next(records, None)
            if first is None:
                continue
            keys = pick_keys(list(first[1]), options, Location(stream.name, first[0]))
            records = chain([first], records)
        yield select(records, keys, options, stream.name, "line", report)


def _objects(
    lines: list[str], numbers: Sequence[int], stream: Stream, report: Report
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, number in zip(lines, numbers, strict=True):
        if not is_blank(line):
            try:
                yield number, _object(line)
            except BadRowError as problem:
                report(bad_row(problem, Location(stream.name, number)))


def _object(line: str) -> Mapping[str, Any]:
    remedy = f"Write one object per line, read the lines as texts (--format text), {SKIP}"
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadRowError(_not_json(line, error.msg), remedy, _NOT_JSON) from None
    except (ValueError, RecursionError) as error:  # a number with too many digits, too many brackets
        raise BadRowError(_not_json(line, str(error)), remedy, _NOT_JSON) from None
    if not isinstance(found, dict):
        raise BadRowError(f"the line is not a JSON object ({excerpt(line)})", remedy)
    return found


def _not_json(line: str, why: str) -> str:
    return f"{_NOT_JSON}: {why[:1].lower()}{why[1:]} ({excerpt(line)})"
