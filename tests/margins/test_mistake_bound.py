"""The convergence theorem holds for our own learner: at most (R/γ*)² updates on separable data, in any order."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.problems import matrices
from textperceptron import Perceptron, VotedPerceptron, margins


@pytest.mark.slow
@given(matrices(min_rows=2), st.integers(0, 10**6), st.booleans())
def test_perceptron_stays_within_the_bound_over_many_orders(X, seed, fit_intercept):
    y = np.random.default_rng(seed).integers(0, 2, X.shape[0])
    assume(len(np.unique(y)) == 2)
    assume(margins.is_separable(X, y, fit_intercept=fit_intercept).decided)
    bound = margins.mistake_bound(X, y, fit_intercept=fit_intercept)
    epochs = int(min(2000, bound.upper + 2))
    for order in range(8):
        learner = Perceptron(fit_intercept=fit_intercept, max_iter=epochs, random_state=order).fit(X, y)
        assert bound.allows(learner.n_updates_)
        if epochs > bound.upper + 1:
            assert learner.stopped_by_ == "converged"


@pytest.mark.slow
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("cls", [Perceptron, VotedPerceptron])
def test_bound_holds_on_sparse_rows_of_text_size(cls, fit_intercept):
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 2000), density=0.02, rng=rng, dtype=np.float32, format="csr")
    y = (X @ rng.normal(size=2000) > 0).astype(int)
    bound = margins.mistake_bound(X, y, fit_intercept=fit_intercept)
    for seed in range(10):
        learner = cls(max_iter=1000, fit_intercept=fit_intercept, random_state=seed).fit(X, y)
        assert learner.stopped_by_ == "converged"
        assert bound.allows(learner.n_updates_)
        assert learner.n_updates_ <= bound.upper


def test_a_geometric_margin_would_not_bound_the_updates():
    X, y = sp.csr_array(np.array([[10.0], [8.0]])), [1, 0]
    learner = Perceptron(max_iter=1000, shuffle=False).fit(X, y)
    radius = margins.radius(X)
    geometric = margins.attainable_margin(X, y, padded=False).upper
    assert learner.n_updates_ == 155
    assert learner.n_updates_ > (radius / geometric) ** 2
    assert margins.mistake_bound(X, y).allows(learner.n_updates_)
