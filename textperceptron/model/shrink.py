"""Smaller models: fewer columns, or weights of half the size; and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models import Model
from textperceptron.model.features import Features
from textperceptron.model.float16 import choose_exponent, decode, encode
from textperceptron.model.parts import Parts
from textperceptron.model.top_terms import argtop
from textperceptron.text.pieces import spans, starts_of
from textperceptron.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Comparison:
    """How a smaller model does on the same texts.

    Attributes
    ----------
    n_texts : int
    right_before, right_after : int
        Texts that each model labels rightly.
    changed : int
        Texts that got another label.
    """

    n_texts: int
    right_before: int
    right_after: int
    changed: int

    @property
    def accuracy_before(self) -> float:
        """Share of the texts that the first model labels rightly."""
        return self.right_before / self.n_texts

    @property
    def accuracy_after(self) -> float:
        """Share of the texts that the second model labels rightly."""
        return self.right_after / self.n_texts

    @property
    def accuracy_lost(self) -> float:
        """What the second model gets right less often; below 0 where it does better."""
        return self.accuracy_before - self.accuracy_after


def compare(before: Sequence[Any], after: Sequence[Any], labels: Sequence[Any]) -> Comparison:
    """Compare the labels that two models give with the right ones."""
    if not len(labels):
        raise ValueError("there are no texts to compare the models on.")
    return Comparison(
        len(labels),
        sum(found == label for found, label in zip(before, labels, strict=True)),
        sum(found == label for found, label in zip(after, labels, strict=True)),
        sum(one != other for one, other in zip(before, after, strict=True)),
    )


def pruned_parts(parts: Parts, keep: int | None, min_weight: float | None) -> Parts:
    """Return the parts of a model with fewer columns: the ``keep`` heaviest, those of ``min_weight`` at least, or both.

    Raises
    ------
    ValueError
        If neither is given, columns have no names or weights, or none would be left.
    """
    if (bits := parts.settings.learner.pair_bits) is not None:
        raise ValueError(
            f"pair_bits={bits}: no column can be left out beside pairs, whose places follow from the numbers of all "
            "columns. Train with fewer columns (min_df, max_features) or fewer bits."
        )
    kept = _columns_to_keep(parts.model, keep, min_weight)
    features, model = _with_columns(parts.features, kept), parts.model.keep_columns(kept)
    return parts._replace(features=features, model=model, training=None)


def halved_parts(parts: Parts) -> Parts:
    """Return the parts of a model whose weights are rounded to what float16 holds.

    Raises
    ------
    ValueError
        If there are no weights, or one of float64 is beyond the range of float32.
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
    return parts._replace(model=model, training=None, half_exponent=exponents[0])


def _columns_to_keep(model: Model, keep: int | None, min_weight: float | None) -> npt.NDArray[np.int64]:
    """Return the columns that stay, ascending."""
    if keep is None and min_weight is None:
        raise ValueError("say how many columns to keep, or from which weight on.")
    if keep is not None and keep < 1:
        raise ValueError(f"keep={keep}: at least one column has to stay.")
    weights = model.largest_weights()
    kept = np.arange(len(weights)) if keep is None else np.sort(np.array(argtop(weights, keep), np.int64))
    if min_weight is not None:
        kept = kept[weights[kept] >= min_weight]
    if not len(kept):
        raise ValueError(f"min_weight={min_weight}: every weight is below it (the largest is {weights.max():.3g}).")
    return kept


def _with_columns(features: Features, kept: npt.NDArray[np.int64]) -> Features:
    """Return the text part with some of its columns, renumbered."""
    vocabulary = features.vocabulary
    if vocabulary is None:
        raise ValueError("hashed columns cannot be left out: a term goes where its hash says. Use fewer n_features.")
    begins = vocabulary.offsets[kept]
    lengths = vocabulary.offsets[kept + 1] - begins
    return Features(features.part, Vocabulary.from_bytes(starts_of(lengths), vocabulary.arena[spans(begins, lengths)]))
