"""Labels, scores, probabilities and explanations of texts, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from textperceptron.model import TextModel

# Characters that are classified on the event loop, in at most a millisecond; other connections wait that long. A thread
# takes a tenth of a millisecond longer. See docs/serving.md for the figures.
DIRECT_CHARACTERS = 16_384
_CLASSES = 16  # so many more classes double the time per character


def is_quick(model: TextModel, texts: Sequence[str]) -> bool:
    """Whether the texts are classified in about a millisecond."""
    if model._text_scorer is None:
        return False
    return sum(map(len, texts)) * (1 + len(model.classes) / _CLASSES) <= DIRECT_CHARACTERS


def predict_texts(model: TextModel, texts: Sequence[str], top: int | None = None) -> list[dict[str, Any]]:
    """Return label, score and probability of each text, and those of the ``top`` best labels if requested.

    The order is that of the scores, ties in the order of the classes, as in ``TextModel.predict``. With two classes,
    the score of the first is the negative of the second's. Without calibration there are no probabilities.

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
    scores = _scores(model, texts)
    calibration = model.parts.calibration
    probabilities = None if calibration is None else calibration.probabilities(scores).tolist()
    per_class = np.column_stack([0.0 - scores, scores]) if scores.ndim == 1 else scores
    if top is None or top == 1:
        order = per_class.argmax(axis=1)[:, None]
    else:
        order = np.argsort(-per_class, axis=1, kind="stable")[:, :top]
    classes, found = model.classes, []
    for k, (row, best) in enumerate(zip(per_class.tolist(), order.tolist(), strict=True)):
        if probabilities is None:
            ranked = [{"label": classes[c], "score": row[c]} for c in best]
        else:
            ranked = [{"label": classes[c], "score": row[c], "probability": probabilities[k][c]} for c in best]
        found.append(ranked[0] if top is None else {**ranked[0], "top": ranked})
    return found


def explain_text(model: TextModel, text: str, top: int) -> dict[str, Any]:
    """Return the label of a text, and the ``top`` largest contributions to its scores; 0 for all of them.

    Raises
    ------
    ValueError
        If scores are not sums of contributions (the voted perceptron).
    """
    found = asdict(model.explain(text))
    terms = found["terms"]
    shown = terms[: top or None]
    others = [sum(values) for values in zip(*(term["contributions"] for term in terms[len(shown) :]), strict=True)]
    found["terms"] = shown
    found["n_terms"] = len(terms)
    found["others"] = others or [0.0] * len(found["classes"])
    return found


def _scores(model: TextModel, texts: Sequence[str]) -> np.typing.NDArray[np.float64]:
    scorer = model._text_scorer
    if scorer is None or len(texts) > _FEW:
        return model.scores(texts)
    scores = np.array([scorer.scores(text) for text in texts])
    return scores[:, 0] if len(model.classes) == 2 else scores


_FEW = 1000  # texts up to which one call each is faster
