"""Choice of text and label in records with named fields: JSON lines and Parquet."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from textperceptron.corpus.columns import LABEL_NAMES, TEXT_NAMES, known_name
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import ParsedRows, Report
from textperceptron.corpus.options import ReadOptions

SKIP = "or use --skip-bad to leave such rows out."
Keys = tuple[str, str | None]  # of the text, of the label


class BadRowError(Exception):
    """A row that cannot be read: reason and remedy. The caller knows the location."""


def pick_keys(names: Sequence[str], options: ReadOptions, location: Location) -> Keys:
    """Return the keys of text and label: those of the options, else common names."""
    text, label = options.text_column, options.label_column
    for wanted, role in ((text, "text"), (label, "label")):
        if wanted is not None and wanted not in names:
            raise CorpusError(
                f"there is no {wanted!r} among {', '.join(map(repr, names))}", location,
                f"Name another --{role}-column.",
            )  # fmt: skip
    if text is None:
        text = known_name((name for name in names if name != label), TEXT_NAMES)
    if options.labelled is False:
        label = None
    elif label is None:
        label = known_name((name for name in names if name != text), LABEL_NAMES)
    if text is None or (options.labelled and label is None):
        raise CorpusError(
            f"it is not clear which of {', '.join(map(repr, names))} is the {'text' if text is None else 'label'}",
            location, "Name it: --text-column, --label-column.",
        )  # fmt: skip
    return str(text), None if label is None else str(label)


def select(
    records: Iterable[tuple[int, Mapping[str, Any]]], keys: Keys, file: str, unit: str, report: Report
) -> ParsedRows:
    """Return texts and labels of numbered records; report those that lack one."""
    text_key, label_key = keys
    texts, labels, numbers = [], [], []
    for number, record in records:
        try:
            text = _text(record, text_key)
            if label_key is not None:
                labels.append(sys.intern(_label(record.get(label_key), label_key)))
        except BadRowError as problem:
            report(bad_row(problem, Location(file, number, unit)))
        else:
            texts.append(text)
            numbers.append(number)
    return ParsedRows(texts, labels, numbers, unit)


def bad_row(problem: BadRowError, location: Location) -> CorpusError:
    """Turn a :class:`BadRowError` into an error with a location."""
    reason, remedy = problem.args
    return CorpusError(reason, location, remedy)


def _text(record: Mapping[str, Any], key: str) -> str:
    text = record.get(key)
    if isinstance(text, str):
        return text
    reason = f"there is no {key!r}" if text is None else f"{key!r} is {_shown(text)}, not a text"
    raise BadRowError(reason, f"Add it, name another --text-column, {SKIP}")


def _label(label: Any, key: str) -> str:
    """Return a label as text: numbers and booleans as in JSON."""
    if isinstance(label, str) and label:
        return label
    if isinstance(label, bool | int | float) and label == label:
        return json.dumps(label)
    if label is None or label == "" or label != label:  # pandas writes a missing label as NaN
        raise BadRowError(f"there is no label in {key!r}", f"Add it, name another --label-column, {SKIP}")
    if isinstance(label, list):
        raise BadRowError(f"{key!r} contains several labels ({_shown(label)})", f"Keep one, {SKIP}")
    raise BadRowError(f"{key!r} is not a label ({_shown(label)})", f"Name another --label-column, {SKIP}")


def _shown(value: Any) -> str:
    return excerpt(json.dumps(value, ensure_ascii=False, default=repr))
