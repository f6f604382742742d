"""Columns by falling document frequency, ties in order of first appearance, in every interface."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.texts import collections, corpus
from textperceptron import MIRA, BagOfWords, TextModel
from textperceptron.settings import TextSettings, WindowSettings, recipe
from textperceptron.text import term_table, tokenize
from textperceptron.text.analyze import terms_of
from textperceptron.text.columns import document_limits
from textperceptron.text.counted_texts import count_texts
from textperceptron.text.vectorize import fit_transform, transform

words = st.builds(
    TextSettings,
    ngram_range=st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 3)]),
    negation=st.booleans(),
    prefixes=st.sampled_from([0, 1, 2]),
    conjunctions=st.sampled_from([None, WindowSettings(None, 2)]),
)
characters = st.builds(TextSettings, ngram_range=st.just((1, 3)), analyzer=st.sampled_from(["char", "char_wb"]))
# Not compiled: its tokens may be equal to prefixes and conjunctions.
python_words = st.builds(
    TextSettings,
    token_pattern=st.just(r"\S+"),
    prefixes=st.sampled_from([0, 1]),
    ngram_range=st.sampled_from([(1, 1), (1, 2), (2, 2)]),
)
limits = st.fixed_dictionaries({
    "min_df": st.sampled_from([1, 2, 0.4]),
    "max_df": st.sampled_from([1.0, 0.9, 3]),
    "max_features": st.sampled_from([None, 1, 3, 8]),
    "binary": st.booleans(),
})  # fmt: skip


def reference_columns(texts, settings):
    """Return the names of the columns, in plain Python."""
    terms = [terms_of(text, settings) for text in texts]
    seen = list(dict.fromkeys(chain.from_iterable(terms)))
    frequency = Counter(chain.from_iterable(map(set, terms)))
    total = frequency if settings.binary else Counter(chain.from_iterable(terms))
    fewest, most = document_limits(settings.min_df, settings.max_df, len(texts))
    kept = [term for term in seen if fewest <= frequency[term] <= most]
    largest = set(sorted(kept, key=lambda term: -total[term])[: settings.max_features])
    return sorted((term for term in kept if term in largest), key=lambda term: -frequency[term])


def assert_same_matrix(mine, other):
    for one, another in zip(mine, other, strict=True):
        np.testing.assert_array_equal(one, another)


@given(
    texts=collections, settings=st.one_of(words, characters, python_words), limits=limits,
    size=st.sampled_from([1, 20, 1000]), jobs=st.sampled_from([1, 2, 3]),
)  # fmt: skip
def test_columns_are_those_of_the_reference(texts, settings, limits, size, jobs):
    settings = replace(settings, **limits)
    if settings.conjunctions is not None:  # without words to join there is an error
        texts = [*texts, "two words"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenize, "BLOCK", size)
        patch.setattr(term_table, "FIRST_SLOTS", 4)
        try:
            expected = reference_columns(texts, settings)
        except ValueError:  # min_df above max_df
            expected = []
        if not expected:
            with pytest.raises(ValueError, match=r"no terms|empty vocabulary|max_df"):
                fit_transform(texts, settings, n_jobs=jobs)
            return
        vocabulary, rows = fit_transform(texts, settings, n_jobs=jobs)
        known = transform(texts, settings, vocabulary.result(), n_jobs=jobs)
    assert vocabulary.result().names() == expected
    assert_same_matrix(rows, known)


def test_columns_of_the_same_frequency_are_in_order_of_first_appearance():
    texts = ["zoo zebra yak", "yak apple zebra yak", "mouse apple"]
    assert BagOfWords(ngram_range=(1, 2)).fit(texts).get_feature_names_out().tolist() == [
        "zebra", "yak", "zebra yak", "apple",  # in two texts; the words of a text come before its bigrams
        "zoo", "zoo zebra", "yak apple", "apple zebra", "mouse", "mouse apple",
    ]  # fmt: skip
    assert BagOfWords(prefixes=3, ngram_range=(1, 2)).fit(["zebra ape"]).get_feature_names_out().tolist() == [
        "zebra", "ape", "zeb*", "zebra ape",  # with its prefixes between them
    ]  # fmt: skip


def test_max_features_keeps_the_largest_totals_and_the_first_of_ties():
    texts = ["bb bb dd cc", "aa cc dd", "ee ee"]
    assert BagOfWords(max_features=3).fit(texts).get_feature_names_out().tolist() == ["dd", "cc", "bb"]
    assert BagOfWords(max_features=2, binary=True).fit(texts).get_feature_names_out().tolist() == ["dd", "cc"]
    assert BagOfWords(max_features=3, order="alphabet").fit(texts).get_feature_names_out().tolist() == [
        "bb",
        "cc",
        "dd",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("name", ["imdb.train.tsv.gz", "20news.train.tsv.gz"])
def test_rows_of_real_texts_ascend_and_do_not_depend_on_threads(name, binary):
    texts = corpus(name, 1500)
    settings = replace(recipe("fast").text.resolve_auto(2, 2000, "en"), binary=binary)
    results = [fit_transform(texts, settings, n_jobs=jobs) for jobs in (1, 2, 3)]
    names, rows = results[0][0].result().names(), results[0][1]
    ascends = np.diff(rows.indices) > 0
    ascends[rows.indptr[1:-1] - 1] = True  # from one row to the next
    assert ascends.all()
    for vocabulary, others in results[1:]:
        assert vocabulary.result().names() == names
        assert_same_matrix(others, rows)
    assert names == reference_columns(texts, settings)
    assert_same_matrix(transform(texts, settings, results[0][0].result()), rows)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_real_reviews_give_the_same_bits_as_the_pipeline(classes):
    texts = corpus("imdb.train.tsv.gz", 3000)
    labels = np.array([text.count("good") % classes for text in texts])
    model = TextModel.train(texts, labels.tolist(), recipe("mira"), n_jobs=2)
    bag = BagOfWords(ngram_range=(1, 2), binary=True)
    learner = MIRA(C=0.01).fit(bag.fit_transform(texts), labels)
    assert model.parts.features.vocabulary.names() == bag.get_feature_names_out().tolist()
    np.testing.assert_array_equal(model.scores(texts), learner.decision_function(bag.transform(texts)))


def test_a_subset_has_the_order_in_which_its_documents_are_given():
    counted = count_texts(["cat dog", "dog bird", "bird cat"], TextSettings())
    columns = counted.choose(TextSettings(), np.array([2, 0]))
    assert counted.vocabulary(columns).result().names() == ["cat", "bird", "dog"]
