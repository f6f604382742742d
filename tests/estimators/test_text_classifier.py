"""TextClassifier: scikit-learn's contract over TextModel."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from helpers.bundled import bundled
from textperceptron import (
    MIRA,
    BagOfWords,
    HashedBagOfWords,
    LogCountRatio,
    OneVsAll,
    TextClassifier,
    TextModel,
    WordPairs,
)
from textperceptron.model import Epoch
from textperceptron.settings import recipe, setting_fields

REVIEWS, TOPICS = bundled("reviews"), bundled("topics")


def test_the_default_is_the_recipe_best():
    assert TextClassifier().settings() == recipe("best")


def test_mira_is_the_pipeline_of_bag_of_words_and_mira():
    classifier = TextClassifier("mira").fit(*REVIEWS.train)
    pipeline = make_pipeline(BagOfWords(ngram_range=(1, 2), binary=True), MIRA(C=0.01)).fit(*REVIEWS.train)
    texts, labels = REVIEWS.test
    np.testing.assert_array_equal(classifier.decision_function(texts), pipeline.decision_function(texts))
    np.testing.assert_array_equal(classifier.predict(texts), pipeline.predict(texts))
    assert classifier.predict(texts).dtype == pipeline.predict(texts).dtype
    assert classifier.score(texts, labels) == pipeline.score(texts, labels)
    assert classifier.predict_one(texts[0]) == classifier.predict(texts[:1])[0]
    assert (classifier.n_iter_, classifier.n_updates_) == (pipeline[-1].n_iter_, pipeline[-1].n_updates_)
    assert classifier.stopped_by_ == pipeline[-1].stopped_by_
    assert classifier.history_ == pipeline[-1].history_
    assert type(classifier.history_) is type(pipeline[-1].history_) is list
    assert {type(epoch) for epoch in (*classifier.history_, *pipeline[-1].history_)} == {Epoch}


def test_parameters_of_every_kind_reach_the_model():
    classifier = TextClassifier(
        "averaged", stop_words="english", conjunctions=WordPairs(pivots=["not"], window=2), dtype=np.float64,
        column_weight=LogCountRatio(alpha=0.5), class_weight={"neg": 2.0}, random_state=3, ngram_range=[1, 3], tol=None,
    )  # fmt: skip
    settings = classifier.settings()
    assert settings.text.stop_words == tuple(sorted(ENGLISH_STOP_WORDS))
    assert settings.text.conjunctions.pivots == ("not",)
    assert (settings.text.dtype, settings.text.ngram_range) == ("float64", (1, 3))
    assert (settings.learner.column_weight, settings.learner.ratio_alpha) == ("log_count_ratio", 0.5)
    assert settings.learner.class_weight == (("neg", 2.0),)
    assert (settings.learner.learner, settings.learner.seed, settings.learner.tol) == ("averaged", 3, None)


def test_every_setting_is_a_parameter():
    parameters = set(inspect.signature(TextClassifier).parameters)
    assert setting_fields().keys() - {"seed", "ratio_alpha", "ratio_binary", "ratio_balanced"} == parameters - {
        "recipe",
        "random_state",
        "n_jobs",
        "callback",
    }


def test_hashed_columns_and_one_vs_all_are_those_of_the_estimators():
    classifier = TextClassifier("mira", n_features=512, multiclass="one-vs-all", n_jobs=2).fit(*TOPICS.train)
    bag = HashedBagOfWords(n_features=512, ngram_range=(1, 2), binary=True)
    pipeline = make_pipeline(bag, OneVsAll(MIRA(C=0.01))).fit(*TOPICS.train)
    np.testing.assert_array_equal(
        classifier.decision_function(TOPICS.test.texts), pipeline.decision_function(TOPICS.test.texts)
    )


def test_cross_validation_and_grid_search_take_lists_of_texts():
    texts, labels = REVIEWS.train
    scores = cross_val_score(TextClassifier(), texts, labels, cv=3)
    assert scores.mean() > 0.6
    search = GridSearchCV(TextClassifier(), {"C": [0.01, 1.0], "ngram_range": [(1, 1), (1, 2)]}, cv=3)
    search.fit(texts, labels)
    assert set(search.best_params_) == {"C", "ngram_range"}
    assert search.predict(texts[:3]).shape == (3,)


def test_clone_and_pickle_keep_parameters_and_model():
    classifier = TextClassifier(C=0.5, max_iter=3, binary=False).fit(*REVIEWS.train)
    assert clone(classifier).get_params() == classifier.get_params()
    with pytest.raises(NotFittedError):
        clone(classifier).predict(["a"])
    loaded = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(
        loaded.decision_function(REVIEWS.test.texts), classifier.decision_function(REVIEWS.test.texts)
    )
    assert loaded.predict_one("a fine film") == classifier.predict_one("a fine film")
    for each in (loaded, classifier):
        each.partial_fit(*REVIEWS.test)
    np.testing.assert_array_equal(
        loaded.decision_function(REVIEWS.test.texts), classifier.decision_function(REVIEWS.test.texts)
    )


def test_a_saved_classifier_comes_back_with_its_parameters(tmp_path):
    classifier = TextClassifier(
        C=0.5, max_iter=3, conjunctions=WordPairs(pivots=("not",), window=2), class_weight={"neg": 2.0},
        column_weight=LogCountRatio(alpha=0.5), random_state=7,
    ).fit(*REVIEWS.train)  # fmt: skip
    classifier.save(tmp_path / "model", trainable=True)
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.settings() == classifier.model_.settings
    assert loaded.settings().learner == classifier.settings().learner
    assert loaded.C == 0.5
    np.testing.assert_array_equal(loaded.predict(REVIEWS.test.texts), classifier.predict(REVIEWS.test.texts))
    again = clone(loaded).fit(*REVIEWS.train)
    np.testing.assert_array_equal(
        again.decision_function(REVIEWS.test.texts), classifier.decision_function(REVIEWS.test.texts)
    )
    assert TextModel.load(tmp_path / "model").predict(["a film"]) == classifier.predict(["a film"]).tolist()


def test_the_recipe_of_a_loaded_model_does_not_matter(tmp_path):
    TextModel.train(*REVIEWS.train, recipe("averaged")).save(tmp_path / "model")
    assert TextClassifier.load(tmp_path / "model").settings() == recipe("averaged")


def test_partial_fit_continues_and_adds_classes():
    first, second = (TOPICS.train.texts[::2], TOPICS.train.labels[::2]), TOPICS.train
    classifier = TextClassifier("mira", max_iter=99).partial_fit(*first, classes=["zoology"])
    assert "zoology" in classifier.classes_.tolist()
    classifier.partial_fit(*second, classes=["anatomy"])
    assert len(classifier.classes_) == 8
    assert classifier.n_iter_ == 2
    model = TextModel.train(*first, recipe("mira").replace(max_iter=1), classes=["zoology"])
    model.update(*second, classes=["anatomy"])
    np.testing.assert_array_equal(classifier.decision_function(first[0]), model.scores(first[0]))


def test_probabilities_need_calibrate():
    for classifier in (TextClassifier(), TextClassifier("mira", calibrate=False).fit(*TOPICS.train)):
        assert not hasattr(classifier, "predict_proba")
        with pytest.raises(AttributeError, match=r"TextClassifier has scores, not prob.* set calibrate=True"):
            classifier.predict_proba(TOPICS.test.texts)
    with pytest.raises(NotFittedError):
        TextClassifier(calibrate=True).predict_proba(["a text"])
    classifier = TextClassifier("mira", calibrate=True).fit(*TOPICS.train)
    probabilities = classifier.predict_proba(TOPICS.test.texts)
    assert probabilities.shape == (len(TOPICS.test.texts), 6)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    expected = MIRA(C=0.01, calibrate=True)
    bag = BagOfWords(ngram_range=(1, 2), binary=True)
    expected.fit(bag.fit_transform(TOPICS.train.texts), TOPICS.train.labels)
    np.testing.assert_array_equal(probabilities, expected.predict_proba(bag.transform(TOPICS.test.texts)))


@pytest.mark.parametrize("kind", [np.array, pd.Series, tuple])
def test_texts_and_labels_come_in_many_containers(kind):
    texts, labels = kind(REVIEWS.train.texts), kind([label == "pos" for label in REVIEWS.train.labels])
    classifier = TextClassifier(max_iter=2).fit(texts, labels)
    assert classifier.classes_.tolist() == [False, True]
    assert classifier.predict(texts).dtype == bool


def test_bad_texts_and_labels_are_rejected():
    with pytest.raises(ValueError, match="no recipe called 'worst'"):
        TextClassifier("worst").fit(*REVIEWS.train)
    with pytest.raises(ValueError, match="not a built-in stop list: klingon"):
        TextClassifier(stop_words="klingon").fit(*REVIEWS.train)
    with pytest.raises(ValueError, match="Iterable over raw text documents expected"):
        TextClassifier().fit("one text", ["a", "b"])
    with pytest.raises(ValueError, match="requires y"):
        TextClassifier().fit(["a text"], None)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        TextClassifier().fit(["good", "bad"], [0.5, 1.0])
    with pytest.raises(NotFittedError):
        TextClassifier().save("nowhere")
    fitted = TextClassifier().fit(*REVIEWS.train)
    with pytest.raises(ValueError, match="only one class"):
        fitted.fit(["good"], ["p"])
    assert fitted.predict(["good"]).tolist() == ["neg"]  # the model before it


def several_labels():
    texts, labels = bundled("topics").train
    half = len(texts) // 2
    both = [f"{a} {b}" for a, b in zip(texts[:half], texts[half:], strict=True)]
    return both, [sorted({a, b}) for a, b in zip(labels[:half], labels[half:], strict=True)]


def test_several_labels_come_as_sets_or_as_an_indicator(tmp_path):
    texts, sets = several_labels()
    names = sorted({label for labels in sets for label in labels})
    indicator = np.array([[name in labels for name in names] for labels in sets], int)
    model = TextModel.train(texts, sets, "fast")
    by_sets = TextClassifier("fast").fit(texts, sets)
    assert by_sets.multilabel_
    assert by_sets.predict(texts) == list(map(set, model.predict(texts)))
    assert by_sets.score(texts, sets) == np.mean(
        [a == set(b) for a, b in zip(by_sets.predict(texts), sets, strict=True)]
    )
    for form in (indicator, sp.csr_matrix(indicator), pd.DataFrame(indicator, columns=names), indicator.tolist()):
        classifier = TextClassifier("fast").fit(texts, form)
        found = classifier.predict(texts)
        np.testing.assert_array_equal(found, model.scores(texts) > 0)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(classifier.decision_function(texts), model.scores(texts))
        assert classifier.score(texts, form if not isinstance(form, list) else indicator) > 0.7
    classifier.save(tmp_path / "model")
    np.testing.assert_array_equal(TextClassifier.load(tmp_path / "model").predict(texts), found)
    by_sets.save(tmp_path / "model")
    assert TextClassifier.load(tmp_path / "model").predict(texts) == by_sets.predict(texts)
    with pytest.raises(ValueError, match="partial_fit needs one label per text"):
        by_sets.partial_fit(texts, sets)


def test_an_indicator_may_have_columns_without_texts_and_texts_without_labels():
    texts, sets = several_labels()
    indicator = np.array([["sport" in labels, False, "music" in labels] for labels in sets], int)
    assert (indicator.sum(1) == 0).any()
    classifier = TextClassifier("fast", calibrate=True, validation_fraction=0.2).fit(texts, indicator)
    assert classifier.classes_.tolist() == [0, 1, 2]
    assert classifier.predict(texts)[:, 1].sum() == 0
    probabilities = classifier.predict_proba(texts)
    assert probabilities.shape == (len(texts), 3)
    assert 0 <= probabilities.min() <= probabilities.max() <= 1
    two = TextClassifier("fast").fit(texts, indicator[:, [0, 2]])
    assert two.decision_function(texts).shape == (len(texts), 2)
    searched = cross_val_score(TextClassifier("fast"), texts, indicator[:, [0, 2]], cv=2, scoring="f1_macro")
    assert searched.min() > 0.3


def test_labels_among_label_sets_are_named():
    with pytest.raises(ValueError, match=r"label 0 is 'a' and label 1 is \['b'\], a list"):
        TextClassifier().fit(["one", "two"], ["a", ["b"]])
