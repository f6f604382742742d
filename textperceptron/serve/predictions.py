"""Labels, scores, probabilities and explanations of texts, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from textperceptron.model import TextModel

# Characters that are classified on the event loop, in at most a millisecond; other connections wait that long. A thread
# takes a tenth of a millisecond longer. See docs/serving.md for the figures.
DIRECT_CHARACTERS = 16_384
_CLASSES = 64  # further classes that double the time per character
_FEW = 1000  # texts up to which one call for each is faster


def is_quick(model: TextModel, texts: Sequence[str]) -> bool:
    """Whether the texts are classified in about a millisecond."""
    if model._text_scorer is None:
        return False
    return sum(map(len, texts)) * (1 + len(model.classes) / _CLASSES) <= DIRECT_CHARACTERS


def predict_texts(model: TextModel, texts: Sequence[str], top: int | None = None) -> list[dict[str, Any]]:
    """Return label, score and probability of each text, and those of the ``top`` best labels if requested.

    The order is that of the scores, ties in the order of the classes, as in ``TextModel.predict``. With two classes,
    the score of the first is the negative of the second's. Without calibration there are no probabilities. If texts
    have several labels, ``labels`` has those of the text, with scores above 0; ``label`` is the best in any case.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> from textperceptron.serve.predictions import predict_texts
    >>> texts = ["a fine film", "fine acting", "a dull film", "dull and long"]
    >>> model = TextModel.train(texts, ["pos", "pos", "neg", "neg"])
    >>> [found] = predict_texts(model, ["fine"], top=2)
    >>> found["label"], [each["label"] for each in found["top"]], found["score"] == found["top"][0]["score"] > 0
    ('pos', ['pos', 'neg'], True)
    """
    classes, calibration = model.classes, model.parts.calibration
    rows = _scores(model, texts)
    if calibration is not None:
        scores = np.array(rows)
        probabilities = calibration.probabilities(scores[:, 1] if model.parts.is_binary else scores).tolist()
    found = []
    for k, row in enumerate(rows):
        best = _best(row, len(row) if model.multilabel else top or 1)
        if calibration is None:
            ranked: list[dict[str, Any]] = [{"label": classes[c], "score": row[c]} for c in best]
        else:
            ranked = [{"label": classes[c], "score": row[c], "probability": probabilities[k][c]} for c in best]
        prediction = ranked[0] if top is None else {**ranked[0], "top": ranked[:top]}
        if model.multilabel:
            prediction = {**prediction, "labels": [each for each in ranked if each["score"] > 0]}
        found.append(prediction)
    return found


def explain_text(model: TextModel, text: str, top: int) -> dict[str, Any]:
    """Return the label of a text, and the ``top`` largest contributions to its scores; 0 for all of them.

    Raises
    ------
    ValueError
        If scores are not sums of contributions (the voted perceptron).
    """
    explanation = model.explain(text)
    found, terms = explanation.as_dict(top), explanation.terms
    others = [sum(values) for values in zip(*(term.contributions for term in terms[top or len(terms) :]), strict=True)]
    found["n_terms"] = len(terms)
    found["others"] = others or [0.0] * len(explanation.classes)
    return found


def _scores(model: TextModel, texts: Sequence[str]) -> list[list[float]]:
    """Return the score of each class for each text."""
    scorer = model._text_scorer
    if scorer is not None and len(texts) <= _FEW:
        rows = [scorer.scores(text) for text in texts]
    else:
        scores = model.scores(texts)
        rows = scores.reshape(len(texts), -1).tolist()
    return [[0.0 - score, score] for (score,) in rows] if model.parts.is_binary else rows


def _best(row: list[float], n: int) -> list[int]:
    """Return the indices of the n largest scores; ties keep their order."""
    if n == 1:
        return [row.index(max(row))]
    return sorted(range(len(row)), key=row.__getitem__, reverse=True)[:n]
