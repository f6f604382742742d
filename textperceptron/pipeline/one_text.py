"""The short way from one text to its label, for models that it is open to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import classify_text
from textperceptron.learn.models import BinaryModel, ClassModel, Model
from textperceptron.pipeline.features import Features

_ROOM = 1 << 15  # bytes of scratch to begin with: enough for some hundred characters


class OneText:
    """One compiled call from text to scores, with scratch that is used again.

    Safe to call from many threads: each takes scratch of its own, and brings it back.
    """

    def __init__(self, features: Features, model: Model) -> None:
        part, vocabulary = features.part, features.vocabulary
        pattern = features.settings.compiled_pattern
        assert vocabulary is not None
        assert pattern is not None
        assert isinstance(model, BinaryModel | ClassModel)
        self._before = (features.settings.lowers_in_kernel, pattern[0], *part.ngram_range, part.binary)
        self._names = vocabulary.offsets, vocabulary.arena, vocabulary.slots
        self._weights = model.weights
        self._stride = model.layout.stride if isinstance(model, ClassModel) else 0
        self._n_scores = model.n_classes if self._stride else 1
        self._spare: list[tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]] = []

    def code(self, text: str) -> int:
        """Return the number of a text's class."""
        try:
            room, scores = self._spare.pop()
        except IndexError:
            room, scores = np.empty(_ROOM, np.uint8), np.empty(self._n_scores)
        code = classify_text(text, *self._before, *self._names, self._weights, self._stride, room, scores)
        if code < 0:
            room = np.empty(-code, np.uint8)
            code = classify_text(text, *self._before, *self._names, self._weights, self._stride, room, scores)
        self._spare.append((room, scores))
        return code

    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return a text's scores, one for two classes, else one for each."""
        room, scores = np.empty(_ROOM, np.uint8), np.empty(self._n_scores)
        code = classify_text(text, *self._before, *self._names, self._weights, self._stride, room, scores)
        if code < 0:
            room = np.empty(-code, np.uint8)
            classify_text(text, *self._before, *self._names, self._weights, self._stride, room, scores)
        return scores


def short_way(features: Features, model: Model) -> OneText | None:
    """Return the short way where it is open: words by a compiled pattern, a vocabulary, dense weights of float32."""
    part, settings = features.part, features.settings
    is_open = (
        features.vocabulary is not None
        and settings.compiled_pattern is not None
        and settings.compiled_pattern[1] == 0
        and not part.negation
        and part.stop_words is None
        and part.conjunctions is None
        and settings.preprocess is None
        and isinstance(model, BinaryModel | ClassModel)
        and model.weights.dtype == np.float32
        and not (isinstance(model, ClassModel) and model.layout.bits)
    )
    return OneText(features, model) if is_open else None
