"""Every public function that hands a user's arrays to compiled code checks them first.

A column beyond the matrix would be read or written outside an array, so each function of the table must raise
ValueError before a kernel runs. A public name that is in neither list fails the last test.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import textperceptron
from textperceptron import (
    AROW,
    MIRA,
    AveragedPerceptron,
    BatchPerceptron,
    Conjunctions,
    LogCountRatio,
    OneVsAll,
    OneVsOne,
    Perceptron,
    VotedPerceptron,
    margins,
)

N_COLUMNS = 4
Y = np.array([0, 1, 0, 1, 1, 0])
THREE = np.array([0, 1, 2, 0, 1, 2])
COEF = np.ones(N_COLUMNS)


def matrix(n_rows=6, n_columns=N_COLUMNS):
    """Two columns per row; the arrays are replaced afterwards, because scipy checks those it is given."""
    columns = [column for row in range(n_rows) for column in sorted({row % n_columns, (row + 1) % n_columns})]
    indptr = np.arange(0, 2 * n_rows + 1, 2, dtype=np.int32)
    return sp.csr_matrix((np.ones(2 * n_rows, np.float32), np.array(columns, np.int32), indptr), (n_rows, n_columns))


def beyond(X):
    X.indices = X.indices.copy()
    X.indices[5] = 10**9


def negative(X):
    X.indices = X.indices.copy()
    X.indices[5] = -(10**9)


def starts_beyond_the_entries(X):
    X.indptr = X.indptr.copy()
    X.indptr[-1] = 10**6


def starts_that_decrease(X):
    X.indptr = X.indptr.copy()
    X.indptr[2] = 10


def too_few_columns(X):
    X.indices = X.indices[:3]


DAMAGES = [beyond, negative, starts_beyond_the_entries, starts_that_decrease, too_few_columns]


def learner_calls(estimator, y=Y):
    def new():
        return type(estimator)(**estimator.get_params(deep=False))

    def fitted(_):
        return new().fit(matrix(), y)

    name = type(estimator).__name__
    if isinstance(estimator, OneVsAll | OneVsOne):
        name += f"({type(estimator.estimator).__name__})"
    calls = {
        "fit": lambda X: estimator.fit(X, y),
        "predict": lambda X: fitted(X).predict(X),
        "decision_function": lambda X: fitted(X).decision_function(X),
        "score": lambda X: fitted(X).score(X, y),
    }
    if hasattr(estimator, "partial_fit"):
        calls["partial_fit"] = lambda X: new().partial_fit(X, y)
        calls["further partial_fit"] = lambda X: new().partial_fit(matrix(), y).partial_fit(X, y)
    return {(name, f"{call} of {len(set(y))} classes"): function for call, function in calls.items()}


def all_calls():
    calls = {}
    for cls in (Perceptron, AveragedPerceptron, MIRA, AROW, BatchPerceptron, VotedPerceptron):
        calls |= learner_calls(cls())
    for cls in (Perceptron, AveragedPerceptron, MIRA, AROW):
        calls |= learner_calls(cls(), THREE)
    for inner in (AROW(), VotedPerceptron()):
        calls |= learner_calls(OneVsAll(inner), THREE) | learner_calls(OneVsOne(inner), THREE)
    calls |= {
        ("AROW", "fit with ratios"): lambda X: AROW(column_weight="log_count_ratio").fit(X, Y),
        ("MIRA", "fit with pair_bits"): lambda X: MIRA(pair_bits=4).fit(X, Y),
        ("MIRA", "fit with hash_bits"): lambda X: MIRA(hash_bits=4).fit(X, THREE),
        ("OneVsAll", "fit of an indicator"): lambda X: OneVsAll(MIRA()).fit(np.eye(6), X),
        ("LogCountRatio", "fit"): lambda X: LogCountRatio().fit(X, Y),
        ("LogCountRatio", "fit of 3 classes, presence"): lambda X: LogCountRatio(binary=True).fit(X, THREE),
        ("LogCountRatio", "transform"): lambda X: LogCountRatio().fit(matrix(), Y).transform(X),
        ("LogCountRatio", "fit_transform"): lambda X: LogCountRatio().fit_transform(X, Y),
        ("LogCountRatio", "weigh"): lambda X: LogCountRatio().fit(matrix(), THREE).weigh(X, 2),
        ("Conjunctions", "fit"): lambda X: Conjunctions().fit(X),
        ("Conjunctions", "fit by likelihood"): lambda X: Conjunctions(select_by="log_likelihood").fit(X, Y),
        ("Conjunctions", "fit_transform"): lambda X: Conjunctions(degree=3).fit_transform(X),
        ("Conjunctions", "transform"): lambda X: Conjunctions().fit(matrix()).transform(X),
        ("attainable_margin", ""): lambda X: margins.attainable_margin(X, Y),
        ("is_separable", ""): lambda X: margins.is_separable(X, Y),
        ("losses", ""): lambda X: margins.losses(X, Y, COEF),
        ("margin", ""): lambda X: margins.margin(X, Y, COEF),
        ("mistake_bound", ""): lambda X: margins.mistake_bound(X, Y),
        ("point_margins", ""): lambda X: margins.point_margins(X, Y, COEF),
        ("radius", ""): lambda X: margins.radius(X),
        ("report", ""): lambda X: margins.report(X, Y),
    }
    return calls


CALLS = all_calls()
WITHOUT_ARRAYS = {
    "AttainableMargin", "BagOfWords", "HashedBagOfWords", "Losses", "MarginReport", "MistakeBound", "Separability",
    "TextClassifier", "TextModel", "WordPairs", "explain", "load_corpus", "margins", "read_corpus", "tune",
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_arrays_that_form_a_matrix_are_accepted(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        CALLS[call](matrix())


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_arrays_that_form_no_matrix_are_rejected(call, damage):
    X = matrix()
    damage(X)
    with pytest.raises(ValueError, match=r"column -?10{9} in row|indptr|index pointer|belong together|same size"):
        CALLS[call](X)


def test_every_public_name_is_in_one_of_the_lists():
    public = {*textperceptron.__all__, *margins.__all__}
    assert {name.partition("(")[0] for name, _ in CALLS} | WITHOUT_ARRAYS == public
