"""Predictions of several labels per text: micro and macro F1, exact matches, Hamming loss, ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.report.evaluation import Average, ClassReport, Label, class_report, macro_average
from textperceptron.report.interval import Proportion

LabelSet = tuple[Label, ...]

_BOOTSTRAP_SAMPLES = 1000


@dataclass(frozen=True, slots=True)
class LabelSetEvaluation:
    """All figures of predictions of several labels per text.

    Attributes
    ----------
    micro : Average
        Of all labels of all texts together.
    micro_interval : tuple of float
        95 % bootstrap interval of the micro F1, over texts.
    macro : Average
        Unweighted means over the labels.
    exact : Proportion
        Texts with all labels right and no other (subset accuracy).
    hamming_loss : float
        Fraction of wrong decisions, one per text and label.
    ranking : float or None
        Label ranking average precision of the texts that have labels: of the labels ranked at or above a label of the
        text, the fraction that are labels of the text. None without scores.
    classes : tuple of ClassReport
        One per label that occurs or was predicted, sorted.
    mean_labels, mean_predicted : float
        Number of labels per text.
    baseline : tuple of (label, float)
        The most frequent label, and the micro F1 of predicting it alone for every text.
    """

    micro: Average
    micro_interval: tuple[float, float]
    macro: Average
    exact: Proportion
    hamming_loss: float
    ranking: float | None
    classes: tuple[ClassReport, ...]
    mean_labels: float
    mean_predicted: float
    baseline: tuple[Label, float]

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "micro": asdict(self.micro),
            "micro_f1_interval": list(self.micro_interval),
            "macro": asdict(self.macro),
            "exact": self.exact.as_dict(),
            "hamming_loss": self.hamming_loss,
            "ranking": self.ranking,
            "mean_labels": self.mean_labels,
            "mean_predicted": self.mean_predicted,
            "baseline": {"label": self.baseline[0], "micro_f1": self.baseline[1]},
            "classes": [asdict(report) for report in self.classes],
        }


def evaluate_label_sets(
    labels: Sequence[LabelSet],
    predicted: Sequence[LabelSet],
    known: Sequence[Label],
    scores: npt.NDArray[np.float64] | None = None,
) -> LabelSetEvaluation:
    """Compare predicted labels of texts with the true ones.

    Parameters
    ----------
    labels, predicted : sequence of tuples of labels
        The true and the predicted labels of each text.
    known : sequence of labels
        The labels of the model.
    scores : array of shape (n_texts, len(known)), optional
        The scores of the known labels, for the ranking; unknown labels rank last.

    Raises
    ------
    ValueError
        If there are no texts, the lengths differ, or no text has a label.

    Examples
    --------
    >>> from textperceptron.report import evaluate_label_sets
    >>> found = evaluate_label_sets([("a", "b"), ("b",), ()], [("a",), ("b",), ("c",)], ["a", "b", "c"])
    >>> round(found.micro.f1, 3), round(found.macro.f1, 3), found.exact.value, found.baseline
    (0.667, 0.556, 0.3333333333333333, ('b', 0.6666666666666666))
    """
    if len(labels) != len(predicted):
        raise ValueError(f"there are {len(labels)} label sets and {len(predicted)} predictions: give one per text.")
    true_sets, found_sets = list(map(set, labels)), list(map(set, predicted))
    support, n_predicted = (Counter(label for each in sets for label in each) for sets in (true_sets, found_sets))
    if not support:
        raise ValueError("no text has a label to evaluate: give at least one.")
    common = [true & found for true, found in zip(true_sets, found_sets, strict=True)]
    hits = Counter(label for each in common for label in each)
    names = sorted(support.keys() | n_predicted.keys())
    classes = tuple(class_report(name, hits[name], support[name], n_predicted[name]) for name in names)
    all_of_text = np.array([len(true) + len(found) for true, found in zip(true_sets, found_sets, strict=True)])
    hits_of_text = np.array(list(map(len, common)))
    micro = class_report("", hits.total(), support.total(), n_predicted.total())
    most, n_most = min(support.items(), key=lambda item: (-item[1], item[0]))
    n_texts, n_names = len(labels), len(support.keys() | set(known))
    return LabelSetEvaluation(
        micro=Average(micro.precision, micro.recall, micro.f1),
        micro_interval=_bootstrap_interval(hits_of_text, all_of_text),
        macro=macro_average(classes),
        exact=Proportion(sum(true == found for true, found in zip(true_sets, found_sets, strict=True)), n_texts),
        hamming_loss=int((all_of_text - 2 * hits_of_text).sum()) / (n_texts * n_names),
        ranking=None if scores is None else _ranking_precision(true_sets, known, scores),
        classes=classes,
        mean_labels=support.total() / n_texts,
        mean_predicted=n_predicted.total() / n_texts,
        baseline=(most, 2 * n_most / (n_texts + support.total())),
    )


def _bootstrap_interval(hits: npt.NDArray[np.int64], both: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return the interval of ``2 · Σ hits / Σ both`` if texts are drawn at random."""
    kinds, counts = np.unique(np.stack([hits, both]), axis=1, return_counts=True)
    n_texts = len(hits)
    drawn = np.random.default_rng(0).multinomial(n_texts, counts / n_texts, _BOOTSTRAP_SAMPLES)
    f1 = 2 * (drawn @ kinds[0]) / np.maximum(drawn @ kinds[1], 1)
    value = 2 * hits.sum() / max(1, both.sum())
    low, high = np.quantile(f1, (0.025, 0.975))
    return min(float(low), float(value)), max(float(high), float(value))


def _ranking_precision(
    labels: Sequence[set[Label]], known: Sequence[Label], scores: npt.NDArray[np.float64]
) -> float | None:
    code_of = {label: code for code, label in enumerate(known)}
    found = []
    for true, row in zip(labels, scores, strict=True):
        if not true:
            continue
        own = np.sort(row[[code_of[label] for label in true if label in code_of]])[::-1]
        rank = len(row) - np.searchsorted(np.sort(row), own)  # number of labels with at least this score
        rank_among_own = len(own) - np.searchsorted(own[::-1], own)
        n_all = len(row) + len(true) - len(own)
        unknown = [n / n_all for n in range(len(own) + 1, len(true) + 1)]
        found.append((float(np.sum(rank_among_own / rank)) + sum(unknown)) / len(true))
    return float(np.mean(found)) if found else None
