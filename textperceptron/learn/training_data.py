"""What a learner is trained on: rows with their labels and weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows
from textperceptron.learn.state import Array


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
