"""A class that was not known when training began."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows
from textperceptron.learn.rules import ArowRule, MulticlassRule, OneVsAllRule, OneVsAllState
from textperceptron.learn.state import Array, State
from textperceptron.learn.weight_tables import BlockedTable, ClassTable


def grow(inner: MulticlassRule, state: State, positions: npt.NDArray[np.intp], layout: ClassTable) -> State:
    """Return a native state of more classes that scores the old ones as before; new ones begin at zero.

    Parameters
    ----------
    inner : MulticlassRule
        The rule that the state was trained with.
    state : State
        Of one class (nothing learnt), of two (one weight vector: half of it goes to either class, with opposite
        signs, so that their scores differ by what the score was) or of more.
    positions : array
        Where the old classes stand among the new.
    layout : ClassTable
        That of the new state; dense.
    """
    if layout.bits or (state.layout is not None and state.layout.bits):
        raise ValueError(
            "the weights are hashed, and a hashed table cannot take in further classes. Name all classes in the first "
            "call of partial_fit."
        )
    split = not isinstance(inner, ArowRule)  # a total is a sum of weights and halves like them; a variance does not
    new = State(
        _regrown(state.weights, state, positions, layout, 0.0, halves=True),
        _regrown(state.accumulator, state, positions, layout, 0.0 if split else 1.0, halves=split),
        state.squared_column_weight,
        layout,
        state.counts,
        state.loss,
    )
    if not split and len(state.squared_column_weight):
        # The variances of a new class start at the squares of the column weights, as all did.
        fresh = np.setdiff1d(np.arange(layout.n_classes), positions)
        new.accumulator.reshape(layout.n_columns + 1, layout.stride)[:, fresh] = state.squared_column_weight[
            :, np.newaxis
        ]
    return new


def negated(inner: MulticlassRule, state: State) -> State:
    """Return the state that training with the opposite signs would have led to: every rule acts on ``y · score``."""
    new = state.copy()
    np.negative(new.weights, out=new.weights)
    if not isinstance(inner, ArowRule):  # a total is a sum of weights; a variance has no sign
        np.negative(new.accumulator, out=new.accumulator)
    for column_weight in _signed_column_weights(new):
        np.negative(column_weight, out=column_weight)
    return new


def as_one_vs_all(inner: MulticlassRule, state: State) -> tuple[OneVsAllRule, OneVsAllState]:
    """Return a state of two classes as the one-vs-all state of the second alone."""
    rule = OneVsAllRule(inner=inner, layout=BlockedTable(state.n_columns, 1), first=0)
    rows = Rows(state.weights[:0], np.empty(0, np.int32), np.zeros(1, np.int32), state.n_columns)
    new = rule.start(
        rows, state.column_weight if len(state.column_weight) else np.sqrt(state.squared_column_weight[:-1])
    )
    for alone, table in ((state.weights, new.weights), (state.accumulator, new.accumulator)):
        if len(table):
            table.reshape(-1, rule.layout.stride)[:, 0] = alone
    new.counts[:] = state.counts
    new.rows_are_unit = state.rows_are_unit
    new.seen_of_class[0], new.epochs_of_class[0] = state.seen, state.epoch
    return rule, new


def as_two_classes(inner: MulticlassRule, state: OneVsAllState) -> OneVsAllState:
    """Return the one-vs-all state of two classes from that of the second alone: the first is its mirror image."""
    new = negated(inner, state)
    assert isinstance(new, OneVsAllState)
    new.blocks = layout = BlockedTable(state.n_columns, 2)
    names = "weights", "accumulator", "class_squared_column_weight", "class_column_weight"
    for second, both in ((getattr(state, name), getattr(new, name)) for name in names):
        if len(both):
            both.reshape(-1, layout.stride)[:, 1] = second.reshape(-1, layout.stride)[:, 0]
    for counter in (new.seen_of_class, new.updates_of_epoch, new.updates_of_class, new.epochs_of_class):
        counter[1] = counter[0]
    return new


def _signed_column_weights(state: State) -> list[Array]:
    """Return the column weights that a state keeps with their signs."""
    return [state.column_weight, *([state.class_column_weight] if isinstance(state, OneVsAllState) else [])]


def _regrown(
    array: Array, state: State, positions: npt.NDArray[np.intp], layout: ClassTable, start: float, *, halves: bool
) -> Array:
    if not len(array):
        return array
    table = np.full((layout.n_columns + 1, layout.stride), start, array.dtype)
    if state.layout is not None:
        old = array.reshape(layout.n_columns + 1, state.layout.stride)
        table[:, positions] = old[:, : state.layout.n_classes]
    elif len(positions) == 2:
        table[:, positions[1]] = array / 2 if halves else array
        table[:, positions[0]] = -array / 2 if halves else array
    return table.ravel()
