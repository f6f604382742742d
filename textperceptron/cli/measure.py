"""How good a model is, by every way that was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from textperceptron.cli.known_labels import check_labels
from textperceptron.cli.parts import chosen_part
from textperceptron.corpus import Corpus, Documents
from textperceptron.model import TextModel
from textperceptron.report import Share, folds, hold_out
from textperceptron.settings import Settings

FIFTH = 0.2


class Measured(NamedTuple):
    """A share of right answers: a short name, what it was measured on in words, and for JSON how."""

    name: str
    how: str
    measured_on: str
    accuracy: Share

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"how": self.how, "measured_on": self.measured_on, "accuracy": self.accuracy.as_dict()}


@dataclass(frozen=True)
class Measurer:
    """Measures as a command asks for; what cannot be measured is refused before anything is learnt."""

    corpus: Corpus
    other: Corpus | None
    holdout: float | None
    cv: int | None
    settings: Settings
    n_jobs: int

    def __post_init__(self) -> None:
        if self.holdout is not None:
            hold_out(self.corpus.labels, self.holdout, self.settings.learner.seed)
        if self.cv is not None:
            next(folds(self.corpus.labels, self.cv, self.settings.learner.seed))
        if self.other is not None:
            check_labels(self.other.name, chosen_part(self.other)[0].labels, self.corpus.train.labels)

    def measure(self, model: TextModel) -> list[Measured]:
        """Return what was asked for, and the test split, the first epoch or a fifth held out in any case.

        With log-count ratios, which are of all texts, none is new to the model in the first epoch.
        """
        found = []
        if self.corpus.test is not None:
            found.append(
                Measured("test", "test split", "the corpus's test split", self._right(model, self.corpus.test))
            )
        if self.other is not None:
            documents, part = chosen_part(self.other)
            found.append(Measured("test", "test corpus", f"{self.other.name}, {part}", self._right(model, documents)))
        holdout = self.holdout
        if holdout is None and self.cv is None and not found and self.settings.learner.column_weight is not None:
            holdout = self._a_fifth()
        if holdout is not None:
            parts = [hold_out(self.corpus.labels, holdout, self.settings.learner.seed)]
            words = "texts held out from a model that learnt from the others"
            found.append(Measured("held out", "hold-out", words, self._without(parts)))
        if self.cv is not None:
            parts = list(folds(self.corpus.labels, self.cv, self.settings.learner.seed))
            words = f"each text by the one of {self.cv} models that did not learn from it"
            found.append(Measured("folds", "cross-validation", words, self._without(parts)))
        first = first_epoch(model)
        if not found and first is not None and self.settings.learner.column_weight is None:
            found.append(Measured("epoch 1", "first epoch", "each text before it was learnt from", first))
        return found

    def _a_fifth(self) -> float | None:
        """Return the share of the texts to hold out where nobody asked for it; None where they are too few."""
        try:
            hold_out(self.corpus.labels, FIFTH, self.settings.learner.seed)
        except ValueError:
            return None
        return FIFTH

    def _right(self, model: TextModel, documents: Documents) -> Share:
        predicted = model.predict(documents.texts, self.n_jobs)
        right = sum(label == found for label, found in zip(documents.labels, predicted, strict=True))
        return Share(right, len(documents))

    def _without(self, parts: Iterable[tuple[Any, Any]]) -> Share:
        """Return the share of held-out texts that models which did not see them get right."""
        right = n = 0
        for rest, held_out in parts:
            training_rows, asked = _taken(self.corpus.train, rest), _taken(self.corpus.train, held_out)
            model = TextModel.train(training_rows.texts, training_rows.labels, self.settings, n_jobs=self.n_jobs)
            right, n = right + self._right(model, asked).right, n + len(asked)
        return Share(right, n)


def first_epoch(model: TextModel) -> Share | None:
    """Return how many texts were right in the first epoch, None where mistakes are not counted in texts."""
    if not model.summary.history:
        return None
    epoch = model.summary.history[0]
    if epoch.progressive_accuracy is None:
        return None
    return Share(epoch.rows - epoch.mistakes, epoch.rows)


def _taken(documents: Documents, places: np.ndarray[Any, Any]) -> Documents:
    chosen = places.tolist()
    return Documents([documents.texts[k] for k in chosen], [documents.labels[k] for k in chosen])
