"""Which texts to label next: those that the model is least sure of, but no two alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Rows
from textperceptron.model import TextModel

POOL = 10  # texts considered per text wanted
MAX_SIMILARITY = 0.5  # cosine of the rows of two suggestions


@dataclass(frozen=True)
class Suggestion:
    """A text to label.

    Attributes
    ----------
    index : int
        Its position in the texts.
    text : str
    label : str, int or bool, or a tuple of them
        What the model predicts.
    margin : float
        How sure it is: the distance of the score from 0; with more than two classes, the difference of the two highest
        scores; if texts have several labels, the smallest distance of a score from 0.
    """

    index: int
    text: str
    label: Any
    margin: float


def suggest_texts(
    model: TextModel, texts: Sequence[str], count: int = 20, n_jobs: int | None = None
) -> list[Suggestion]:
    """Choose texts to label next.

    The rule: take the ``10 × count`` texts with the smallest margins; go through them from the smallest on, and leave
    out texts whose row has a cosine above 0.5 with that of a text chosen before. If fewer than ``count`` are left, the
    texts left out follow, smallest margin first. Texts without any term that the model knows come last.

    Parameters
    ----------
    model : TextModel
    texts : sequence of str
        Not labelled yet.
    count : int
        Number of texts to choose; all if there are fewer.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    list of Suggestion
        In the order of choice.

    Examples
    --------
    >>> from textperceptron import TextModel, load_corpus
    >>> from textperceptron.report import suggest_texts
    >>> reviews = load_corpus("reviews")
    >>> model = TextModel.train(reviews.train.texts, reviews.train.labels)
    >>> found = suggest_texts(model, reviews.test.texts, 3)
    >>> [each.margin < 0.2 for each in found]
    [True, True, True]
    """
    if count < 1:
        raise ValueError(f"count={count}: use a number of texts, 1 or more.")
    margins = decision_margins(model, model.scores(texts, n_jobs))
    margins[np.diff(model.parts.features.rows(texts, n_jobs).indptr) == 0] = np.inf  # nothing to learn from
    order = np.argsort(margins, kind="stable")[: POOL * count].tolist()
    rows = model.parts.features.rows([texts[k] for k in order], n_jobs)
    chosen = _diverse(rows, count)
    labels = model.predict([texts[order[k]] for k in chosen], n_jobs)
    return [
        Suggestion(order[k], texts[order[k]], label, float(margins[order[k]]))
        for k, label in zip(chosen, labels, strict=True)
    ]


def decision_margins(model: TextModel, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how sure a model is of each text, as in :class:`Suggestion`."""
    if scores.ndim == 1:
        return np.abs(scores)
    if model.multilabel:
        return np.asarray(np.abs(scores).min(axis=1))
    return np.asarray(np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)[:, 0])


def _diverse(rows: Rows, count: int) -> list[int]:
    """Return the first rows that are not similar to an earlier one, then those left out."""
    entries = [slice(start, stop) for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)]
    values = rows.data if len(rows.data) else np.ones(len(rows.indices), rows.dtype)
    lengths = [float(np.sqrt(np.square(values[each], dtype=np.float64).sum())) or 1.0 for each in entries]
    chosen: list[int] = []
    similar: list[int] = []
    one = np.zeros(rows.n_columns)  # a row, in full
    closest = np.zeros(len(entries))  # the highest cosine with a row chosen before
    for k, entry in enumerate(entries):
        if len(chosen) == count:
            break
        if closest[k] > MAX_SIMILARITY:
            similar.append(k)
            continue
        chosen.append(k)
        one[rows.indices[entry]] = values[entry]
        for j in range(k + 1, len(entries)):
            cosine = values[entries[j]] @ one[rows.indices[entries[j]]] / (lengths[j] * lengths[k])
            closest[j] = max(closest[j], cosine)
        one[rows.indices[entry]] = 0
    return (chosen + similar)[:count]
