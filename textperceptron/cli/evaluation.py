"""Accuracy of a trained model: on a test split, another corpus, held-out texts, by cross-validation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._format import percent
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.console import Span, plural, print_message, span_width, wrapped
from textperceptron.cli.corpus_split import select_split
from textperceptron.cli.escaping import label_text, listed_label
from textperceptron.cli.label_sets import LabelSetMeasurement
from textperceptron.corpus import Corpus, Documents
from textperceptron.corpus.documents import as_sets
from textperceptron.model import Measured, TextModel
from textperceptron.model.classes import Classes
from textperceptron.model.cross_validation import CrossValidation, Predictions, Split
from textperceptron.report import (
    Evaluation,
    LabelSetEvaluation,
    Proportion,
    evaluate,
    evaluate_counts,
    evaluate_label_sets,
    folds,
    hold_out,
    never_held_out,
)
from textperceptron.settings import Settings

if TYPE_CHECKING:
    from textperceptron.text.counted_texts import CountedTexts

DEFAULT_HOLDOUT = 0.2
MAX_SHOWN = 3  # classes with a threshold whose recall and precision are printed

MeasuringCallback = Callable[[int, int, Any], object]


@dataclass
class Measurement:
    """An accuracy with its short name, its method for JSON, and the texts that it was measured on.

    ``evaluation`` has the figures of each class, if they are known; ``shown`` are the classes to print them of.
    ``not_held_out`` are the classes with too few texts to hold one out. ``documents`` are the texts, and
    ``predictions`` what models trained on the others predict for them; None if it is the model itself.
    """

    name: str
    method: str
    measured_on: str
    accuracy: Proportion
    evaluation: Evaluation | None = None
    shown: Sequence[str] = ()
    not_held_out: Sequence[str] = ()
    documents: Documents | None = None
    predictions: Predictions | None = None

    def as_measured(self) -> Measured:
        """Return the measurement as a model file keeps it."""
        accuracy = self.accuracy
        measured_on = os.path.basename(self.measured_on)  # a header has no paths
        macro_f1 = None if self.evaluation is None else self.evaluation.macro.f1
        return Measured(self.method, measured_on, accuracy.successes, accuracy.n, accuracy.interval, macro_f1)

    def as_dict(self) -> dict[str, Any]:
        """Return the measurement as JSON."""
        found: dict[str, Any] = {
            "method": self.method, "measured_on": self.measured_on, "accuracy": self.accuracy.as_dict()
        }  # fmt: skip
        if self.evaluation is not None:
            found["macro_f1"] = self.evaluation.macro.f1
            found["most_frequent_class"] = self.evaluation.as_dict()["most_frequent_class"]
        if self.evaluation is not None and self.shown:
            found["classes"] = {
                str(each.label): {"precision": each.precision, "recall": each.recall, "f1": each.f1}
                for each in self.evaluation.classes
                if each.label in self.shown
            }
        return {**found, "not_held_out": list(self.not_held_out)} if self.not_held_out else found

    def lines(self, width: int = 0) -> Iterator[list[Span]]:
        """Return the lines of the accuracy, and of the classes that no held-out text has."""
        yield from accuracy_lines(f"{self.name:{width}}", self.accuracy, f"; {self.measured_on}")
        if self.evaluation is not None:
            yield from uneven_lines(self.evaluation, self.shown, max(width, len(self.name)) + 2)
        if self.not_held_out:
            yield from not_held_out_lines(self.not_held_out, max(width, len(self.name)) + 2)


class Evaluator:
    """Evaluates a model as the options request; invalid requests raise before training.

    Without any request and without a test split, a recipe with log-count ratios is evaluated on a held-out fifth, by a
    second model: its ratios are computed from all texts, so no text is new to it in the first epoch.

    Parameters
    ----------
    corpus : Corpus
    other : Corpus, optional
        Another corpus to test on.
    holdout : float, optional
        Fraction of the texts to hold out.
    cv : int, optional
        Number of folds.
    settings : Settings
    n_jobs : int
    needs_texts : bool
        Without any request and without a test split, hold out a fifth whatever the recipe.

    Raises
    ------
    ValueError
        If too few texts would be held out or left, or the other corpus has none of the labels.
    """

    def __init__(
        self,
        corpus: Corpus,
        other: Corpus | None,
        holdout: float | None,
        cv: int | None,
        settings: Settings,
        n_jobs: int,
        *,
        needs_texts: bool = False,
    ) -> None:
        self.corpus, self.other, self.settings, self.n_jobs = corpus, other, settings, n_jobs
        labels, seed, multilabel = corpus.labels, settings.learner.seed, corpus.train.multilabel
        self._requests: list[tuple[str, str, str, range]] = []  # of splits
        splits: list[Split] = []
        if other is not None:
            check_labels(other.name, select_split(other)[0], corpus.train.count_labels(), multilabel=multilabel)
        has_test = corpus.test is not None or other is not None
        no_first_epoch = needs_texts or settings.learner.column_weight is not None
        if holdout is None and cv is None and not has_test and no_first_epoch:
            with suppress(ValueError):  # too few texts
                splits.append(hold_out(labels, DEFAULT_HOLDOUT, seed))
        elif holdout is not None:
            splits.append(hold_out(labels, holdout, seed))
        if splits:
            self._requests.append(("held out", "hold-out", "held-out texts, model trained on the others", range(1)))
        if cv is not None:
            numbers = range(len(splits), len(splits) + cv)
            splits.extend(folds(labels, cv, seed))
            self._requests.append(("folds", "cross-validation", f"{cv}-fold cross-validation", numbers))
        self._validation = CrossValidation(
            corpus.train.texts, labels, splits, n_jobs, cache_size=1, unique=settings.text.binary is True,
            sample_weight=corpus.train.weights or None,
        )  # fmt: skip

    @property
    def trains_models(self) -> bool:
        """Whether an evaluation trains further models, which may take long."""
        return bool(self._requests)

    @property
    def training_texts(self) -> list[str] | CountedTexts:
        """The texts to train on, counted if they are needed again."""
        if self._requests and self.settings.text.n_features is None:
            return self._validation.counted(self.settings.text)
        return self.corpus.train.texts

    def evaluate(
        self, model: TextModel, callback: MeasuringCallback | None = None
    ) -> Sequence[Measurement | LabelSetMeasurement]:
        """Return the measurements; without any, that of the first epoch.

        ``callback`` is called while further models train, with the number of the model, the number of models, and its
        progress.
        """
        if model.multilabel:
            return self._evaluate_label_sets(model, callback)
        found = []
        named = len(model.classes) == 2 or len(model.thresholds) < len(model.classes)
        shown = [label_text(label) for label in model.thresholds][:MAX_SHOWN] if named else []
        if self.corpus.test is not None:
            evaluation = self._evaluation(model, self.corpus.test)
            found.append(
                Measurement(
                    "test", "test split", "test split", evaluation.accuracy, evaluation, shown,
                    documents=self.corpus.test,
                )
            )  # fmt: skip
        if self.other is not None:
            documents, split = select_split(self.other)
            evaluation, name = self._evaluation(model, documents), f"{self.other.name}, {split}"
            found.append(
                Measurement("test", "test corpus", name, evaluation.accuracy, evaluation, shown, documents=documents)
            )
        for name, method, words, splits in self._requests:
            rare = never_held_out(self.corpus.labels, [self._validation.splits[number] for number in splits])
            documents, predictions = self._held_out(splits, callback)
            classes = self._validation.classes
            confusion = np.zeros((len(classes), len(classes)), np.int64)
            np.add.at(confusion, (classes.codes(documents.labels), predictions.codes), 1)
            evaluation = evaluate_counts(classes.labels, confusion.tolist())
            found.append(
                Measurement(
                    name, method, words, evaluation.accuracy, evaluation, shown, rare, documents, predictions
                )
            )  # fmt: skip
        first = first_epoch_accuracy(model)
        if not found and first is not None and self.settings.learner.column_weight is None:
            found.append(Measurement("epoch 1", "first epoch", "each text before training on it", first))
        return found

    def _evaluation(self, model: TextModel, documents: Documents) -> Evaluation:
        return evaluate(documents.labels, list(map(label_text, model.predict(documents.texts, self.n_jobs))))

    def _held_out(self, splits: Sequence[int], callback: MeasuringCallback | None) -> tuple[Documents, Predictions]:
        """Train a model for each split; return the texts that they did not see, and their predictions."""
        validation = self._validation
        n_models = len(validation.splits)

        def predict(split: int) -> Predictions:
            report = None if callback is None else lambda progress: callback(split + 1, n_models, progress)
            return validation.predict(self.settings, split, report, n_jobs=self.n_jobs)

        predictions = Predictions.concatenated([predict(split) for split in splits])
        indices = [index for split in splits for index in validation.splits[split][1].tolist()]
        train = self.corpus.train
        return Documents([train.texts[k] for k in indices], [train.labels[k] for k in indices]), predictions

    def _evaluate_label_sets(self, model: TextModel, callback: MeasuringCallback | None) -> list[LabelSetMeasurement]:
        found = []
        if self.corpus.test is not None:
            evaluation = evaluate_label_model(model, self.corpus.test, self.n_jobs)
            found.append(LabelSetMeasurement("test", "test split", "test split", evaluation))
        if self.other is not None:
            documents, split = select_split(self.other)
            evaluation = evaluate_label_model(model, documents, self.n_jobs)
            found.append(LabelSetMeasurement("test", "test corpus", f"{self.other.name}, {split}", evaluation))
        n_models = len(self._validation.splits)
        for name, method, words, numbers in self._requests:
            splits = [self._validation.splits[number] for number in numbers]
            scores = []
            for number in numbers:
                report = None if callback is None else partial(callback, number + 1, n_models)
                scores.append(self._validation.scores(self.settings, number, report, n_jobs=self.n_jobs))
            labels = [self.corpus.labels[index] for _, held_out in splits for index in held_out.tolist()]
            evaluation = _evaluate_scores(labels, np.concatenate(scores), self._validation.classes)
            rare = never_held_out(self.corpus.labels, splits)
            found.append(LabelSetMeasurement(name, method, words, evaluation, rare))
        return found


def evaluate_label_model(model: TextModel, documents: Documents, n_jobs: int) -> LabelSetEvaluation:
    """Evaluate a model of several labels per text."""
    return _evaluate_scores(as_sets(documents.labels), model.scores(documents.texts, n_jobs), model.parts.classes)


def _evaluate_scores(
    labels: Sequence[tuple[str, ...]], scores: npt.NDArray[np.float64], classes: Classes
) -> LabelSetEvaluation:
    known = [label_text(label) for label in classes.labels]
    predicted = [tuple(map(label_text, each)) for each in classes.sets_of(scores > 0)]
    return evaluate_label_sets(labels, predicted, known, scores)


def check_labels(corpus: str, documents: Documents, known_labels: Iterable[str], *, multilabel: bool = False) -> None:
    """Print a message about labels of a corpus that a model cannot predict.

    Raises
    ------
    ValueError
        If the model can predict none of them, or texts have several labels and the model gives one.
    """
    if documents.multilabel and not multilabel:
        raise ValueError(
            f"{corpus}: its texts have several labels, and the model gives one. Train the model on texts with several "
            "labels, too."
        )
    given, known = set(documents.count_labels()), set(known_labels)
    if not given & known:
        kind = "label" if multilabel else "class"
        raise ValueError(
            f"{corpus}: none of its labels ({_first_labels(given)}) is a {kind} of the model ({_first_labels(known)}). "
            "Use a corpus with the same labels."
        )
    if given - known:
        unknown = _first_labels(given - known)
        what = "They count as missed" if multilabel else "Texts with them count as wrong"
        print_message(f"labels unknown to the model: {unknown}. {what}.")


def report_training_texts(path: str, model: TextModel, documents: Documents) -> None:
    """Print a message if these are the texts that the model was trained on."""
    known = model.training_texts
    if known is None or model.summary.n_rows != len(documents) or documents.multilabel:
        return
    with deferred_interrupts():
        from textperceptron.model import training_digest

    if training_digest(documents.texts, documents.labels) == known.digest:
        print_message(f"{path} was trained on these texts, so they say little about its accuracy on others.")


def check_one_label(documents: Documents, option: str) -> None:
    """Raise ValueError for an option that is for one label per text, if texts have several."""
    if documents.multilabel:
        raise ValueError(f"{option} is for one label per text, and these have several. Leave it out.")


def first_epoch_accuracy(model: TextModel) -> Proportion | None:
    """Return the accuracy during the first epoch, or None if mistakes are not counted per text."""
    if not model.summary.history:
        return None
    epoch = model.summary.history[0]
    if epoch.progressive_accuracy is None:
        return None
    return Proportion(epoch.rows - epoch.mistakes, epoch.rows)


def accuracy_lines(name: str, accuracy: Proportion, measured_on: str = "") -> Iterator[list[Span]]:
    """Return the lines of an accuracy, with its interval."""
    low, high = accuracy.interval
    head: list[Span] = [f"{name}  ", (f"{percent(accuracy.value)} %", "bold"), "  ("]
    details = f"{accuracy.successes} of {accuracy.n} correct{measured_on}"
    return wrapped(head, f"95 % interval {percent(low)}–{percent(high)}, {details})", span_width(head))


def uneven_lines(evaluation: Evaluation, shown: Sequence[str] = (), indent: int = 0) -> Iterator[list[Span]]:
    """Return macro F1 and the baseline, if classes are uneven, and the recall and precision of some classes."""
    figures = []
    if evaluation.is_uneven:
        label, share = listed_label(evaluation.most_frequent.label), percent(evaluation.baseline.value)
        figures += [f"macro F1 {percent(evaluation.macro.f1)} %", f"most frequent class ({label}) {share} %"]
    figures += [
        f"{listed_label(each.label)}: recall {percent(each.recall)} %, precision {percent(each.precision)} %"
        for each in evaluation.classes
        if each.label in shown
    ]
    if figures:
        yield from wrapped([" " * indent], "; ".join(figures), indent)


def not_held_out_lines(
    labels: Sequence[str], indent: int, word: str = "class", words: str = "classes"
) -> Iterator[list[Span]]:
    """Return the lines that name classes with too few texts to hold one out."""
    classes = plural(len(labels), word, words)
    return wrapped(
        [" " * indent], f"not measured: {classes} with too few texts ({_first_labels(set(labels))})", indent + 2
    )


def _first_labels(labels: set[str]) -> str:
    shown = [listed_label(label) for label in sorted(labels)]
    return ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")
