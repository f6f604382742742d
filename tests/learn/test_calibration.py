"""Calibrated probabilities: fitted on held-out rows, and right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from helpers.topic_like import NATIVE
from textperceptron import (
    MIRA,
    BatchPerceptron,
    OneVsAll,
    VotedPerceptron,
)
from textperceptron.learn.calibration import Platt, Temperature, calibrate, expected_calibration_error


def one_vs_all(**how):
    return OneVsAll(MIRA(), **how)


@pytest.mark.parametrize(
    ("make", "n_classes"),
    [
        *[(make, n) for make in (*NATIVE, one_vs_all) for n in (2, 5)],
        (BatchPerceptron, 2),
        (VotedPerceptron, 2),
    ],
)
def test_probabilities_come_with_calibrate_and_the_error_without_says_so(make, n_classes, topics):
    X, y = topics
    if n_classes == 2:
        y = np.where(y == "class 0", "yes", "no")
    model = make().fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"has scores, not probabilities.*calibrate=True"):
        model.predict_proba(X)
    model = make(calibrate=True, validation_fraction=0.3).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(y), n_classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    if n_classes > 2:  # a temperature moves no decision
        assert model.classes_[probabilities.argmax(axis=1)].tolist() == model.predict(X).tolist()


def test_the_rows_that_probabilities_are_learnt_from_are_not_trained_on(topics):
    X, y = topics
    seen = []
    learner = MIRA(calibrate=True, validation_fraction=0.25, callback=lambda p: seen.append(p)).fit(X, y)
    held_out = len(y) - learner._fitted.state.seen // learner.n_iter_
    assert held_out == sum(round(0.25 * n) for n in np.unique(y, return_counts=True)[1])


@given(st.integers(0, 1000), st.floats(0.2, 20), st.floats(-2, 2))
def test_platt_finds_the_slope_that_made_the_labels(seed, slope, offset):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 2 / slope, 4000)
    positive = rng.random(4000) < 1 / (1 + np.exp(-(slope * scores + offset)))
    platt = Platt.fit(scores, positive)
    assert abs(platt.slope / slope - 1) < 0.25
    assert abs(platt.offset - offset) < 0.4


@given(st.integers(0, 1000), st.floats(0.1, 30))
def test_temperature_finds_the_sharpness_that_made_the_labels(seed, sharpness):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 2 / sharpness, (3000, 4))
    p = np.exp(sharpness * scores)
    p /= p.sum(axis=1, keepdims=True)
    codes = (p.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    found = Temperature.fit(scores, codes)
    assert abs(found.sharpness / sharpness - 1) < 0.2
    assert expected_calibration_error(found.probabilities(scores), codes) < 0.05


FLAT = [np.zeros(10), np.array([-1.0] * 5 + [1.0] * 5), np.zeros((10, 3)), np.eye(10)[:, :3]]


@pytest.mark.parametrize("scores", FLAT)
def test_calibration_of_flat_or_separable_scores_stays_finite(scores):
    codes = np.arange(10) * (2 if scores.ndim == 1 else 3) // 10
    p = calibrate(scores, codes).probabilities(scores)
    assert np.isfinite(p).all()
    assert p.min() > 0
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_a_classifier_without_sample_weight_can_be_calibrated(topics):
    X, y = topics
    model = OneVsAll(KNeighborsClassifier(), calibrate=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        model.fit(X, y, sample_weight=np.ones(len(y)))
