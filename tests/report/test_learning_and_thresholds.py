"""Learning curves, threshold curves and margins of texts: the figures behind the plots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.learn.calibration import expected_calibration_error, reliability_bins
from textperceptron.learn.threshold import best_threshold
from textperceptron.margins import point_margins
from textperceptron.report import bound_of, evaluate, learning_curve, text_margins, threshold_curve
from textperceptron.settings import recipe

SCORED = st.lists(st.tuples(st.integers(-5, 5).map(float), st.booleans()), min_size=1).filter(
    lambda rows: any(positive for _, positive in rows)
)


@given(SCORED)
def test_a_threshold_curve_has_the_figures_of_evaluate_and_of_scikit_learn(rows):
    scores, positive = map(np.array, zip(*rows, strict=True))
    curve = threshold_curve(scores, positive)
    for threshold, *figures in zip(curve.thresholds, curve.precision, curve.recall, curve.f1, strict=True):
        found = evaluate(positive.tolist(), (scores > threshold).tolist()).classes[-1]
        assert figures == pytest.approx([found.precision, found.recall, found.f1])
    precision, recall, _ = precision_recall_curve(positive, scores)
    assert curve.precision[::-1] == pytest.approx(precision[:-1][-len(curve.precision) :])
    assert curve.recall[::-1] == pytest.approx(recall[:-1][-len(curve.recall) :])


@given(SCORED)
def test_the_best_threshold_is_on_the_curve(rows):
    scores, positive = map(np.array, zip(*rows, strict=True))
    curve = threshold_curve(scores, positive)
    best = best_threshold(scores, positive)
    assert curve.f1[curve.thresholds.tolist().index(best)] == curve.f1.max()


def test_a_threshold_curve_needs_a_positive_text():
    with pytest.raises(ValueError, match="no text belongs to the positive class"):
        threshold_curve([1.0, 2.0], [False, False])
    with pytest.raises(ValueError, match="1 scores and 2 labels"):
        threshold_curve([1.0], [False, True])


@pytest.mark.parametrize("name", ["reviews", "stars"])
@pytest.mark.parametrize("settings", ["mira", "best"])
def test_the_last_point_of_a_learning_curve_is_the_accuracy_of_the_model(name, settings):
    train, test = bundled(name)
    points = learning_curve(*train, *test, recipe(settings))
    predicted = TextModel.train(*train, settings).predict(test.texts)
    assert points[-1].accuracy == evaluate(test.labels, predicted).accuracy
    assert [point.n_texts for point in points] == [len(train.labels) >> k for k in range(len(points))][::-1]


def test_a_learning_curve_counts_texts_of_unknown_classes_as_wrong():
    train, test = bundled("reviews")
    known = learning_curve(*train, *test, recipe("mira"))[-1].accuracy
    texts, labels = [*test.texts, "neither"], [*test.labels, "mixed"]
    found = learning_curve(*train, texts, labels, recipe("mira"))[-1].accuracy
    assert (found.successes, found.n) == (known.successes, known.n + 1)


def test_a_learning_curve_copes_with_parts_that_lack_a_rare_class():
    texts, labels = ["a fine film", "a dull film"] * 40 + ["an odd film"] * 2, ["pos", "neg"] * 40 + ["mixed"] * 2
    points = learning_curve(texts, labels, texts, labels, recipe("best"))
    assert [point.n_texts for point in points] == [20, 41, 82]


def test_a_learning_curve_needs_test_texts():
    with pytest.raises(ValueError, match="no test texts"):
        learning_curve(["a", "b"], [0, 1], [], [], recipe("mira"))


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1), st.integers(1, 20))
def test_reliability_bins_hold_every_row_once(rows, n_bins):
    p, codes = map(np.array, zip(*rows, strict=True))
    probabilities = np.column_stack([1 - p, p])
    bins = reliability_bins(probabilities, codes, n_bins)
    right = probabilities.argmax(axis=1) == codes
    assert (bins.counts.sum(), bins.right.sum()) == (len(p), right.sum())
    assert bins.confidence.sum() == pytest.approx(probabilities.max(axis=1).sum())
    assert bins.expected_calibration_error == expected_calibration_error(probabilities, codes, n_bins)


def test_margins_of_two_classes_are_distances_from_the_hyperplane():
    train, test = bundled("reviews")
    model = TextModel.train(*train, "mira")
    weights = model.parts.model.weights
    found = text_margins(model, *test)
    rows = model.parts.rows(test.texts)
    assert found.values.tolist() == point_margins(rows, test.labels, weights[:-1], weights[-1]).tolist()
    right = sum(label == other for label, other in zip(model.predict(test.texts), test.labels, strict=True))
    assert np.count_nonzero(found.values > 0) == right


@pytest.mark.parametrize("name", ["stars", "reviews"])
def test_a_positive_margin_is_a_correct_label(name):
    train, test = bundled(name)
    settings = recipe("averaged").replace(learner="voted") if name == "reviews" else recipe("best")
    model = TextModel.train(*train, settings)
    found = text_margins(model, *test).values
    right = [label == other for label, other in zip(model.predict(test.texts), test.labels, strict=True)]
    assert ((found > 0) <= right).all()
    assert (right <= (found >= 0)).all()


def test_the_bound_is_that_of_the_updates_of_a_perceptron():
    train, _ = bundled("xor")
    model = TextModel.train(*train, recipe("perceptron").replace(max_iter=100))
    found = bound_of(model, *train)
    assert found.updates == model.n_updates
    assert found.bound.allows(found.updates)
    for other in ("mira", "best", recipe("perceptron").replace(margin=1.0)):
        assert bound_of(TextModel.train(*train, other), *train).updates is None


def test_more_than_two_classes_have_no_bound():
    train, _ = bundled("stars")
    assert bound_of(TextModel.train(*train, "perceptron"), *train) is None
