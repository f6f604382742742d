"""Texts to label next: unsure, different, and never more than there are."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.report import suggest_texts
from textperceptron.report.suggest import MAX_SIMILARITY
from textperceptron.settings import recipe


@pytest.fixture(scope="module")
def reviews():
    return bundled("reviews")


@pytest.fixture(scope="module")
def model(reviews):
    return TextModel.train(*reviews.train)


def cosines(model, texts):
    rows = model.parts.features.rows(texts)
    dense = np.zeros((len(texts), rows.n_columns))
    for k in range(len(texts)):
        span = slice(*rows.indptr[k : k + 2])
        dense[k, rows.indices[span]] = rows.data[span]
    return dense @ dense.T


def test_suggestions_are_the_least_sure_of_those_that_are_not_alike(reviews, model):
    texts = reviews.test.texts
    margins = np.abs(model.scores(texts))
    found = suggest_texts(model, texts, 10)
    assert [each.index for each in found] == np.argsort(margins)[:10].tolist()  # no two reviews are alike
    assert [each.margin for each in found] == sorted(margins)[:10]
    assert [each.label for each in found] == model.predict([each.text for each in found])


def test_copies_and_similar_texts_are_suggested_once(reviews, model):
    unsure = suggest_texts(model, reviews.test.texts, 1)[0].text
    texts = [*reviews.test.texts, unsure, unsure + " !", unsure.upper()]
    found = suggest_texts(model, texts, 10)
    similar = cosines(model, [each.text for each in found])
    assert (similar[~np.eye(len(found), dtype=bool)] <= MAX_SIMILARITY + 1e-6).all()


def test_similar_texts_fill_up_what_is_missing(model):
    found = suggest_texts(model, ["lovely soup"] * 5 + ["a rude waiter"], 4)
    assert len(found) == 4
    assert len({each.text for each in found[:2]}) == 2
    assert len({each.index for each in found}) == 4


def test_texts_without_known_terms_come_last(model):
    found = suggest_texts(model, ["", "\N{GREEK SMALL LETTER ALPHA}" * 9, "lovely soup", "cold soup"], 4)
    assert {each.index for each in found[:2]} == {2, 3}


@pytest.mark.parametrize("changes", [{}, {"multiclass": "one-vs-one"}, {"n_features": 512}])
def test_several_classes_and_hashed_columns(changes):
    train, test = bundled("topics")
    model = TextModel.train(*train, recipe("mira").replace(**changes))
    scores = np.sort(model.scores(test.texts), axis=1)
    found = suggest_texts(model, test.texts, 5)
    assert found[0].margin == pytest.approx((scores[:, -1] - scores[:, -2]).min())


def test_several_labels_per_text():
    model = TextModel.train(["good soup", "bad soup", "good phone"], [["g", "s"], ["s"], ["g"]])
    found = suggest_texts(model, ["soup", "good"], 5)
    assert len(found) == 2
    assert isinstance(found[0].label, tuple)


def test_no_texts_and_no_count(model):
    assert suggest_texts(model, [], 3) == []
    with pytest.raises(ValueError, match="count=0"):
        suggest_texts(model, ["a"], 0)
