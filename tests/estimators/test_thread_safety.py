"""Predictions while another thread fits: of the model before or after, never of half a model."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron as TheirPerceptron

from textperceptron import (
    AROW,
    Conjunctions,
    LogCountRatio,
    OneVsAll,
    OneVsOne,
    Perceptron,
    TextClassifier,
    VotedPerceptron,
)

TEXTS = ["a good film", "bad film", "so good", "too bad", "fine plot", "no plot at all"] * 20


def rows(n_columns, n_classes):
    """Separable rows of any width: column c is in rows of class c, the last column in all."""
    codes = np.arange(120) % n_classes
    columns = np.stack([codes, np.full(120, n_columns - 1)], axis=1).ravel().astype(np.int32)
    X = sp.csr_array((np.ones(240, np.float32), columns, np.arange(0, 242, 2, dtype=np.int32)), (120, n_columns))
    return X, np.array([f"{n_classes}-{code}" for code in codes])


CASES = {
    "AROW": AROW,
    "VotedPerceptron": VotedPerceptron,
    "one-vs-all": lambda: OneVsAll(Perceptron()),
    "one-vs-one": lambda: OneVsOne(Perceptron()),
    "one-vs-all, theirs": lambda: OneVsAll(TheirPerceptron()),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_predictions_during_a_fit_are_those_of_one_model(case):
    narrow, wide = rows(5, 2), rows(9, 2 if case == "VotedPerceptron" else 4)
    learner = CASES[case]().fit(*narrow)
    done, problems, answers = threading.Event(), [], [0, 0]

    def predict():
        while not done.is_set():
            for which, (X, y) in enumerate((narrow, wide)):
                try:
                    if learner.predict(X).tolist() != y.tolist():
                        problems.append("wrong labels")
                    answers[which] += 1
                except ValueError as error:
                    if "features" not in str(error):  # of the other model
                        problems.append(repr(error))
                except Exception as error:
                    problems.append(repr(error))

    thread = threading.Thread(target=predict)
    thread.start()
    for _ in range(30):
        learner.fit(*wide)
        learner.fit(*narrow)
    done.set()
    thread.join()
    assert problems == []
    assert all(answers)


def test_labels_of_texts_during_a_fit_are_those_of_one_model():
    two = TEXTS, ["good", "bad"] * 60
    three = TEXTS, ["a", "b", "c"] * 40
    classifier = TextClassifier(max_iter=2).fit(*two)
    done, seen, problems = threading.Event(), set(), []

    def predict():
        while not done.is_set():
            try:
                seen.add(frozenset(classifier.predict(TEXTS).tolist()))
            except Exception as error:
                problems.append(repr(error))

    thread = threading.Thread(target=predict)
    thread.start()
    for _ in range(20):
        classifier.fit(*three)
        classifier.fit(*two)
    done.set()
    thread.join()
    assert problems == []
    assert all(labels <= {"good", "bad"} or labels <= {"a", "b", "c"} for labels in seen)


def test_a_classifier_is_not_fitted_during_its_first_fit():
    X, y = rows(5, 2)
    met = []

    def predict(_):
        with pytest.raises(NotFittedError):
            learner.predict(X)
        met.append(True)

    learner = AROW(callback=predict)
    learner.fit(X, y)
    assert met
    assert learner.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize(
    ("make", "ask"),
    [
        (lambda: OneVsAll(AROW()), lambda fitted, X: fitted.decision_function(X)),
        (lambda: OneVsAll(TheirPerceptron()), lambda fitted, X: fitted.decision_function(X)),
        (lambda: OneVsOne(AROW()), lambda fitted, X: fitted.decision_function(X)),
        (LogCountRatio, lambda fitted, X: fitted.transform(X).toarray()),
        (Conjunctions, lambda fitted, X: fitted.transform(X).toarray()),
    ],
)
def test_a_fit_that_raises_leaves_the_model_before_it(make, ask):
    X, y = rows(5, 2)
    fitted = make().fit(X, y)
    before = ask(fitted, X)
    broken = rows(7, 2)[0]
    broken.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fitted.fit(broken, y)
    np.testing.assert_array_equal(ask(fitted, X), before)
    assert fitted.n_features_in_ == 5
