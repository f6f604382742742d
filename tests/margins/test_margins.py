"""Margins, separability and the convergence theorem."""

from __future__ import annotations

import time
from fractions import Fraction
from math import inf

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog
from sklearn.svm import SVC

from helpers.fresh import run_fresh
from textperceptron import margins
from textperceptron.margins import inseparability, solve

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
TEXTBOOK = np.array([[10.0], [8.0]]), np.array(["pos", "neg"])
KINDS = [(False, True), (True, True), (False, False)]  # padded, fit_intercept


@st.composite
def small_problems(draw, elements=st.integers(-3, 3)):  # noqa: B008
    """Draw a few rows with both labels, mostly not separable."""
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.float64, (n, d), elements=elements))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 1)).filter(lambda y: 0 < y.sum() < len(y)))
    return X, y


@st.composite
def separable_problems(draw, fit_intercept=True):
    """Draw small integers with labels from a random direction."""
    X, _ = draw(small_problems())
    direction = np.array(draw(st.lists(st.integers(-5, 5), min_size=X.shape[1], max_size=X.shape[1])))
    scores = X @ direction
    X, scores = X[scores != 0], scores[scores != 0]
    X, scores = np.vstack([X, direction, -direction]), np.append(scores, [1, -1])
    if not direction.any():
        X, scores = np.eye(2), np.array([1, -1])
    return X + (draw(st.integers(-3, 3)) if fit_intercept else 0), np.where(scores > 0, 1, -1)


def sparse_problem(n=5_000, d=20_000, seed=0):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, d, (n, 40))
    X = sp.csr_array((rng.random(columns.size), columns.ravel(), np.arange(n + 1) * 40), shape=(n, d))
    X.sum_duplicates()
    return X, np.where(X @ rng.normal(size=d) > 0, "pos", "neg")


def signed_rows(X, y, pad=1.0):
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    return signs[:, None] * np.hstack([X, np.full((len(X), 1), pad)])


def assert_certified(found, X, y, padded, fit_intercept):
    """Check both bounds from the data alone, in exact arithmetic."""
    signed = [[Fraction(value) for value in row] for row in signed_rows(X, y, float(fit_intercept)).tolist()]
    free = fit_intercept and not padded
    assert found.lower <= found.upper
    assert (found.weights >= 0).all()
    shares = [Fraction(weight) for weight in found.weights.tolist()]
    positive = (y == np.unique(y)[1]).tolist()
    for members in [positive, [not each for each in positive]] if free else [[True] * len(shares)]:
        total = sum(share for share, member in zip(shares, members, strict=True) if member)
        assert float(total) == pytest.approx(1)
        shares = [share / total if member else share for share, member in zip(shares, members, strict=True)]
    point = [exact_product(shares, column) for column in zip(*signed, strict=True)]
    counted = point[:-1] if free else point
    length = sum(part * part for part in counted) / (4 if free else 1)
    if found.separable is False:  # the exact weights, rounded
        assert length <= Fraction(1e-9 * (1 + np.abs(X).max())) ** 2
    else:
        assert length <= Fraction(found.upper) ** 2
    assert (found.coef is None) == (found.lower == -inf) == (found.separable is not True)
    if found.coef is not None:
        w = [Fraction(value) for value in [*found.coef.tolist(), found.intercept]]
        least = min(exact_product(row, w) for row in signed)
        assert least > 0
        assert least**2 >= Fraction(found.lower) ** 2 * sum(part * part for part in (w if padded else w[:-1]))


