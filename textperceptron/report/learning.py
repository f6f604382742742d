"""Accuracy against the number of training texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textperceptron.model.cross_validation import CrossValidation, Split
from textperceptron.report.interval import Proportion
from textperceptron.report.splits import hold_out
from textperceptron.settings import Settings

MAX_POINTS = 8
MIN_TEXTS = 20  # accuracy after fewer says more about the draw than about the method


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The accuracy of a model that was trained on the first ``n_texts`` of the drawn texts."""

    n_texts: int
    accuracy: Proportion

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"texts": self.n_texts, "accuracy": self.accuracy.as_dict()}


def learning_curve(
    texts: Sequence[Any],
    labels: Sequence[Any],
    test_texts: Sequence[Any],
    test_labels: Sequence[Any],
    settings: Settings,
    *,
    n_jobs: int | None = None,
    check_cancelled: Callable[[Any], None] | None = None,
) -> list[CurvePoint]:
    """Train on all texts, half of them, a quarter, …, and return the accuracies on the same test texts.

    Each part has the same share of every class and contains the next smaller part. All texts are tokenised once, and
    each model has the columns of its own training texts. The last point is the accuracy of ``TextModel.train``.

    Parameters
    ----------
    texts, labels : sequences of training texts and their labels
    test_texts, test_labels : sequences of test texts and their labels
    settings : Settings
    n_jobs : int, optional
        Number of threads; the result is the same for any number.
    check_cancelled : callable, optional
        Called during training; an exception that it raises stops it.

    Returns
    -------
    list of CurvePoint
        Fewest texts first; at most 8, with at least 20 texts and two per class each, but always that of all texts.

    Raises
    ------
    ValueError
        If there are no test texts.

    Examples
    --------
    >>> from textperceptron import load_corpus
    >>> from textperceptron.report import learning_curve
    >>> from textperceptron.settings import recipe
    >>> train, test = load_corpus("reviews").train, load_corpus("reviews").test
    >>> curve = learning_curve(train.texts, train.labels, test.texts, test.labels, recipe("mira"))
    >>> [(point.n_texts, point.accuracy.successes) for point in curve]
    [(30, 88), (60, 87), (120, 101), (240, 104), (480, 116)]
    """
    if not len(test_labels):
        raise ValueError("there are no test texts to measure a learning curve on. Use a corpus with a test split.")
    known = set(labels)
    tested = np.array([k for k, label in enumerate(test_labels) if label in known], np.int64)
    splits: list[Split] = [
        (part, len(labels) + np.arange(len(tested))) for part in _parts(labels, settings.learner.seed)
    ]
    validation = CrossValidation(
        [*texts, *(test_texts[k] for k in tested)], [*labels, *(test_labels[k] for k in tested)], splits, n_jobs,
        cache_size=1, unique=settings.text.binary is True,
    )  # fmt: skip
    points = []
    for number, (part, _) in enumerate(splits):
        confusion = validation.evaluate(settings, number, check_cancelled, n_jobs=n_jobs)
        points.append(CurvePoint(len(part), Proportion(int(np.trace(confusion)), len(test_labels))))
    return points


def _parts(labels: Sequence[Any], seed: int) -> list[Any]:
    """Return the indices of the texts of each point, fewest first."""
    parts = [np.arange(len(labels))]
    fewest = max(MIN_TEXTS, 2 * len(set(labels)))
    while len(parts) < MAX_POINTS and len(labels) >> len(parts) >= fewest:
        # The same seed permutes a class in the same way, so a smaller fraction is a part of a larger one.
        parts.append(hold_out(labels, 0.5 ** len(parts), seed)[1])
    return parts[::-1]
