"""Learning with column weights is learning from weighted rows, without storing them."""

from __future__ import annotations

import dataclasses
import itertools
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import reference
from helpers.problems import problems
from textperceptron import (
    AROW,
    MIRA,
    AveragedPerceptron,
    BatchPerceptron,
    LogCountRatio,
    OneVsAll,
    Perceptron,
)
from textperceptron.learn import EMPTY, Plan, check_rows, train
from textperceptron.learn.rules import ArowRule, BatchRule, MiraRule, PerceptronRule

LEARNERS = [Perceptron, AveragedPerceptron, MIRA, AROW, BatchPerceptron]
# Powers of two keep the perceptron's sums exact.
WEIGHTS = st.lists(st.sampled_from([0.0, 0.25, -0.5, 1.0, 2.0, -4.0]), min_size=5, max_size=5)


def engine(drawn, rule, column_weight):
    X = drawn.X
    rows = check_rows(X.data, X.indices, X.indptr, X.shape[1])
    weight = EMPTY if drawn.weight is None else np.array(drawn.weight)
    plan = Plan(max_iter=drawn.epochs, shuffle=drawn.shuffle, seed=drawn.seed)
    return train(rule, rows, drawn.y, plan, weight=weight, column_weight=np.array(column_weight)[: X.shape[1]])


def weighted_rows(drawn, column_weight):
    """The rows as the twin sees them: multiplied, columns of weight 0 left out."""
    weights = {**dict(enumerate(column_weight)), reference.PAD: 1.0}
    return [
        {column: value * weights[column] for column, value in row.items() if weights[column] != 0}
        for row in reference.rows_of(drawn.X, drawn.fit_intercept)
    ]


def on_plain_columns(w, column_weight, n_columns):
    return np.array([w.get(c, 0.0) * column_weight[c] for c in range(n_columns)] + [w.get(reference.PAD, 0.0)])


@pytest.mark.parametrize("average", [True, False])
@given(drawn=problems(float32=False), column_weight=WEIGHTS, margin=st.sampled_from([0.0, 0.5]))
def test_perceptron_is_exact(drawn, column_weight, margin, average):
    rule = PerceptronRule(average=average, margin=margin, fit_intercept=drawn.fit_intercept)
    run = engine(drawn, rule, column_weight)
    rows = weighted_rows(drawn, column_weight)
    expected = reference.perceptron(rows, drawn.y, drawn.orders(), margin=margin, weight=drawn.weight, average=average)
    found = rule.final_weights(run.state)
    np.testing.assert_array_equal(found, on_plain_columns(expected.w, column_weight, drawn.X.shape[1]))
    assert [record["updates"] for record in run.history] == expected.updates


@pytest.mark.parametrize(
    ("rule", "twin"),
    [
        (MiraRule(C=0.3), lambda *a, **how: reference.mira(*a, C=0.3, average=True, **how)),
        (
            MiraRule(C=0.3, variant="pa2", average=False),
            lambda *a, **how: reference.mira(*a, C=0.3, variant="pa2", **how),
        ),
        (ArowRule(r=0.5), lambda *a, **how: reference.arow(*a, r=0.5, **how)),
    ],
    ids=["averaged PA-I", "PA-II", "AROW"],
)
@given(drawn=problems(float32=False), column_weight=WEIGHTS)
def test_mira_and_arow_agree(rule, twin, drawn, column_weight):
    rule = dataclasses.replace(rule, fit_intercept=drawn.fit_intercept)
    run = engine(drawn, rule, column_weight)
    orders = itertools.islice(drawn.orders(), len(run.history))
    expected = twin(weighted_rows(drawn, column_weight), drawn.y, orders, weight=drawn.weight, stop=False)
    wanted = on_plain_columns(expected.w, column_weight, drawn.X.shape[1])
    np.testing.assert_allclose(rule.final_weights(run.state), wanted, rtol=1e-9, atol=1e-9 * max(1, abs(wanted).max()))


@given(drawn=problems(float32=False), column_weight=WEIGHTS)
def test_batch_agrees(drawn, column_weight):
    rule = BatchRule(fit_intercept=drawn.fit_intercept)
    run = engine(drawn, rule, column_weight)
    expected = reference.batch(weighted_rows(drawn, column_weight), drawn.y, drawn.epochs, weight=drawn.weight)
    wanted = on_plain_columns(expected.w, column_weight, drawn.X.shape[1])
    np.testing.assert_allclose(rule.final_weights(run.state), wanted, rtol=1e-12, atol=1e-12)


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(5)
    X = sp.random_array(
        (300, 60), density=0.2, rng=rng, format="csr", data_sampler=lambda size: rng.integers(1, 4, size)
    )
    y = np.where(X[:, :8].sum(axis=1) + rng.normal(0, 2, 300) > 3.5, "pos", "neg")
    return X.astype(np.float64), y


