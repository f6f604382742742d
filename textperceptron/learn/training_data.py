"""What a learner is trained on: rows with their labels and weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows
from textperceptron.learn.state import EMPTY, Array
from textperceptron.settings.learner import label_set_sizes


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

    def positive(self, code: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows with a label."""
        has = np.zeros(len(self), bool)
        has[self._row_of_label[self.label == code]] = True
        return has

    def indicator(self, n_labels: int) -> npt.NDArray[np.bool_]:
        """Return an array of shape (n_rows, n_labels): whether a row has a label."""
        has = np.zeros((len(self), n_labels), bool)
        has[self._row_of_label, self.label] = True
        return has

    def take(self, rows: npt.NDArray[np.int64]) -> LabelSets:
        """Return the sets of some rows."""
        sizes = np.diff(self.starts)[rows]
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        return LabelSets(starts, self.label[np.repeat(self.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])])

    def rarest(self, n_labels: int) -> npt.NDArray[np.intp]:
        """Return the rarest label of each row, the first of equally rare ones; ``n_labels`` for a row without labels.

        Rows are split by it: a split in equal shares of each value has near equal shares of each label.

        Examples
        --------
        >>> import numpy as np
        >>> from textperceptron.learn import LabelSets
        >>> LabelSets(np.array([0, 2, 3, 3]), np.array([0, 1, 0], np.int32)).rarest(2).tolist()
        [1, 0, 2]
        """
        sizes = np.bincount(self.label, minlength=n_labels)
        rank = np.empty(n_labels, np.intp)
        by_size = np.argsort(sizes, kind="stable")
        rank[by_size] = np.arange(n_labels)
        found = np.full(len(self), n_labels, np.intp)
        np.minimum.at(found, self._row_of_label, rank[self.label])
        return np.append(by_size, n_labels)[found]

    @property
    def _row_of_label(self) -> npt.NDArray[np.intp]:
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


Labels = npt.NDArray[Any] | LabelSets


def class_sizes(codes: npt.NDArray[Any] | LabelSets, n_classes: int) -> list[int]:
    """Return the rows per class to resolve ``"auto"`` by."""
    if isinstance(codes, LabelSets):
        return label_set_sizes(n_classes)
    sizes: list[int] = np.bincount(codes, minlength=n_classes).tolist()
    return sizes


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
