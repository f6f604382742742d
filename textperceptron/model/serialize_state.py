"""Training states ↔ arrays, for files that training resumes from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Rows, State
from textperceptron.learn.class_counts import ClassCounts
from textperceptron.learn.fitted import Fitted, SingleFit, make_rule
from textperceptron.learn.loop import Run
from textperceptron.learn.models import Model, MulticlassModel, VotedModel
from textperceptron.learn.one_vs_all import ClassBlock, OneVsAllFit
from textperceptron.learn.rules import MulticlassRule, Rule
from textperceptron.learn.rules.native import NativeRule
from textperceptron.learn.rules.one_vs_all import OneVsAllRule, OneVsAllState
from textperceptron.learn.rules.voted import VotedState
from textperceptron.learn.state import EPOCH, LOGGED, SUPPORT
from textperceptron.learn.weight_tables import BlockedTable
from textperceptron.model.file import ModelFileError, TensorFile
from textperceptron.model.parts import COUNT_LIMIT
from textperceptron.settings import LearnerSettings
from textperceptron.text.tokenize import offsets_from_lengths

Array = npt.NDArray[Any]

# Fields that every run computes again when it starts: of the voted perceptron, and of one-vs-all.
_TRANSIENT = ("log", "base", "alpha", "support", "dense", "max_abs_weight", "label_signs")

# Exclusive upper bounds of integers by their size in bytes: counts, which kernels increment unchecked, and flags.
_UPPER_BOUNDS = {8: COUNT_LIMIT, 1: 2}


def fitted_arrays(fitted: Fitted) -> dict[str, Array]:
    """Return the arrays of a training state that a model can be updated with.

    Raises
    ------
    ValueError
        If there is no such state.
    """
    if fitted.training is None:
        raise ValueError("the model has no training state to save: save it with trainable=False.")
    arrays, counts = state_arrays(fitted.training[1], "state"), fitted.counts
    if counts is None:
        return arrays
    sums = np.concatenate(counts.sums)
    whole = sums.astype(np.int32) if sums.max(initial=0) < 1 << 31 else sums  # half the size
    return arrays | {
        "counts.rows": counts.n_rows,
        "counts.starts": offsets_from_lengths(np.array([len(columns) for columns in counts.columns])),
        "counts.columns": np.concatenate(counts.columns),
        "counts.sums": whole if np.array_equal(whole, sums) else sums,
    }


def state_arrays(state: State, prefix: str) -> dict[str, Array]:
    """Return the arrays of a state under their names in a file."""
    return {f"{prefix}.{key}": getattr(state, name) for name, key in _array_fields(state).items()}


def restore_state(state: State, file: TensorFile, prefix: str) -> None:
    """Fill the initial state of a run with the arrays of a file.

    Raises
    ------
    ModelFileError
        If an array is missing, or differs in type or size from that of the state.
    """
    found = {}
    for name, key in _array_fields(state).items():
        own = getattr(state, name)
        if not own.size and f"{prefix}.{key}" not in file.arrays:
            continue  # written before this array existed, and this state does not use it
        found[name] = array = file.array(f"{prefix}.{key}", own.dtype, ndim=own.ndim, size=own.size)
        if array.dtype.kind == "i" and array.size and not _in_range(array):
            raise ModelFileError(f"a count in '{prefix}.{key}' is out of range: the file is damaged.")
    if found["counts"][EPOCH] >= 1 << 31:
        raise ModelFileError(f"the number of epochs in '{prefix}.counts' is out of range: the file is damaged.")
    for name, array in found.items():
        np.copyto(getattr(state, name), array)
    state.counts[[SUPPORT, LOGGED]] = 0


def load_fitted(file: TensorFile, settings: LearnerSettings, model: Model, rows_of_class: Sequence[int]) -> Fitted:
    """Return the training state to update a model with.

    Raises
    ------
    ModelFileError
        If the state does not match the model.
    """
    settings = settings.resolve_auto(rows_of_class, model.n_columns)
    column_weights = [file.arrays[key].size for key in ("state.metric", "state.class_metric") if key in file.arrays]
    settings = settings.replace(column_weight="log_count_ratio" if any(column_weights) else None)
    rule = _rule_of(settings, model)
    weights = file.array("state.weights", np.float32, np.float64)
    table_size = model.table.size if isinstance(model, MulticlassModel) else model.n_columns + 1
    weight_sizes = (0, table_size) if isinstance(model, VotedModel) else (table_size,)
    # Checked before a state of this size is allocated.
    if weights.size not in weight_sizes or 0 < max(column_weights, default=0) <= model.n_columns:
        raise ModelFileError("the training state does not match the model's weights: the file is damaged.")
    no_rows = Rows(weights[:0], np.empty(0, np.int32), np.zeros(1, np.int32), model.n_columns)
    state = rule.start(no_rows, np.ones(model.n_columns) if any(column_weights) else np.empty(0))
    restore_state(state, file, "state")
    if isinstance(state, VotedState):
        assert isinstance(model, VotedModel)
        state.past = model.past
    sizes = np.array(rows_of_class, np.int64)
    fitted: Fitted
    if isinstance(state, OneVsAllState):
        assert isinstance(rule, OneVsAllRule)
        blocks = [ClassBlock(rule, Run(state, [], "budget"))]
        fitted = OneVsAllFit.of_blocks(blocks, settings, 0, sizes)
    else:
        fitted = SingleFit(settings=settings, n_classes=model.n_classes, rows_of_class=sizes, rule=rule, state=state)
    if any(column_weights) and "counts.rows" in file.arrays:  # older files have none
        fitted.counts = _load_counts(file, model.n_classes, model.n_columns)
    return fitted


def _load_counts(file: TensorFile, n_classes: int, n_columns: int) -> ClassCounts:
    n_rows = file.array("counts.rows", np.int64, size=n_classes)
    starts = file.array("counts.starts", np.int64, size=n_classes + 1)
    columns = file.array("counts.columns", np.int32)
    sums = file.array("counts.sums", np.int32, np.float64, size=len(columns))
    if starts[0] != 0 or starts[-1] != len(columns) or (starts[1:] < starts[:-1]).any():
        raise ModelFileError("'counts.starts' does not divide 'counts.columns': the file is damaged.")
    if len(columns) and (columns.min() < 0 or columns.max() >= n_columns):
        raise ModelFileError(f"'counts.columns' must be from 0 to {n_columns - 1}: the file is damaged.")
    bounds = list(pairwise(starts.tolist()))
    of_class = tuple(columns[begin:end] for begin, end in bounds)
    if any((np.diff(each) <= 0).any() for each in of_class):
        raise ModelFileError("the columns of a class in 'counts.columns' must ascend: the file is damaged.")
    if n_rows.min() < 0 or n_rows.max() >= COUNT_LIMIT or not (sums >= 0).all() or not np.isfinite(sums).all():
        raise ModelFileError("a number in 'counts' is out of range: the file is damaged.")
    return ClassCounts(n_rows, n_columns, of_class, tuple(sums[begin:end].astype(np.float64) for begin, end in bounds))


def _rule_of(settings: LearnerSettings, model: Model) -> Rule:
    rule = make_rule(settings)
    if model.n_classes == 2 and isinstance(model, VotedModel) != rule.has_weights:
        return rule
    if isinstance(model, MulticlassModel) and isinstance(rule, MulticlassRule):
        if settings.multiclass == "native":
            return NativeRule(inner=rule, table=model.table)
        if not model.table.bits:
            return OneVsAllRule(inner=rule, table=BlockedTable(model.n_columns, model.n_classes), first=0)
    raise ModelFileError("the training state does not match the settings: the file is damaged.")


def _in_range(array: Array) -> bool:
    return bool(array.min() >= 0 and array.max() < _UPPER_BOUNDS[array.dtype.itemsize])


def _array_fields(state: State) -> dict[str, str]:
    """Return the array fields of a state, and the name of each in a file."""
    arrays = (field for field in dataclasses.fields(state) if isinstance(getattr(state, field.name), np.ndarray))
    return {field.name: field.metadata.get("key", field.name) for field in arrays if field.name not in _TRANSIENT}