@pytest.mark.parametrize("cls", LEARNERS)
@pytest.mark.parametrize("how", ["log_count_ratio", LogCountRatio(alpha=0.5)], ids=["name", "transformer"])
def test_fused_ratios_give_the_scores_of_weighting_first(cls, how, counts):
    X, y = counts
    weigh = LogCountRatio(alpha=getattr(how, "alpha", 1.0)).fit(X, y)
    apart = cls().fit(weigh.transform(X), y)
    fused = cls(column_weight=how).fit(X, y)
    np.testing.assert_allclose(
        fused.decision_function(X), apart.decision_function(weigh.transform(X)), rtol=1e-6, atol=1e-8
    )
    np.testing.assert_allclose(fused.coef_, apart.coef_ * weigh.log_ratios_, rtol=1e-6, atol=1e-8)
    assert fused.n_updates_ == apart.n_updates_


@pytest.mark.parametrize("cls", LEARNERS)
def test_ratios_ignore_rows_that_are_held_out_or_weigh_nothing(cls, counts):
    X, y = counts
    weight = np.ones(300)
    weight[200:] = 0
    first = (
        cls(column_weight="log_count_ratio", shuffle=False)
        if cls is not BatchPerceptron
        else cls(column_weight="log_count_ratio")
    )
    alone = clone(first).fit(X[:200], y[:200])
    masked = clone(first).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(masked.coef_, alone.coef_, rtol=1e-12)


def test_tol_measures_the_weights_of_the_weighted_columns(counts):
    X, y = counts
    weigh = LogCountRatio().fit(X, y)
    for tol in (0.3, 0.1, 0.03):
        apart = MIRA(C=0.01, tol=tol, max_iter=50).fit(weigh.transform(X), y)
        fused = MIRA(C=0.01, tol=tol, max_iter=50, column_weight=LogCountRatio()).fit(X, y)
        assert (fused.n_iter_, fused.stopped_by_) == (apart.n_iter_, apart.stopped_by_)


@pytest.mark.parametrize("cls", LEARNERS)
def test_partial_fit_keeps_the_column_weights_of_the_first_call(cls, counts):
    X, y = counts
    if cls is BatchPerceptron:
        whole = cls(max_iter=4, column_weight=LogCountRatio()).fit(X, y)
    else:
        whole = cls(max_iter=4, column_weight=LogCountRatio(), shuffle="once").fit(X, y)
    parts = clone(whole).set_params(max_iter=2, warm_start=True).fit(X, y).fit(X, y)
    np.testing.assert_array_equal(parts.coef_, whole.coef_)


def test_no_matrix_of_weighted_values_is_made():
    rng = np.random.default_rng(0)
    X = sp.random_array((4000, 500), density=0.2, rng=rng, format="csr", dtype=np.float32)
    y = rng.integers(0, 2, 4000)
    learner = MIRA(column_weight="log_count_ratio", max_iter=2)
    learner.fit(X[:50], y[:50])
    tracemalloc.start()
    try:
        learner.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.data.nbytes / 4


def test_alpha_can_be_searched(counts):
    X, y = counts
    grid = {"column_weight__alpha": [0.1, 1.0], "column_weight": [LogCountRatio()]}
    search = GridSearchCV(MIRA(), grid, cv=3).fit(X, y)
    assert search.best_estimator_.column_weight.alpha in (0.1, 1.0)


@pytest.mark.parametrize(
    ("column_weight", "message"),
    [
        ("tfidf", "use 'log_count_ratio'"),
        ([1.0, 2.0], "one number for each of the 60 columns"),
        ([np.nan] * 60, r"column_weight\[0\] is nan"),
        (LogCountRatio(alpha=-1.0), "alpha must be greater than 0"),
    ],
)
def test_bad_column_weights_are_named(column_weight, message, counts):
    X, y = counts
    with pytest.raises(ValueError, match=message):
        MIRA(column_weight=column_weight).fit(X, y)
    with pytest.raises(ValueError, match=message):
        OneVsAll(MIRA(column_weight=column_weight)).fit(X, np.arange(len(y)) % 3)


@pytest.mark.parametrize("cls", [AveragedPerceptron, MIRA, AROW])
def test_one_vs_all_continues_with_its_column_weights(cls, counts):
    X, y = counts
    X = X.astype(np.float64)
    alone = cls(column_weight="log_count_ratio", random_state=0).fit(X, y)
    (found,) = OneVsAll(cls(column_weight="log_count_ratio", random_state=0)).fit(X, y).estimators_
    for learner in (alone, found):
        learner.partial_fit(X, np.roll(y == alone.classes_[1], 1).astype(int) if learner is found else np.roll(y, 1))
    np.testing.assert_array_equal(found.coef_, alone.coef_)
    assert found.n_iter_ == alone.n_iter_


def test_ratios_reject_negative_values(counts):
    X, y = counts
    with pytest.raises(ValueError, match="Negative values"):
        MIRA(column_weight=LogCountRatio()).fit(-X, y)
