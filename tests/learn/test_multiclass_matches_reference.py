"""Kernels for many classes against the dict-based twins, and against the kernels for two classes."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import hadamard

import reference
from helpers.problems import problems
from textperceptron.learn import EMPTY, ClassTable, LabelSets, Plan, check_rows, train
from textperceptron.learn.rules import ArowRule, MiraRule, PerceptronRule
from textperceptron.learn.rules.native import NativeRule
from textperceptron.learn.rules.one_vs_all import OneVsAllRule
from textperceptron.learn.training_data import TrainingData
from textperceptron.learn.weight_tables import BlockedTable

# Strides of 4, 8, 12 and 20: blocks of 8, of 4 and of both; and two tables of one-vs-all.
CLASSES = st.sampled_from([2, 3, 5, 9, 18])
MARGINS = st.sampled_from([0.0, 0.5, 3.0])


@st.composite
def class_problems(draw, **how):
    drawn = draw(problems(**how))
    n_classes = draw(CLASSES)
    n = len(drawn.y)
    drawn.y = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)), np.int32)
    return drawn, n_classes


def prepared(drawn):
    X = drawn.X
    rows = check_rows(X.data, X.indices, X.indptr, X.shape[1])
    weight = EMPTY if drawn.weight is None else np.array(drawn.weight)
    return rows, weight, Plan(max_iter=drawn.epochs, shuffle=drawn.shuffle, seed=drawn.seed)


def native(drawn, n_classes, inner, bits=0):
    rows, weight, plan = prepared(drawn)
    rule = NativeRule(inner=inner, table=ClassTable(rows.n_columns, n_classes, bits))
    return rule, train(rule, rows, drawn.y, plan, weight=weight), rows


def table(w, n_columns):
    return np.array([[w[c].get(k, 0.0) for k in [*range(n_columns), reference.PAD]] for c in sorted(w)])


def weights_by_class(rule, run):
    weights, intercepts = rule.table.by_class(rule.final_weights(run.state))
    return np.column_stack([weights, intercepts])


@pytest.mark.parametrize("average", [True, False])
@given(problem=class_problems(), margin=MARGINS)
def test_native_perceptron_is_exact(problem, margin, average):
    drawn, n_classes = problem
    inner = PerceptronRule(average=average, margin=margin, fit_intercept=drawn.fit_intercept)
    rule, run, rows = native(drawn, n_classes, inner)
    twin = reference.native_perceptron(
        reference.rows_of(drawn.X, drawn.fit_intercept), drawn.y, drawn.orders(), n_classes,
        margin=margin, weight=drawn.weight, average=average,
    )  # fmt: skip
    found = weights_by_class(rule, run)
    np.testing.assert_array_equal(found, table(twin.w, rows.n_columns).astype(found.dtype))
    assert [record["mistakes"] for record in run.history] == twin.mistakes
    assert [record["updates"] for record in run.history] == twin.updates
    assert run.stopped_by == twin.stopped_by


@pytest.mark.parametrize(
    ("inner", "twin"),
    [
        (MiraRule(variant="pa", average=False), lambda *a, **k: reference.native_mira(*a, variant="pa", **k)),
        (MiraRule(C=0.3), lambda *a, **k: reference.native_mira(*a, C=0.3, average=True, **k)),
        (MiraRule(C=0.3, variant="pa2"), lambda *a, **k: reference.native_mira(*a, 0.3, "pa2", average=True, **k)),
        (ArowRule(r=0.5), lambda *a, **k: reference.native_arow(*a, r=0.5, **k)),
    ],
    ids=["PA", "averaged PA-I", "averaged PA-II", "AROW"],
)
@given(problem=class_problems(float32=False))
def test_native_mira_and_arow_agree(inner, twin, problem):
    drawn, n_classes = problem
    rule, run, rows = native(drawn, n_classes, dataclasses.replace(inner, fit_intercept=drawn.fit_intercept))
    orders = itertools.islice(drawn.orders(), len(run.history))
    expected = twin(
        reference.rows_of(drawn.X, drawn.fit_intercept), drawn.y, orders, n_classes, weight=drawn.weight, stop=False
    )
    wanted = table(expected.w, rows.n_columns)
    np.testing.assert_allclose(weights_by_class(rule, run), wanted, rtol=1e-9, atol=1e-9 * max(1, abs(wanted).max()))


INNER = [
    PerceptronRule(average=False, margin=0.5),
    PerceptronRule(average=True, eta0=0.3),
    MiraRule(C=0.3),
    MiraRule(C=0.3, variant="pa2", average=False),
    ArowRule(r=0.5),
]


@pytest.mark.parametrize("inner", INNER, ids=repr)
@given(problem=class_problems(), extra=st.booleans(), column_weight=st.booleans())
def test_one_vs_all_in_one_walk_has_the_bits_of_one_class_at_a_time(inner, problem, extra, column_weight):
    drawn, n_classes = problem
    inner = dataclasses.replace(inner, fit_intercept=drawn.fit_intercept)
    rows, weight, plan = prepared(drawn)
    sets = [{int(code), (int(code) + 1) % n_classes} if extra and code % 2 else {int(code)} for code in drawn.y]
    labels = LabelSets(
        np.cumsum([0, *map(len, sets)]), np.array([c for labels in sets for c in sorted(labels)], np.int32)
    )
    # Powers of two: their squares are exact in either type.
    column_weights = (
        2.0 ** (np.arange(n_classes * rows.n_columns).reshape(n_classes, -1) % 4 - 1) if column_weight else EMPTY
    )
    for first, size in ((0, n_classes), (1, n_classes - 1)):
        rule = OneVsAllRule(inner=inner, table=BlockedTable(rows.n_columns, size), first=first)
        run = train(rule, rows, labels, plan, weight=weight, column_weight=column_weights)
        mean = rule.final_weights(run.state)
        for c in range(first, first + size):
            signs = np.array([1 if c in labels else -1 for labels in sets], np.int8)
            mine = column_weights[c] if column_weight else EMPTY
            alone = train(inner, rows, signs, plan, weight=weight, column_weight=mine)
            place = c - first
            np.testing.assert_array_equal(rule.table.of_class(mean, place), inner.final_weights(alone.state))
            np.testing.assert_array_equal(rule.table.of_class(run.state.weights, place), alone.state.weights)
            assert run.state.seen_of_class[place] == alone.state.seen
            assert run.state.epochs_of_class[place] == len(alone.history)
            assert run.state.updates_of_class[place] == sum(record["updates"] for record in alone.history)


@pytest.mark.parametrize("inner", INNER, ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_vs_all_of_three_tables_has_the_bits_of_one_class_at_a_time_where_float32_sums_go_wrong(inner, dtype):
    n_rows, n_columns, n_classes = 64, 64, 37
    # Rows at right angles whose products are not round: scores nearly vanish, and float32 gets their signs wrong.
    X = sp.csr_array((hadamard(n_rows) / 3).astype(dtype))
    rows = check_rows(X.data, X.indices, X.indptr, n_columns)
    codes = (np.arange(n_rows) % n_classes).astype(np.int32)
    inner, plan = dataclasses.replace(inner, fit_intercept=False), Plan(max_iter=6)
    labels = LabelSets(np.arange(n_rows + 1), codes)
    rule = OneVsAllRule(inner=inner, table=BlockedTable(n_columns, n_classes), first=0)
    run = train(rule, rows, labels, plan)
    final = rule.final_weights(run.state)
    scores = rule.scores(TrainingData(rows, labels, EMPTY), run.state, np.arange(n_rows))
    for c in range(n_classes):
        alone = train(inner, rows, np.where(codes == c, 1, -1).astype(np.int8), plan)
        np.testing.assert_array_equal(rule.table.of_class(final, c), inner.final_weights(alone.state))
        np.testing.assert_array_equal(
            scores[:, c], rows.scores(inner.final_weights(alone.state), pad=float(inner.fit_intercept))
        )


@pytest.mark.parametrize("inner", INNER, ids=repr)
@given(problem=class_problems())
def test_a_hashed_table_without_collisions_has_the_bits_of_a_dense_one(inner, problem):
    drawn, n_classes = problem
    inner = dataclasses.replace(inner, fit_intercept=drawn.fit_intercept)
    dense, dense_run, rows = native(drawn, n_classes, inner)
    bits = 16
    hashed, hashed_run, _ = native(drawn, n_classes, inner, bits)
    every = np.arange(rows.n_rows)
    blocks = hashed.table.stride // 8
    keys = np.arange(rows.n_columns * blocks, dtype=np.uint64) + np.uint64(1)
    lines = (keys * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - hashed.table.line_bits)
    assert len(np.unique(lines)) == len(lines)  # few columns, many lines: nothing collides
    problem_rows = rows.astype(dense_run.state.weights.dtype)
    np.testing.assert_array_equal(
        problem_rows.class_scores(hashed.final_weights(hashed_run.state), hashed.table, pad=hashed.pad, which=every),
        problem_rows.class_scores(dense.final_weights(dense_run.state), dense.table, pad=dense.pad, which=every),
    )
