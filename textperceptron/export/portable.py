"""A model reduced to what a program in another language needs: settings, names, weights and labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.calibration import Platt, PlattPerLabel, Temperature
from textperceptron.learn.models import BinaryModel, MulticlassModel, OneVsOneModel, VotedModel
from textperceptron.model import TextModel
from textperceptron.model.classes import Label
from textperceptron.model.parts import ModelParts
from textperceptron.settings import TextSettings
from textperceptron.text.tokenize import max_distance, negator_table
from textperceptron.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]

MAX_WEIGHTS = 1 << 28  # 1 GB of float32


@dataclass(frozen=True)
class PairWeights:
    """The weights of a one-vs-one model, by column: most class pairs know few columns.

    Column c has the weights ``weights[starts[c]:starts[c + 1]]`` for the class pairs ``pairs[…]``, ascending.
    Pair p compares the class ``lower[p]`` with ``upper[p]``, for which its score is above 0.
    """

    starts: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int32]
    weights: Array
    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Portable:
    """What a program needs to classify texts as a model does.

    Attributes
    ----------
    classes : tuple of labels
    text : TextSettings
    vocabulary : Vocabulary or None
        None if columns are hashed.
    n_columns : int
    n_words : int
        Number of columns before those of n-grams of characters.
    weights : array of shape (n_columns, n_scores) or PairWeights
        float32 or float64. Two classes have one score, above 0 for the second.
    intercepts : array
        One per score or class pair, of the type of the weights.
    calibration : Platt, Temperature or None
    """

    classes: tuple[Label, ...]
    text: TextSettings
    vocabulary: Vocabulary | None
    n_columns: int
    n_words: int
    weights: Array | PairWeights
    intercepts: Array
    calibration: Platt | Temperature | None

    @property
    def n_scores(self) -> int:
        """Number of scores: 1 for two classes, else one per class."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of values and weights."""
        return self.intercepts.dtype

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns; none if they are hashed."""
        return [] if self.vocabulary is None else list(self.vocabulary)

    @property
    def is_signed(self) -> bool:
        """Whether half of the hashed terms count as −1."""
        return self.vocabulary is None and self.text.alternate_sign and not self.text.is_binary

    @property
    def is_sublinear(self) -> bool:
        """Whether values are logarithms of counts."""
        return self.text.sublinear_tf and not self.text.is_binary

    @property
    def negators(self) -> list[str]:
        """The negators in all spellings, sorted."""
        return list(negator_table(self.text))

    @property
    def pivots(self) -> list[str] | None:
        """The words of which each conjunction has one, sorted; None for all words, or without conjunctions."""
        window = self.text.conjunctions
        return None if window is None or window.pivots is None else sorted(set(window.pivots))

    @property
    def max_distance(self) -> int:
        """Maximum distance of the words of a conjunction; 0 without conjunctions."""
        return 0 if self.text.conjunctions is None else max_distance(self.text.conjunctions)


def portable(model: TextModel) -> Portable:
    """Collect what a program in another language needs.

    Raises
    ------
    ValueError
        If the model cannot be exported; with the reason and a remedy.
    """
    parts = model.parts
    features, text = parts.features, parts.features.settings
    if text.needs_python:
        raise ValueError(
            f"token_pattern={text.token_pattern!r} runs in Python's re, and other languages match it differently: it "
            "cannot be exported. Train with any-script or another built-in token pattern."
        )
    if (bits := parts.settings.learner.pair_bits) is not None:
        raise ValueError(
            f"pair_bits={bits}: column pairs cannot be exported. Train without them, or with conjunctions of words."
        )
    if parts.multilabel:
        raise ValueError(
            "the model gives a text several labels, which exported programs do not: it cannot be exported. Train on "
            "one label per text, or serve the model: textperceptron serve MODEL."
        )
    assert not isinstance(parts.calibration, PlattPerLabel)
    weights, intercepts = _weights(parts)
    return Portable(
        parts.classes.labels, text, features.vocabulary, features.n_columns, features.n_words, weights, intercepts,
        parts.calibration,
    )  # fmt: skip


def _weights(parts: ModelParts) -> tuple[Array | PairWeights, Array]:
    model = parts.model
    if isinstance(model, BinaryModel):
        return model.weights[:-1, np.newaxis], model.weights[-1:]
    if isinstance(model, MulticlassModel):
        return _class_weights(model)
    if isinstance(model, OneVsOneModel):
        return _pair_weights(model)
    if isinstance(model, VotedModel):
        raise ValueError(
            "the voted perceptron stores texts, not weights: it cannot be exported. Train with another learner, such "
            "as averaged."
        )
    raise ValueError(f"a model of type {type(model).__name__} cannot be exported. Train with another learner.")


def _class_weights(model: MulticlassModel) -> tuple[Array, Array]:
    table, n_classes = model.table, model.n_classes
    start = table.intercept_offset
    intercepts = model.weights[start : start + n_classes]
    if not table.bits:
        return model.weights[:start].reshape(-1, table.stride)[:, :n_classes], intercepts
    if table.n_columns * n_classes > MAX_WEIGHTS:
        raise ValueError(
            f"the weights of {table.n_columns:,} columns × {n_classes:,} classes are hashed to 2**{table.bits}, and "
            f"exported they would be {table.n_columns * n_classes:,}: too many. Train with fewer columns."
        )
    # The line of a block of 8 classes is that of hash_block in _kernels/class_rows.pxd.
    blocks = np.arange(table.n_columns * (table.stride // 8), dtype=np.uint64) + np.uint64(1)
    lines = (blocks * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - table.line_bits)
    weights = model.weights[:start].reshape(-1, 8)[lines.astype(np.int64)]
    return weights.reshape(table.n_columns, table.stride)[:, :n_classes], intercepts


def _pair_weights(model: OneVsOneModel) -> tuple[PairWeights, Array]:
    pairs = model.pairs
    columns = np.concatenate([pair.columns for pair in pairs])
    numbers = np.repeat(np.arange(len(pairs), dtype=np.int32), [len(pair.columns) for pair in pairs])
    order = np.argsort(columns, kind="stable")
    starts = np.zeros(model.n_columns + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=model.n_columns), out=starts[1:])
    weights = np.concatenate([pair.weights[:-1] for pair in pairs])[order]
    lower, upper = (np.array([getattr(pair, side) for pair in pairs], np.int32) for side in ("lower", "upper"))
    intercepts = np.array([pair.weights[-1] for pair in pairs], weights.dtype)
    return PairWeights(starts, numbers[order], weights, lower, upper), intercepts
