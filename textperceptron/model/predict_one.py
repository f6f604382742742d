"""The label of one text in one compiled call, for models that support it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import classify_text, plan_text
from textperceptron.learn.models import BinaryModel, Model, MulticlassModel
from textperceptron.model.features import Features
from textperceptron.text.documents import lowers_in_kernel, preprocessor_of
from textperceptron.text.tokenize import negator_table

_SCRATCH_BYTES = 1 << 15  # enough for a few hundred characters
_MAX_POOLED_BYTES = 1 << 20  # larger buffers are not returned to the pool
_PLAN_SIZE = 21  # values of a plan
_NO_SLOTS = np.empty(0, np.uint64)


class TextScorer:
    """Scores one text in one compiled call; scratch memory is reused.

    Threads may share a scorer: each takes scratch from the pool and returns it. The plan holds addresses of the model's
    arrays, so a copy makes its own plan.
    """

    def __init__(self, features: Features, model: Model) -> None:
        settings, vocabulary = features.settings, features.vocabulary
        pattern, negators = settings.compiled_pattern, negator_table()
        assert vocabulary is not None
        assert pattern is not None
        assert isinstance(model, BinaryModel | MulticlassModel)
        self._model = features, model  # keeps alive the arrays that the plan points to
        self._n_scores = model.n_classes if isinstance(model, MulticlassModel) else 1
        self._plan = np.empty(_PLAN_SIZE, np.int64)
        plan_text(
            vocabulary.offsets, vocabulary.arena, vocabulary.slots, model.weights,
            lowers_in_kernel(settings), *pattern, *settings.ngram_range, settings.prefixes, settings.binary,
            settings.norm is not None,
            negators.offsets, negators.arena, negators.slots if settings.negation else _NO_SLOTS,
            model.table.stride if isinstance(model, MulticlassModel) else 0, model.n_classes, self._plan,
        )  # fmt: skip
        self._pool: list[npt.NDArray[np.uint8]] = []

    def __reduce__(self) -> tuple[type[TextScorer], tuple[Features, Model]]:
        return TextScorer, self._model

    def code(self, text: str) -> int:
        """Return the class code of a text."""
        try:
            scratch = self._pool.pop()
        except IndexError:
            scratch = np.empty(_SCRATCH_BYTES, np.uint8)
        code = classify_text(text, self._plan, scratch)
        if code < 0:
            scratch = np.empty(-code, np.uint8)
            code = classify_text(text, self._plan, scratch)
        if len(scratch) <= _MAX_POOLED_BYTES:
            self._pool.append(scratch)
        return code

    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return the scores of a text: one for two classes, otherwise one per class."""
        scratch = np.empty(_SCRATCH_BYTES, np.uint8)
        code = classify_text(text, self._plan, scratch)
        if code < 0:
            scratch = np.empty(-code, np.uint8)
            classify_text(text, self._plan, scratch)
        return scratch[: 8 * self._n_scores].view(np.float64)


def fast_scorer(features: Features, model: Model) -> TextScorer | None:
    """Return a scorer, or None unless the model has compiled tokens, a vocabulary and dense float32 weights."""
    settings = features.settings
    supported = (
        features.vocabulary is not None
        and model.n_columns == features.n_columns  # no column pairs
        and settings.compiled_pattern is not None
        and settings.stop_words is None
        and settings.conjunctions is None
        and preprocessor_of(settings) is None
        and isinstance(model, BinaryModel | MulticlassModel)
        and model.weights.dtype == np.float32
        and not (isinstance(model, MulticlassModel) and model.table.bits)
    )
    return TextScorer(features, model) if supported else None
