"""The short way from one text to its label, for models that it is open to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import classify_text, plan_text
from textperceptron.learn.models import BinaryModel, Model, MulticlassModel
from textperceptron.model.features import Features

_ROOM = 1 << 15  # bytes of scratch to begin with: enough for some hundred characters
_KEPT = 1 << 20  # bytes up to which it is kept for the next text
_PLAN = 21  # numbers that a plan has
_NO_SLOTS = np.empty(0, np.uint64)


class OneText:
    """One compiled call from text to scores, with scratch that is used again.

    Safe to call from many threads: each takes scratch of its own, and brings it back. The plan holds addresses of the
    model's arrays, so a copy makes a plan of its own.
    """

    def __init__(self, features: Features, model: Model) -> None:
        part, vocabulary = features.part, features.vocabulary
        pattern, negators = features.settings.compiled_pattern, features.settings.negator_vocabulary
        assert vocabulary is not None
        assert pattern is not None
        assert isinstance(model, BinaryModel | MulticlassModel)
        self._of = features, model  # keeps the arrays where the plan says that they are
        self._n_scores = model.n_classes if isinstance(model, MulticlassModel) else 1
        self._plan = np.empty(_PLAN, np.int64)
        plan_text(
            vocabulary.offsets, vocabulary.arena, vocabulary.slots, model.weights,
            features.settings.lowers_in_kernel, *pattern, *part.ngram_range, part.prefixes, part.binary,
            part.norm is not None, negators.offsets, negators.arena, negators.slots if part.negation else _NO_SLOTS,
            model.layout.stride if isinstance(model, MulticlassModel) else 0, model.n_classes, self._plan,
        )  # fmt: skip
        self._spare: list[npt.NDArray[np.uint8]] = []

    def __reduce__(self) -> tuple[type[OneText], tuple[Features, Model]]:
        return OneText, self._of

    def code(self, text: str) -> int:
        """Return the number of a text's class."""
        try:
            room = self._spare.pop()
        except IndexError:
            room = np.empty(_ROOM, np.uint8)
        code = classify_text(text, self._plan, room)
        if code < 0:
            room = np.empty(-code, np.uint8)
            code = classify_text(text, self._plan, room)
        if len(room) <= _KEPT:
            self._spare.append(room)
        return code

    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return a text's scores, one for two classes, else one for each."""
        room = np.empty(_ROOM, np.uint8)
        code = classify_text(text, self._plan, room)
        if code < 0:
            room = np.empty(-code, np.uint8)
            classify_text(text, self._plan, room)
        return room[: 8 * self._n_scores].view(np.float64)


def short_way(features: Features, model: Model) -> OneText | None:
    """Return the short way where it is open: words by a compiled pattern, a vocabulary, dense weights of float32."""
    part, settings = features.part, features.settings
    is_open = (
        features.vocabulary is not None
        and model.n_columns == features.n_columns  # no pairs
        and settings.compiled_pattern is not None
        and part.stop_words is None
        and part.conjunctions is None
        and settings.preprocess is None
        and isinstance(model, BinaryModel | MulticlassModel)
        and model.weights.dtype == np.float32
        and not (isinstance(model, MulticlassModel) and model.layout.bits)
    )
    return OneText(features, model) if is_open else None
