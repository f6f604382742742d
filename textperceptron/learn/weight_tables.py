"""Memory layout of the weights of several classes: dense, hashed, or in blocks of 16 classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._memory import check_memory
from textperceptron.learn.state import EMPTY, Array
from textperceptron.settings.learner import check_hash_bits

if TYPE_CHECKING:
    from textperceptron.learn.plan import Plan
    from textperceptron.learn.rows import Rows
    from textperceptron.learn.rules.base import Rule

# Largest dense table: 1 GB of float32 weights, and 2 GB for their totals. A constant, so that the same data give the
# same model on every machine.
MAX_DENSE_WEIGHTS = 1 << 28
DEFAULT_HASH_BITS = 26

_ALL = slice(None)

# Classes per line of a hashed table, see _kernels/class_rows.pxd, and per block of a BlockedTable.
_LINE, _BLOCK = 8, 16

# Smaller allocations are not compared with the available memory.
_CHECK_ABOVE_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class ClassTable:
    """A class-minor table: the weights of a column are adjacent, and the intercepts follow the last column.

    Attributes
    ----------
    n_columns, n_classes : int
    bits : int
        0 for a dense table. A hashed table has ``2**bits`` weights, and each 8 classes of a column share a line of 8.
    """

    n_columns: int
    n_classes: int
    bits: int = 0

    @property
    def stride(self) -> int:
        """Weights per column: the number of classes, rounded up to the vector width of the kernels."""
        width = _LINE if self.bits else 4
        return -(-self.n_classes // width) * width

    @property
    def line_bits(self) -> int:
        """Bits of a line number in a hashed table, 0 in a dense one."""
        return self.bits - 3 if self.bits else 0

    @property
    def intercept_offset(self) -> int:
        """Number of weights before the intercepts."""
        return 1 << self.bits if self.bits else self.n_columns * self.stride

    @property
    def size(self) -> int:
        """Number of weights, intercepts included."""
        return self.intercept_offset + self.stride

    @property
    def blocks(self) -> list[TableBlock]:
        """The whole table, as its only block."""
        return [TableBlock(slice(0, self.n_classes), slice(0, self.size), self)]

    def scratch(self, max_length: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return scratch arrays for kernels, for rows of up to ``max_length`` entries."""
        n = max(1, max_length)
        return np.empty(2 * self.stride + 2 * n), np.empty(2 * n, np.int64)

    def by_class(self, weights: Array, columns: slice | npt.NDArray[np.int64] = _ALL) -> tuple[Array, Array]:
        """Return copies of the weights of some columns, of shape (n_classes, n_columns), and of the intercepts."""
        if self.bits:
            raise AttributeError(
                f"the weights of {self.n_classes} classes and {self.n_columns} columns are hashed to 2**{self.bits}: "
                "they cannot be read column by column. Train with hash_bits=0."
            )
        table = weights.reshape(self.n_columns + 1, self.stride)[:, : self.n_classes]
        return np.ascontiguousarray(table[:-1][columns].T), table[-1].copy()

    def of_class(self, weights: Array, position: int) -> Array:
        """Return a copy of the weights of one class, intercept last."""
        return weights.reshape(self.n_columns + 1, self.stride)[:, position].copy()


@dataclass(frozen=True, slots=True)
class BlockedTable:
    """One dense table per 16 classes, one after another; see _kernels/one_vs_all.pyx."""

    n_columns: int
    n_classes: int

    @property
    def stride(self) -> int:
        """Weights per column in all blocks."""
        return -(-self.n_classes // 4) * 4

    @property
    def size(self) -> int:
        """Number of weights, intercepts included."""
        return (self.n_columns + 1) * self.stride

    @property
    def blocks(self) -> list[TableBlock]:
        """The dense tables, with their classes."""
        n_lines = self.n_columns + 1
        blocks = []
        for first in range(0, self.n_classes, _BLOCK):
            table = ClassTable(self.n_columns, min(_BLOCK, self.n_classes - first))
            weights = slice(first * n_lines, first * n_lines + table.size)
            blocks.append(TableBlock(slice(first, first + table.n_classes), weights, table))
        return blocks

    def scratch(self, max_length: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return scratch arrays for kernels, for rows of up to ``max_length`` entries."""
        return self.blocks[0].table.scratch(max_length)

    def unblocked(self, weights: Array) -> Array:
        """Return weights as one table of shape (n_columns + 1, n_classes), intercepts last."""
        tables = [
            weights[block.weights].reshape(self.n_columns + 1, -1)[:, : block.table.n_classes] for block in self.blocks
        ]
        return tables[0] if len(tables) == 1 else np.hstack(tables)

    def blocked(self, table: Array) -> Array:
        """Return the inverse of :meth:`unblocked`, with 0 after the last class of each block."""
        weights = np.zeros(self.size, table.dtype)
        for block in self.blocks:
            lines = weights[block.weights].reshape(self.n_columns + 1, -1)
            lines[:, : block.table.n_classes] = table[:, block.classes]
        return weights

    def of_class(self, weights: Array, position: int) -> Array:
        """Return a copy of the weights of one class, intercept last."""
        block = self.blocks[position // _BLOCK]
        return block.table.of_class(weights[block.weights], position % _BLOCK)


class TableBlock(NamedTuple):
    """A table within a table: its classes, its weights and its own layout."""

    classes: slice
    weights: slice
    table: ClassTable


def choose_table(n_columns: int, n_classes: int, bits: int | None = None) -> ClassTable:
    """Return a dense table if its weights are at most ``MAX_DENSE_WEIGHTS``, else a hashed one.

    Parameters
    ----------
    n_columns, n_classes : int
    bits : int, optional
        Size of a hashed table, ``2**bits`` weights; 0 for a dense one.

    Examples
    --------
    >>> from textperceptron.learn import choose_table
    >>> choose_table(130_000, 20).bits, choose_table(1_000_000, 10_000).bits
    (0, 26)
    """
    if bits is not None:
        check_hash_bits("hash_bits", bits)
        return ClassTable(n_columns, n_classes, int(bits))
    dense = ClassTable(n_columns, n_classes)
    return dense if dense.size <= MAX_DENSE_WEIGHTS else ClassTable(n_columns, n_classes, DEFAULT_HASH_BITS)


def check_training_memory(rule: Rule, rows: Rows, pair_bits: int | None, plan: Plan, learner: str) -> None:
    """Raise MemoryError if the weights and the rest of the training state would not fit into memory."""
    # Read by name: importing the rules of many classes for isinstance would delay training on two.
    table, inner = getattr(rule, "table", None), getattr(rule, "inner", rule)
    n = rows.n_columns + 1 if table is None else table.size
    accumulator = inner.initial_accumulator(1, rows.dtype, EMPTY)
    weight_bytes = rows.dtype.itemsize
    state_bytes = weight_bytes + (accumulator.itemsize if len(accumulator) else 0)
    bytes_each = state_bytes + weight_bytes  # the state, and the model's copy of the weights
    if plan.early_stopping:
        bytes_each += state_bytes  # the best state
    if plan.tol is not None:
        bytes_each += 2 * weight_bytes + 8  # the weights before an epoch, their change, and its squares
    if n * bytes_each < _CHECK_ABOVE_BYTES:
        return
    setting = "" if pair_bits is None else f"pair_bits={pair_bits}: "
    remedy = (
        "Use fewer columns (min_df, max_features, n_features) or classes." if pair_bits is None else "Use fewer bits."
    )
    check_memory(n * bytes_each, None, f"{setting}{n:,} weights, with the training state of {learner},", remedy)
