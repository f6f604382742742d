"""Train on: further texts, perhaps of further classes, with the columns that there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Callback, LabelSets, Rows, State, train
from textperceptron.learn.new_classes import as_one_vs_all, as_two_classes, grow
from textperceptron.learn.one_vs_all import ClassBlock, merged, train_one_vs_all
from textperceptron.learn.rules import MulticlassRule, NativeRule, OneVsAllRule, Rule
from textperceptron.learn.sample_weights import row_weights
from textperceptron.model.classes import Classes
from textperceptron.model.making import check_lengths
from textperceptron.model.many_classes import all_stopped_by, layout_for
from textperceptron.model.outcome import Outcome, Training
from textperceptron.model.parts import Parts
from textperceptron.model.training import class_weights
from textperceptron.model.training_summary import Epoch, Summary, merge_histories
from textperceptron.settings import LearnerPart


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
    check_lengths(rows, labels)
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
    made = parts._replace(
        classes=known, model=outcome.model, summary=summary,
        calibration=None, training=outcome.training, half_exponent=None,
    )  # fmt: skip
    return made, outcome.error


def teach_more(
    training: Training,
    rows: Rows,
    labels: Any,
    before: Classes,
    after: Classes,
    learner: LearnerPart,
    *,
    epochs: int = 1,
    sample_weight: npt.ArrayLike | None = None,
    callback: Callback | None = None,
) -> Outcome:
    """Go over rows, on from where training stopped; its state changes in place, or gives way to one of more classes.

    Raises
    ------
    ValueError
        If settings need all texts at once.
    """
    _refuse_what_needs_all(learner)
    learner = learner.settled([1] * len(before), rows.n_columns)
    codes = after.codes(labels)
    weight = row_weights(sample_weight, _weights_of(learner, after), after.array, codes)
    training.state.leave_epoch()
    if len(after) > len(before) == 2:
        training = _with_sides(training, learner)
    rule, state, plan = training.rule, training.state, learner.plan(epochs)
    if isinstance(rule, OneVsAllRule):
        outcome = _teach_groups(training, rows, codes, before, after, weight, learner, epochs, callback)
    else:
        if len(after) > len(before):
            rule, state = _grown(rule, state, before, after, learner)
        own: npt.NDArray[Any] = (
            codes.astype(np.int32) if isinstance(rule, NativeRule) else (2 * codes - 1).astype(np.int8)
        )
        run = train(rule, rows, own, plan, weight=weight, state=state, callback=callback)
        n_rows = len(plan.training_rows(own, weight))
        outcome = Outcome(
            rule.model(run.state), [Epoch.from_record(record, n_rows) for record in run.history], run.stopped_by,
            training=Training(rule, run.state), error=run.error,
        )  # fmt: skip
    outcome.n_updates = sum(epoch.updates for epoch in outcome.history)
    return outcome


def _refuse_what_needs_all(learner: LearnerPart) -> None:
    for name, why in (("early_stopping", "hold some out"), ("calibrate", "hold some out")):
        if getattr(learner, name):
            raise ValueError(f"{name}=True needs all texts at once to {why}: train anew on all of them.")
    if learner.class_weight == "balanced":
        raise ValueError("class_weight='balanced' needs all texts at once: give each class its weight instead.")


def _weights_of(learner: LearnerPart, classes: Classes) -> Any:
    """Return the weights of classes that are known by now."""
    weights = class_weights(learner)
    return weights and {label: weight for label, weight in weights.items() if label in classes.labels}


def _with_sides(training: Training, learner: LearnerPart) -> Training:
    """Return a training of two classes that a third can join: for one-vs-all, a problem for either class."""
    if learner.multiclass == "one-vs-one":
        raise ValueError("one-vs-one cannot take in a third class: train anew on all texts.")
    if learner.multiclass == "one-vs-all" and learner.pair_bits is not None:
        raise ValueError("one-vs-all with pair_bits cannot take in a third class: train anew on all texts.")
    if learner.multiclass == "native" or not isinstance(training.rule, MulticlassRule):
        return training
    rule, state = as_one_vs_all(training.rule, training.state)
    both = as_two_classes(rule.inner, state)
    return Training(replace(rule, layout=both.blocks), both)


def _grown(rule: Rule, state: State, before: Classes, after: Classes, learner: LearnerPart) -> tuple[NativeRule, State]:
    inner = rule.inner if isinstance(rule, NativeRule) else rule
    if not isinstance(inner, MulticlassRule):
        raise ValueError(f"learner={learner.learner!r} learns two classes, and there are {len(after)} now.")
    if len(state.squared_column_weight):
        raise ValueError("column_weight compares two classes, so a third cannot join: train anew on all texts.")
    layout = layout_for(state.n_columns, len(after), learner)
    new = grow(inner, state, _places(before, after), layout)
    return NativeRule(inner=inner, layout=layout), new


def _places(before: Classes, after: Classes) -> npt.NDArray[np.intp]:
    """Return where each of the old classes stands among all."""
    return np.array([after.code(label) for label in before.labels], np.intp)


def _teach_groups(
    training: Training,
    rows: Rows,
    codes: npt.NDArray[np.intp],
    before: Classes,
    after: Classes,
    weight: npt.NDArray[np.float64],
    learner: LearnerPart,
    epochs: int,
    callback: Callback | None,
) -> Outcome:
    """One-vs-all: the classes that there are go on, and new ones join them as a group of their own."""
    rule, state = training.rule, training.state
    assert isinstance(rule, OneVsAllRule)
    n_fresh = len(after) - len(before)
    if n_fresh and len(state.class_squared_column_weight):  # type: ignore[attr-defined]
        raise ValueError("column_weight compares each class with all others, so none can join: train anew.")
    # Numbered as they were met: the old classes first.
    order = np.concatenate([_places(before, after), np.setdiff1d(np.arange(len(after)), _places(before, after))])
    labels = LabelSets.of_codes(np.argsort(order)[codes].astype(np.int32))
    plan, first_epoch = learner.plan(epochs), state.epoch
    run = train(rule, rows, labels, plan, weight=weight, state=state, callback=callback)
    groups = [ClassBlock(rule, run)]
    if n_fresh and run.error is None:
        groups += train_one_vs_all(
            rule.inner, rows, labels, n_fresh, replace(plan, max_iter=epochs),
            weight=weight, first_class=len(before), epoch=first_epoch,
        )  # fmt: skip
    elif n_fresh:
        raise run.error  # type: ignore[misc]
    whole, new = merged(groups, order if n_fresh else None)
    return Outcome(
        whole.model(new),
        merge_histories([group.run.history for group in groups], len(plan.training_rows(labels, weight))),
        all_stopped_by(groups), training=Training(whole, new), error=run.error,
    )  # fmt: skip
