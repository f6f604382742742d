"""What texts are labelled with: a class each, or any number of labels each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.training_data import LabelSets, class_sizes
from textperceptron.model.classes import Classes, Label, plain_labels
from textperceptron.settings import Settings
from textperceptron.text.frames import is_missing, values_of

LabelSet = tuple[Label, ...]
_SETS = (list, tuple, set, frozenset, np.ndarray)


@dataclass(frozen=True)
class Targets:
    """The labels of texts, their classes, and the codes that learners take.

    Attributes
    ----------
    labels : sequence of labels, or of tuples of labels
        As :func:`plain_label_sets` and :func:`plain_labels` return them.
    classes : Classes
    codes : array of int, or LabelSets
    """

    labels: Sequence[Any]
    classes: Classes
    codes: npt.NDArray[np.intp] | LabelSets

    @classmethod
    def of(cls, labels: Iterable[Any], more_classes: Iterable[Any] = ()) -> Targets:
        """Return the targets in labels, one or a list per text; ``more_classes`` may have no texts.

        Raises
        ------
        ValueError
            If labels are missing, of different types, or there are too few to learn from.

        Examples
        --------
        >>> from textperceptron.model.targets import Targets
        >>> targets = Targets.of([["sport", "war"], [], ["war"]])
        >>> targets.labels, targets.multilabel, targets.rows_of_class
        ([('sport', 'war'), (), ('war',)], True, (1, 2))
        """
        labels = values_of(labels, "labels")
        sets = plain_label_sets(labels)
        plain = plain_labels(labels) if sets is None else [label for each in sets for label in each]
        classes = Classes.among([*plain, *plain_labels(more_classes)])
        if sets is None:
            if len(classes) < 2:
                found = f"there is only one class, {classes.labels[0]!r}" if len(classes) else "there are no labels"
                raise ValueError(f"{found}: a classifier needs texts of at least two classes.")
            return cls(plain, classes, classes.codes(plain))
        if len(set(sets)) < 2:
            found = (
                f"all texts have the same labels, {', '.join(map(repr, sets[0]))}" if plain else "no text has a label"
            )
            raise ValueError(f"{found}: a classifier needs texts with different labels.")
        if len(classes) < 2:
            raise ValueError(
                f"there is only one label, {classes.labels[0]!r}: write it as a class, and give the other texts "
                "another class, each as one label instead of a list."
            )
        return cls(sets, classes, label_sets(classes, sets))

    @property
    def multilabel(self) -> bool:
        """Whether a text may have several labels, or none."""
        return isinstance(self.codes, LabelSets)

    @property
    def rows_of_class(self) -> tuple[int, ...]:
        """Number of texts per class."""
        codes = self.codes.label if isinstance(self.codes, LabelSets) else self.codes
        return tuple(np.bincount(codes, minlength=len(self.classes)).tolist())

    @property
    def class_sizes(self) -> list[int]:
        """Texts per class to resolve ``"auto"`` by."""
        return class_sizes(self.codes, len(self.classes))

    def resolve_default(self, settings: Settings) -> Settings:
        """Return the settings with their defaults for several labels per text, if there are several."""
        return replace(settings, learner=settings.learner.for_label_sets()) if self.multilabel else settings

    def take(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.intp] | LabelSets:
        """Return the codes of some texts."""
        return self.codes.take(rows)


def plain_label_sets(labels: Iterable[Any]) -> list[LabelSet] | None:
    """Convert lists of labels to sorted tuples without repetitions; return None if labels are single ones.

    Raises
    ------
    ValueError
        If some are lists and others are not, or a label is missing or of a type that a file cannot store.

    Examples
    --------
    >>> from textperceptron.model.targets import plain_label_sets
    >>> plain_label_sets([{"b", "a"}, [], ("b", "b")]), plain_label_sets(["a", "b"])
    ([('a', 'b'), (), ('b',)], None)
    """
    values = values_of(labels, "labels")
    are_sets = [isinstance(value, _SETS) for value in values]
    if not any(are_sets):
        return None
    if not all(are_sets):
        index, first = are_sets.index(False), are_sets.index(True)
        if is_missing(values[index]):
            raise ValueError(f"label set {index} is missing ({values[index]!r}): use [] for a text without labels.")
        raise ValueError(
            f"label {index} is {values[index]!r} and label {first} is {values[first]!r}, a list: write all labels as "
            f"lists, such as [{values[index]!r}], or none."
        )
    if not {label for kinds in (map(type, each) for each in values) for label in kinds} <= {str}:
        values = [_plain_set(index, each) for index, each in enumerate(values)]
        plain_labels([label for each in values for label in each])  # raises ValueError for different types
    return [tuple(sorted(set(each))) for each in values]


def as_label_sets(labels: Iterable[Any]) -> list[LabelSet]:
    """Return lists of labels as :func:`plain_label_sets` does, and single labels as tuples of one."""
    values = values_of(labels, "labels")
    sets = plain_label_sets(values)
    return [(label,) for label in plain_labels(values)] if sets is None else sets


def _plain_set(index: int, labels: Any) -> Sequence[Label]:
    try:
        return plain_labels(list(labels))
    except ValueError as problem:
        raise ValueError(f"label set {index}: {problem}") from None


def label_sets(classes: Classes, sets: Sequence[LabelSet]) -> LabelSets:
    """Return the codes of label sets.

    Raises
    ------
    ValueError
        If a label is not one of the classes.
    """
    starts = np.zeros(len(sets) + 1, np.int64)
    np.cumsum([len(each) for each in sets], out=starts[1:])
    return LabelSets(starts, classes.codes([label for each in sets for label in each]).astype(np.int32))
