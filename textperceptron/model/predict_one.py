"""The labels and scores of one text in one compiled call, for models that support it."""

from __future__ import annotations

import numpy as np

from textperceptron._kernels import TextScorer
from textperceptron.learn.models import BinaryModel, Model, MulticlassModel
from textperceptron.model.features import Features
from textperceptron.text.documents import lowers_in_kernel, preprocessor_of
from textperceptron.text.tokenize import negator_table

_NO_SLOTS = np.empty(0, np.uint64)


def fast_scorer(features: Features, model: Model) -> TextScorer | None:
    """Return a scorer, or None unless the model has compiled tokens, a vocabulary and dense float32 weights."""
    settings, vocabulary = features.settings, features.vocabulary
    pattern, negators = settings.compiled_pattern, negator_table(settings)
    if (
        vocabulary is None
        or pattern is None
        or model.n_columns != features.n_columns  # column pairs
        or settings.stop_words is not None
        or settings.conjunctions is not None
        or preprocessor_of(settings) is not None
        or not isinstance(model, BinaryModel | MulticlassModel)
        or model.weights.dtype != np.float32
        or (isinstance(model, MulticlassModel) and model.table.bits)
    ):
        return None
    return TextScorer(
        vocabulary.offsets, vocabulary.arena, vocabulary.slots, model.weights,
        lowers_in_kernel(settings), *pattern, *settings.ngram_range, settings.n_prefixes, settings.unspaced_n,
        settings.n_characters, settings.is_binary, settings.sublinear_tf and not settings.is_binary, features.n_words,
        settings.character_weight, settings.norm_order,
        negators.offsets, negators.arena, negators.slots if settings.negation else _NO_SLOTS,
        model.table.stride if isinstance(model, MulticlassModel) else 0, model.n_classes,
    )  # fmt: skip
