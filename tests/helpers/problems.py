"""Hypothesis strategies for CSR matrices, usual and unusual ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

# k/8 with |k| <= 64: sums and products of these are exact in float32, in any order.
GRID = st.integers(-64, 64).map(lambda k: k / 8)


@dataclass
class Drawn:
    X: sp.csr_array
    y: np.ndarray  # of -1 and +1
    weight: list | None
    fit_intercept: bool
    shuffle: bool | str
    epochs: int
    seed: int

    def orders(self):
        """Return the row orders of the epochs, derived from the seed as specified."""
        n = len(self.y)
        for epoch in range(self.epochs):
            if self.shuffle is False:
                yield range(n)
            else:
                yield np.random.default_rng([self.seed, 0 if self.shuffle == "once" else epoch]).permutation(n)


@st.composite
def matrices(draw, min_rows=1, max_rows=8, min_columns=1, max_columns=5, values=GRID, float32=True):
    """Draw CSR with empty rows, unsorted and duplicate columns, stored zeros, both index and both float types."""
    n_columns = draw(st.integers(min_columns, max_columns))
    entry = st.tuples(st.integers(0, n_columns - 1), values)
    ones = st.tuples(st.integers(0, n_columns - 1), st.just(1.0))
    row = st.lists(draw(st.sampled_from([entry, ones])), max_size=6)
    rows = draw(st.lists(row, min_size=min_rows, max_size=max_rows))
    dtype = draw(st.sampled_from([np.float32, np.float64] if float32 else [np.float64]))
    index = draw(st.sampled_from([np.int32, np.int64]))
    X = sp.csr_array((len(rows), n_columns), dtype=dtype)
    X.data = np.array([value for row in rows for _, value in row], dtype)
    X.indices = np.array([column for row in rows for column, _ in row], index)
    X.indptr = np.cumsum([0, *map(len, rows)]).astype(index)
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    return X


@st.composite
def problems(draw, weights=True, both_classes=False, **how):
    """Draw rows, labels and training parameters; with ``both_classes`` neither class is empty."""
    X = draw(matrices(**how | {"min_rows": 2} if both_classes else how))
    n = X.shape[0]
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)), np.int8)
    if both_classes and len(set(y)) == 1:
        y[draw(st.integers(0, n - 1))] *= -1
    weight = None
    if weights and draw(st.booleans()):
        weight = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
        weight[draw(st.integers(0, n - 1))] = 1.0
    return Drawn(
        X, y, weight, draw(st.booleans()), draw(st.sampled_from([True, False, "once"])),
        draw(st.integers(1, 4)), draw(st.integers(0, 3)),
    )  # fmt: skip
