"""Predictions against labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from textperceptron.report.interval import Share

Label = str | int | bool


@dataclass(frozen=True, slots=True)
class ClassReport:
    """How well one class is found.

    Attributes
    ----------
    precision : float
        Share of the documents predicted to be of the class that are; 0 if none was predicted.
    recall : float
        Share of the documents of the class that were predicted to be; 0 if there are none.
    f1 : float
        Harmonic mean of the two.
    support : int
        Documents of the class.
    predicted : int
        Documents predicted to be.
    """

    label: Label
    precision: float
    recall: float
    f1: float
    support: int
    predicted: int


@dataclass(frozen=True, slots=True)
class Average:
    """Precision, recall and F1 of all classes together."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What predictions are worth.

    Attributes
    ----------
    accuracy : Share
        Right predictions among all.
    classes : tuple of ClassReport
        One for each label that was given or predicted, in their order.
    macro : Average
        Means over the classes, each counting the same.
    micro : Average
        Over all decisions, each document counting the same. As every document has one label and gets one, all
        three are the accuracy.
    confusion : tuple of tuples of int
        ``confusion[i][j]`` documents of class i were predicted to be of class j.
    """

    accuracy: Share
    classes: tuple[ClassReport, ...]
    macro: Average
    micro: Average
    confusion: tuple[tuple[int, ...], ...]

    @property
    def labels(self) -> list[Label]:
        """The labels, in the order of the classes."""
        return [report.label for report in self.classes]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "accuracy": self.accuracy.as_dict(),
            "classes": [asdict(report) for report in self.classes],
            "macro": asdict(self.macro),
            "micro": asdict(self.micro),
            "confusion": {"labels": self.labels, "counts": [list(row) for row in self.confusion]},
        }


def evaluate(labels: Sequence[Label], predicted: Sequence[Label]) -> Evaluation:
    """Hold predictions against labels.

    Parameters
    ----------
    labels : sequence of str, int or bool
        What the documents are.
    predicted : sequence of str, int or bool
        What they were predicted to be.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If there are no labels, or more of the one than of the other.

    Examples
    --------
    >>> found = evaluate(["pos", "pos", "neg", "neg"], ["pos", "neg", "neg", "neg"])
    >>> found.accuracy.value, round(found.macro.f1, 3), found.confusion
    (0.75, 0.733, ((2, 0), (1, 1)))
    """
    if len(labels) != len(predicted):
        raise ValueError(f"there are {len(labels)} labels and {len(predicted)} predictions: give one for each.")
    pairs = Counter(zip(_plain(labels), _plain(predicted), strict=True))
    if not pairs:
        raise ValueError("there is nothing to evaluate: give at least one label and its prediction.")
    names = sorted({label for pair in pairs for label in pair})
    confusion = tuple(tuple(pairs[true, other] for other in names) for true in names)
    classes = tuple(
        _class_report(name, confusion[k][k], sum(confusion[k]), sum(row[k] for row in confusion))
        for k, name in enumerate(names)
    )
    accuracy = Share(sum(confusion[k][k] for k in range(len(names))), len(labels))
    macro = Average(*(sum(getattr(c, name) for c in classes) / len(classes) for name in ("precision", "recall", "f1")))
    return Evaluation(accuracy, classes, macro, Average(*[accuracy.value] * 3), confusion)


def _class_report(label: Label, hits: int, support: int, predicted: int) -> ClassReport:
    return ClassReport(
        label,
        precision=_ratio(hits, predicted),
        recall=_ratio(hits, support),
        f1=_ratio(2 * hits, support + predicted),
        support=support,
        predicted=predicted,
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _plain(labels: Sequence[Any]) -> list[Any]:
    """Return labels as Python's own objects, whatever array they came in."""
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)
