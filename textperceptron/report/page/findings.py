"""What a page reports about texts: predictions, margins, mistakes, unknown words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Rows
from textperceptron.model import TextModel
from textperceptron.model.classes import Label
from textperceptron.model.cross_validation import Predictions
from textperceptron.report.evaluation import Evaluation, evaluate
from textperceptron.text.counted_texts import count_texts

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

COUNTED_TEXTS = 5000  # in which words are looked up


@dataclass(frozen=True, eq=False)
class Findings:
    """A model, texts, and what was predicted for them.

    Attributes
    ----------
    model : TextModel
    texts : sequence of str
    labels : sequence of str or None
        The true labels, as text; None if the texts have none.
    predictions : Predictions
    is_own : bool
        Whether the predictions are those of the model itself.
    rows : Rows
        The rows of the texts in the model.
    """

    model: TextModel
    texts: Sequence[str]
    labels: Sequence[str] | None
    predictions: Predictions
    is_own: bool
    rows: Rows

    @cached_property
    def classes(self) -> list[str]:
        """The classes of the model, as text."""
        return [label_name(label) for label in self.model.classes]

    @cached_property
    def predicted(self) -> list[str]:
        """The predicted label of each text."""
        return [self.classes[code] for code in self.predictions.codes.tolist()]

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """Predictions against labels; None without labels."""
        return evaluate(self.labels, self.predicted) if self.labels else None

    @cached_property
    def margins(self) -> Floats | None:
        """The margin of each text: above 0 if its label is predicted; None without labels."""
        if self.labels is None:
            return None
        found = score_margins(self.predictions.scores, self._true_codes)
        # A threshold may predict a class without the highest score.
        wrong = np.array([true != other for true, other in zip(self.labels, self.predicted, strict=True)], bool)
        return np.where(wrong, np.minimum(found, 0), found)

    @cached_property
    def mistakes(self) -> npt.NDArray[np.intp]:
        """Indices of the texts with a wrong prediction, worst first."""
        if self.labels is None or self.margins is None:
            return np.empty(0, np.intp)
        wrong = np.array([true != other for true, other in zip(self.labels, self.predicted, strict=True)], bool)
        indices = np.flatnonzero(wrong)
        return indices[np.argsort(self.margins[indices], kind="stable")]

    @cached_property
    def suspicious(self) -> npt.NDArray[np.bool_]:
        """For each mistake, whether its label is likely wrong."""
        return likely_wrong(self.predictions.scores, self._true_codes)[self.mistakes]

    @cached_property
    def _true_codes(self) -> Codes:
        """The class of each text; −1 for a label that is not a class of the model."""
        code_of = {name: code for code, name in enumerate(self.classes)}
        return np.array([code_of.get(label, -1) for label in self.labels or ()], np.intp)


def find(
    model: TextModel,
    texts: Sequence[str],
    labels: Sequence[str] | None,
    predictions: Predictions | None,
    n_jobs: int | None,
) -> Findings:
    """Predict texts, unless predictions are given."""
    rows = model.parts.rows(texts, n_jobs)
    if predictions is not None:
        return Findings(model, texts, labels, predictions, False, rows)
    parts = model.parts
    scores = parts.model.scores(rows, n_jobs)
    found = Predictions(parts.model.codes(rows, n_jobs), scores)
    if parts.calibration is not None:
        found = replace(found, probabilities=parts.calibration.probabilities(scores))
    return Findings(model, texts, labels, found, True, rows)


def score_margins(scores: Floats, true: Codes) -> Floats:
    """Return the score of the true class (two classes), or its score minus the best of the others.

    A text whose class the model does not know gets minus the lead of the best class.
    """
    if scores.ndim == 1:
        return np.where(true < 0, -np.abs(scores), np.where(true == 1, scores, -scores))
    order = np.sort(scores, axis=1)
    own = scores[np.arange(len(scores)), np.maximum(true, 0)]
    best_other = np.where(own == order[:, -1], order[:, -2], order[:, -1])
    return np.where(true < 0, order[:, -2] - order[:, -1], own - best_other)


def likely_wrong(scores: Floats, true: Codes) -> npt.NDArray[np.bool_]:
    """Return which labels are likely wrong, by the rule of confident learning (Northcutt et al. 2021).

    The score of another class is higher than that of the label, and at least as high as it is on average in the texts
    that are labelled with it. False for a label that the model does not know.

    Examples
    --------
    >>> likely_wrong(np.array([2.0, 1.0, -0.5, 3.0]), np.array([1, 1, 0, 0])).tolist()
    [False, False, False, True]
    """
    by_class = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    known = np.flatnonzero(true >= 0)
    own = by_class[known, true[known]]
    sizes = np.bincount(true[known], minlength=by_class.shape[1])
    means = np.bincount(true[known], own, by_class.shape[1]) / np.maximum(sizes, 1)
    found = np.zeros(len(true), bool)
    surely_other = (by_class[known] >= np.where(sizes, means, np.inf)) & (by_class[known] > own[:, np.newaxis])
    found[known] = surely_other.any(axis=1)
    return found


def label_name(label: Label) -> str:
    """Return a label as corpora spell it."""
    return label if isinstance(label, str) else json.dumps(label)


@dataclass(frozen=True)
class UnknownWords:
    """Words of texts that are not columns of the model.

    Attributes
    ----------
    n_texts, n_words, n_unknown : int
        Texts that were counted, their words, and how many of these are unknown.
    frequent : list of (word, number of occurrences)
        The most frequent unknown words.
    """

    n_texts: int
    n_words: int
    n_unknown: int
    frequent: list[tuple[str, int]]

    @property
    def rate(self) -> float:
        """Share of the words that are unknown."""
        return self.n_unknown / self.n_words if self.n_words else 0.0


def unknown_words(model: TextModel, texts: Sequence[str], top: int = 20) -> UnknownWords | None:
    """Look up the words of texts; None if columns have no names or are not words."""
    features = model.parts.features
    vocabulary, settings = features.vocabulary, features.settings
    if vocabulary is None or settings.analyzer != "word" or settings.ngram_range[0] != 1 or not len(texts):
        return None
    sample = list(texts[:: max(1, len(texts) // COUNTED_TEXTS)])[:COUNTED_TEXTS]
    alone = replace(settings.tokens_only(), n_features=None)
    counted = count_texts(sample, alone)
    if not len(counted.terms):
        return UnknownWords(len(sample), 0, 0, [])
    columns = counted.choose(alone)
    words = counted.vocabulary(columns).result().names()
    rows = counted.rows(columns, replace(alone, binary=False))
    counts = np.bincount(rows.indices, rows.data if len(rows.data) else None, minlength=len(words)).astype(np.int64)
    unknown = [k for k, word in enumerate(words) if word not in vocabulary and f"NOT_{word}" not in vocabulary]
    unknown.sort(key=lambda k: (-counts[k], words[k]))
    frequent = [(words[k], int(counts[k])) for k in unknown[:top]]
    return UnknownWords(len(sample), int(counts.sum()), int(counts[unknown].sum()), frequent)


def reliability(findings: Findings, n_bins: int = 10) -> list[tuple[float, float, int]] | None:
    """Return mean probability, accuracy and number of texts per bin of probability; None without probabilities."""
    probabilities = findings.predictions.probabilities
    if probabilities is None or findings.labels is None:
        return None
    sure = probabilities[np.arange(len(probabilities)), findings.predictions.codes]
    right: npt.NDArray[Any] = np.array(
        [true == other for true, other in zip(findings.labels, findings.predicted, strict=True)], float
    )
    bins = np.minimum((sure * n_bins).astype(int), n_bins - 1)
    found = []
    for k in range(n_bins):
        inside = bins == k
        if inside.any():
            found.append((float(sure[inside].mean()), float(right[inside].mean()), int(inside.sum())))
    return found
