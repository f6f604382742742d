"""The margins of a model's texts, and the bound on the updates of a perceptron."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import margins
from textperceptron.learn.models import BinaryModel
from textperceptron.model import TextModel

GEOMETRIC = "signed distance from the hyperplane, in the units of the rows"
SCORES = "score of the label − best other score"


@dataclass(frozen=True, slots=True, eq=False)
class TextMargins:
    """How far texts are on the correct side; negative on the wrong one.

    Attributes
    ----------
    values : array of float64
        Per text.
    unit : str
        What they measure: distances with two classes and one weight per column, else differences of scores.
    """

    values: npt.NDArray[np.float64]
    unit: str


def text_margins(
    model: TextModel, texts: Sequence[Any], labels: Sequence[Any], n_jobs: int | None = None
) -> TextMargins:
    """Return the margins of labelled texts.

    Parameters
    ----------
    model : TextModel
    texts : sequence of str or bytes
    labels : sequence of labels
        All of them classes of the model.
    n_jobs : int, optional

    Raises
    ------
    ValueError
        If a label is not a class of the model, texts have several labels, or all weights are 0.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> from textperceptron.report import text_margins
    >>> model = TextModel.train(["a fine film", "a dull film"], ["pos", "neg"], "perceptron")
    >>> text_margins(model, ["fine", "dull"], ["pos", "pos"]).values.round(2).tolist()
    [0.5, -0.5]
    """
    parts = model.parts
    if model.multilabel:
        raise ValueError(
            "texts of the model have several labels, so a text has no margin. Use the scores of one label."
        )
    codes = parts.classes.codes(labels)
    if isinstance(parts.model, BinaryModel) and model.settings.learner.pair_bits is None and len(codes):
        weights = parts.model.weights
        rows = parts.rows(texts, n_jobs)
        return TextMargins(margins.point_margins(rows, codes, weights[:-1], weights[-1], classes=(0, 1)), GEOMETRIC)
    scores = model.scores(texts, n_jobs)
    if scores.ndim == 1:
        return TextMargins(np.where(codes == 1, scores, -scores), "score of the label")
    own = np.arange(len(codes)), codes
    others = scores.copy()
    others[own] = -np.inf
    return TextMargins(scores[own] - others.max(axis=1), SCORES)


def bound_of(
    model: TextModel, texts: Sequence[Any], labels: Sequence[Any], *, max_seconds: float | None = None,
    n_jobs: int | None = None,
) -> margins.MarginReport | None:  # fmt: skip
    """Return R, γ and the bound on updates for the rows of training texts; None if margins need two classes.

    The updates that the model made are given only if the theorem speaks about them: those of a perceptron, voted or
    averaged too, that starts at 0, with margin 0, and learns from these rows alone.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> from textperceptron.report.model_margins import bound_of
    >>> texts, labels = ["a fine film", "a dull film"], ["pos", "neg"]
    >>> found = bound_of(TextModel.train(texts, labels, "perceptron"), texts, labels)
    >>> found.updates, found.bound.allows(found.updates)
    (2, True)
    """
    parts, summary = model.parts, model.summary
    if model.multilabel:
        return None
    learner = model.settings.resolve_learner(summary.rows_of_class, model.n_columns).learner
    codes = parts.classes.codes(labels)
    if len(parts.classes) != 2 or len(set(codes.tolist())) != 2 or learner.pair_bits is not None:
        return None
    perceptron = learner.learner in ("perceptron", "averaged") or (
        learner.learner == "voted" and learner.kernel == "linear"
    )
    plain = learner.margin == 0 and learner.class_weight is None and learner.column_weight is None
    same_rows = len(codes) == summary.n_rows
    return margins.report(
        parts.rows(texts, n_jobs), codes, updates=model.n_updates if perceptron and plain and same_rows else None,
        fit_intercept=learner.fit_intercept, max_seconds=max_seconds,
    )  # fmt: skip
