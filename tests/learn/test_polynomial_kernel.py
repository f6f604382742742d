"""Explicit pairs with the right weights are the polynomial kernel of degree 2, and so are pairs formed on the fly.

``(x·z + c)² + 1`` is the product of rows that hold the squares of the values, the pairs times √2, the values times
√(2c), and c; the 1 is the intercept.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from helpers.problems import problems
from helpers.texts import corpus
from textperceptron import BagOfWords, Conjunctions, Perceptron, VotedPerceptron

SMALL = st.integers(-3, 3).map(float)


def written_out(X, coef0, pairs):
    """Columns whose products are the kernel's; a column that is there twice counts √2, and is exact."""
    n = X.shape[0]
    linear = {0: [], 0.5: [X], 1: [X, X], 2: [2 * X]}[coef0]
    return sp.hstack([X.multiply(X), pairs, pairs, *linear, np.full((n, 1), coef0)], format="csr")


def pairs_of(X):
    """All pairs of the columns, from a row that has all."""
    everything = sp.csr_array(np.ones((1, X.shape[1])))
    return Conjunctions(keep_words=False).fit(everything).transform(X)


@given(
    problems(values=SMALL, float32=False, max_rows=7, both_classes=True, min_columns=2), st.sampled_from([0, 0.5, 1, 2])
)
def test_a_voted_perceptron_on_pairs_is_the_one_with_the_polynomial_kernel(problem, coef0):
    X = problem.X.copy()
    X.sum_duplicates()
    how = {"fit_intercept": problem.fit_intercept, "shuffle": problem.shuffle, "random_state": problem.seed}
    implicit = VotedPerceptron(kernel="poly", degree=2, coef0=coef0, max_iter=5, **how).fit(X, problem.y)
    Z = written_out(X, coef0, pairs_of(X))
    explicit = VotedPerceptron(max_iter=5, **how).fit(Z, problem.y)
    assert explicit.mistakes_.tolist() == implicit.mistakes_.tolist()
    np.testing.assert_array_equal(explicit.decision_function(Z), implicit.decision_function(X))
    np.testing.assert_array_equal(explicit.predict(Z), implicit.predict(X))
    plain = Perceptron(max_iter=5, **how).fit(Z, problem.y)
    assert plain.n_updates_ == implicit.n_updates_


@pytest.mark.parametrize("coef0", [1.0, 0.3])
def test_pairs_times_the_root_of_two_predict_as_the_kernel_does_on_a_corpus(coef0):
    texts = corpus("sentence_polarity.zip", 800)
    y = np.arange(len(texts)) >= len(texts) // 2  # a file per class, one behind the other
    X = BagOfWords(binary=True, dtype=np.float64).fit_transform(texts)
    train, test = np.arange(len(y)) % 4 > 0, np.arange(len(y)) % 4 == 0
    join = Conjunctions(keep_words=False).fit(X[train])
    # Presence is its own square; pairs that no training row has cannot have a weight.
    Z = sp.hstack(
        [np.sqrt(1 + 2 * coef0) * X, np.sqrt(2) * join.transform(X), np.full((len(y), 1), coef0)], format="csr"
    )
    # No score is exactly 0, so that rounding decides nothing.
    how = {"max_iter": 4, "margin": 0.01}
    implicit = VotedPerceptron(kernel="poly", degree=2, coef0=coef0, **how).fit(X[train], y[train])
    explicit = VotedPerceptron(**how).fit(Z[train], y[train])
    assert explicit.n_updates_ == implicit.n_updates_
    np.testing.assert_array_equal(explicit.predict(Z[test]), implicit.predict(X[test]))
    assert set(implicit.predict(X[test])) == {False, True}


def on_the_fly_as(fit_intercept):
    """How pairs on the fly have the kernel's products: c, the factor of presence rows, and that of their products.

    Rows times s have the product s² for each column that they share, s⁴ for each pair, and 1 with an intercept. Times f
    that is the kernel's: f·s² = 1 + 2c (presence is its own square), f·s⁴ = 2, f = c² + 1; without an intercept c² = 0.
    """
    c = np.sqrt(1.5) - 1 if fit_intercept else 0.0
    s_squared = 2 / (1 + 2 * c)
    return c, np.sqrt(s_squared), 2 / s_squared**2


@pytest.mark.slow
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_kernel_explicit_pairs_and_pairs_on_the_fly_are_one_learner(fit_intercept):
    texts = corpus("sentence_polarity.zip", 800)
    y = np.arange(len(texts)) >= len(texts) // 2  # a file per class, one behind the other
    X = BagOfWords(binary=True, dtype=np.float64).fit_transform(texts)
    train, test = np.arange(len(y)) % 4 > 0, np.arange(len(y)) % 4 == 0
    c, s, factor = on_the_fly_as(fit_intercept)
    join = Conjunctions(keep_words=False).fit(X)
    Z = sp.hstack([np.sqrt(1 + 2 * c) * X, np.sqrt(2) * join.transform(X), np.full((len(y), 1), c)], format="csr")
    how = {"max_iter": 4, "fit_intercept": fit_intercept}
    # No score is exactly the margin, so that rounding decides nothing.
    implicit = VotedPerceptron(kernel="poly", degree=2, coef0=c, margin=0.01, **how).fit(X[train], y[train])
    voted = VotedPerceptron(margin=0.01, **how).fit(Z[train], y[train])
    explicit = Perceptron(margin=0.01, **how).fit(Z[train], y[train])
    on_the_fly = Perceptron(margin=0.01 / factor, pair_bits=24, **how).fit(s * X[train], y[train])
    mistakes = [record.mistakes for record in implicit.history_]
    for other in (voted, explicit, on_the_fly):
        assert [record.mistakes for record in other.history_] == mistakes
    np.testing.assert_array_equal(voted.predict(Z[test]), implicit.predict(X[test]))
    np.testing.assert_allclose(factor * on_the_fly.decision_function(s * X), explicit.decision_function(Z), atol=1e-9)
    assert on_the_fly.pair_report(s * X).n_colliding == 0
    assert len(set(mistakes)) > 1
