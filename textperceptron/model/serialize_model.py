"""Fitted models ↔ arrays and a description; whatever kernels depend on is checked.

Only binary models are imported at once: most files that are opened to predict have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.learn import Rows, check_rows
from textperceptron.learn.models.base import Model
from textperceptron.learn.models.binary import BinaryModel
from textperceptron.learn.weight_tables import ClassTable, choose_table
from textperceptron.model.file import ModelFileError, TensorFile, first_not_finite
from textperceptron.model.float16 import MAX_EXPONENT, decode, encode
from textperceptron.model.parts import COUNT_LIMIT

if TYPE_CHECKING:
    from textperceptron.learn.models.voted import VotedModel
    from textperceptron.learn.one_vs_one import BinaryPairModel

Array = npt.NDArray[Any]

_FLOATS = (np.float32, np.float64)


def model_arrays(model: Model, half_exponent: int | None = None) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the description and the arrays of a model; with ``half_exponent`` the weights are float16."""
    half = {} if half_exponent is None else {"half_exponent": half_exponent}
    if half_exponent is not None:
        model = model.map_weights(lambda weights: encode(weights, half_exponent))
    if isinstance(model, BinaryModel):
        return {"kind": "binary", **half}, {"weights": model.weights}
    with deferred_interrupts():
        from textperceptron.learn.models import MulticlassModel, OneVsOneModel, VotedModel

    if isinstance(model, MulticlassModel):
        return {"kind": "classes", "hash_bits": model.table.bits, **half}, {"weights": model.weights}
    if isinstance(model, OneVsOneModel):
        return {"kind": "pairs", **half}, class_pair_arrays(model.pairs)
    assert isinstance(model, VotedModel)
    return _voted_arrays(model)


def load_model(
    description: Any, file: TensorFile, n_columns: int, n_classes: int, *, multilabel: bool = False
) -> Model:
    """Return the model that a file describes; ``multilabel``: whether texts have several labels.

    Raises
    ------
    ModelFileError
        If description and arrays do not match the columns and classes.
    """
    kind = description.get("kind") if isinstance(description, dict) else None
    if kind == "binary" and n_classes == 2 and not multilabel:
        return BinaryModel(_load_weights(file, description, n_columns + 1))
    with deferred_interrupts():
        from textperceptron.learn.models import MulticlassModel, OneVsOneModel
        from textperceptron.learn.models.one_vs_one import class_pairs

    if kind == "classes" and (n_classes > 2 or multilabel):
        table = _load_table(description, n_columns, n_classes)
        return MulticlassModel(_load_weights(file, description, table.size), table)
    if kind == "pairs" and n_classes > 2 and not multilabel:
        pairs = load_class_pairs(file, n_columns, half_exponent_of(description))
        found = [(pair.lower, pair.upper) for pair in pairs]
        if len(found) != n_classes * (n_classes - 1) // 2 or found != class_pairs(n_classes):
            raise ModelFileError(f"there must be one model per pair of the {n_classes} classes: the file is damaged.")
        return OneVsOneModel(pairs, n_columns, n_classes)
    if kind == "votes" and n_classes == 2 and not multilabel:
        return _load_voted(description, file, n_columns)
    raise ModelFileError(f"a model of {n_classes} classes cannot be of kind {str(kind)[:20]!r}: the file is damaged.")


def half_exponent_of(description: dict[str, Any]) -> int | None:
    """Return the power of two that scales float16 weights, or None if the weights are not float16."""
    exponent = description.get("half_exponent")
    if exponent is not None and (type(exponent) is not int or not -MAX_EXPONENT <= exponent <= MAX_EXPONENT):
        raise ModelFileError(
            f"half_exponent must be an integer from -{MAX_EXPONENT} to {MAX_EXPONENT}: the file is damaged."
        )
    return exponent


def class_pair_arrays(pairs: Sequence[BinaryPairModel]) -> dict[str, Array]:
    """Return the models of class pairs, concatenated; in ``pairs.weights`` each model ends with its intercept."""
    starts = np.zeros(len(pairs) + 1, np.int64)
    np.cumsum([len(pair.columns) for pair in pairs], out=starts[1:])
    numbers = [[pair.lower, pair.upper, pair.n_iter, pair.n_updates, pair.n_seen] for pair in pairs]
    return {
        "pairs.starts": starts,
        "pairs.columns": np.concatenate([np.empty(0, np.int64), *(pair.columns for pair in pairs)]),
        "pairs.weights": np.concatenate([pair.weights for pair in pairs]) if pairs else np.empty(0, np.float32),
        "pairs.numbers": np.array(numbers, np.int64).reshape(len(pairs), 5),
    }


