"""Train the parts of a model on texts and labels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron._validation import at_least
from textperceptron.learn.fit import fit
from textperceptron.learn.fitted import Fitted, NullCheckpoint
from textperceptron.learn.loop import Callback
from textperceptron.learn.rows import Rows
from textperceptron.learn.training_data import ClassWeight, LabelSets, row_weights
from textperceptron.model.classes import Classes
from textperceptron.model.features import Features
from textperceptron.model.parts import Epoch, ModelParts, Summary
from textperceptron.model.provenance import Provenance
from textperceptron.model.reading import Reading
from textperceptron.model.targets import Targets
from textperceptron.model.text_profile import resolve_auto
from textperceptron.settings import LearnerSettings, Settings
from textperceptron.text.counted_texts import CountedTexts
from textperceptron.text.frames import documents_of


def train_model(
    texts: Iterable[Any] | CountedTexts,
    labels: Iterable[Any],
    settings: Settings,
    *,
    classes: Iterable[Any] = (),
    sample_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    checkpoint: NullCheckpoint | None = None,
) -> ModelParts:
    """Learn columns and weights."""
    targets = Targets.of(labels, classes)
    if not isinstance(texts, CountedTexts):
        texts = documents_of(texts)
    text, texts = resolve_auto(texts, settings.text, len(targets.class_sizes))
    reading = Reading(texts, n_jobs)
    texts = reading.texts
    settings = targets.resolve_default(replace(settings, text=text))
    features, rows = Features.learn(texts, text, n_jobs)
    rows = rows.with_pairs(settings.learner.pair_bits)
    check_lengths(rows, targets.labels)
    fitted = fit_rows(
        rows, targets.codes, targets.classes, settings.learner,
        sample_weight=sample_weight, n_jobs=n_jobs, callback=callback, checkpoint=checkpoint,
    )  # fmt: skip
    n_texts = rows.n_rows if targets.multilabel else None
    summary = Summary(targets.rows_of_class, epochs_of(fitted), fitted.n_updates, fitted.stopped_by, n_texts)
    state = None if targets.multilabel else fitted
    return ModelParts(
        settings, targets.classes, features(), fitted.model, summary, fitted.calibration, state,
        thresholds=fitted.thresholds, provenance=Provenance(reading.training_texts(targets.labels)),
    )  # fmt: skip


def fit_rows(
    rows: Rows,
    codes: npt.NDArray[np.intp] | LabelSets,
    classes: Classes,
    settings: LearnerSettings,
    *,
    sample_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    checkpoint: NullCheckpoint | None = None,
) -> Fitted:
    """Train on rows; raise the error that interrupted training, if any."""
    if isinstance(codes, LabelSets):
        if settings.class_weight is not None:
            raise ValueError("class_weight weighs a text by its one label, and these have several: use sample_weight.")
        weight = row_weights(sample_weight, None, classes.array, np.zeros(len(codes), np.intp))
    else:
        weight = row_weights(sample_weight, class_weights(settings), classes.array, codes)
    if checkpoint is not None:
        checkpoint.bind(rows, codes)
    fitted = fit(
        rows, codes, len(classes), settings,
        weight=weight, n_jobs=n_jobs, callback=callback, checkpoint=checkpoint,
        class_names=list(map(str, classes.labels)),
    )  # fmt: skip
    if fitted.error is not None:
        raise fitted.error
    return fitted


def open_checkpoint(
    path: str | os.PathLike[str] | None,
    every: float,
    resume: bool,
    settings: Settings,
    sample_weight: npt.ArrayLike | None,
) -> NullCheckpoint | None:
    """Return the checkpoint in a file, or None if no file is given."""
    if path is None:
        if resume:
            raise ValueError("resume=True needs a checkpoint to resume from: pass its file as checkpoint.")
        return None
    with deferred_interrupts():
        from textperceptron.model.checkpoint import Checkpoint
        from textperceptron.model.file.atomic_write import check_writable

    at_least("every", every, 0)
    check_writable(path)  # fails before texts are read; later failures are warnings
    return Checkpoint(path, every, resume, settings, sample_weight)


def check_lengths(rows: Rows, labels: Sequence[Any]) -> None:
    """Raise ValueError unless there is one label per text."""
    if rows.n_rows != len(labels):
        raise ValueError(f"there are {rows.n_rows} texts and {len(labels)} labels: give one label per text.")


def class_weights(settings: LearnerSettings) -> ClassWeight:
    """Return the class weights as a dict, a string or None."""
    chosen = settings.class_weight
    return dict(chosen) if isinstance(chosen, tuple) else chosen


def epochs_of(fitted: Fitted) -> tuple[Epoch, ...]:
    """Return the history of a training."""
    return tuple(Epoch.from_record(record, fitted.n_rows) for record in fitted.history)
