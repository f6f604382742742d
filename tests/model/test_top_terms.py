"""The largest weights, found without sorting all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from textperceptron.model.top_terms import argtop


@given(
    st.integers(0, 5000), st.integers(0, 30), st.integers(1, 10), st.integers(0, 2**32 - 1), st.sampled_from([1, -1])
)  # fmt: skip
def test_the_largest_are_the_first_of_a_stable_sort(n_weights, n, n_values, seed, sign):
    weights = np.random.default_rng(seed).integers(-n_values, n_values, n_weights).astype(np.float32)
    assert argtop(weights, n, sign) == np.argsort(-sign * weights, kind="stable")[:n].tolist()


def test_the_largest_may_all_be_in_one_block_or_after_the_last_full_one():
    weights = np.zeros(20 * 512 + 7, np.float32)
    weights[700:705], weights[-3:] = 2, [1, 3, 1]
    assert argtop(weights, 8) == [len(weights) - 2, 700, 701, 702, 703, 704, len(weights) - 3, len(weights) - 1]
