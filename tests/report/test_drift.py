"""Two corpora: told apart or not, and in the eyes of a model."""

from __future__ import annotations

import random

import pytest

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.report import compare_corpora
from textperceptron.settings import recipe


@pytest.fixture(scope="module")
def reviews():
    return bundled("reviews")


def test_two_parts_of_a_corpus_do_not_differ(reviews):
    found = compare_corpora(reviews.train.texts, reviews.test.texts)
    low, high = found.accuracy.interval
    assert low < 0.5 < high
    assert not found.differs
    assert found.accuracy.n == 2 * len(reviews.test.texts)  # as many of each
    assert found.views == ()


def test_a_mark_that_one_export_adds_is_found(reviews):
    texts = list(reviews.train.texts)
    random.Random(0).shuffle(texts)
    found = compare_corpora(texts[:240], [f"{text} [sent from the app]" for text in texts[240:]])
    assert found.accuracy.value > 0.95
    assert any("app" in term for term, _ in found.terms_of_b)
    assert found.differs


def test_texts_that_are_in_both_are_not_told_apart(reviews):
    texts = reviews.train.texts
    with pytest.raises(ValueError, match="B has 0 that are not in A"):
        compare_corpora(texts, texts)


@pytest.mark.parametrize("changes", [{}, {"n_features": 512}, {"multiclass": "one-vs-one"}])
def test_shares_margins_and_unknown_words_of_a_model(reviews, changes):
    topics = bundled("topics")
    model = TextModel.train(*topics.train, recipe("mira").replace(**changes))
    own, other = compare_corpora(topics.test.texts, reviews.test.texts, model).views
    for view, texts in ((own, topics.test.texts), (other, reviews.test.texts)):
        predicted = model.predict(texts)
        assert view.shares == {label: predicted.count(label) / len(texts) for label in model.classes}
        assert view.n_texts == len(texts)
    if "n_features" in changes:
        assert own.unknown_rate is None
    else:
        assert other.median_margin < own.median_margin
        assert other.unknown_rate > own.unknown_rate


def test_several_labels_per_text(reviews):
    model = TextModel.train(["good soup", "bad soup", "good phone"], [["g", "s"], ["s"], ["g"]])
    first, _ = compare_corpora(reviews.train.texts, reviews.test.texts, model).views
    assert set(first.shares) == {"g", "s"}
