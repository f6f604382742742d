"""``Conjunctions`` compared with dictionaries and itertools on the same rows."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

import reference_conjunctions as reference
from helpers.problems import matrices
from helpers.sklearn_checks import REFUSED
from helpers.texts import corpus
from textperceptron import BagOfWords, Conjunctions, Perceptron
from textperceptron.text.conjunctions import apply, counting, top_k
from textperceptron.text.conjunctions.names import conjunction_name
from textperceptron.text.conjunctions.settings import ConjunctionSettings
from textperceptron.text.conjunctions.table import learn_conjunctions
from textperceptron.text.csr import CountMatrix

SMALL = st.integers(-3, 3).map(float)  # products are exact in float32


def rows_of(X):
    rows = []
    for begin, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        row = {}
        for column, value in zip(X.indices[begin:end].tolist(), X.data[begin:end].tolist(), strict=True):
            row[column] = row.get(column, 0) + value
        rows.append(row)
    return rows


def assert_rows(Z, expected):
    """The same entries, in rows whose columns ascend strictly."""
    assert rows_of(Z) == expected
    assert all((np.diff(Z.indices[a:b]) > 0).all() for a, b in zip(Z.indptr, Z.indptr[1:], strict=False))


def fitted(X, **settings):
    """The transformer and its matrix, or the error if no conjunction is left."""
    join = Conjunctions(**settings)
    try:
        return join, join.fit_transform(X)
    except ValueError as error:
        return join, str(error)


@st.composite
def settings(draw, n_columns):
    pivots = st.none() | st.sets(st.integers(0, n_columns - 1), min_size=1).map(sorted)
    return {
        "degree": draw(st.sampled_from([2, 3])),
        "min_df": draw(st.sampled_from([1, 2, 3])),
        "max_df": draw(st.sampled_from([3, 4, 100])),
        "max_features": draw(st.sampled_from([None, None, 1, 2, 5])),
        "pivots": draw(pivots),
    }


@given(st.data(), matrices(max_columns=9, values=SMALL), matrices(max_columns=9, values=SMALL), st.booleans())
def test_conjunctions_are_those_of_the_reference(data, X, more, keep_words):
    if X.shape[1] < 2:
        return
    how = data.draw(settings(X.shape[1]))
    chosen, frequency = reference.choose(rows_of(X), **how)
    join, Z = fitted(X, keep_words=keep_words, **how)
    if isinstance(Z, str):
        assert Z.startswith("After pruning, no conjunctions remain")
        assert chosen == []
        return
    assert [tuple(one) for one in [*join.pairs_.tolist(), *join.triples_.tolist()]] == chosen
    assert join.document_frequency_.tolist() == frequency
    assert_rows(Z, reference.conjoin(rows_of(X), chosen, X.shape[1], keep_words))
    assert Z.dtype == X.dtype
    assert Z.shape[1] == len(join.get_feature_names_out())
    other = sp.csr_array((more.data, more.indices % X.shape[1], more.indptr), shape=(more.shape[0], X.shape[1]))
    assert_rows(join.transform(other), reference.conjoin(rows_of(other), chosen, X.shape[1], keep_words))


@given(matrices(max_columns=9, min_rows=4), st.integers(2, 3), st.sampled_from([2, 3]), st.data())
def test_scores_are_log_likelihood_ratios_and_the_highest_are_kept(X, n_classes, degree, data):
    if X.shape[1] < 2:
        return
    n = X.shape[0]
    y = data.draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    join = Conjunctions(select_by="log_likelihood", degree=degree)
    chosen, _ = reference.choose(rows_of(X), degree)
    if not chosen:
        return
    join.fit(X, y)
    expected = [reference.log_likelihood(rows_of(X), y, one) for one in chosen]
    np.testing.assert_allclose(join.scores_, expected, atol=1e-9)
    limit = data.draw(st.integers(1, len(chosen)))
    best = np.sort(np.argsort(-join.scores_, kind="stable")[:limit])
    few = clone(join).set_params(max_features=limit).fit(X, y)
    assert [tuple(one) for one in [*few.pairs_.tolist(), *few.triples_.tolist()]] == [chosen[k] for k in best]
    np.testing.assert_array_equal(few.scores_, join.scores_[best])


@given(
    matrices(max_columns=9, min_rows=5, max_rows=30), st.sampled_from([2, 3]), st.sampled_from([None, 1, 3]),
    st.booleans(), st.sampled_from(["document_frequency", "log_likelihood"]),
)  # fmt: skip
def test_any_number_of_threads_and_any_block_give_the_same_bytes(X, degree, max_features, pivoted, score):
    if X.shape[1] < 2 or not reference.choose(rows_of(X), pivots=[0, 1] if pivoted else None)[0]:
        return
    y = np.arange(X.shape[0]) % 3
    how = {"degree": degree, "max_features": max_features, "pivots": [0, 1] if pivoted else None, "select_by": score}
    expected = Conjunctions(**how).fit_transform(X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "BLOCK", 3)
        patch.setattr(counting, "CAPACITY", 64)
        patch.setattr(apply, "BLOCK", 5)
        patch.setattr(top_k, "SPARE", 1)
        for n_jobs in (1, 2, 5):
            Z = Conjunctions(**how, n_jobs=n_jobs).fit_transform(X, y)
            for part in ("data", "indices", "indptr"):
                assert getattr(Z, part).tobytes() == getattr(expected, part).tobytes()


@pytest.mark.parametrize("degree", [2, 3])
@given(X=matrices(max_columns=7, values=SMALL))
def test_without_limits_they_are_scikit_learns_interactions(degree, X):
    if X.shape[1] < 2:
        return
    join, Z = fitted(X, degree=degree)
    if isinstance(Z, str):
        return
    theirs = PolynomialFeatures(degree, interaction_only=True, include_bias=False)
    expected = theirs.fit_transform(X.toarray())
    place = {name: column for column, name in enumerate(theirs.get_feature_names_out())}
    ours = [name.replace("-and-", " ") for name in join.get_feature_names_out()]
    np.testing.assert_array_equal(Z.toarray(), expected[:, [place[name] for name in ours]])
    others = np.setdiff1d(np.arange(expected.shape[1]), [place[name] for name in ours])
    assert not expected[:, others].any()


def test_the_pairs_of_a_corpus_are_scikit_learns_interactions():
    X = BagOfWords(min_df=20, dtype=np.float64).fit_transform(corpus("sentence_polarity.zip", 2000))
    ours = Conjunctions(min_df=3, n_jobs=2).fit(X)
    theirs = PolynomialFeatures(interaction_only=True, include_bias=False).fit_transform(X).tocsc()
    n = X.shape[1]
    first, second = ours.pairs_.T.astype(np.int64)
    columns = n + first * (2 * n - first - 1) // 2 + second - first - 1
    assert (ours.transform(X) != theirs[:, np.r_[:n, columns]].tocsr()).nnz == 0
    frequency = np.diff(theirs.indptr)[n:]
    assert (frequency >= 3).sum() == len(columns)


def test_indices_are_of_64_bits_only_where_32_do_not_suffice(monkeypatch):
    X = sp.csr_array(np.ones((2, 4), np.float32))
    rows = CountMatrix(X.data, X.indices, X.indptr, 4)
    table = learn_conjunctions(rows, ConjunctionSettings(degree=3))
    small = apply.conjoin(rows, table)
    monkeypatch.setattr(apply, "LARGEST_INT32", 5)
    large = apply.conjoin(rows, table)
    assert small.indices.dtype == small.indptr.dtype == np.int32
    assert large.indices.dtype == large.indptr.dtype == np.int64
    assert large.indices.tolist() == small.indices.tolist() == [*range(14), *range(14)]


XOR = ["excellent", "not excellent", "terrible", "not terrible"]
GOOD = [1, 0, 0, 1]


@pytest.mark.parametrize("vectoriser", [BagOfWords, CountVectorizer])
def test_a_linear_learner_needs_them_for_xor_and_then_learns_it(vectoriser):
    plain = make_pipeline(vectoriser(), Perceptron(max_iter=1000)).fit(XOR, GOOD)
    assert plain.score(XOR, GOOD) < 1
    model = make_pipeline(vectoriser(), Conjunctions(), Perceptron(max_iter=1000)).fit(XOR, GOOD)
    assert model.score(XOR, GOOD) == 1
    weight = dict(zip(model[:-1].get_feature_names_out(), model[-1].coef_[0], strict=True))
    assert set(weight) == {"excellent", "not", "terrible", "excellent-and-not", "not-and-terrible"}
    assert weight["excellent"] > 0 > weight["excellent-and-not"]
    assert weight["terrible"] < 0 < weight["not-and-terrible"]


def test_names_are_in_alphabetical_order_whatever_the_order_of_the_columns():
    X = np.array([[1.0, 1, 1], [0, 1, 1]])
    join = Conjunctions(feature_names=["not", "excellent", "film"], degree=3).fit(X)
    names = ["excellent-and-not", "film-and-not", "excellent-and-film", "excellent-and-film-and-not"]
    assert join.get_feature_names_out().tolist() == ["not", "excellent", "film", *names]
    assert Conjunctions().fit(X).get_feature_names_out(["b", "a", "é"]).tolist()[3:] == [
        "a-and-b", "b-and-é", "a-and-é",
    ]  # fmt: skip
    frame = pd.DataFrame(X, columns=["b", "a", "c"])
    assert Conjunctions(pivots=["c"]).fit(frame).get_feature_names_out().tolist()[3:] == ["b-and-c", "a-and-c"]


def test_look_ups_accept_the_words_in_any_order():
    X = np.array([[1.0, 1, 1, 0], [0, 1, 1, 1]])
    names = ["terrible", "not", "rock-and-roll", "film"]
    for keep_words in (True, False):
        join = Conjunctions(feature_names=names, degree=3, keep_words=keep_words).fit(X)
        out = join.get_feature_names_out().tolist()
        for name in ("terrible-and-not", "not-and-terrible", "rock-and-roll-and-not", "not-and-rock-and-roll"):
            assert join.column_of(name) == out.index("-and-".join(sorted(_words(name))))
        assert join.column_of("rock-and-roll-and-not-and-terrible") == len(out) - 2
        if keep_words:
            assert join.column_of("rock-and-roll") == 2
        for name, message in (
            ("film-and-terrible", "not chosen"),
            ("film-and-terrible-and-not", "not chosen"),
            ("terrible-and-nott", "did you mean 'not'"),
            ("film-and-film", "not chosen"),
        ):
            with pytest.raises(KeyError, match=message):
                join.column_of(name)
    assert conjunction_name("b", "a-and-c") == "a-and-b-and-c"


def _words(name):
    return [part.replace("&", "-and-") for part in name.replace("rock-and-roll", "rock&roll").split("-and-")]


def test_it_works_in_a_grid_search_and_survives_clone_and_pickle():
    texts, y = XOR * 3, GOOD * 3
    model = make_pipeline(BagOfWords(), Conjunctions(), Perceptron(max_iter=50))
    search = GridSearchCV(model, {"conjunctions__min_df": [1, 9], "conjunctions__degree": [2, 3]}, cv=3, error_score=0)
    with pytest.warns(FitFailedWarning, match="Lower min_df"):
        search.fit(texts, y)
    assert search.best_params_["conjunctions__min_df"] == 1
    X = BagOfWords().fit_transform(texts)
    join = Conjunctions(min_df=2).fit(X)
    assert clone(join).get_params() == join.get_params()
    assert (pickle.loads(pickle.dumps(join)).transform(X) != join.transform(X)).nnz == 0


def test_input_is_not_changed_and_may_be_read_only_unsorted_or_dense():
    X = sp.csr_array(np.array([[1.0, 2, 0], [3, 0, 1], [1, 1, 1]], np.float32))
    X.indices[:2], X.data[:2] = [1, 0], [2, 1]  # row 0 in falling order
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    X.has_sorted_indices = False
    kept = X.indices.copy(), X.data.copy()
    Z = Conjunctions().fit_transform(X)
    np.testing.assert_array_equal(Z.toarray(), Conjunctions().fit_transform(X.toarray()).toarray())
    np.testing.assert_array_equal(X.indices, kept[0])
    np.testing.assert_array_equal(X.data, kept[1])


@parametrize_with_checks([Conjunctions()], expected_failed_checks=lambda _: REFUSED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


FOUR = np.array([[1.0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"degree": 1}, "degree=1: use 2 for pairs, or 3"),
        ({"degree": 4}, "degree=4"),
        ({"degree": True}, "degree=True"),
        ({"min_df": 0}, "'min_df' parameter must be"),
        ({"max_df": 1.5}, "'max_df' parameter must be"),
        ({"min_df": 3, "max_df": 2}, "max_df corresponds to < documents than min_df"),
        ({"max_features": 0}, "'max_features' parameter must be"),
        ({"select_by": "chi2"}, "select_by='chi2': use one of 'document_frequency', 'log_likelihood'"),
        ({"memory_limit": 0}, "memory_limit=0: use a number of bytes"),
        ({"memory_limit": 2.5}, "memory_limit=2.5"),
        ({"pivots": []}, "pivots is empty"),
        ({"pivots": "not"}, r"pivots='not': use a list of columns, e.g. \['not'\]"),
        ({"pivots": 3}, r"pivots=3: use a list"),
        ({"pivots": [4, -1, 2, 1.5, True]}, "pivots has 4, -1, 1.5, True: use numbers of columns from 0 to 3"),
        ({"pivots": ["not"]}, r"pivots has words \('not'\), but the columns of X have no names"),
        ({"pivots": ["nott", "zz"], "feature_names": ["not", "a", "b", "c"]}, r"'nott' \(did you mean 'not'\?\), 'zz'"),
        ({"feature_names": ["a", "b"]}, "feature_names has 2 names, but X has 4 columns"),
        ({"min_df": 3}, "After pruning, no conjunctions remain.*3 to 3 rows. Try a lower min_df"),
        ({"select_by": "log_likelihood"}, "requires y to be passed"),
        ({"n_jobs": 0}, "n_jobs == 0"),
    ],
)
def test_settings_that_cannot_work_are_rejected(settings, message):
    with pytest.raises(ValueError, match=message):
        Conjunctions(**settings).fit(FOUR)


def test_one_column_cannot_be_joined_and_missing_values_are_named():
    with pytest.raises(ValueError, match=r"1 feature\(s\).*minimum of 2 is required by Conjunctions"):
        Conjunctions().fit(FOUR[:, :1])
    with pytest.raises(ValueError, match="NaN in row 1, column 2"):
        Conjunctions().fit(np.where(FOUR == 0, np.nan, FOUR)[[0, 1]][:, [1, 3, 0]])
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2 labels"):
        Conjunctions(select_by="log_likelihood").fit(FOUR, [0, 1])
    with pytest.raises(ValueError, match="triple product overflows float32"):
        Conjunctions(degree=3).fit_transform(np.full((2, 3), 1e15, np.float32))


def test_more_conjunctions_than_memory_are_rejected_with_an_estimate_and_a_remedy():
    X = sp.csr_array(np.ones((3, 2000), np.float32))
    with pytest.raises(
        MemoryError,
        match=r"About 1,999,000 conjunctions of words in at least 1 rows would take about 48.0 MB, more than the "
        r"1\.0 MB of memory_limit\. Use a larger min_df.*on the fly",
    ):
        Conjunctions(memory_limit=10**6).fit(X)
    entries = "6,003,000 entries of 3 rows with 1,999,000 conjunctions would take about 48.0 MB"
    with pytest.raises(MemoryError, match=entries):
        Conjunctions(memory_limit=48_000_000).fit_transform(X)
    assert Conjunctions(memory_limit=10**6, pivots=[3]).fit_transform(X).shape == (3, 2000 + 1999)


def test_the_estimate_reaches_beyond_what_was_counted(monkeypatch):
    monkeypatch.setattr(counting, "BLOCK", 1 << 18)
    X = sp.csr_array(np.ones((2, 3000), np.float32))
    with pytest.raises(MemoryError, match=r"About 4,498,500 conjunctions.* about 108.0 MB"):
        Conjunctions(memory_limit=10**7).fit(X)


def test_only_what_is_kept_has_to_fit_into_memory(monkeypatch):
    monkeypatch.setattr(counting, "BLOCK", 1 << 16)
    X = sp.csr_array(np.ones((3, 2000), np.float32))
    few = Conjunctions(memory_limit=10**6, max_features=5, keep_words=False).fit(X)
    assert few.pairs_.tolist() == [[0, second] for second in range(1, 6)]


def test_too_many_triples_are_rejected_before_they_are_counted():
    X = sp.csr_array(np.ones((1, 5000), np.float32))
    with pytest.raises(ValueError, match=r"degree=3: the rows have about 2\.1e\+10 triples of 5,000 words.*pivots"):
        Conjunctions(degree=3, max_features=10).fit(X)
    assert len(Conjunctions(degree=3, max_features=10, pivots=[0]).fit(X).scores_) == 10
