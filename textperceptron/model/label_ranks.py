"""The rank of each text's own label among all labels, by score: for the accuracy of the top k."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from textperceptron.model.text_model import TextModel

_BLOCK = 4096  # texts whose scores are in memory at once


def label_ranks(
    model: TextModel, texts: Iterable[Any], labels: Sequence[Any], n_jobs: int | None = None
) -> npt.NDArray[np.int64]:
    """Return the rank of each text's own label: 1 if it is the predicted one.

    A label that is no class of the model comes after all classes.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> from textperceptron.model.label_ranks import label_ranks
    >>> model = TextModel.train(["red rose", "blue sea", "green leaf"], ["flower", "water", "tree"], "mira")
    >>> label_ranks(model, ["a red rose", "a rose", "sea"], ["flower", "water", "stone"]).tolist()
    [1, 3, 4]
    """
    codes = {label: code for code, label in enumerate(model.classes)}
    remaining, found, start = iter(texts), [np.empty(0, np.int64)], 0
    while block := list(islice(remaining, _BLOCK)):
        scores = model.scores(block, n_jobs)
        if scores.ndim == 1:
            scores = np.stack([-scores, scores], axis=1)
        own = np.array([codes.get(label, -1) for label in labels[start : start + len(block)]])
        score = scores[np.arange(len(block)), own][:, np.newaxis]
        before = (scores > score) | ((scores == score) & (np.arange(scores.shape[1]) < own[:, np.newaxis]))
        found.append(np.where(own < 0, scores.shape[1], before.sum(axis=1)) + 1)
        start += len(block)
    return np.concatenate(found)
