"""The label of one text in one compiled call, for models that support it."""

from __future__ import annotations

import numpy as np

from textperceptron._kernels import TextScorer
from textperceptron.learn.models import BinaryModel, Model, MulticlassModel
from textperceptron.model.features import Features

_NO_SLOTS = np.empty(0, np.uint64)


def fast_scorer(features: Features, model: Model) -> TextScorer | None:
    """Return a scorer, or None unless the model has compiled tokens, a vocabulary and dense float32 weights."""
    part, settings, vocabulary = features.part, features.settings, features.vocabulary
    pattern, negators = settings.compiled_pattern, settings.negator_vocabulary
    if (
        vocabulary is None
        or pattern is None
        or model.n_columns != features.n_columns  # column pairs
        or part.stop_words is not None
        or part.conjunctions is not None
        or settings.preprocess is not None
        or not isinstance(model, BinaryModel | MulticlassModel)
        or model.weights.dtype != np.float32
        or (isinstance(model, MulticlassModel) and model.table.bits)
    ):
        return None
    return TextScorer(
        vocabulary.offsets, vocabulary.arena, vocabulary.slots, model.weights,
        settings.lowers_in_kernel, *pattern, *part.ngram_range, part.prefixes, part.binary, part.norm is not None,
        negators.offsets, negators.arena, negators.slots if part.negation else _NO_SLOTS,
        model.table.stride if isinstance(model, MulticlassModel) else 0, model.n_classes,
    )  # fmt: skip
