"""Documents counted once give the same rows as documents counted again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.texts import as_parameters, collections, corpus
from textperceptron.settings import TextSettings, WindowSettings
from textperceptron.text.counted_texts import count_texts
from textperceptron.text.vectorize import fit_transform, transform

readings = st.builds(
    TextSettings,
    prefixes=st.sampled_from([0, 2]),
    ngram_range=st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 3)]),
    analyzer=st.sampled_from(["word", "char", "char_wb"]),
    token_pattern=st.sampled_from([r"(?u)\b\w\w+\b", r"\S+ \S+"]),  # the second is run by re, its tokens hold spaces
    min_df=st.sampled_from([1, 2, 0.4]),
    max_df=st.sampled_from([1.0, 0.9, 3]),
    max_features=st.sampled_from([None, 1, 5]),
    order=st.sampled_from(["frequency", "alphabet"]),
    binary=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]),
).filter(lambda reading: reading.analyzer == "word" or reading.token_pattern == r"(?u)\b\w\w+\b")


def assert_same_rows(documents, which, others, settings):
    def taken(numbers):
        return [documents[k] for k in numbers]

    counted = count_texts(documents, settings, unique=settings.binary)
    try:
        vocabulary, expected = fit_transform(taken(which), settings)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem).partition(" ")[0]):
            counted.choose(settings, which)
        return
    columns = counted.choose(settings, which)
    assert counted.vocabulary(columns).result().names() == vocabulary.result().names()
    known = transform(taken(others), settings, vocabulary.result())
    for numbers, theirs in ((which, expected), (others, known)):
        ours = counted.rows(columns, settings, numbers)
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(mine, other, strict=not isinstance(mine, int))
    if not settings.binary:  # every occurrence is there: also enough for binary rows
        presence = counted.rows(columns, replace(settings, binary=True), which)
        np.testing.assert_array_equal(presence.indices, expected.indices)
        assert len(presence.data) == 0


@given(documents=collections, settings=readings, data=st.data())
def test_rows_of_a_subset_equal_those_of_counting_it_alone(documents, settings, data):
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents))))
    which = np.array(data.draw(st.permutations(np.flatnonzero(inside).tolist())), np.int64)
    others = np.flatnonzero(~inside)
    assert_same_rows(documents, which, others, settings)


@pytest.mark.slow
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("name", as_parameters(["sentence_polarity.zip", "movie_reviews.zip", "20news.train.tsv.gz"]))
def test_rows_of_a_subset_of_a_real_corpus_equal_those_of_counting_it_alone(name, binary):
    documents = corpus(name, 400)
    shuffled = np.random.default_rng(0).permutation(len(documents))
    which, others = np.sort(shuffled[::2]), shuffled[1::2]
    settings = TextSettings(ngram_range=(1, 3), conjunctions=WindowSettings(("not",), 3), prefixes=4, binary=binary)
    for limits in ({}, {"min_df": 2, "max_df": 0.5, "max_features": 3000}):
        assert_same_rows(documents, which, others, replace(settings, **limits))


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("min_df", [1, 3])
def test_rows_in_the_memory_of_the_counts_are_the_same(binary, min_df):
    settings = TextSettings(ngram_range=(1, 2), binary=binary, min_df=min_df)
    counted = count_texts(corpus("movie_reviews.zip", 400), settings, unique=binary, n_jobs=2)
    columns = counted.choose(settings)
    kept = counted.rows(columns, settings)
    for mine, other in zip(kept, counted.into_rows(columns, settings), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_unique_terms_have_no_counts():
    settings = TextSettings()
    counted = count_texts(["a fine film"], settings, unique=True)
    with pytest.raises(ValueError, match="binary=True"):
        counted.rows(counted.choose(settings), settings)