def exact_product(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def perceptron_updates(X, y, order, fit_intercept, at_most=20_000):
    """Return the number of updates of a plain perceptron until an epoch has none."""
    signed = signed_rows(X, y, float(fit_intercept))
    w, updates, before = np.zeros(signed.shape[1]), 0, -1
    while before != updates and updates < at_most:
        before = updates
        for row in order:
            if signed[row] @ w <= 0:
                w += signed[row]
                updates += 1
    return updates


# Margins of a given direction


def test_geometric_and_padded_margins_by_hand():
    X, y = np.array([[3.0, 4.0], [0.0, 0.0]]), ["b", "a"]
    # w = (3, 4), b = -12: scores 13 and -12, ‖w‖ = 5, ‖(w, b)‖ = 13
    assert margins.point_margins(X, y, [3, 4], -12) == pytest.approx([13 / 5, 12 / 5])
    assert margins.point_margins(X, y, [3, 4], -12, padded=True) == pytest.approx([1, 12 / 13])
    assert margins.margin(X, y, [3, 4], -12) == pytest.approx(12 / 5)
    assert margins.margin(X, y, [3, 4], -12, padded=True) == pytest.approx(12 / 13)


def test_a_row_on_the_wrong_side_makes_the_margin_negative():
    assert margins.margin([[1.0], [2.0]], [1, 0], [1.0]) == -2


def test_the_shapes_of_a_fitted_estimator_are_accepted():
    X, y = TEXTBOOK
    assert margins.margin(X, y, np.array([[1.0]]), np.array([-9.0])) == 1


def test_rows_of_one_class_have_margins_when_the_classes_are_named():
    assert margins.margin([[2.0]], ["neg"], [1.0], classes=("neg", "pos")) == -2


@pytest.mark.parametrize("convert", [sp.csr_matrix, sp.csc_array, sp.coo_array, np.asarray, np.ndarray.tolist])
def test_every_form_of_matrix_has_the_same_margins(convert):
    X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    w = np.array([1.0, -2.0, 0.5])
    assert margins.point_margins(convert(X), [1, 0], w, 1.0).tolist() == pytest.approx(
        ([1, -1] * (X @ w + 1) / np.linalg.norm(w)).tolist()
    )


def test_whole_numbers_are_not_rounded_to_single_precision():
    big = 2**24 + 1
    assert margins.margin(sp.csr_array(np.array([[big], [0]])), [1, 0], [1.0], -1.0) == 1
    assert margins.radius(np.array([[big]]), fit_intercept=False) == big


def test_radius_counts_the_padded_one_only_with_an_intercept():
    assert margins.radius([[3.0, 4.0], [1.0, 1.0]], fit_intercept=False) == 5
    assert margins.radius([[3.0, 4.0], [1.0, 1.0]]) == pytest.approx(26**0.5)


def test_losses_by_hand_and_a_score_of_zero_predicts_the_lesser_label():
    X, y = [[2.0], [-1.0], [0.5], [0.0], [0.0], [0.0]], ["pos", "pos", "neg", "neg", "neg", "pos"]
    found = margins.losses(X, y, [1.0])
    assert found.zero_one == pytest.approx(3 / 6)  # -1, 0.5, and the zero of the positive class
    assert found.perceptron == pytest.approx((1 + 0.5) / 6)
    assert found.hinge == pytest.approx((0 + 2 + 1.5 + 1 + 1 + 1) / 6)
    assert str(found) == "0/1 0.5000 · perceptron 0.25 · hinge 1.083"


# Attainable margins


def test_the_textbook_pair_has_geometric_margin_one_and_a_small_padded_margin():
    X, y = TEXTBOOK
    geometric = margins.attainable_margin(X, y)
    padded = margins.attainable_margin(X, y, padded=True)
    assert geometric.lower == pytest.approx(1)
    assert geometric.intercept / geometric.coef[0] == pytest.approx(-9)
    assert padded.lower == pytest.approx(1 / 82**0.5)  # w = (1, -9): both scores 1, length √82
    assert geometric.gap < 1e-6
    assert padded.gap < 1e-6


def test_two_points_through_the_origin_by_hand():
    found = margins.attainable_margin([[1.0, 0.0], [0.0, -1.0]], [1, 0], fit_intercept=False)
    assert found.lower == pytest.approx(0.5**0.5)
    assert found.intercept == 0


@pytest.mark.parametrize(("padded", "fit_intercept"), KINDS)
@given(problem=small_problems())
def test_the_bounds_are_certificates(problem, padded, fit_intercept):
    found = margins.attainable_margin(*problem, padded=padded, fit_intercept=fit_intercept)
    assert_certified(found, *problem, padded, fit_intercept)
    assert found.separable is not None
    assert found.separable is False or found.gap <= 1e-3


@pytest.mark.parametrize(("padded", "fit_intercept"), KINDS)
@given(problem=small_problems(st.floats(-1e6, 1e6, allow_subnormal=False)))
def test_the_bounds_are_certificates_on_data_of_every_scale(problem, padded, fit_intercept):
    found = margins.attainable_margin(*problem, padded=padded, fit_intercept=fit_intercept, max_iter=20)
    assert_certified(found, *problem, padded, fit_intercept)


@pytest.mark.parametrize(("padded", "fit_intercept"), KINDS)
@given(problem=small_problems(), epochs=st.integers(0, 40))
def test_the_bounds_are_certificates_wherever_the_descent_is_stopped(problem, epochs, padded, fit_intercept):
    with pytest.MonkeyPatch.context() as patch:
        only_descent(patch)
        found = margins.attainable_margin(*problem, padded=padded, fit_intercept=fit_intercept, max_iter=epochs)
    assert_certified(found, *problem, padded, fit_intercept)
    assert found.n_iter <= epochs


def only_descent(patch):
    patch.setattr(solve, "fits_least_distance", lambda *_: False)
    patch.setattr(solve, "fits_linear_program", lambda *_: False)


@given(seed=st.integers(0, 10_000), n=st.integers(4, 40), d=st.integers(1, 6))
def test_the_geometric_margin_is_that_of_a_hard_support_vector_machine(seed, n, d):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    X[:, 0] += 8 * y
    machine = SVC(kernel="linear", C=1e10, tol=1e-6).fit(X, y)
    found = margins.attainable_margin(X, y, tol=1e-5)
    assert found.lower == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-3)
    assert found.upper == pytest.approx(found.lower, rel=1e-5)


