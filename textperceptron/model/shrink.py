"""Smaller models: fewer columns or float16 weights, and their loss of accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models import Model
from textperceptron.model.features import Features
from textperceptron.model.float16 import choose_exponent, decode, encode
from textperceptron.model.parts import ModelParts
from textperceptron.model.top_terms import argtop
from textperceptron.text.tokenize import concatenated_ranges, offsets_from_lengths
from textperceptron.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Comparison:
    """Two models on the same texts.

    Attributes
    ----------
    n_texts : int
    right_before, right_after : int
        Texts that each model labels correctly.
    changed : int
        Texts with different labels.
    """

    n_texts: int
    right_before: int
    right_after: int
    changed: int

    @property
    def accuracy_before(self) -> float:
        """Accuracy of the first model."""
        return self.right_before / self.n_texts

    @property
    def accuracy_after(self) -> float:
        """Accuracy of the second model."""
        return self.right_after / self.n_texts

    @property
    def accuracy_lost(self) -> float:
        """Accuracy of the first model minus that of the second."""
        return self.accuracy_before - self.accuracy_after


def compare(before: Sequence[Any], after: Sequence[Any], labels: Sequence[Any]) -> Comparison:
    """Compare the predictions of two models with the true labels."""
    if not len(labels):
        raise ValueError("no texts to compare the models on: pass at least one.")
    return Comparison(
        len(labels),
        sum(found == label for found, label in zip(before, labels, strict=True)),
        sum(found == label for found, label in zip(after, labels, strict=True)),
        sum(one != other for one, other in zip(before, after, strict=True)),
    )


def prune(parts: ModelParts, keep: int | None, min_weight: float | None) -> ModelParts:
    """Keep the ``keep`` columns with the largest weights, the columns with at least ``min_weight``, or both limits.

    Raises
    ------
    ValueError
        If neither is given, columns have no names or weights, or no column is left.
    """
    if (bits := parts.settings.learner.pair_bits) is not None:
        raise ValueError(
            f"pair_bits={bits}: columns cannot be pruned, because the hashes of column pairs depend on all column "
            "numbers. Train with fewer columns (min_df, max_features) or fewer bits."
        )
    kept = _columns_to_keep(parts.model, keep, min_weight)
    features, model = _with_columns(parts.features, kept), parts.model.keep_columns(kept)
    provenance = parts.provenance.of_changed_weights()
    return replace(parts, features=features, model=model, fitted=None, provenance=provenance)


def halve(parts: ModelParts) -> ModelParts:
    """Round the weights to scaled float16.

    Raises
    ------
    ValueError
        If there are no weights, or a float64 weight is beyond the range of float32.
    """
    exponents: list[int] = []

    def round_(weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
        exponents.append(choose_exponent(weights))
        rounded = decode(encode(weights, exponents[0]), exponents[0])
        if not np.isfinite(rounded).all():
            largest = np.abs(weights).max()
            raise ValueError(f"the largest weight is {largest:.3g}, beyond the range of float32: keep float64.")
        return rounded

    model = parts.model.map_weights(round_)
    provenance = parts.provenance.of_changed_weights()
    return replace(parts, model=model, fitted=None, half_exponent=exponents[0], provenance=provenance)


def _columns_to_keep(model: Model, keep: int | None, min_weight: float | None) -> npt.NDArray[np.int64]:
    """Return the columns to keep, ascending."""
    if keep is None and min_weight is None:
        raise ValueError("pass keep, a number of columns, or min_weight, the smallest weight to keep.")
    if keep is not None and keep < 1:
        raise ValueError(f"keep={keep}: keep at least one column.")
    weights = model.largest_weights()
    kept = np.arange(len(weights)) if keep is None else np.sort(np.array(argtop(weights, keep), np.int64))
    if min_weight is not None:
        kept = kept[weights[kept] >= min_weight]
    if not len(kept):
        raise ValueError(f"min_weight={min_weight}: every weight is below it (the largest is {weights.max():.3g}).")
    return kept


def _with_columns(features: Features, kept: npt.NDArray[np.int64]) -> Features:
    """Return features with only the columns ``kept``, renumbered."""
    vocabulary = features.vocabulary
    if vocabulary is None:
        raise ValueError("hashed columns cannot be pruned: the hash of a term is its column. Use fewer n_features.")
    begins = vocabulary.offsets[kept]
    lengths = vocabulary.offsets[kept + 1] - begins
    return Features(
        features.settings,
        Vocabulary.from_bytes(offsets_from_lengths(lengths), vocabulary.arena[concatenated_ranges(begins, lengths)]),
    )
