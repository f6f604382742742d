"""Columns by frequency, ties in order of first appearance: the same for any number of threads."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.texts import collections, corpus
from textperceptron import MIRA, BagOfWords, TextModel
from textperceptron.settings import recipe
from textperceptron.text import pieces
from textperceptron.text.columns import ColumnSettings
from textperceptron.text.conjunctions.windows import WindowSettings
from textperceptron.text.count import count_and_learn, count_then_name
from textperceptron.text.settings import TextSettings

words = st.builds(
    TextSettings,
    ngram_range=st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 3)]),
    negation=st.booleans(),
    prefixes=st.sampled_from([0, 1, 2]),
    conjunctions=st.sampled_from([None, WindowSettings(None, 2)]),
)
characters = st.builds(TextSettings, ngram_range=st.just((1, 3)), analyzer=st.sampled_from(["char", "char_wb"]))
# Run by re: its tokens may have the names of prefixes and pairs.
python_words = st.builds(TextSettings, token_pattern=st.just(r"\S+"), prefixes=st.sampled_from([0, 1]))
limits = st.builds(
    ColumnSettings,
    min_df=st.sampled_from([1, 2, 0.4]),
    max_df=st.sampled_from([1.0, 0.9, 3]),
    max_features=st.sampled_from([None, 3]),
    order=st.sampled_from(["frequency", "alphabet"]),
)


def as_met(texts, settings, chosen, n_jobs, *, binary):
    vocabulary, counts = count_then_name(texts, settings, chosen, binary=binary, n_jobs=n_jobs, as_met=True)
    return vocabulary(), counts


def by_name(vocabulary, counts):
    """Return the terms and values of each row, by name."""
    names = vocabulary.names()
    values = counts.data if len(counts.data) else np.ones(len(counts.indices), np.float32)
    entries = [(names[column], float(value)) for column, value in zip(counts.indices, values, strict=True)]
    return [sorted(entries[begin:end]) for begin, end in pairwise(counts.indptr.tolist())]


@given(
    texts=collections, settings=st.one_of(words, characters, python_words), chosen=limits, binary=st.booleans(),
    size=st.sampled_from([1, 20, 1000]),
)  # fmt: skip
def test_rows_are_those_of_columns_by_name(texts, settings, chosen, binary, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "BLOCK", size)
        try:
            vocabulary, expected = count_and_learn(texts, settings, chosen, binary=binary)
        except ValueError as problem:
            with pytest.raises(ValueError, match=str(problem).partition(" ")[0]):
                as_met(texts, settings, chosen, 2, binary=binary)
            return
        results = [as_met(texts, settings, chosen, jobs, binary=binary) for jobs in (1, 2, 3)]
    names, first = results[0]
    assert by_name(names, first) == by_name(vocabulary, expected)
    for other_names, result in results:
        assert other_names.names() == names.names()
        for mine, other in zip(result, first, strict=True):
            np.testing.assert_array_equal(mine, other)


def test_columns_of_the_same_frequency_are_in_order_of_first_appearance():
    texts = ["zoo zebra yak", "yak apple zebra yak", "mouse apple"]
    vocabulary, counts = as_met(texts, TextSettings(ngram_range=(1, 2)), ColumnSettings(), 1, binary=True)
    met = vocabulary.names()
    assert met == [
        "zebra", "yak", "apple", "zebra yak",  # in two texts; single words come before pairs
        "zoo", "mouse", "zoo zebra", "yak apple", "apple zebra", "mouse apple",
    ]  # fmt: skip
    assert [met[column] for column in counts.indices[:5]] == ["zoo", "zebra", "yak", "zoo zebra", "zebra yak"]


@pytest.mark.parametrize("name", ["mira", "best"])
def test_real_reviews_give_the_same_bytes_on_any_number_of_threads(name, tmp_path):
    texts = corpus("imdb.train.tsv.gz", 3000)
    labels = [("neg", "pos")["good" in text] for text in texts]
    files = []
    for jobs in (1, 2, 3):
        path = tmp_path / f"{jobs}.tpm"
        TextModel.train(texts, labels, recipe(name), n_jobs=jobs).save(path, trainable=True)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]


def test_real_reviews_have_the_bits_of_the_pipeline():
    texts = corpus("imdb.train.tsv.gz", 3000)
    labels = np.array(["good" in text for text in texts])
    model = TextModel.train(texts, labels.tolist(), recipe("mira"), n_jobs=2)
    bag = BagOfWords(ngram_range=(1, 2), binary=True)
    learner = MIRA(C=0.01).fit(bag.fit_transform(texts), labels)
    columns = [model.parts.features.vocabulary[name] for name in bag.get_feature_names_out()]
    np.testing.assert_array_equal(model.parts.model.weights[columns], learner.coef_[0])
