"""Train a model further: new texts, new terms, new classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.learn.fitted import Fitted
from textperceptron.learn.loop import Callback
from textperceptron.learn.rows import Rows
from textperceptron.learn.training_data import ClassWeight, row_weights
from textperceptron.learn.weight_tables import MAX_DENSE_WEIGHTS, ClassTable
from textperceptron.model.classes import Classes, plain_labels
from textperceptron.model.features import Features
from textperceptron.model.parts import ModelParts, Summary
from textperceptron.model.reading import Reading
from textperceptron.model.train import check_lengths, class_weights, epochs_of
from textperceptron.settings import LearnerSettings
from textperceptron.text.frames import documents_of, repeatable
from textperceptron.text.growth import Growth
from textperceptron.text.term_table import MAX_TERMS

if TYPE_CHECKING:
    from textperceptron.learn.calibration import Calibration
    from textperceptron.learn.threshold import ClassThreshold

# Share of unknown words in new texts, to warn of if a model knows enough texts. It is 4 % of 2,500 film reviews in a
# model of as many, 25 % of 100 in a model of 100, up to 23 % in texts of other fields, and in other languages from 59 %
# (Tamil with many English words) to 99 %.
_MANY_UNKNOWN, _ENOUGH_TEXTS = 0.5, 100

_LEAST_TO_CALIBRATE = 200  # texts


class UpdateWarning(UserWarning):
    """An update could not learn all of the new texts, or they do not resemble those that the model knows."""


def update_model(
    parts: ModelParts,
    fitted: Fitted,
    texts: Iterable[Any],
    labels: Iterable[Any],
    *,
    epochs: int | None = None,
    classes: Iterable[Any] = (),
    max_terms: int | None = None,
    sample_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> tuple[ModelParts, BaseException | None]:
    """Train a model further; return its new parts, and the error that interrupted training, if any."""
    _check_updatable(fitted.settings)
    labels = plain_labels(labels)
    if not labels:
        raise ValueError("there are no new texts to learn from, so the model stays as it is.")
    known = parts.classes.with_more([*labels, *plain_labels(classes)])
    texts = repeatable(documents_of(texts))
    reading = Reading(texts, n_jobs)
    features, rows, columns = _grown(parts, fitted, texts, len(known), max_terms, n_jobs)
    check_lengths(rows, labels)
    codes = known.codes(labels)
    weight = row_weights(sample_weight, _known_class_weights(fitted.settings, known), known.array, codes)
    positions = np.array([known.code(label) for label in parts.classes.labels], np.intp)
    calibration = _calibrated(parts, known, texts, codes, n_jobs)
    thresholds = _thresholds(parts, known)
    n_epochs, n_updates = len(fitted.history), fitted.n_updates
    chosen = fitted.settings
    fitted = fitted.update(
        rows, codes, len(known), positions=positions, columns=columns, settings=chosen.replace(calibrate=False),
        epochs=chosen.max_iter if epochs is None else epochs, weight=weight, n_jobs=n_jobs, callback=callback,
    )  # fmt: skip
    fitted.settings = fitted.settings.replace(calibrate=chosen.calibrate)
    if thresholds:
        fitted.apply(thresholds)
    before = parts.summary
    counts = np.bincount(codes, minlength=len(known))
    counts[positions] += before.rows_of_class
    summary = Summary(
        tuple(counts.tolist()), (*before.history, *epochs_of(fitted)[n_epochs:]),
        before.n_updates + fitted.n_updates - n_updates, fitted.stopped_by,
    )  # fmt: skip
    # Settings that "auto" stood for must stay, although the numbers of classes and columns change.
    settings = replace(parts.settings, learner=fitted.settings)
    updated = replace(
        parts, settings=settings, classes=known, features=features, model=fitted.model, summary=summary,
        calibration=calibration, thresholds=thresholds, fitted=fitted, half_exponent=None,
        provenance=reading.update(parts.provenance, labels),
    )  # fmt: skip
    return updated, fitted.error


def _grown(
    parts: ModelParts, fitted: Fitted, texts: Iterable[Any], n_classes: int, max_terms: int | None, n_jobs: int | None
) -> tuple[Features, Rows, npt.NDArray[np.int64] | None]:
    """Return the features with new terms, the rows of the texts, and the positions of the old columns among all."""
    features = parts.features
    if features.vocabulary is None or not fitted.can_grow:
        rows = parts.rows(texts, n_jobs)
        return features, rows, np.arange(rows.n_columns) if fitted.can_grow else None
    limit = MAX_TERMS if n_classes == 2 else MAX_DENSE_WEIGHTS // ClassTable(0, n_classes).stride - 1
    if max_terms is None:
        max_terms = features.settings.max_features
    features, rows, growth = features.grow(texts, limit if max_terms is None else min(limit, max_terms), n_jobs)
    _warn(growth, parts)
    return features, rows, growth.positions


def _calibrated(
    parts: ModelParts, known: Classes, texts: Iterable[Any], codes: npt.NDArray[np.intp], n_jobs: int | None
) -> Calibration | None:
    """Return the calibration of a calibrated model.

    It is fitted to the scores of the new texts before the model learns from them: on IMDB in ten batches, that gives
    the log loss of a calibration of all texts at once, 0.20; the first calibration would give 0.21.
    """
    if parts.calibration is None:
        return None
    if len(known) > len(parts.classes):
        _say("new classes: the model has no probabilities any more. Train from the start, on all texts, to get them.")
        return None
    if len(codes) < _LEAST_TO_CALIBRATE or np.bincount(codes, minlength=len(known)).min() == 0:
        return parts.calibration
    with deferred_interrupts():
        from textperceptron.learn.calibration import calibrate

    return calibrate(parts.model.scores(parts.rows(texts, n_jobs), n_jobs), codes)


def _thresholds(parts: ModelParts, known: Classes) -> tuple[ClassThreshold, ...]:
    """Return the thresholds of a model, which an update does not choose again."""
    if not parts.thresholds:
        return ()
    if len(known) > len(parts.classes):
        _say("new classes: the model has no thresholds any more. Train from the start, on all texts, to choose them.")
        return ()
    _say("thresholds stay those of the first training. Train from the start, on all texts, to choose them again.")
    return parts.thresholds


def _say(message: str) -> None:
    warnings.warn(message, UpdateWarning, stacklevel=5)


def _warn(growth: Growth, parts: ModelParts) -> None:
    if growth.unknown > _MANY_UNKNOWN and parts.summary.n_rows >= _ENOUGH_TEXTS:
        _say(
            f"{100 * growth.unknown:.0f} % of the words are unknown to the model: are the new texts in its language, "
            "and of the same kind?"
        )
    if growth.n_omitted:
        _say(
            f"the vocabulary is full, with {len(growth.vocabulary):,} terms; new terms left out: {growth.n_omitted:,}. "
            "Raise max_terms (--max-terms), or train from the start with fewer terms (min_df)."
        )


def _known_class_weights(settings: LearnerSettings, classes: Classes) -> ClassWeight:
    weights = class_weights(settings)
    if weights is None or isinstance(weights, str):
        return weights
    return {label: weight for label, weight in weights.items() if label in classes.labels}


def _check_updatable(settings: LearnerSettings) -> None:
    if settings.early_stopping:
        raise ValueError("early_stopping=True needs all texts at once to hold some out: train anew on all of them.")
    if settings.class_weight == "balanced":
        raise ValueError("class_weight='balanced' needs all texts at once: give each class its weight instead.")
