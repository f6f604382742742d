"""score_one and top_labels: label, score and probability of one text, with the bits of a batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.bundled import bundled
from helpers.texts import documents
from textperceptron import TextClassifier, TextModel
from textperceptron.learn.calibration import Platt, Temperature
from textperceptron.model import Prediction
from textperceptron.settings import recipe

REVIEWS, TOPICS = bundled("reviews"), bundled("topics")

# Name → corpus, changes of the recipe mira, whether texts are scored in one compiled call.
KINDS = {
    "two classes": (REVIEWS, {}, True),
    "six classes": (TOPICS, {}, True),
    "one-vs-all": (TOPICS, {"multiclass": "one-vs-all"}, True),
    "two classes, calibrated": (REVIEWS, {"calibrate": True}, True),
    "six classes, calibrated": (TOPICS, {"calibrate": True}, True),
    "float64, calibrated": (TOPICS, {"calibrate": True, "dtype": "float64"}, False),
    "one-vs-one": (TOPICS, {"multiclass": "one-vs-one"}, False),
    "hashed columns": (REVIEWS, {"n_features": 1000}, False),
    "votes": (REVIEWS, {"learner": "voted", "max_iter": 2}, False),
    "stop words": (TOPICS, {"stop_words": ("the", "of")}, False),
    "pairs": (REVIEWS, {"pair_bits": 16}, False),
}
MODELS = {
    name: TextModel.train(*corpus.train, recipe("mira").replace(**changes))
    for name, (corpus, changes, _) in KINDS.items()
}
EACH = pytest.mark.parametrize("name", KINDS)


def expected_ranking(model, text):
    """Rank the labels by the scores of a batch, in numpy."""
    scores = model.scores([text])[0]
    by_class = np.array([0.0 - scores, scores]) if len(model.classes) == 2 else scores
    order = np.argsort(-by_class, kind="stable")
    has_probabilities = model.settings.learner.calibrate
    probabilities = model.probabilities([text])[0] if has_probabilities else [None] * len(by_class)
    return [Prediction(model.classes[code], by_class[code], probabilities[code]) for code in order]


@EACH
@given(text=documents, n=st.integers(1, 8))
def test_labels_scores_and_probabilities_are_those_of_a_batch(name, text, n):
    model = MODELS[name]
    ranking = expected_ranking(model, text)
    assert model.top_labels(text, n) == ranking[:n]
    assert model.score_one(text) == ranking[0]
    assert model.score_one(text).label == model.predict_one(text)


@EACH
def test_values_are_plain_and_models_are_compiled_where_they_can_be(name):
    model = MODELS[name]
    assert (model._text_scorer is not None) == KINDS[name][2]
    for text in KINDS[name][0].test.texts:
        found = model.score_one(text)
        assert type(found.label) is str
        assert type(found.score) is float
        assert type(found.probability) is (float if model.settings.learner.calibrate else type(None))
        assert model.top_labels(text, 2) == expected_ranking(model, text)[:2]


def test_a_text_without_a_score_has_the_first_label_and_no_negative_zero():
    model = TextModel.train(["good", "bad"], ["p", "n"], recipe("mira").replace(fit_intercept=False))
    assert str(model.score_one("unknown")) == "Prediction(label='n', score=0.0, probability=None)"
    assert model.top_labels("unknown") == [("n", 0.0, None), ("p", 0.0, None)]


def test_equal_scores_keep_the_order_of_the_classes():
    labels = [f"class {k:03}" for k in range(200)]
    model = TextModel.train([f"word{k}" for k in range(200)], labels, recipe("mira").replace(max_iter=1))
    for n in (1, 3, 64, 65, 200, 1000):  # compiled up to 64
        found = model.top_labels("word150", n)
        assert found == expected_ranking(model, "word150")[:n]
        assert len(found) == min(n, 200)


@pytest.mark.parametrize("n_classes", [3, 9, 200, 1001])
def test_probabilities_of_one_row_have_the_bits_of_a_batch(n_classes):
    scores = np.random.default_rng(n_classes).normal(size=(50, n_classes))
    for calibration, given_scores in ((Temperature(3.7), scores), (Platt(1.3, -0.2), scores[:, 0])):
        batch = calibration.probabilities(given_scores)
        for row, expected in zip(np.reshape(given_scores, (50, -1)).tolist(), batch, strict=True):
            assert calibration.of_row(row) == expected.tolist()


def test_a_model_of_other_labels_and_one_after_an_update():
    model = TextModel.train(REVIEWS.train.texts, [label == "pos" for label in REVIEWS.train.labels], "mira")
    assert type(model.score_one("lovely").label) is bool
    before = model.score_one("lovely soup").score
    model.update(["lovely soup"] * 50, [False] * 50)
    assert model.score_one("lovely soup").score != before
    assert model.score_one("lovely soup") == expected_ranking(model, "lovely soup")[0]


def test_bytes_and_bad_arguments_are_handled_as_by_predict_one():
    model = MODELS["six classes"]
    assert model.score_one(b"a concert") == model.score_one("a concert")
    for n in (0, -1, 1.5, "3"):
        with pytest.raises(ValueError, match=r"n=.*: use a number of labels, 1 or more"):
            model.top_labels("a concert", n)
    with pytest.raises(ValueError, match="Document 0 is None"):
        model.score_one(None)


def test_the_classifier_has_both():
    classifier = TextClassifier("mira").fit(*TOPICS.train)
    text = TOPICS.test.texts[0]
    assert classifier.score_one(text) == classifier.model_.score_one(text) == classifier.top_labels(text, 1)[0]