@pytest.mark.parametrize(("padded", "fit_intercept"), KINDS)
def test_descent_and_least_distance_agree(padded, fit_intercept, monkeypatch):
    rng = np.random.default_rng(3)
    X, shift = rng.normal(size=(200, 30)), 0.5 * (fit_intercept and not padded)
    y = X @ rng.normal(size=30) > 0
    X += shift  # an intercept far from 0, which affects only the padded margin
    exact = margins.attainable_margin(X, y, padded=padded, fit_intercept=fit_intercept)
    only_descent(monkeypatch)
    descent = margins.attainable_margin(X, y, padded=padded, fit_intercept=fit_intercept, tol=1e-2)
    assert exact.n_iter == 0 < descent.n_iter
    assert descent.stopped_by == "converged"
    assert descent.lower <= exact.upper
    assert exact.lower <= descent.upper
    assert_certified(descent, X, y, padded, fit_intercept)


@given(problem=small_problems(), shift=st.integers(-1000, 1000))
def test_moving_all_rows_does_not_change_the_geometric_margin(problem, shift):
    X, y = problem
    here, there = margins.attainable_margin(X, y), margins.attainable_margin(X + shift, y)
    assert here.separable is there.separable
    assert here.lower == pytest.approx(there.lower, rel=1e-3)


@pytest.mark.parametrize("distance", [1e2, 1e4, 1e6])
def test_far_and_close_rows_are_still_distinguished(distance):
    X, y = np.array([[distance], [distance - 1]]), [1, 0]
    assert margins.attainable_margin(X, y).lower == pytest.approx(0.5)
    assert margins.is_separable(X, y)


