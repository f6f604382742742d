"""Accuracy of a trained model: on a test split, another corpus, held-out texts, by cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from textperceptron.cli.console import Span, print_message
from textperceptron.cli.corpus_split import select_split
from textperceptron.cli.escaping import escaped_label
from textperceptron.corpus import Corpus, Documents
from textperceptron.model import TextModel
from textperceptron.report import Proportion, folds, hold_out
from textperceptron.settings import Settings

DEFAULT_HOLDOUT = 0.2


@dataclass
class Measurement:
    """An accuracy with its short name, its method for JSON, and the texts that it was measured on."""

    name: str
    method: str
    measured_on: str
    accuracy: Proportion

    def as_dict(self) -> dict[str, Any]:
        """Return the measurement as JSON."""
        return {"method": self.method, "measured_on": self.measured_on, "accuracy": self.accuracy.as_dict()}


@dataclass
class Evaluator:
    """Evaluates a model as the options request; invalid requests raise before training.

    Raises
    ------
    ValueError
        If too few texts would be held out or left, or the other corpus has none of the labels.
    """

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
            check_labels(self.other.name, select_split(self.other)[0].labels, self.corpus.train.labels)

    def evaluate(self, model: TextModel) -> list[Measurement]:
        """Return the requested measurements; without any, that of the first epoch or of a held-out fifth.

        Log-count ratios are computed from all texts, so with them no text is new to the model in the first epoch.
        """
        found = []
        if self.corpus.test is not None:
            accuracy = self._accuracy(model, self.corpus.test)
            found.append(Measurement("test", "test split", "test split", accuracy))
        if self.other is not None:
            documents, split = select_split(self.other)
            accuracy = self._accuracy(model, documents)
            found.append(Measurement("test", "test corpus", f"{self.other.name}, {split}", accuracy))
        holdout = self.holdout
        if holdout is None and self.cv is None and not found and self.settings.learner.column_weight is not None:
            holdout = self._default_holdout()
        if holdout is not None:
            splits = [hold_out(self.corpus.labels, holdout, self.settings.learner.seed)]
            words = "held-out texts, model trained on the others"
            found.append(Measurement("held out", "hold-out", words, self._held_out_accuracy(splits)))
        if self.cv is not None:
            splits = list(folds(self.corpus.labels, self.cv, self.settings.learner.seed))
            words = f"{self.cv}-fold cross-validation"
            found.append(Measurement("folds", "cross-validation", words, self._held_out_accuracy(splits)))
        first = first_epoch_accuracy(model)
        if not found and first is not None and self.settings.learner.column_weight is None:
            found.append(Measurement("epoch 1", "first epoch", "each text before training on it", first))
        return found

    def _default_holdout(self) -> float | None:
        try:
            hold_out(self.corpus.labels, DEFAULT_HOLDOUT, self.settings.learner.seed)
        except ValueError:  # too few texts
            return None
        return DEFAULT_HOLDOUT

    def _accuracy(self, model: TextModel, documents: Documents) -> Proportion:
        predicted = model.predict(documents.texts, self.n_jobs)
        right = sum(label == found for label, found in zip(documents.labels, predicted, strict=True))
        return Proportion(right, len(documents))

    def _held_out_accuracy(self, splits: Iterable[tuple[Any, Any]]) -> Proportion:
        """Train a model for each split; return their accuracy on the texts that they did not see."""
        right = n = 0
        for kept, held_out in splits:
            training, test = _take(self.corpus.train, kept), _take(self.corpus.train, held_out)
            model = TextModel.train(training.texts, training.labels, self.settings, n_jobs=self.n_jobs)
            right, n = right + self._accuracy(model, test).successes, n + len(test)
        return Proportion(right, n)


def check_labels(corpus: str, labels: Iterable[str], known_labels: Iterable[str]) -> None:
    """Print a message about labels of a corpus that a model cannot predict.

    Raises
    ------
    ValueError
        If the model can predict none of them.
    """
    given, known = set(labels), set(known_labels)
    if not given & known:
        raise ValueError(
            f"{corpus}: none of its labels ({_first_labels(given)}) is a class of the model ({_first_labels(known)}). "
            "Use a corpus with the same labels."
        )
    if given - known:
        unknown = _first_labels(given - known)
        print_message(f"labels unknown to the model: {unknown}. Texts with them count as wrong.")


def first_epoch_accuracy(model: TextModel) -> Proportion | None:
    """Return the accuracy during the first epoch, or None if mistakes are not counted per text."""
    if not model.summary.history:
        return None
    epoch = model.summary.history[0]
    if epoch.progressive_accuracy is None:
        return None
    return Proportion(epoch.rows - epoch.mistakes, epoch.rows)


def accuracy_line(name: str, accuracy: Proportion, measured_on: str = "") -> list[Span]:
    """Return the line of an accuracy, with its interval."""
    low, high = accuracy.interval
    details = f"{accuracy.successes} of {accuracy.n} correct{measured_on}"
    return [
        f"{name}  ", (f"{100 * accuracy.value:.1f} %", "bold"),
        f"  (95 % interval {100 * low:.1f}–{100 * high:.1f}, {details})",
    ]  # fmt: skip


def _first_labels(labels: set[str]) -> str:
    shown = [escaped_label(label) for label in sorted(labels)]
    return ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")


def _take(documents: Documents, rows: npt.NDArray[Any]) -> Documents:
    chosen = rows.tolist()
    return Documents([documents.texts[k] for k in chosen], [documents.labels[k] for k in chosen])
