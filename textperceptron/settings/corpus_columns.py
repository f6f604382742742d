"""What a model remembers of its corpus: columns and merged labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textperceptron.settings.typed_json import as_json

Column = str | int  # a name, or a number from 1
_FIRST = "text", "label", "merged"  # fields that every model file has


@dataclass(frozen=True, slots=True)
class CorpusColumns:
    """The columns that texts and labels were read from, and how labels were merged.

    ``read_corpus`` fills it in, a model file stores it, and ``predict`` and ``evaluate`` read the same columns again.

    Attributes
    ----------
    text : tuple of str or int
        Names, or numbers from 1, of the columns whose texts are joined; empty for files without columns.
    label : str, int or None
        Name or number of the column with the label.
    merged : tuple of (str, str or None)
        Labels of the corpus and what they became; None for labels that were dropped.
    label_separator : str or None
        What separates the labels of a text, if it may have several.
    weight : str, int or None
        Name or number of the column with the weight of each text.

    Examples
    --------
    >>> CorpusColumns(("title", "body"), "stars").describe()
    "text from 'title' and 'body', label from 'stars'"
    >>> CorpusColumns(merged=(("1", "neg"), ("2", "neg"), ("3", None))).describe()
    'labels 1,2 → neg · 3 dropped'
    """

    text: tuple[Column, ...] = ()
    label: Column | None = None
    merged: tuple[tuple[str, str | None], ...] = ()
    label_separator: str | None = None
    weight: Column | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object; without a separator and a weight if there is none, as before there were any."""
        found: dict[str, Any] = as_json(self)
        return {name: value for name, value in found.items() if name in _FIRST or value is not None}

    def describe(self) -> str:
        """Return the columns and merged labels in words."""
        said = []
        if self.text:
            said.append(f"text from {name_columns(self.text)}")
        if self.label is not None:
            said.append(f"label from {name_columns((self.label,))}")
        if self.weight is not None:
            said.append(f"weight from {name_columns((self.weight,))}")
        if self.label_separator is not None:
            said.append(f"labels separated by {self.label_separator!r}")
        if self.merged:
            groups: dict[str | None, list[str]] = {}
            for label, merged in self.merged:
                groups.setdefault(merged, []).append(label)
            shown = (
                ",".join(labels) + (" dropped" if merged is None else f" → {merged}")
                for merged, labels in groups.items()
            )
            said.append("labels " + " · ".join(shown))
        return ", ".join(said)


def name_columns(columns: tuple[Column, ...]) -> str:
    """Return columns in words.

    Examples
    --------
    >>> name_columns(("title", "body")), name_columns((3,))
    ("'title' and 'body'", 'column 3')
    """
    shown = [repr(column) if isinstance(column, str) else f"column {column}" for column in columns]
    return ", ".join(shown[:-1]) + (" and " if len(shown) > 1 else "") + "".join(shown[-1:])