def test_a_sparse_matrix_of_middle_size_takes_seconds():
    X, y = sparse_problem()
    start = time.monotonic()
    for padded, fit_intercept in KINDS:
        found = margins.attainable_margin(X, y, padded=padded, fit_intercept=fit_intercept, tol=1e-2)
        assert found.separable
        assert found.gap <= 1e-2
        margin = margins.margin(X, y, found.coef, found.intercept, padded=padded)
        assert found.lower == pytest.approx(margin)
    assert time.monotonic() - start < 20


@pytest.mark.slow
def test_a_million_columns_need_no_dense_matrix():
    X, y = sparse_problem(200, 1_000_000)
    found = margins.attainable_margin(X, y, tol=1e-2)
    assert found.coef.shape == (1_000_000,)
    assert found.separable


def test_the_same_seed_gives_the_same_bytes_and_types_of_index_do_not_matter(monkeypatch):
    only_descent(monkeypatch)
    X, y = sparse_problem(400, 3_000)
    X.data[:] = np.float32(X.data)
    variants = [X, X, X.astype(np.float32), X.copy()]
    variants[3].indices, variants[3].indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    for array in (variants[3].data, variants[3].indices, variants[3].indptr):
        array.flags.writeable = False
    found = [margins.attainable_margin(each, y, tol=1e-2) for each in variants]
    assert {each.coef.tobytes() for each in found} == {found[0].coef.tobytes()}
    assert {each.weights.tobytes() for each in found} == {found[0].weights.tobytes()}


# Separability


@pytest.mark.parametrize("fit_intercept", [True, False])
@given(problem=small_problems())
def test_separability_is_what_an_independent_program_says(problem, fit_intercept):
    signed = signed_rows(*problem, float(fit_intercept))
    program = linprog(np.zeros(signed.shape[1]), A_ub=-signed, b_ub=-np.ones(len(signed)), bounds=(None, None))
    found = margins.is_separable(*problem, fit_intercept=fit_intercept)
    assert found.decided is (program.status == 0)
    assert found.exact
    if found:
        assert (signed @ np.append(found.coef, found.intercept) > 0).all()
    else:
        assert found.certificate.sum() == pytest.approx(1)
        assert (found.certificate >= 0).all()
        assert np.abs(found.certificate @ signed).max() < 1e-12


def test_exclusive_or_is_inseparable_with_equal_weights():
    found = margins.is_separable(XOR, [0, 1, 1, 0])
    assert found.decided is False
    assert found.exact
    assert found.certificate == pytest.approx([0.25] * 4)
    assert str(found) == "not separable, exactly (least distance)"


def test_exclusive_or_with_its_conjunction_is_separable():
    assert margins.is_separable(np.column_stack([XOR, XOR[:, 0] * XOR[:, 1]]), [0, 1, 1, 0])


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [0, 1, 1, 1]])
def test_a_linear_program_decides_what_the_descent_has_not(labels, monkeypatch):
    monkeypatch.setattr(solve, "fits_least_distance", lambda *_: False)
    found = margins.is_separable(XOR, labels, max_iter=0)
    assert found.decided is (labels[3] == 1)
    assert found.exact
    assert found.n_iter == 0


def test_a_linear_program_proves_inseparability_to_a_stated_tolerance(monkeypatch):
    monkeypatch.setattr(solve, "fits_least_distance", lambda *_: False)
    rng = np.random.default_rng(0)
    X = sp.random(600, 100, density=0.1, format="csr", random_state=0)
    found = margins.is_separable(X, rng.integers(0, 2, 600), max_iter=2)
    assert found.decided is False
    assert not found.exact
    assert found.found_by == "a linear program"
    assert 0 < found.residual < 1e-9


def test_weights_that_would_have_to_be_negative_prove_nothing():
    assert inseparability._solve_near([(1, 1)], np.array([1.0, 1e-13])) is None
    assert inseparability._solve_near([(1, -2), (2, -4)], np.array([0.7, 0.3])) == pytest.approx([2 / 3, 1 / 3])
    assert inseparability._solve_near([(1, -2), (1, -3)], np.array([0.7, 0.3])) is None


