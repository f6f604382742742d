"""Texts and labels → the parts of a model; ``going_on`` does so on from one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron._validation import at_least
from textperceptron.learn import Callback, Rows
from textperceptron.learn.column_pairs import paired
from textperceptron.model.classes import Classes
from textperceptron.model.features import Features
from textperceptron.model.keeping import Keeper
from textperceptron.model.parts import Parts
from textperceptron.model.training import teach
from textperceptron.model.training_summary import Summary
from textperceptron.settings import Settings

KeeperOf = Callable[[Rows, npt.NDArray[np.intp]], Keeper]


def make(
    texts: Iterable[Any],
    labels: list[Any],
    settings: Settings,
    *,
    classes: Iterable[Any] = (),
    sample_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    keeper_of: KeeperOf | None = None,
) -> Parts:
    """Learn columns and weights; ``keeper_of`` makes what keeps the progress of learning from given rows."""
    known = Classes.among([*labels, *classes])
    if len(known) < 2:
        found = f"there is only one class, {known.labels[0]!r}" if len(known) else "there are no labels"
        raise ValueError(f"{found}: a classifier needs texts of two classes to learn from.")
    features, words = Features.learn(texts, settings.text, n_jobs)
    rows = paired(words, settings.learner.pair_bits)
    check_lengths(rows, labels)
    codes = known.codes(labels)
    outcome = teach(
        rows, codes, known, settings.learner,
        sample_weight=sample_weight, n_jobs=n_jobs, callback=callback,
        keeper=None if keeper_of is None else keeper_of(rows, codes),
    )  # fmt: skip
    rows_of_class = tuple(np.bincount(codes, minlength=len(known)).tolist())
    summary = Summary(rows_of_class, tuple(outcome.history), outcome.n_updates, outcome.stopped_by)
    return Parts(settings, known, features(), outcome.model, summary, outcome.calibration, outcome.training)


def keeper_for(
    path: str | os.PathLike[str] | None,
    every: float,
    resume: bool,
    settings: Settings,
    sample_weight: npt.ArrayLike | None,
) -> KeeperOf | None:
    """Return what makes a checkpoint in a file, or None if no file is given."""
    if path is None:
        if resume:
            raise ValueError("resume=True needs the checkpoint to go on from: name its file.")
        return None
    with deferred_interrupts():
        from textperceptron.model.checkpoint import Checkpoint
        from textperceptron.model.file.atomic_write import check_writable

    at_least("every", every, 0)
    check_writable(path)  # a wrong folder is told before texts are read; a disk that is full later is no error
    return lambda rows, codes: Checkpoint(path, every, resume, settings, rows, codes, sample_weight)


def check_lengths(rows: Rows, labels: list[Any]) -> None:
    """Raise ValueError unless there is a label a text."""
    if rows.n_rows != len(labels):
        raise ValueError(f"there are {rows.n_rows} texts and {len(labels)} labels: give one label a text.")
