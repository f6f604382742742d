"""Cached counts give the rows that counting the documents again would give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.texts import collections, corpus
from textperceptron.text.columns import ColumnSettings
from textperceptron.text.conjunctions.windows import WindowSettings
from textperceptron.text.count import count_and_learn, count_known
from textperceptron.text.recount import CountedDocuments
from textperceptron.text.settings import TextSettings

readings = st.builds(
    TextSettings,
    ngram_range=st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 3)]),
    analyzer=st.sampled_from(["word", "char", "char_wb"]),
    token_pattern=st.sampled_from([r"(?u)\b\w\w+\b", r"\S+ \S+"]),  # the second is run by re, its tokens hold spaces
).filter(lambda reading: reading.analyzer == "word" or reading.token_pattern == r"(?u)\b\w\w+\b")
column_settings = st.builds(
    ColumnSettings,
    min_df=st.sampled_from([1, 2, 0.4]),
    max_df=st.sampled_from([1.0, 0.9, 3]),
    max_features=st.sampled_from([None, 1, 5]),
    order=st.sampled_from(["frequency", "alphabet"]),
)


def assert_same_rows(documents, which, others, reading, limits, binary, dtype):
    def taken(places):
        return [documents[k] for k in places]

    try:
        vocabulary, expected = count_and_learn(taken(which), reading, limits, binary=binary, dtype=dtype)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem).partition(" ")[0]):
            CountedDocuments(documents, reading).choose(which, limits, binary=binary, dtype=dtype)
        return
    counted = CountedDocuments(documents, reading)
    columns = counted.choose(which, limits, binary=binary, dtype=dtype)
    asked = count_known(taken(others), reading, vocabulary, binary=binary, dtype=dtype)
    for places, theirs in ((which, expected), (others, asked)):
        ours = counted.rows(places, columns, binary=binary, dtype=dtype)
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(mine, other, strict=not isinstance(mine, int))


@given(
    documents=collections, reading=readings, limits=column_settings, binary=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]), data=st.data(),
)  # fmt: skip
def test_rows_of_a_part_are_those_of_counting_the_part_alone(documents, reading, limits, binary, dtype, data):
    inside = data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents)))
    which, others = np.flatnonzero(inside), np.flatnonzero(~np.array(inside, bool))
    assert_same_rows(documents, which, others, reading, limits, binary, dtype)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("name", ["sentence_polarity.zip", "movie_reviews.zip", "20news.train.tsv.gz"])
def test_rows_of_a_part_of_a_real_corpus_are_those_of_counting_it_alone(name, binary):
    documents = corpus(name, 400)
    places = np.random.default_rng(0).permutation(len(documents))
    which, others = np.sort(places[::2]), np.sort(places[1::2])
    reading = TextSettings(ngram_range=(1, 3), conjunctions=WindowSettings(("not",), 3))
    for limits in (ColumnSettings(), ColumnSettings(min_df=2, max_df=0.5, max_features=3000)):
        assert_same_rows(documents, which, others, reading, limits, binary, "float32")