def test_equal_rows_of_opposite_labels_are_inseparable():
    X = sp.csr_array(([1.0, 2.0, 2.0, 1.0, 0.0], [0, 3, 3, 0, 2], [0, 2, 2, 5]), shape=(3, 5))
    found = margins.is_separable(X, ["b", "a", "a"])  # row 2 is row 0, unsorted and with a stored zero
    assert found.decided is False
    assert found.certificate.tolist() == [0.5, 0, 0.5]
    assert found.found_by == "equal rows of opposite labels"
    assert margins.attainable_margin(X, ["b", "a", "a"]).stopped_by == "not separable"


def test_equal_rows_of_one_label_are_not_a_contradiction():
    assert margins.is_separable([[1.0], [1.0], [2.0]], [0, 0, 1])


def test_a_zero_row_is_inseparable_only_without_an_intercept():
    X, y = [[0.0, 0.0], [1.0, 0.0]], [0, 1]
    assert margins.is_separable(X, y)
    found = margins.is_separable(X, y, fit_intercept=False)
    assert found.decided is False
    assert found.certificate.tolist() == [1, 0]


def test_two_empty_rows_of_both_labels_are_inseparable():
    assert not margins.is_separable(sp.csr_array((2, 3)), [0, 1])


def test_many_rows_are_proved_inseparable_by_exact_arithmetic_on_sixty():
    rng = np.random.default_rng(1)
    found = margins.is_separable(rng.normal(size=(200, 40)), rng.integers(0, 2, 200))
    assert found.decided is False
    assert found.exact
    assert np.count_nonzero(found.certificate) <= 60


@pytest.mark.parametrize("limit", [{"max_iter": 3}, {"max_seconds": 0.0}])
def test_an_exhausted_budget_gives_unknown_without_a_truth_value(limit, monkeypatch):
    only_descent(monkeypatch)
    X = sp.random(500, 50, density=0.2, format="csr", random_state=0)
    y = np.random.default_rng(0).integers(0, 2, 500)
    found = margins.is_separable(X, y, **limit)
    assert found.decided is None
    assert str(found).startswith("unknown")
    with pytest.raises(ValueError, match=r"Raise max_iter or max_seconds"):
        bool(found)
    margin = margins.attainable_margin(X, y, **limit)
    assert (margin.separable, margin.lower, margin.stopped_by) == (None, -inf, "budget")
    assert 0 < margin.upper < inf
    assert margins.mistake_bound(X, y, **limit).upper == inf


# The convergence theorem


def test_the_textbook_pair_takes_155_updates_which_only_the_padded_bound_allows():
    X, y = TEXTBOOK
    updates = perceptron_updates(X, y, [0, 1], fit_intercept=True)
    geometric = margins.attainable_margin(X, y)
    assert updates == 155
    assert updates > (margins.radius(X) / geometric.lower) ** 2
    bound = margins.mistake_bound(X, y)
    assert bound.lower == pytest.approx(101 * 82)
    assert bound.allows(updates)
    assert not bound.allows(8283)


@pytest.mark.parametrize("fit_intercept", [True, False])
@given(data=st.data())
def test_no_perceptron_makes_more_updates_than_the_bound_in_any_order(fit_intercept, data):
    X, y = data.draw(separable_problems(fit_intercept))
    bound = margins.mistake_bound(X, y, fit_intercept=fit_intercept)
    assert bound.margin.separable
    assert 0 < bound.lower <= bound.upper < inf
    for _ in range(3):
        order = data.draw(st.permutations(range(len(X))))
        assert bound.allows(perceptron_updates(X, y, order, fit_intercept))


def test_data_that_are_not_separable_have_no_bound():
    bound = margins.mistake_bound(XOR, [0, 1, 1, 0])
    assert bound.lower == bound.upper == inf
    assert bound.allows(10**9)
    assert str(bound) == "none: not separable"


