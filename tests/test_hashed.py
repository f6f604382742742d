"""HashedBagOfWords is HashingVectorizer without the normalisation, compiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer
from texts import CORPORA, collections, corpus

from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.estimators.hashed_bag_of_words import HashedBagOfWords


def assert_same_matrix(ours, theirs):
    theirs.sum_duplicates()
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.data, theirs.data)


@given(
    collections,
    st.sampled_from([1, 2, 16, 2**20, 2**30]),
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


@given(collections, st.sampled_from([1, 4, 64, 2**20]))
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


@pytest.mark.parametrize("n_features", [0, 3, -4, 2**31, 2.0, 1000])
def test_a_number_of_columns_that_is_no_power_of_two_is_refused(n_features):
    with pytest.raises(ValueError, match="n_features must be a power of two"):
        HashedBagOfWords(n_features=n_features).transform(["a text"])


def test_fit_learns_nothing_and_reads_nothing():
    assert HashedBagOfWords().fit().transform(["word"]).nnz == 1
    assert HashedBagOfWords().partial_fit(iter(())).fit_transform(["word"]).nnz == 1
