"""Texts and labels → the parts of a model, from the start or on from one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Callback, Rows
from textperceptron.learn.on_the_fly import paired
from textperceptron.pipeline.checkpoint import Checkpoint
from textperceptron.pipeline.features import Features
from textperceptron.pipeline.going_on import teach_more
from textperceptron.pipeline.keeping import Keeper
from textperceptron.pipeline.labels import Classes
from textperceptron.pipeline.order import in_order, takes_any_order
from textperceptron.pipeline.outcome import Training
from textperceptron.pipeline.parts import Parts
from textperceptron.pipeline.summary import Summary
from textperceptron.pipeline.training import teach
from textperceptron.recipes import Settings

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
    learnt, words = Features.learn(texts, settings.text, n_jobs, as_met=takes_any_order(settings, len(known)))
    rows = paired(words, settings.learner.pair_bits)
    _check_lengths(rows, labels)
    codes = known.codes(labels)
    outcome = teach(
        rows, codes, known, settings.learner,
        sample_weight=sample_weight, n_jobs=n_jobs, callback=callback,
        keeper=None if keeper_of is None else keeper_of(rows, codes),
    )  # fmt: skip
    if outcome.error is not None:
        raise outcome.error
    rows_of_class = tuple(np.bincount(codes, minlength=len(known)).tolist())
    summary = Summary(rows_of_class, tuple(outcome.history), outcome.n_updates, outcome.stopped_by)
    features, order = learnt()
    model, training = in_order(outcome, order)
    return Parts(settings, known, features, model, summary, outcome.calibration, training)


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
    return lambda rows, codes: Checkpoint(path, every, resume, settings, rows, codes, sample_weight)


def make_more(
    parts: Parts,
    training: Training,
    texts: Iterable[Any],
    labels: list[Any],
    *,
    epochs: int = 1,
    classes: Iterable[Any] = (),
    sample_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> tuple[Parts, BaseException | None]:
    """Learn from further texts; return the parts, and what interrupted learning."""
    known = parts.classes.with_more([*labels, *classes])
    rows = parts.rows(texts, n_jobs)
    _check_lengths(rows, labels)
    outcome = teach_more(
        training, rows, labels, parts.classes, known, parts.settings.learner,
        epochs=epochs, sample_weight=sample_weight, callback=callback,
    )  # fmt: skip
    before = parts.summary
    counts = np.bincount(known.codes(labels), minlength=len(known))
    counts[[known.code(label) for label in parts.classes.labels]] += before.rows_of_class
    summary = Summary(
        tuple(counts.tolist()), (*before.history, *outcome.history),
        before.n_updates + outcome.n_updates, outcome.stopped_by,
    )  # fmt: skip
    made = replace(
        parts, classes=known, model=outcome.model, summary=summary,
        calibration=None, training=outcome.training, half_exponent=None,
    )  # fmt: skip
    return made, outcome.error


def _check_lengths(rows: Rows, labels: list[Any]) -> None:
    if rows.n_rows != len(labels):
        raise ValueError(f"there are {rows.n_rows} texts and {len(labels)} labels: give one label a text.")