def test_the_report_prints_radius_both_margins_and_the_bound():
    assert str(margins.report(*TEXTBOOK, updates=155)).splitlines() == [
        "rows              2  (1 − · 1 +)",
        "radius R          10.05",
        "geometric margin  1",
        "padded margin γ   0.11043",
        "bound (R/γ)²      at most 8,282 updates",
        "updates made      155  (1.87% of the bound)",
    ]


def test_the_report_without_an_intercept_has_one_margin():
    text = str(margins.report([[1.0, 0.0], [0.0, 1.0]], [1, 0], fit_intercept=False))
    assert "margin            0.70711" in text
    assert "padded" not in text


def test_importing_the_module_imports_neither_scipy_nor_scikit_learn():
    code = "import sys, textperceptron.margins; print(*{'scipy', 'sklearn'} & set(sys.modules))"
    assert run_fresh(code).split() == []


# Errors


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [1, 1], r"y has 1 class \(1\), but a margin needs two"),
        ([[1.0], [2.0], [3.0]], [1, 2, 3], r"y has 3 classes \(1, 2, 3\)"),
        ([[1.0], [2.0]], [1, 0, 1], r"X has 2 rows, but y has 3 labels"),
        ([[1.0], [2.0]], [[1], [0]], r"y has shape \(2, 1\)"),
        ([[1.0], [2.0]], [1.0, np.nan], r"y is NaN in row 1"),
        ([[1.0], [np.nan]], [1, 0], r"X contains NaN in row 1, column 0"),
        (sp.csr_array([[1.0], [np.inf]]), [1, 0], r"X contains infinity in row 1, column 0"),
        ([1.0, 2.0], [1, 0], r"X has shape \(2,\)"),
        (np.zeros((0, 3)), [], r"X has shape \(0, 3\)"),
        ([["a"], ["b"]], [1, 0], r"X has values of type <U1, not numbers"),
        ([[1e200], [1.0]], [1, 0], r"X contains 1e\+200 in row 0, column 0"),
        ([[1.0], [2.0]], np.array([1, "a"], object), r"y mixes labels"),
    ],
)
@pytest.mark.parametrize("function", [margins.attainable_margin, margins.is_separable, margins.report])
def test_bad_data_are_reported_with_their_position(function, X, y, message):
    with pytest.raises(ValueError, match=message):
        function(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0, 0.0], 1.0), r"coef is all 0"),
        (([1.0],), r"coef has shape \(1,\), but X has 2 columns"),
        (([1.0, np.nan],), r"coef\[1\] is nan"),
        (([1.0, 1.0], np.inf), r"intercept is inf"),
        (([1.0, 1.0], [1.0, 2.0]), r"intercept has 2 values"),
    ],
)
def test_bad_directions_are_reported(arguments, message):
    with pytest.raises(ValueError, match=message):
        margins.margin([[1.0, 0.0], [0.0, 1.0]], [1, 0], *arguments)


def test_a_direction_that_is_only_an_intercept_has_a_padded_margin():
    assert margins.margin([[1.0], [2.0]], [1, 0], [0.0], 2.0, padded=True) == -1
    with pytest.raises(ValueError, match="coef and intercept are all 0"):
        margins.margin([[1.0], [2.0]], [1, 0], [0.0], 0.0, padded=True)


def test_labels_outside_the_named_classes_are_reported():
    with pytest.raises(ValueError, match=r"y is 'maybe' in row 1"):
        margins.losses([[1.0], [2.0]], ["yes", "maybe"], [1.0], classes=("no", "yes"))
    with pytest.raises(ValueError, match=r"give two different labels"):
        margins.losses([[1.0]], ["yes"], [1.0], classes=("yes", "yes"))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"max_iter": -1}, "max_iter is -1"),
        ({"max_seconds": -1.0}, "max_seconds is -1.0"),
        ({"tol": -0.1}, "tol is -0.1"),
        ({"random_state": -1}, "random_state is -1"),
    ],
)
def test_bad_settings_are_reported(setting, message):
    with pytest.raises(ValueError, match=message):
        margins.attainable_margin(*TEXTBOOK, **setting)
