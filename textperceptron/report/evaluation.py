"""Predictions against labels: accuracy, precision, recall, F1 and the confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from textperceptron.report.interval import Proportion
from textperceptron.settings.learner import UNEVEN_RATIO

Label = str | int | bool


@dataclass(frozen=True, slots=True)
class ClassReport:
    """Precision, recall and F1 of one class.

    Attributes
    ----------
    precision : float
        Fraction of the documents predicted as the class that belong to it; 0 if none was predicted.
    recall : float
        Fraction of the documents of the class that were predicted as it; 0 if there are none.
    f1 : float
        Harmonic mean of the two.
    support : int
        Number of documents of the class.
    predicted : int
        Number of documents predicted as the class.
    """

    label: Label
    precision: float
    recall: float
    f1: float
    support: int
    predicted: int


@dataclass(frozen=True, slots=True)
class ConfusedPair:
    """How often documents of one class were predicted as another.

    Attributes
    ----------
    label, predicted : label
    count : int
        Number of documents of the class that were predicted as the other.
    support : int
        Number of documents of the class.
    """

    label: Label
    predicted: Label
    count: int
    support: int


@dataclass(frozen=True, slots=True)
class Average:
    """Precision, recall and F1, averaged over classes or documents."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All figures of a set of predictions.

    Attributes
    ----------
    accuracy : Proportion
        Correct predictions out of all.
    classes : tuple of ClassReport
        One per label that occurs or was predicted, sorted.
    macro : Average
        Unweighted means over the classes.
    micro : Average
        Over all documents. Because every document has one label and one prediction, all three equal the accuracy.
    confusion : tuple of tuples of int
        ``confusion[i][j]`` documents of class i were predicted as class j.
    """

    accuracy: Proportion
    classes: tuple[ClassReport, ...]
    macro: Average
    micro: Average
    confusion: tuple[tuple[int, ...], ...]

    @property
    def labels(self) -> list[Label]:
        """The labels, in the order of the classes."""
        return [report.label for report in self.classes]

    @property
    def most_frequent(self) -> ClassReport:
        """The class with the most documents, the first of several."""
        return max(self.classes, key=lambda each: each.support)

    @property
    def baseline(self) -> Proportion:
        """The accuracy of always predicting the most frequent class."""
        return Proportion(self.most_frequent.support, self.accuracy.n)

    @property
    def is_uneven(self) -> bool:
        """Whether the most frequent class has more than ``UNEVEN_RATIO`` times the documents of the rarest."""
        return self.most_frequent.support > UNEVEN_RATIO * min(each.support for each in self.classes if each.support)

    def confused_pairs(self, n: int = 10) -> list[ConfusedPair]:
        """Return the classes that are taken for others most often, in order of the number of documents.

        Examples
        --------
        >>> evaluate(["a", "a", "b", "b"], ["a", "b", "a", "a"]).confused_pairs(1)
        [ConfusedPair(label='b', predicted='a', count=2, support=2)]
        """
        pairs = [
            ConfusedPair(row.label, column.label, count, row.support)
            for row, counts in zip(self.classes, self.confusion, strict=True)
            for column, count in zip(self.classes, counts, strict=True)
            if count and row is not column
        ]
        return sorted(pairs, key=lambda pair: -pair.count)[:n]

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "accuracy": self.accuracy.as_dict(),
            "classes": [asdict(report) for report in self.classes],
            "macro": asdict(self.macro),
            "micro": asdict(self.micro),
            "most_frequent_class": {"label": self.most_frequent.label, "accuracy": self.baseline.as_dict()},
            "confused_pairs": [asdict(pair) for pair in self.confused_pairs()],
            "confusion": {"labels": self.labels, "counts": [list(row) for row in self.confusion]},
        }


def evaluate(labels: Sequence[Label], predicted: Sequence[Label]) -> Evaluation:
    """Compare predictions with labels.

    Parameters
    ----------
    labels : sequence of str, int or bool
        The true labels.
    predicted : sequence of str, int or bool
        The predictions.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If there are no labels, or the lengths differ.

    Examples
    --------
    >>> found = evaluate(["pos", "pos", "neg", "neg"], ["pos", "neg", "neg", "neg"])
    >>> found.accuracy.value, round(found.macro.f1, 3), found.confusion
    (0.75, 0.733, ((2, 0), (1, 1)))
    """
    if len(labels) != len(predicted):
        raise ValueError(f"there are {len(labels)} labels and {len(predicted)} predictions: give one per label.")
    counts = Counter(zip(_plain(labels), _plain(predicted), strict=True))
    if not counts:
        raise ValueError("there are no labels to evaluate: give at least one label and its prediction.")
    names = sorted({label for pair in counts for label in pair})
    return evaluate_counts(names, [[counts[true, other] for other in names] for true in names])


def evaluate_counts(labels: Sequence[Label], confusion: Sequence[Sequence[int]]) -> Evaluation:
    """Evaluate a confusion matrix; labels that neither occur nor were predicted are left out.

    Parameters
    ----------
    labels : sequence of labels
        Sorted.
    confusion : square array of int
        Entry (i, j) counts the documents of class i that were predicted as class j; at least one document.
    """
    counts = np.asarray(confusion)
    seen = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
    table = counts[np.ix_(seen, seen)].tolist()
    classes = tuple(
        class_report(labels[which], table[k][k], sum(table[k]), sum(row[k] for row in table))
        for k, which in enumerate(seen.tolist())
    )
    accuracy = Proportion(int(np.trace(counts)), int(counts.sum()))
    return Evaluation(
        accuracy, classes, macro_average(classes), Average(*[accuracy.value] * 3), tuple(map(tuple, table))
    )


def macro_average(classes: Sequence[ClassReport]) -> Average:
    """Return the unweighted means over classes."""
    return Average(*(sum(getattr(c, name) for c in classes) / len(classes) for name in ("precision", "recall", "f1")))


def class_report(label: Label, hits: int, support: int, predicted: int) -> ClassReport:
    """Return the figures of a class from its counts."""
    return ClassReport(
        label,
        precision=_ratio(hits, predicted),
        recall=_ratio(hits, support),
        f1=_ratio(2 * hits, support + predicted),
        support=support,
        predicted=predicted,
    )


def _ratio(numerator: int, denominator: int) -> float:
    return numerator / denominator if denominator else 0.0


def _plain(labels: Sequence[Any]) -> list[Any]:
    """Return the labels of a list or an array as Python objects."""
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)