def load_class_pairs(file: TensorFile, n_columns: int, half_exponent: int | None = None) -> list[BinaryPairModel]:
    """Return the models of class pairs in a file; their columns are checked.

    Raises
    ------
    ModelFileError
        If starts, columns and weights do not match.
    """
    with deferred_interrupts():
        from textperceptron.learn.one_vs_one import BinaryPairModel

    numbers = file.array("pairs.numbers", np.int64, ndim=2)
    if numbers.shape[1] != 5:
        raise ModelFileError(f"'pairs.numbers' has {numbers.shape[1]} columns, expected 5: the file is damaged.")
    starts = file.array("pairs.starts", np.int64, size=len(numbers) + 1)
    columns = file.array("pairs.columns", np.int64)
    types = _FLOATS if half_exponent is None else (np.float16,)
    weights = file.array("pairs.weights", *types, size=len(columns) + len(numbers))
    if half_exponent is not None:
        weights = _decode(weights, half_exponent)
    if starts[0] != 0 or starts[-1] != len(columns) or (starts[1:] < starts[:-1]).any():  # differences could overflow
        raise ModelFileError("'pairs.starts' does not divide 'pairs.columns': the file is damaged.")
    if len(columns) and (columns.min() < 0 or columns.max() >= n_columns):
        raise ModelFileError(f"'pairs.columns' must be from 0 to {n_columns - 1}: the file is damaged.")
    if numbers.size and (numbers.min() < 0 or numbers.max() >= COUNT_LIMIT):
        raise ModelFileError("a count in 'pairs.numbers' is out of range: the file is damaged.")
    pairs = []
    for k, (lower, upper, n_iter, n_updates, n_seen) in enumerate(numbers.tolist()):
        begin, end = starts[k], starts[k + 1]
        if (np.diff(columns[begin:end]) <= 0).any():
            raise ModelFileError(f"the columns of class pair {k} must ascend: the file is damaged.")
        own_weights = weights[begin + k : end + k + 1]
        pairs.append(BinaryPairModel(lower, upper, columns[begin:end], own_weights, n_iter, n_updates, n_seen))
    return pairs


def _load_weights(file: TensorFile, description: dict[str, Any], size: int) -> Array:
    exponent = half_exponent_of(description)
    if exponent is None:
        return file.array("weights", *_FLOATS, size=size)
    return _decode(file.array("weights", np.float16, size=size), exponent)


def _decode(stored: Array, exponent: int) -> Array:
    weights = decode(stored, exponent)
    if first_not_finite(weights) is not None:
        raise ModelFileError(f"half_exponent={exponent} makes a weight infinite: the file is damaged.")
    return weights


def _load_table(description: dict[str, Any], n_columns: int, n_classes: int) -> ClassTable:
    bits = description.get("hash_bits")
    if type(bits) is not int:
        raise ModelFileError("hash_bits must be an integer: the file is damaged.")
    return choose_table(n_columns, n_classes, bits)


def _voted_arrays(model: VotedModel) -> tuple[dict[str, Any], dict[str, Array]]:
    past, kernel = model.past, model.kernel
    description = {
        "kind": "votes", "degree": kernel.degree, "coef0": kernel.coef0, "pad": kernel.pad, "seen": model.seen,
    }  # fmt: skip
    return description, {
        "values": past.support.values, "columns": past.support.indices.astype(np.int64),
        "starts": past.support.indptr.astype(np.int64),
        "mistaken": past.mistaken, "steps": past.steps, "times": past.times,
    }  # fmt: skip


def _load_voted(description: dict[str, Any], file: TensorFile, n_columns: int) -> VotedModel:
    with deferred_interrupts():
        from textperceptron.learn.models.voted import Kernel, VotedMistakes, VotedModel
        from textperceptron.learn.rules.voted import MAX_DEGREE

    seen, degree = description.get("seen"), description.get("degree")
    coef0, pad = description.get("coef0"), description.get("pad")
    if type(seen) is not int or not 0 <= seen < COUNT_LIMIT:
        raise ModelFileError("seen must be an integer from 0 to 2**53: the file is damaged.")
    if type(degree) is not int or not 1 <= degree <= MAX_DEGREE:
        raise ModelFileError(f"degree must be an integer from 1 to {MAX_DEGREE}: the file is damaged.")
    if type(coef0) is not float or type(pad) is not float:
        raise ModelFileError("coef0 and pad must be floats: the file is damaged.")
    mistaken = file.array("mistaken", np.int32)
    n = len(mistaken)
    support = _load_support(file, n_columns)
    steps, times = file.array("steps", np.float64, size=n), file.array("times", np.int64, size=n)
    if n and (mistaken.min() < 0 or mistaken.max() >= support.n_rows):
        raise ModelFileError(f"'mistaken' must be from 0 to {support.n_rows - 1}: the file is damaged.")
    if n and not (times.min() >= 1 and times.max() <= seen and (np.diff(times) >= 0).all()):
        raise ModelFileError(f"'times' must ascend from 1 to at most {seen}: the file is damaged.")
    return VotedModel(VotedMistakes(support, mistaken, steps, times), Kernel(degree, coef0, pad), seen)


def _load_support(file: TensorFile, n_columns: int) -> Rows:
    values, columns = file.array("values", *_FLOATS), file.array("columns", np.int64)
    try:
        rows = check_rows(values, columns, file.array("starts", np.int64), n_columns)
    except ValueError as problem:
        raise ModelFileError(f"the rows of the mistakes: {problem}") from None
    return Rows(rows.values, rows.indices, rows.indptr, n_columns)
