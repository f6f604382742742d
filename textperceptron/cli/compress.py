"""``train --prune`` and ``--half``: a smaller model, and its cost in accuracy."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textperceptron.cli.corpus_split import select_split
from textperceptron.corpus import Corpus, Documents
from textperceptron.model import Measured, TextModel
from textperceptron.report import Proportion
from textperceptron.settings import Settings
from textperceptron.settings.fields import parse_number_or_fraction

if TYPE_CHECKING:
    from textperceptron.model.shrink import Comparison


TRAINING_TEXTS = "training texts"


@dataclass
class Compressed:
    """A smaller model, and its comparison with the full one on some texts."""

    model: TextModel
    cost: Comparison
    measured_on: str

    def description(self, full: TextModel) -> str:
        """Return the loss in one line."""
        cost, before, after = self.cost, full.n_columns, self.model.n_columns
        columns = f"{before:,} → {after:,} columns, " if before != after else ""
        accuracies = f"{100 * cost.accuracy_before:.1f} % → {100 * cost.accuracy_after:.1f} %"
        points = round(100 * cost.accuracy_lost, 1)
        change = f"{abs(points):.1f} points {'lost' if points > 0 else 'gained'}" if points else "unchanged"
        return f"{columns}{accuracies}, {change}, {cost.changed} of {cost.n_texts} labels changed; {self.measured_on}"

    def as_measured(self) -> list[Measured]:
        """Return the accuracy of the smaller model as its file keeps it; that on training texts is none."""
        cost = self.cost
        if self.measured_on == TRAINING_TEXTS:
            return []
        method = "test split" if self.measured_on == "test split" else "test corpus"
        accuracy = Proportion(cost.right_after, cost.n_texts)
        measured_on = os.path.basename(self.measured_on)  # a header has no paths
        return [Measured(method, measured_on, accuracy.successes, accuracy.n, accuracy.interval)]

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON."""
        cost = self.cost
        return {
            "columns": self.model.n_columns,
            "measured_on": self.measured_on,
            "n": cost.n_texts,
            "right_before": cost.right_before,
            "right_after": cost.right_after,
            "changed": cost.changed,
        }


class Compression:
    """The options ``--prune`` and ``--half``.

    Parameters
    ----------
    prune : str or None
        A number of columns, or with a point the smallest weight to keep.
    half : bool
        Save weights in half precision.
    settings : Settings
        Settings of the model to train.

    Raises
    ------
    ValueError
        If ``prune`` is not a number, or a model with these settings cannot be compressed.
    """

    def __init__(self, prune: str | None, half: bool, settings: Settings) -> None:
        self._pruning = None if prune is None else _pruning_arguments(prune)
        self._half = half
        self.option = option = "--prune" if prune is not None else "--half"
        if settings.learner.learner == "voted":
            raise ValueError(f"{option}: the voted perceptron stores texts, not weights. Use another --learner.")
        if settings.text.n_features is not None and prune is not None:
            raise ValueError("--prune: hashed columns cannot be pruned. Use fewer of them (--n-features).")
        if settings.learner.pair_bits is not None and prune is not None:
            raise ValueError(
                "--prune: columns cannot be pruned with --pair-bits. Use --min-df, --max-features or a smaller "
                "--pair-bits."
            )

    def apply(self, model: TextModel, corpus: Corpus, other: Corpus | None) -> Compressed:
        """Return the compressed model; its cost is measured on test texts if there are any."""
        small = model if self._pruning is None else model.pruned(**self._pruning)
        small = small.halved() if self._half else small
        documents, measured_on = _texts(corpus, other)
        return Compressed(small, model.compare(small, documents.texts, documents.labels), measured_on)


def _pruning_arguments(value: str) -> dict[str, Any]:
    try:
        read = parse_number_or_fraction(value)
    except ValueError:
        raise ValueError(f"--prune {value!r}: use a number of columns (10000) or a weight (0.001).") from None
    if not read > 0:
        raise ValueError(f"--prune {value}: use a number of columns or a weight above 0.")
    return {"keep": read} if isinstance(read, int) else {"min_weight": read}


def _texts(corpus: Corpus, other: Corpus | None) -> tuple[Documents, str]:
    if other is not None:
        documents, split = select_split(other)
        return documents, f"{other.name}, {split}"
    if corpus.test is not None:
        return corpus.test, "test split"
    return corpus.train, TRAINING_TEXTS
