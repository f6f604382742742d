"""Labels of users ↔ numbers of classes, without losing their type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Label = str | int | bool
Kind = Literal["str", "int", "bool"]

_KINDS: dict[type, Kind] = {str: "str", int: "int", bool: "bool"}


@dataclass(frozen=True)
class Classes:
    """The labels of a model, sorted; all of one type.

    Examples
    --------
    >>> from textperceptron.model.labels import Classes
    >>> classes = Classes.among([True, False, True])
    >>> classes.labels, classes.kind, classes.codes([True, False]).tolist()
    ((False, True), 'bool', [1, 0])
    """

    labels: tuple[Label, ...]

    @classmethod
    def among(cls, labels: Iterable[Any]) -> Classes:
        """Return the classes among labels.

        Raises
        ------
        ValueError
            If they are of different types, or of one that no file can keep.
        """
        return cls(tuple(sorted(set(plain(labels)))))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def kind(self) -> Kind:
        """The type of the labels."""
        return _KINDS[type(self.labels[0])]

    @cached_property
    def array(self) -> npt.NDArray[np.object_]:
        """The labels as an array of objects."""
        array = np.empty(len(self.labels), object)
        array[:] = self.labels
        return array

    @cached_property
    def _numbers(self) -> dict[Label, int]:
        return {label: code for code, label in enumerate(self.labels)}

    def code(self, label: Any) -> int:
        """Return the number of a class.

        Raises
        ------
        ValueError
            If there is no such class.
        """
        (own,) = plain([label])
        if type(own) is not type(self.labels[0]) or own not in self._numbers:
            raise ValueError(f"{label!r} is none of the classes {', '.join(map(repr, self.labels))}.")
        return self._numbers[own]

    def codes(self, labels: Iterable[Any]) -> npt.NDArray[np.intp]:
        """Return the number of the class of each label.

        Raises
        ------
        ValueError
            If one is not among the classes.
        """
        own = plain(labels)
        try:
            return np.fromiter((self._numbers[label] for label in own), np.intp, len(own))
        except KeyError as unknown:
            raise ValueError(
                f"the label {unknown.args[0]!r} is none of the classes {', '.join(map(repr, self.labels))}."
            ) from None

    def with_more(self, labels: Iterable[Any]) -> Classes:
        """Return these classes and those among further labels."""
        return Classes.among([*self.labels, *plain(labels)])

    def of(self, codes: npt.NDArray[np.intp]) -> list[Label]:
        """Return the labels of classes by number."""
        return [self.labels[code] for code in codes.tolist()]


def plain(labels: Iterable[Any]) -> Sequence[Label]:
    """Return labels as Python's own strings, numbers or truth values.

    Raises
    ------
    ValueError
        If they are of different types, or of another.
    """
    values: list[Any] = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    kinds = set(map(type, values))
    if not kinds <= set(_KINDS):
        values = [value.item() if isinstance(value, np.generic) else value for value in values]
        values = [str(value) if isinstance(value, str) else value for value in values]
        kinds = set(map(type, values))
    if wrong := kinds - set(_KINDS):
        place = next(place for place, value in enumerate(values) if type(value) in wrong)
        raise ValueError(
            f"label {place} is {values[place]!r} ({type(values[place]).__name__}): use str, int or bool, which a "
            "model file can keep."
        )
    if len(kinds) > 1:
        first = type(values[0])
        place = next(place for place, value in enumerate(values) if type(value) is not first)
        raise ValueError(
            f"label 0 is {values[0]!r} and label {place} is {values[place]!r}: labels must all be of one type. Write "
            "them alike, e.g. all as strings."
        )
    return values
