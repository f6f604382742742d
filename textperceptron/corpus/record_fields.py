"""Choice of text and label in records with named fields: JSON lines and Parquet."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textperceptron.corpus.columns import (
    LABEL_NAMES,
    TEXT_NAMES,
    join_texts,
    kept_indices,
    known_names,
    match_name,
    missing_column,
)
from textperceptron.corpus.documents import ColumnChoice, Records
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import ParsedRows, Report
from textperceptron.corpus.options import ReadOptions

SKIP = "or use --skip-bad to leave such rows out."


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of texts and label, and of the columns to keep."""

    text: tuple[str, ...]
    label: str | None
    kept: tuple[str, ...]
    choice: ColumnChoice


class BadRowError(Exception):
    """A row that cannot be read: reason, remedy and perhaps the kind of reason. The caller knows the location."""


def pick_keys(names: Sequence[str], options: ReadOptions, location: Location) -> Keys:
    """Return the keys of texts and label: those of the options or of a model, else common names."""
    for wanted, role in (*((text, "text") for text in options.text_columns), (options.label_column, "label")):
        if wanted is not None and wanted not in names:
            raise CorpusError(
                f"there is no {wanted!r} among {', '.join(map(repr, names))}", location,
                f"Name another --{role}-column.",
            )  # fmt: skip
    text = tuple(map(str, options.text_columns)) or _remembered_keys(names, options, location)
    label = None if options.label_column is None else str(options.label_column)
    if label is None and isinstance(options.remembered_label, str):
        label = match_name(options.remembered_label, names)
    other_texts: tuple[str, ...] = ()
    other_labels: tuple[str, ...] = ()
    if not text:
        known = known_names((name for name in names if name != label), TEXT_NAMES)
        text, other_texts = tuple(known[:1]), tuple(known[1:])
    if options.labelled is False:
        label = None
    elif label is None:
        known = known_names((name for name in names if name not in text), LABEL_NAMES)
        label, other_labels = (known[0] if known else None), tuple(known[1:])
    shown = ", ".join(map(repr, names))
    if not text:
        raise CorpusError(
            f"it is not clear which of {shown} is the text",
            location, f"Name it: --text-column{'' if options.labelled is False else ', --label-column'}.",
        )  # fmt: skip
    if options.labelled and label is None:
        raise CorpusError(
            f"the text is {' and '.join(map(repr, text))}, but it is not clear which of the names is the label "
            f"({shown})", location, "Name it: --label-column.",
        )  # fmt: skip
    kept = tuple(names[k] for k in kept_indices(names, options, location)) if options.keep_columns else ()
    return Keys(text, label, kept, ColumnChoice(text, label, other_texts, other_labels, tuple(names)))


def _remembered_keys(names: Sequence[str], options: ReadOptions, location: Location) -> tuple[str, ...]:
    """Return the keys of the text that a model was trained on; numbers of columns do not count here."""
    found = []
    for column in options.remembered_text:
        if isinstance(column, str):
            name = match_name(column, names)
            if name is None:
                raise missing_column(column, names, location)
            found.append(name)
    return tuple(found)


def select(
    records: Iterable[tuple[int, Mapping[str, Any]]], keys: Keys, options: ReadOptions, file: str, unit: str,
    report: Report,
) -> ParsedRows:  # fmt: skip
    """Return texts and labels of numbered records; report those that lack one."""
    texts: list[str] = []
    labels: list[Any] = []
    numbers = []
    kept: list[Mapping[str, Any]] = []
    keeps_all = options.keep_columns is True
    for number, record in records:
        try:
            text = _text(record, keys.text[0]) if len(keys.text) == 1 else _joined_text(record, keys.text)
            if keys.label is not None:
                labels.append(_labels(record.get(keys.label), keys.label, options))
        except BadRowError as problem:
            report(bad_row(problem, Location(file, number, unit)))
        else:
            texts.append(text)
            numbers.append(number)
            if options.keep_columns:
                kept.append(record if keeps_all else {key: record[key] for key in keys.kept if key in record})
    found = Records(keys.kept, kept) if options.keep_columns else None
    return ParsedRows(texts, labels, numbers, unit, keys.choice, found)


def bad_row(problem: BadRowError, location: Location) -> CorpusError:
    """Turn a :class:`BadRowError` into an error with a location."""
    reason, remedy, *kind = problem.args
    return CorpusError(reason, location, remedy, *kind)


def _text(record: Mapping[str, Any], key: str) -> str:
    text = record.get(key)
    if isinstance(text, str):
        return text
    reason = f"there is no {key!r}" if text is None else f"{key!r} is {_shown(text)}, not a text"
    kind = reason if text is None else f"{key!r} is not a text"
    raise BadRowError(reason, f"Add it, name another --text-column, {SKIP}", kind)


def _joined_text(record: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the texts of several keys as one; some may be missing, but not all."""
    present = [key for key in keys if record.get(key) is not None]
    return join_texts(_text(record, key) for key in present or keys[:1])


def _labels(value: Any, key: str, options: ReadOptions) -> str | tuple[str, ...]:
    """Return a label, or the labels of an array, each once; with a separator, an empty text has no labels."""
    if isinstance(value, list | tuple):
        return tuple(dict.fromkeys(sys.intern(_label(label, key)) for label in value))
    return "" if value == "" and options.separator is not None else sys.intern(_label(value, key))


def _label(label: Any, key: str) -> str:
    """Return a label as text: numbers and booleans as in JSON."""
    if isinstance(label, str) and label:
        return label
    if isinstance(label, bool | int | float) and label == label:
        return json.dumps(label)
    if label is None or label == "" or label != label:  # pandas writes a missing label as NaN
        raise BadRowError(f"there is no label in {key!r}", f"Add it, name another --label-column, {SKIP}")
    raise BadRowError(f"{key!r} is not a label ({_shown(label)})", f"Name another --label-column, {SKIP}")


def _shown(value: Any) -> str:
    return excerpt(json.dumps(value, ensure_ascii=False, default=repr))
