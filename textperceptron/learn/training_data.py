"""What a learner is trained on: rows with their labels and weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows
from textperceptron.learn.state import EMPTY, Array


@dataclass(frozen=True, slots=True)
class LabelSets:
    """Any number of labels per row: row i has the class codes ``label[starts[i] : starts[i + 1]]``."""

    starts: npt.NDArray[np.int64]
    label: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of_codes(cls, codes: npt.NDArray[np.int32]) -> LabelSets:
        """Wrap one class code per row."""
        return cls(np.arange(len(codes) + 1), codes)


Labels = npt.NDArray[Any] | LabelSets


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Checked rows, their labels and a weight per row.

    Attributes
    ----------
    rows : Rows
    y : array or LabelSets
        Signs −1 and +1 (int8) for two classes, class codes from 0 (int32) for more, or sets of class codes.
    weight : array of float64
        Empty if every row has weight 1.
    """

    rows: Rows
    y: Labels
    weight: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        n = self.rows.n_rows
        if len(self.y) != n or len(self.weight) not in (0, n):
            raise ValueError(
                f"there are {n} rows, {len(self.y)} labels and {len(self.weight)} weights: pass one label per row, "
                "and one weight per row or none at all."
            )

    def row_blocks(self, order: npt.NDArray[np.int64]) -> Iterator[tuple[TrainingData, npt.NDArray[np.int64]]]:
        """Yield data that kernels can read, with the row numbers to visit; together they are the rows of ``order``."""
        for rows, block_order, span in self.rows.blocks(order, self.weight):
            if rows is self.rows:
                yield self, block_order
            else:
                which = order[span]
                weight = self.weight[which] if len(self.weight) else self.weight
                yield TrainingData(rows, self.codes[which], weight), block_order

    @property
    def codes(self) -> npt.NDArray[Any]:
        """The labels, one per row.

        Raises
        ------
        TypeError
            If rows have sets of labels.
        """
        if isinstance(self.y, LabelSets):
            raise TypeError("rows with sets of labels have no single label.")
        return self.y

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array, npt.NDArray[np.float64]]:
        """The first arguments of kernels that take one label per row."""
        return self.rows.data, self.rows.indices, self.rows.indptr, self.codes, self.weight

    @property
    def arrays_with_sets(
        self,
    ) -> tuple[Array, Array, Array, npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The first arguments of kernels that take sets of labels."""
        labels = self.y if isinstance(self.y, LabelSets) else LabelSets.of_codes(self.y)
        return self.rows.data, self.rows.indices, self.rows.indptr, labels.starts, labels.label, self.weight


ClassWeight = Mapping[Any, float] | Literal["balanced"] | None


def row_weights(
    sample_weight: npt.ArrayLike | None,
    class_weight: ClassWeight,
    classes: npt.NDArray[Any],
    labels: npt.NDArray[np.intp],
) -> npt.NDArray[np.float64]:
    """Return a weight for each row, or an empty array if all are 1.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,) or a number, or None
        Not negative; a row of weight 0 is left out entirely.
    class_weight : dict from label to weight, "balanced" or None
        ``"balanced"``: n_rows / (n_classes · rows of the class), as scikit-learn has it.
    classes : array
        The labels.
    labels : array
        For each row the position of its label in ``classes``.
    """
    weight = EMPTY
    if sample_weight is not None:
        weight = _checked(sample_weight, len(labels))
    if class_weight is not None:
        per_class = _class_weights(class_weight, classes, labels)[labels]
        weight = per_class * weight if len(weight) else per_class
    if len(weight) and not weight.any():
        raise ValueError("every row has weight zero, so there is nothing to learn from.")
    return weight


def _checked(sample_weight: npt.ArrayLike, n_rows: int) -> npt.NDArray[np.float64]:
    weight = np.asarray(sample_weight)
    if weight.dtype.kind not in "fiub":
        raise ValueError(f"sample_weight has type {weight.dtype}: use numbers.")
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}: one number per row.")
    weight = np.ascontiguousarray(weight, np.float64)
    bad = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if len(bad):
        raise ValueError(
            f"sample_weight[{bad[0]}] is {weight[bad[0]]}: use finite numbers that are not negative "
            f"({len(bad)} of {n_rows} are not)."
        )
    return weight


def _class_weights(
    class_weight: ClassWeight, classes: npt.NDArray[Any], labels: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(labels, minlength=len(classes))
        return len(labels) / (len(classes) * np.maximum(counts, 1))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight={class_weight!r}: use 'balanced', a dict from label to weight, or None.")
    known = classes.tolist()
    if unknown := [label for label in class_weight if label not in known]:
        raise ValueError(f"class_weight names the label {unknown[0]!r}, which is not among {known}.")
    weights = np.array([class_weight.get(label, 1.0) for label in known], np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"class_weight={dict(class_weight)!r}: use finite numbers that are not negative.")
    return weights
