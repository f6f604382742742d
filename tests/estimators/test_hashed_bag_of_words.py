"""HashedBagOfWords is HashingVectorizer without the normalisation, compiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import murmurhash3_32

from helpers.texts import CORPORA, collections, corpus
from textperceptron._kernels import write_hashed_rows
from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.estimators.hashed_bag_of_words import HashedBagOfWords
from textperceptron.text import tokenize


def assert_same_matrix(ours, theirs):
    theirs.sum_duplicates()
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.data, theirs.data)


@given(
    collections,
    st.sampled_from([1, 2, 3, 10, 16, 1_000_000, 2**20, 2**30 - 1, 2**30]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([("word", (1, 2)), ("char", (1, 3)), ("char_wb", (2, 3))]),
)
def test_columns_and_signs_are_those_of_hashing_vectorizer(texts, n_features, alternate_sign, binary, cut):
    assume(not any("\ud800" <= c <= "\udfff" for text in texts for c in text))  # theirs cannot encode surrogates
    parameters = {
        "n_features": n_features, "alternate_sign": alternate_sign, "binary": binary, "analyzer": cut[0],
        "ngram_range": cut[1],
    }  # fmt: skip
    theirs = HashingVectorizer(norm=None, **parameters).transform(texts)
    assert_same_matrix(HashedBagOfWords(**parameters).transform(texts), theirs)


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 2), (1, 3), (2, 5), (1, 40)])
def test_terms_and_documents_of_any_length_hash_as_in_hashing_vectorizer(ngrams):
    rng = np.random.default_rng(0)
    words = ["x" * n + "yz" for n in range(60)] + ["é" * n for n in range(2, 20)] + ["ab", "abc", "cab"] * 20
    texts = [" ".join(rng.choice(words, n)) for n in (0, 1, 2, 3, 31, 32, 33, 34, 63, 64, 65, 66, 200)]
    for n_features in (2**20, 10**6):
        parameters = {"n_features": n_features, "ngram_range": ngrams}
        theirs = HashingVectorizer(norm=None, **parameters).transform(texts)
        assert_same_matrix(HashedBagOfWords(**parameters).transform(texts), theirs)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_dtype_is_the_type_of_the_values_for_any_number_of_threads(dtype, n_jobs, monkeypatch):
    monkeypatch.setattr(tokenize, "BLOCK", 50)
    texts = ["good good film", "", "a very good film, very good", "bad", "!", "the worst of the worst"] * 9
    for alternate_sign in (True, False):
        parameters = {"n_features": 8, "alternate_sign": alternate_sign}
        X = HashedBagOfWords(dtype=dtype, n_jobs=n_jobs, **parameters).transform(texts)
        assert X.data.dtype == dtype
        theirs = HashingVectorizer(norm=None, dtype=np.int64, **parameters).transform(texts)
        theirs.sum_duplicates()
        assert_same_matrix(X, theirs.astype(dtype))


def row_of_all_kinds(rng, kind, n, bits):
    """Numbers of a row: spread as a hash does, crowded behind the same upper bits, or falling."""
    if kind == "spread":
        return rng.integers(0, 1 << bits, n)
    near = rng.integers(0, 1 << min(bits, 7), n) + ((1 << bits) - (1 << min(bits, 7)))
    return near if kind == "crowded" else np.sort(near)[::-1]


@pytest.mark.parametrize("bits", [1, 2, 5, 8, 21, 31])
@pytest.mark.parametrize("kind", ["spread", "crowded", "falling"])
@pytest.mark.parametrize("signs", [False, True])
def test_rows_are_sorted_and_summed_however_their_columns_lie(bits, kind, signs):
    rng = np.random.default_rng(bits)
    rows = [row_of_all_kinds(rng, kind, n, bits).astype(np.int32) for n in (0, 1, 2, 31, 32, 33, 500, 9000, 70_000)]
    row_starts = np.cumsum([0, *map(len, rows)])
    sizes, spare = np.empty(len(rows), np.int64), np.empty(row_starts[-1], np.int32)
    indices, data = np.empty(row_starts[-1], np.int32), np.empty(row_starts[-1], np.int64)
    write_hashed_rows(np.concatenate(rows), row_starts, signs, bits, False, spare, sizes, indices, data)
    begin = 0
    for row, size in zip(rows, sizes, strict=True):
        columns, places = np.unique(row >> signs, return_inverse=True)
        np.testing.assert_array_equal(indices[begin : begin + size], columns)
        sums = np.bincount(places, 1 - 2 * (row & 1) if signs else None, len(columns))
        np.testing.assert_array_equal(data[begin : begin + size], sums)
        begin += size


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_corpora_give_the_matrix_of_hashing_vectorizer(name):
    texts = corpus(name, 300)
    for n_features in (2**10, 2**20):
        parameters = {"n_features": n_features, "ngram_range": (1, 2)}
        theirs = HashingVectorizer(norm=None, **parameters).transform(texts)
        assert_same_matrix(HashedBagOfWords(n_jobs=2, **parameters).transform(texts), theirs)


@given(collections)
def test_a_stream_in_batches_gives_the_rows_of_the_whole(texts):
    bag = HashedBagOfWords(n_features=64)
    whole = bag.transform(texts).toarray()
    batches = [bag.transform(iter(texts[k : k + 2])).toarray() for k in range(0, len(texts), 2)]
    np.testing.assert_array_equal(np.vstack(batches), whole)


@given(collections, st.sampled_from([1, 4, 10, 64, 2**20]))
def test_collisions_count_the_terms_that_share_a_column(texts, n_features):
    texts = [*texts, "certainly two"]
    bag = HashedBagOfWords(n_features=n_features, alternate_sign=False, dtype=np.int64)
    report = bag.collisions(texts, limit=3)
    names = BagOfWords().fit(texts).get_feature_names_out()
    columns = [int(bag.transform([name]).indices[0]) for name in names]
    assert report.n_terms == len(names)
    assert report.n_columns == len(set(columns))
    assert report.n_colliding == sum(columns.count(column) > 1 for column in columns)
    assert report.rate == report.n_colliding / len(names)
    assert len(report.shared) <= 3
    for shared in report.shared:
        assert len({columns[names.tolist().index(name)] for name in shared}) == 1


@pytest.mark.parametrize("n_features", [1000, 2**10])
def test_the_least_hash_has_the_column_of_hashing_vectorizer(n_features):
    """Of -2**31 there is no absolute value of 32 bits."""
    word = "uwymouna"
    assert murmurhash3_32(word) == -(2**31)
    theirs = HashingVectorizer(norm=None, n_features=n_features).transform([word])
    assert_same_matrix(HashedBagOfWords(n_features=n_features).transform([word]), theirs)


@pytest.mark.parametrize("n_features", [0, -4, 2**31, 2.0, True])
def test_n_features_must_be_a_number_of_columns(n_features):
    with pytest.raises(ValueError, match=r"n_features=.*: use a number of columns from 1 to"):
        HashedBagOfWords(n_features=n_features).transform(["a text"])


def test_fit_learns_nothing_and_reads_nothing():
    assert HashedBagOfWords().fit().transform(["word"]).nnz == 1
    assert HashedBagOfWords().partial_fit(iter(())).fit_transform(["word"]).nnz == 1
