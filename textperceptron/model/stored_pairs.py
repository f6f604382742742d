"""Models of binary problems, one after the other, in a few arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.one_vs_one import BinaryPairModel
from textperceptron.model.file import ModelFileError, TensorFile
from textperceptron.model.stored_models import written_out
from textperceptron.model.summary import MOST_COUNTED

Array = npt.NDArray[Any]


def pair_arrays(pairs: Sequence[BinaryPairModel]) -> dict[str, Array]:
    """Return the columns, the weights (each model's intercept last) and the numbers of all models."""
    starts = np.zeros(len(pairs) + 1, np.int64)
    np.cumsum([len(pair.columns) for pair in pairs], out=starts[1:])
    numbers = [[pair.lower, pair.upper, pair.n_iter, pair.n_updates, pair.n_seen] for pair in pairs]
    return {
        "pairs.starts": starts,
        "pairs.columns": np.concatenate([np.empty(0, np.int64), *(pair.columns for pair in pairs)]),
        "pairs.weights": np.concatenate([pair.weights for pair in pairs]) if pairs else np.empty(0, np.float32),
        "pairs.numbers": np.array(numbers, np.int64).reshape(len(pairs), 5),
    }


def pairs_from(file: TensorFile, n_columns: int, half_exponent: int | None = None) -> list[BinaryPairModel]:
    """Return the models that a file holds; their columns are checked.

    Raises
    ------
    ModelFileError
        If starts, columns or weights do not fit together.
    """
    numbers = file.array("pairs.numbers", np.int64, ndim=2)
    if numbers.shape[1] != 5:
        raise ModelFileError("the array 'pairs.numbers' has not 5 columns: the file is damaged.")
    starts = file.array("pairs.starts", np.int64, size=len(numbers) + 1)
    columns = file.array("pairs.columns", np.int64)
    kinds = (np.float32, np.float64) if half_exponent is None else (np.float16,)
    weights = file.array("pairs.weights", *kinds, size=len(columns) + len(numbers))
    if half_exponent is not None:
        weights = written_out(weights, half_exponent)
    if starts[0] != 0 or starts[-1] != len(columns) or (starts[1:] < starts[:-1]).any():  # differences could overflow
        raise ModelFileError("the array 'pairs.starts' does not divide the columns: the file is damaged.")
    if len(columns) and (columns.min() < 0 or columns.max() >= n_columns):
        raise ModelFileError(f"a model has a column outside the {n_columns} that there are: the file is damaged.")
    if numbers.size and (numbers.min() < 0 or numbers.max() >= MOST_COUNTED):
        raise ModelFileError("the array 'pairs.numbers' counts what cannot be: the file is damaged.")
    pairs = []
    for k, (lower, upper, n_iter, n_updates, n_seen) in enumerate(numbers.tolist()):
        mine = columns[starts[k] : starts[k + 1]]
        if (np.diff(mine) <= 0).any():
            raise ModelFileError("the columns of a model do not ascend: the file is damaged.")
        its_weights = weights[starts[k] + k : starts[k + 1] + k + 1]
        pairs.append(BinaryPairModel(lower, upper, mine, its_weights, n_iter, n_updates, n_seen))
    return pairs
