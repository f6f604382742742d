"""States of more classes, for classes that were unknown when training began."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows
from textperceptron.learn.rules import ArowRule, MulticlassRule
from textperceptron.learn.rules.one_vs_all import OneVsAllRule, OneVsAllState
from textperceptron.learn.state import Array, State
from textperceptron.learn.weight_tables import BlockedTable, ClassTable


def add_classes(inner: MulticlassRule, state: State, positions: npt.NDArray[np.intp], table: ClassTable) -> State:
    """Return a native state of more classes: the scores of the old ones do not change, new ones start at zero.

    Parameters
    ----------
    inner : MulticlassRule
        The rule that the state was trained with.
    state : State
        Of one class (nothing learnt), of two (one weight vector: each class gets half of it, with opposite signs, so
        that the difference of their scores is the old score) or of more.
    positions : array
        Positions of the old classes among all.
    table : ClassTable
        Layout of the new state; dense.
    """
    if table.bits or (state.table is not None and state.table.bits):
        raise ValueError(
            "the weights are hashed, and a hashed table cannot get new classes. Pass all classes to the first call of "
            "partial_fit."
        )
    halved = not isinstance(inner, ArowRule)  # a total is a sum of weights and is halved like them, a variance is not
    new = State(
        _expanded(state.weights, state, positions, table, 0.0, halved=True),
        _expanded(state.accumulator, state, positions, table, 0.0 if halved else 1.0, halved=halved),
        state.squared_column_weight,
        table,
        state.counts,
        state.loss,
    )
    if not halved and len(state.squared_column_weight):
        # The variances of a new class start at the squares of the column weights, as those of all classes did.
        added = np.setdiff1d(np.arange(table.n_classes), positions)
        variances = new.accumulator.reshape(table.n_columns + 1, table.stride)
        variances[:, added] = state.squared_column_weight[:, np.newaxis]
    return new


def negated(inner: MulticlassRule, state: State) -> State:
    """Return the state of a training with opposite signs: every rule depends on ``y · score`` only."""
    new = state.copy()
    np.negative(new.weights, out=new.weights)
    if not isinstance(inner, ArowRule):  # a total is a sum of weights; a variance has no sign
        np.negative(new.accumulator, out=new.accumulator)
    for column_weight in _signed_column_weights(new):
        np.negative(column_weight, out=column_weight)
    return new


def as_one_vs_all(inner: MulticlassRule, state: State) -> tuple[OneVsAllRule, OneVsAllState]:
    """Return the one-vs-all state of the second class alone, from a state of two classes."""
    rule = OneVsAllRule(inner=inner, table=BlockedTable(state.n_columns, 1), first=0)
    rows = Rows(state.weights[:0], np.empty(0, np.int32), np.zeros(1, np.int32), state.n_columns)
    new = rule.start(
        rows, state.column_weight if len(state.column_weight) else np.sqrt(state.squared_column_weight[:-1])
    )
    for binary, blocked in ((state.weights, new.weights), (state.accumulator, new.accumulator)):
        if len(blocked):
            blocked.reshape(-1, rule.table.stride)[:, 0] = binary
    new.counts[:] = state.counts
    new.rows_are_unit = state.rows_are_unit
    new.seen_of_class[0], new.epochs_of_class[0] = state.seen, state.epoch
    return rule, new


def as_two_classes(inner: MulticlassRule, state: OneVsAllState) -> OneVsAllState:
    """Return the one-vs-all state of two classes, from that of the second alone: the first is the negated one."""
    new = negated(inner, state)
    assert isinstance(new, OneVsAllState)
    new.blocked_table = table = BlockedTable(state.n_columns, 2)
    names = "weights", "accumulator", "class_squared_column_weight", "class_column_weight"
    for second, both in ((getattr(state, name), getattr(new, name)) for name in names):
        if len(both):
            both.reshape(-1, table.stride)[:, 1] = second.reshape(-1, table.stride)[:, 0]
    for counter in (new.seen_of_class, new.updates_of_epoch, new.updates_of_class, new.epochs_of_class):
        counter[1] = counter[0]
    return new


def _signed_column_weights(state: State) -> list[Array]:
    """Return the signed column weights of a state."""
    return [state.column_weight, *([state.class_column_weight] if isinstance(state, OneVsAllState) else [])]


def _expanded(
    array: Array, state: State, positions: npt.NDArray[np.intp], table: ClassTable, start: float, *, halved: bool
) -> Array:
    if not len(array):
        return array
    lines = np.full((table.n_columns + 1, table.stride), start, array.dtype)
    if state.table is not None:
        old = array.reshape(table.n_columns + 1, state.table.stride)
        lines[:, positions] = old[:, : state.table.n_classes]
    elif len(positions) == 2:
        lines[:, positions[1]] = array / 2 if halved else array
        lines[:, positions[0]] = -array / 2 if halved else array
    return lines.ravel()
