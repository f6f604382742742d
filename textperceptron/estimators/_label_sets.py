"""Targets with several labels per row: a list of label sets, or an indicator matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.preprocessing import MultiLabelBinarizer

from textperceptron.learn import LabelSets, check_rows
from textperceptron.text.frames import values_of

_SETS = (set, frozenset, list, tuple, np.ndarray)


@dataclass(frozen=True, slots=True)
class MultiLabels:
    """Label sets, their classes, and whether they were given as an indicator matrix."""

    sets: LabelSets
    classes: npt.NDArray[Any]
    as_indicator: bool

    def as_lists(self) -> list[list[Any]]:
        """Return a list of labels per row."""
        labels, starts = self.classes[self.sets.label].tolist(), self.sets.starts.tolist()
        return [labels[start:stop] for start, stop in pairwise(starts)]

    def positive(self, position: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows with the label ``classes[position]``."""
        return self.sets.positive(position)


def read_label_sets(y: Any) -> MultiLabels | None:
    """Return the label sets in ``y``, or None if it has one label per row.

    Raises
    ------
    ValueError
        If an indicator matrix has values other than 0 and 1, or if labels are missing or of different kinds.
    """
    is_table = len(getattr(y, "shape", ())) == 2 and not sp.issparse(y)
    if _is_nested_indicator(y) or is_table:
        y = np.asarray(y)
    elif hasattr(y, "__arrow_c_stream__") or hasattr(y, "__arrow_c_array__"):  # a column of pyarrow, polars or pandas
        y = values_of(y, "y")
    if sp.issparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] > 1):
        indicator = sp.csr_array(y)
        if not np.isin(indicator.data, (0, 1)).all():
            bad = indicator.data[~np.isin(indicator.data, (0, 1))][0]
            raise ValueError(f"y is a matrix with the value {bad}: a label indicator has the values 0 and 1 only.")
        checked = check_rows(indicator.data, indicator.indices, indicator.indptr, indicator.shape[1], name="y")
        indicator = sp.csr_array((checked.values, checked.indices, checked.indptr), indicator.shape)
        indicator.eliminate_zeros()
        sets = LabelSets(indicator.indptr.astype(np.int64), indicator.indices.astype(np.int32))
        return MultiLabels(sets, np.arange(indicator.shape[1]), as_indicator=True)
    if hasattr(y, "dtype") and (y.dtype != object or getattr(y, "ndim", 1) == 2):  # 2: a table of one column
        return None
    rows = list(y) if hasattr(y, "__iter__") else []
    if not rows or not all(isinstance(row, _SETS) for row in rows):
        return None
    for number, row in enumerate(rows):
        if missing := [label for label in row if label is None or str(label) in ("nan", "<NA>")]:
            raise ValueError(
                f"y[{number}] has the label {missing[0]!r}: leave out missing labels. A label set may be empty."
            )
    binarizer = MultiLabelBinarizer(sparse_output=True)
    try:
        indicator = binarizer.fit_transform([[*row] for row in rows]).tocsr()
    except TypeError as error:
        raise ValueError(f"the labels in y cannot be sorted ({error}): use only strings, or only numbers.") from None
    indicator.sort_indices()
    sets = LabelSets(indicator.indptr.astype(np.int64), indicator.indices.astype(np.int32))
    return MultiLabels(sets, binarizer.classes_, as_indicator=False)


def exact_matches(predicted: Sequence[set[Any]], y: Any, sample_weight: npt.ArrayLike | None) -> float:
    """Return the weighted fraction of rows with the right label set."""
    right = [found == set(labels) for found, labels in zip(predicted, y, strict=True)]
    return float(np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight)))


def _is_nested_indicator(y: Any) -> bool:
    """Whether ``y`` is a list of lists of 0 and 1, of one length above 1; shorter ones are label sets."""
    if not isinstance(y, list | tuple) or not all(isinstance(row, list | tuple | np.ndarray) for row in y):
        return False
    lengths = {len(row) for row in y}
    return len(lengths) == 1 and lengths.isdisjoint((0, 1)) and all(label in (0, 1) for row in y for label in row)
