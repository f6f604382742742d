"""Finished models of more than two classes, and votes ↔ arrays and a description, checked likewise."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Rows, check_rows
from textperceptron.learn.models import Model, MulticlassModel, OneVsOneModel, VotedModel
from textperceptron.learn.models.one_vs_one import all_pairs
from textperceptron.learn.voted_mistakes import Kernel, VotedMistakes
from textperceptron.learn.weight_tables import ClassTable, choose_table
from textperceptron.model.file import ModelFileError, TensorFile
from textperceptron.model.stored_models import FLOATS, half_exponent_of, weights_of
from textperceptron.model.stored_pairs import pair_arrays, pairs_from
from textperceptron.model.summary import MOST_COUNTED
from textperceptron.settings.learner_part import LARGEST_DEGREE

Array = npt.NDArray[Any]


def written(model: Model) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return a description of a model, and its arrays."""
    if isinstance(model, MulticlassModel):
        return {"kind": "classes", "hash_bits": model.layout.bits}, {"weights": model.weights}
    if isinstance(model, OneVsOneModel):
        return {"kind": "pairs"}, pair_arrays(model.pairs)
    assert isinstance(model, VotedModel)
    past, kernel = model.past, model.kernel
    description = {
        "kind": "votes", "degree": kernel.degree, "coef0": kernel.coef0, "pad": kernel.pad, "seen": model.seen,
    }  # fmt: skip
    return description, {
        "values": past.support.values, "columns": past.support.indices.astype(np.int64),
        "starts": past.support.indptr.astype(np.int64),
        "mistaken": past.mistaken, "steps": past.steps, "times": past.times,
    }  # fmt: skip


def read(kind: Any, description: Any, file: TensorFile, n_columns: int, n_classes: int) -> Model:
    """Return the model of this kind that a file describes.

    Raises
    ------
    ModelFileError
        If description and arrays do not fit the columns and classes.
    """
    if kind == "classes" and n_classes > 2:
        layout = _layout(description, n_columns, n_classes)
        return MulticlassModel(weights_of(file, description, layout.size), layout)
    if kind == "pairs" and n_classes > 2:
        pairs = pairs_from(file, n_columns, half_exponent_of(description))
        found = [(pair.lower, pair.upper) for pair in pairs]
        if len(found) != n_classes * (n_classes - 1) // 2 or found != all_pairs(n_classes):
            raise ModelFileError(f"it has no model for each pair of {n_classes} classes: the file is damaged.")
        return OneVsOneModel(pairs, n_columns, n_classes)
    if kind == "votes" and n_classes == 2:
        return _votes(description, file, n_columns)
    raise ModelFileError(f"its model of {n_classes} classes is of the kind {str(kind)[:20]!r}: the file is damaged.")


def _layout(description: dict[str, Any], n_columns: int, n_classes: int) -> ClassTable:
    bits = description.get("hash_bits")
    if type(bits) is not int:
        raise ModelFileError("hash_bits is no number: the file is damaged.")
    try:
        return choose_table(n_columns, n_classes, bits)
    except ValueError as problem:
        raise ModelFileError(str(problem)) from None


def _votes(description: dict[str, Any], file: TensorFile, n_columns: int) -> VotedModel:
    seen, degree = description.get("seen"), description.get("degree")
    coef0, pad = description.get("coef0"), description.get("pad")
    if not (type(seen) is int and 0 <= seen < MOST_COUNTED and type(degree) is int and 1 <= degree <= LARGEST_DEGREE):
        raise ModelFileError("seen or degree is no number that it can be: the file is damaged.")
    if type(coef0) is not float or type(pad) is not float:
        raise ModelFileError("coef0 or pad is no number: the file is damaged.")
    mistaken = file.array("mistaken", np.int32)
    n = len(mistaken)
    support = _support(file, n_columns)
    steps, times = file.array("steps", np.float64, size=n), file.array("times", np.int64, size=n)
    if n and (mistaken.min() < 0 or mistaken.max() >= support.n_rows):
        raise ModelFileError("a mistake is of no row: the file is damaged.")
    if n and not (times.min() >= 1 and times.max() <= seen and (np.diff(times) >= 0).all()):
        raise ModelFileError("the times of the mistakes are in no order: the file is damaged.")
    return VotedModel(VotedMistakes(support, mistaken, steps, times), Kernel(degree, coef0, pad), seen)


def _support(file: TensorFile, n_columns: int) -> Rows:
    values, columns = file.array("values", *FLOATS), file.array("columns", np.int64)
    try:
        rows = check_rows(values, columns, file.array("starts", np.int64), n_columns)
    except ValueError as problem:
        raise ModelFileError(f"the rows of the mistakes: {problem}") from None
    return Rows(rows.values, rows.indices, rows.indptr, n_columns)
