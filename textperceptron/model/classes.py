"""Labels as users write them ↔ class codes, without losing their type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from textperceptron.text.frames import is_missing, values_of

Label = str | int | bool
Kind = Literal["str", "int", "bool"]

_KINDS: dict[type, Kind] = {str: "str", int: "int", bool: "bool"}
_EXACT = 2**53  # integers up to here are exact as float64


@dataclass(frozen=True)
class Classes:
    """The labels of a model, sorted and of one type. The code of a class is its index.

    Examples
    --------
    >>> from textperceptron.model.classes import Classes
    >>> classes = Classes.among([True, False, True])
    >>> classes.labels, classes.kind, classes.codes([True, False]).tolist()
    ((False, True), 'bool', [1, 0])
    """

    labels: tuple[Label, ...]

    @classmethod
    def among(cls, labels: Iterable[Any]) -> Classes:
        """Return the distinct classes among labels.

        Raises
        ------
        ValueError
            If the labels are of different types, or of one that a file cannot store.
        """
        return cls(tuple(sorted(set(plain_labels(labels)))))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def kind(self) -> Kind:
        """Type of the labels."""
        return _KINDS[type(self.labels[0])]

    @cached_property
    def array(self) -> npt.NDArray[np.object_]:
        """The labels as an object array."""
        array = np.empty(len(self.labels), object)
        array[:] = self.labels
        return array

    @cached_property
    def _code_of(self) -> dict[Label, int]:
        return {label: code for code, label in enumerate(self.labels)}

    def code(self, label: Any) -> int:
        """Return the code of a class.

        Raises
        ------
        ValueError
            If the label is not one of the classes.
        """
        (plain,) = plain_labels([label])
        if type(plain) is not type(self.labels[0]) or plain not in self._code_of:
            raise ValueError(f"{label!r} is not one of the classes {', '.join(map(repr, self.labels))}.")
        return self._code_of[plain]

    def codes(self, labels: Iterable[Any]) -> npt.NDArray[np.intp]:
        """Return the class code of each label.

        Raises
        ------
        ValueError
            If a label is not one of the classes.
        """
        plain = plain_labels(labels)
        try:
            return np.fromiter((self._code_of[label] for label in plain), np.intp, len(plain))
        except KeyError as unknown:
            raise ValueError(
                f"the label {unknown.args[0]!r} is not one of the classes {', '.join(map(repr, self.labels))}."
            ) from None

    def sets_of(self, has: npt.NDArray[np.bool_]) -> list[tuple[Label, ...]]:
        """Return the labels of each row of an indicator, of shape (n_rows, n_classes)."""
        return [tuple(self.labels[code] for code in np.flatnonzero(row).tolist()) for row in has]

    def with_more(self, labels: Iterable[Any]) -> Classes:
        """Return these classes and those among further labels."""
        return Classes.among([*self.labels, *plain_labels(labels)])

    def of(self, codes: npt.NDArray[np.intp]) -> list[Label]:
        """Return the label of each class code."""
        return [self.labels[code] for code in codes.tolist()]


def plain_labels(labels: Iterable[Any]) -> Sequence[Label]:
    """Convert labels to Python's own str, int or bool; floats that hold integers become int.

    Parameters
    ----------
    labels : iterable, array, column of a data frame, or table of one column

    Raises
    ------
    ValueError
        If a label is missing, or of any other type, or if the labels are of different types.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.model.classes import plain_labels
    >>> plain_labels(np.array([1.0, 2.0])), plain_labels(np.array(["a", "b"]))
    ([1, 2], ['a', 'b'])
    """
    values = values_of(labels, "labels")
    kinds = set(map(type, values))
    if not kinds <= set(_KINDS):
        values = list(map(_plain, values))
        kinds = set(map(type, values))
    if wrong := kinds - set(_KINDS):
        index = next(index for index, value in enumerate(values) if type(value) in wrong)
        value = values[index]
        if is_missing(value):
            raise ValueError(f"label {index} is missing ({value!r}): leave out its text, or give it a label.")
        raise ValueError(
            f"label {index} is {value!r} ({type(value).__name__}): use str, int or bool, which a model file can store."
        )
    if len(kinds) > 1:
        first = type(values[0])
        index = next(index for index, value in enumerate(values) if type(value) is not first)
        raise ValueError(
            f"label 0 is {values[0]!r} and label {index} is {values[index]!r}: labels must all be of one type. Write "
            "them alike, e.g. all as strings."
        )
    return values


def _plain(label: Any) -> Any:
    """Return a label as a Python object, and an int for a float that holds one."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and label.is_integer() and abs(label) <= _EXACT:
        return int(label)
    return str(label) if isinstance(label, str) else label
