"""Where the weights of many classes stand: a dense table, or a hashed one of fixed size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._validation import at_least, integer
from textperceptron.learn.state import Array

# Weights up to which the table is dense: 1 GB of float32, and 2 GB for their totals. A fixed number, so that the same
# data give the same model on every machine.
DENSE_WEIGHTS = 1 << 28
HASHED_BITS = 26
_FEWEST_BITS, _MOST_BITS = 4, 34

_ALL = slice(None)

# Classes of a hashed line, see _kernels/blocks.pxd, and of a table of BlockedTable.
_LINE, _BLOCK = 8, 16


class ClassTable(NamedTuple):
    """A class-minor table: the weights of a column side by side, the intercepts behind the last column.

    Attributes
    ----------
    n_columns, n_classes : int
    bits : int
        0 for a dense table; else there are ``2**bits`` weights, and each 8 classes of a column share a line of 8.
    """

    n_columns: int
    n_classes: int
    bits: int = 0

    @property
    def stride(self) -> int:
        """Weights of a column: the classes, rounded up to what the kernels take at a time."""
        width = _LINE if self.bits else 4
        return -(-self.n_classes // width) * width

    @property
    def line_bits(self) -> int:
        """Bits of a line's number in a hashed table, 0 in a dense one."""
        return self.bits - 3 if self.bits else 0

    @property
    def table(self) -> int:
        """Weights before the intercepts."""
        return 1 << self.bits if self.bits else self.n_columns * self.stride

    @property
    def size(self) -> int:
        """Weights with the intercepts."""
        return self.table + self.stride

    @property
    def parts(self) -> list[Part]:
        """The whole, as the only part."""
        return [Part(slice(0, self.n_classes), slice(0, self.size), self)]

    def room(self, longest: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return scratch arrays for rows of up to ``longest`` entries."""
        longest = max(1, longest)
        return np.empty(2 * self.stride + 2 * longest), np.empty(2 * longest, np.int64)

    def by_class(self, weights: Array, columns: slice | npt.NDArray[np.int64] = _ALL) -> tuple[Array, Array]:
        """Return weights of shape (n_classes, n_columns), of some columns if asked, and intercepts, both copies."""
        if self.bits:
            raise AttributeError(
                f"the weights of {self.n_classes} classes and {self.n_columns} columns are hashed to 2**{self.bits}: "
                "they have no place of their own to be read from."
            )
        table = weights.reshape(self.n_columns + 1, self.stride)[:, : self.n_classes]
        return np.ascontiguousarray(table[:-1][columns].T), table[-1].copy()

    def of_class(self, weights: Array, position: int) -> Array:
        """Return the weights of one class, intercept last, as a model of two classes has them; a copy."""
        return weights.reshape(self.n_columns + 1, self.stride)[:, position].copy()


class BlockedTable(NamedTuple):
    """Dense tables for 16 classes each, one behind the other; see _kernels/one_vs_all.pyx."""

    n_columns: int
    n_classes: int

    @property
    def stride(self) -> int:
        """Weights of a column in all tables."""
        return -(-self.n_classes // 4) * 4

    @property
    def size(self) -> int:
        """Weights with the intercepts."""
        return (self.n_columns + 1) * self.stride

    @property
    def parts(self) -> list[Part]:
        """The tables and their classes."""
        lines = self.n_columns + 1
        parts = []
        for first in range(0, self.n_classes, _BLOCK):
            inner = ClassTable(self.n_columns, min(_BLOCK, self.n_classes - first))
            table = slice(first * lines, first * lines + inner.size)
            parts.append(Part(slice(first, first + inner.n_classes), table, inner))
        return parts

    def room(self, longest: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return scratch arrays for rows of up to ``longest`` entries."""
        return self.parts[0].layout.room(longest)

    def unblocked(self, weights: Array) -> Array:
        """Return the weights of all classes, of shape (n_columns + 1, n_classes), the intercepts last."""
        tables = [
            weights[table].reshape(self.n_columns + 1, inner.stride)[:, : inner.n_classes]
            for _, table, inner in self.parts
        ]
        return tables[0] if len(tables) == 1 else np.hstack(tables)

    def blocked(self, table: Array) -> Array:
        """Return weights, one row a column and one column a class, as this layout has them; 0 behind the last class."""
        weights = np.zeros(self.size, table.dtype)
        for classes, where, inner in self.parts:
            weights[where].reshape(self.n_columns + 1, inner.stride)[:, : inner.n_classes] = table[:, classes]
        return weights

    def of_class(self, weights: Array, position: int) -> Array:
        """Return the weights of one class, intercept last, as a model of two classes has them; a copy."""
        part = self.parts[position // _BLOCK]
        return part.layout.of_class(weights[part.table], position % _BLOCK)


class Part(NamedTuple):
    """A table, the classes it is for, and its layout."""

    classes: slice
    table: slice
    layout: ClassTable


def choose_table(n_columns: int, n_classes: int, bits: int | None = None) -> ClassTable:
    """Return a dense layout where columns × classes are at most ``DENSE_WEIGHTS``, else a hashed one.

    Parameters
    ----------
    n_columns, n_classes : int
    bits : int, optional
        Ask for a hashed table of ``2**bits`` weights, or with 0 for a dense one.

    Examples
    --------
    >>> choose_table(130_000, 20).bits, choose_table(1_000_000, 10_000).bits
    (0, 26)
    """
    if bits is not None:
        integer("hash_bits", bits)
        if bits != 0:
            at_least("hash_bits", bits, _FEWEST_BITS)
        if bits > _MOST_BITS:
            raise ValueError(f"hash_bits={bits!r}: use at most {_MOST_BITS}, a table of 2**{_MOST_BITS} weights.")
        return ClassTable(n_columns, n_classes, int(bits))
    dense = ClassTable(n_columns, n_classes)
    return dense if dense.size <= DENSE_WEIGHTS else ClassTable(n_columns, n_classes, HASHED_BITS)
