"""Kernels and loop against the dict-based twins in reference.py."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from helpers.problems import problems
from textperceptron.learn import EMPTY, Plan, check_rows, train
from textperceptron.learn.rules import ArowRule, BatchRule, MiraRule, PerceptronRule, VotedRule

MARGINS = st.sampled_from([0.0, 0.5, 3.0])


def engine(drawn, rule):
    """Train on the drawn problem, exactly as the estimators do, but with labels of one class allowed."""
    X = drawn.X
    rows = check_rows(X.data, X.indices, X.indptr, X.shape[1])
    weight = EMPTY if drawn.weight is None else np.array(drawn.weight)
    plan = Plan(max_iter=drawn.epochs, shuffle=drawn.shuffle, seed=drawn.seed)
    run = train(rule, rows, drawn.y, plan, weight=weight)
    return run, rows


def dense(w, n_columns):
    return np.array([w.get(column, 0.0) for column in [*range(n_columns), reference.PAD]])


def assert_exact(drawn, rule, expected):
    run, rows = engine(drawn, rule)
    found = rule.final_weights(run.state)
    assert found.dtype == drawn.X.dtype
    # The sums are exact; a mean is rounded once, to the weights' type.
    np.testing.assert_array_equal(found, dense(expected.w, rows.n_columns).astype(found.dtype))
    assert [record["mistakes"] for record in run.history] == expected.mistakes
    assert [record["updates"] for record in run.history] == expected.updates
    assert run.stopped_by == expected.stopped_by


def assert_close(drawn, rule, expect):
    """Compare with ``expect(orders)``, run for as many epochs as the engine.

    The twin must not decide for itself when to stop: a score that should be exactly 1 may fall on either
    side of it by rounding, and an epoch more or less without a real update moves the mean.
    """
    run, rows = engine(drawn, rule)
    wanted = dense(expect(itertools.islice(drawn.orders(), len(run.history))).w, rows.n_columns)
    found = rule.final_weights(run.state)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * max(1, abs(wanted).max()))


@given(problems(), MARGINS, st.sampled_from([0.5, 1.0, 2.0]))
def test_perceptron_is_exact(drawn, margin, eta):
    rows = reference.rows_of(drawn.X, drawn.fit_intercept)
    rule = PerceptronRule(average=False, eta0=eta, margin=margin, fit_intercept=drawn.fit_intercept)
    expected = reference.perceptron(rows, drawn.y, drawn.orders(), eta, margin, weight=drawn.weight)
    assert_exact(drawn, rule, expected)


@given(problems(), MARGINS)
def test_averaged_weights_are_the_mean_after_every_example(drawn, margin):
    rows = reference.rows_of(drawn.X, drawn.fit_intercept)
    rule = PerceptronRule(average=True, margin=margin, fit_intercept=drawn.fit_intercept)
    expected = reference.perceptron(rows, drawn.y, drawn.orders(), margin=margin, weight=drawn.weight, average=True)
    assert_exact(drawn, rule, expected)


@given(problems(), MARGINS)
def test_fixed_increment_batch_is_exact(drawn, margin):
    rows = reference.rows_of(drawn.X, drawn.fit_intercept)
    rule = BatchRule(normalize=False, margin=margin, fit_intercept=drawn.fit_intercept)
    expected = reference.batch(rows, drawn.y, drawn.epochs, normalize=False, margin=margin, weight=drawn.weight)
    assert_exact(drawn, rule, expected)


@given(problems(float32=False), MARGINS)
def test_batch_is_exact(drawn, margin):
    rows = reference.rows_of(drawn.X, drawn.fit_intercept)
    rule = BatchRule(margin=margin, fit_intercept=drawn.fit_intercept)
    expected = reference.batch(rows, drawn.y, drawn.epochs, margin=margin, weight=drawn.weight)
    if drawn.epochs == 1 or (len(drawn.y) in (1, 2, 4, 8) and drawn.weight is None):
        assert_exact(drawn, rule, expected)
    else:
        # Thirds of a step are rounded, alike on both sides: dividing and adding are one operation each.
        run, checked = engine(drawn, rule)
        np.testing.assert_allclose(run.state.weights, dense(expected.w, checked.n_columns), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("average", [True, False])
@given(drawn=problems(float32=False), C=st.sampled_from([0.01, 0.3, 1.0, 10.0]))
def test_mira_agrees(drawn, variant, average, C):
    rows = reference.rows_of(drawn.X, drawn.fit_intercept)
    how = {"weight": drawn.weight, "average": average, "stop": False}
    rule = MiraRule(C=C, variant=variant, average=average, fit_intercept=drawn.fit_intercept)
    assert_close(drawn, rule, lambda orders: reference.mira(rows, drawn.y, orders, C, variant, **how))


@given(problems(float32=False), st.sampled_from([0.1, 1.0, 10.0]))
def test_arow_agrees(drawn, r):
    rows = reference.rows_of(drawn.X, drawn.fit_intercept)
    rule = ArowRule(r=r, fit_intercept=drawn.fit_intercept)
    assert_close(drawn, rule, lambda orders: reference.arow(rows, drawn.y, orders, r, weight=drawn.weight, stop=False))


@pytest.mark.parametrize(("degree", "coef0"), [(1, 0.0), (2, 0.0), (2, 1.0), (3, 0.5)])
@given(drawn=problems(max_rows=6), margin=MARGINS)
def test_voted_is_exact(drawn, degree, coef0, margin):
    rows = reference.rows_of(drawn.X, drawn.fit_intercept)
    kernel = reference.polynomial(degree, coef0)
    steps, survived = reference.voted(rows, drawn.y, drawn.orders(), kernel, margin=margin, weight=drawn.weight)
    rule = VotedRule(kernel="poly", degree=degree, coef0=coef0, margin=margin, fit_intercept=drawn.fit_intercept)
    run, checked = engine(drawn, rule)
    past = run.state.past
    assert past.steps.tolist() == [step for step, _ in steps]
    assert past.survived(run.state.seen).tolist() == survived[1:]
    assert sum(survived) == run.state.seen
    found, _ = past.votes(checked, rule.row_kernel, run.state.seen)
    assert found.tolist() == [reference.votes(steps, survived, x, kernel) for x in rows]
