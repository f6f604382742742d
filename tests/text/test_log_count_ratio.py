from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from textperceptron._kernels import log_ratios
from textperceptron.text.log_count_ratio import class_sums, log_count_ratios

sizes = st.floats(5e-324, 1e300)


@given(sizes, sizes)
def test_the_logarithm_is_within_two_units_in_the_last_place(inside, scale):
    assume(0 < inside * scale < math.inf)
    expected, out = math.log(inside * scale), np.empty(1)
    log_ratios(np.array([inside]), np.ones(1), 0.0, 0.0, 0.0, scale, out)
    assert abs(out[0] - expected) <= 2 * math.ulp(expected)


def test_the_logarithm_of_one_is_zero():
    out = np.empty(3)
    log_ratios(np.array([3.0, 0.5, 1e9]), np.array([3.0, 0.5, 1e9]), 0.0, 0.0, 0.0, 1.0, out)
    assert out.tolist() == [0, 0, 0]


@pytest.mark.parametrize("n_jobs", [2, 3])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_ratios_are_the_same_for_any_number_of_threads(n_jobs, n_classes):
    rng = np.random.default_rng(0)
    n_rows, n_columns = 300, 600_000  # more columns than one call takes
    indptr = np.arange(0, 20 * n_rows + 1, 20, dtype=np.int32)
    indices = np.sort(rng.integers(n_columns, size=(n_rows, 20), dtype=np.int32)).ravel()
    data = rng.random(len(indices))
    codes = np.arange(n_rows) % n_classes

    def ratios(jobs):
        sums = class_sums(data, indices, indptr, n_columns, codes, n_classes, n_jobs=jobs)
        return log_count_ratios(sums, 1.0, np.bincount(codes), n_jobs=jobs)

    assert np.array_equal(ratios(1), ratios(n_jobs))
