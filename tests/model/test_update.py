"""``TextModel.update`` gives the same bits as the estimators' partial_fit, before and after saving."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.bundled import bundled, many_topics
from textperceptron import AROW, MIRA, AveragedPerceptron, BagOfWords, OneVsAll, OneVsOne, Perceptron, TextModel
from textperceptron.settings import recipe

REVIEWS, TOPICS, MANY = bundled("reviews").train, bundled("topics").train, many_topics().train
LEARNERS = {"perceptron": Perceptron(), "averaged": AveragedPerceptron(), "mira": MIRA(C=0.01), "arow": AROW()}
ONE_EPOCH = recipe("mira").replace(max_iter=1)


def of_classes(labels, *wanted):
    """Return the rows of some topics."""
    rows = [row for row, label in enumerate(labels) if label in wanted]
    return [TOPICS.texts[row] for row in rows], [labels[row] for row in rows]


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("way", ["native", "one-vs-all"])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("split", [REVIEWS, TOPICS, MANY], ids=["two classes", "six classes", "24 classes"])
def test_updates_of_one_epoch_equal_a_single_training(split, learner, way, stored, tmp_path):
    n = 3 if way == "native" else 2  # before any class has converged, because it would then pause
    chosen = recipe("mira").replace(learner=learner, multiclass=way, max_iter=n)
    model = TextModel.train(*split, chosen.replace(max_iter=1))
    for _ in range(n - 1):
        if stored:
            model.save(tmp_path / "model", trainable=True)
            model = TextModel.load(tmp_path / "model")
        model.update(*split, epochs=1)
    expected = TextModel.train(*split, chosen)
    np.testing.assert_array_equal(model.scores(split.texts), expected.scores(split.texts))
    assert model.history == expected.history
    assert model.summary.rows_of_class == tuple(n * rows for rows in expected.summary.rows_of_class)
    assert [model.predict_one(text) for text in split.texts[:9]] == model.predict(split.texts[:9])


@pytest.mark.filterwarnings("ignore:the vocabulary is full")
@pytest.mark.parametrize("way", ["native", "one-vs-all"])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("first", [("music", "sport"), ("music", "sport", "travel"), ("cooking", "travel")])
def test_new_classes_are_added_as_by_the_estimators(learner, way, first, tmp_path):
    begin = of_classes(TOPICS.labels, *first)
    model = TextModel.train(*begin, ONE_EPOCH.replace(learner=learner, multiclass=way))
    model.save(tmp_path / "model", trainable=True)
    model = TextModel.load(tmp_path / "model")
    bag = BagOfWords(ngram_range=(1, 2), binary=True).fit(begin[0])
    estimator = LEARNERS[learner] if way == "native" else OneVsAll(LEARNERS[learner])
    estimator.__dict__.pop("_fitted", None)
    estimator.partial_fit(bag.transform(begin[0]), begin[1])
    for texts, labels in (TOPICS, begin):
        model.update(texts, labels, epochs=1, max_terms=model.n_columns)
        estimator.partial_fit(bag.transform(texts), labels)
        assert list(model.classes) == estimator.classes_.tolist()
        np.testing.assert_array_equal(
            model.scores(TOPICS.texts), estimator.decision_function(bag.transform(TOPICS.texts))
        )


@pytest.mark.filterwarnings("ignore:the vocabulary is full")
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_second_table_of_classes_is_filled_in_order(learner):
    begin = [part[:40] for part in MANY]
    model = TextModel.train(*begin, ONE_EPOCH.replace(learner=learner, multiclass="one-vs-all"))
    bag = BagOfWords(ngram_range=(1, 2), binary=True).fit(begin[0])
    estimator = OneVsAll(LEARNERS[learner]).partial_fit(bag.transform(begin[0]), begin[1])
    assert len(model.classes) < 24
    model.update(*MANY, epochs=1, max_terms=model.n_columns)
    estimator.partial_fit(bag.transform(MANY.texts), MANY.labels)
    np.testing.assert_array_equal(model.scores(MANY.texts), estimator.decision_function(bag.transform(MANY.texts)))


def test_classes_can_be_named_before_they_have_texts():
    begin = of_classes(TOPICS.labels, "music")
    model = TextModel.train(*begin, ONE_EPOCH, classes=["sport"])
    assert model.classes == ("music", "sport")
    assert model.summary.rows_of_class == (50, 0)
    model.update(*of_classes(TOPICS.labels, "sport"), classes=["travel"])
    assert model.classes == ("music", "sport", "travel")
    assert model.summary.rows_of_class == (50, 50, 0)


def test_a_model_that_cannot_be_updated_says_why(tmp_path):
    model = TextModel.train(*REVIEWS, "mira")
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="saved with trainable=True"):
        TextModel.load(tmp_path / "model").update(*REVIEWS)
    pairs = TextModel.train(*TOPICS, recipe("mira").replace(multiclass="one-vs-one"))
    with pytest.raises(ValueError, match="one-vs-one"):
        pairs.update(*TOPICS)
    with pytest.raises(ValueError, match="save it with trainable=False"):
        pairs.save(tmp_path / "model", trainable=True)
    two = TextModel.train(*REVIEWS, recipe("mira").replace(multiclass="one-vs-one"))
    with pytest.raises(ValueError, match="one-vs-one cannot get a third class"):
        two.update(["so-so"], ["middling"])
    for changes in ({"early_stopping": True}, {"class_weight": "balanced"}):
        with pytest.raises(ValueError, match="needs all texts at once"):
            TextModel.train(*REVIEWS, recipe("mira").replace(**changes)).update(*REVIEWS)
    with pytest.raises(ValueError, match="labels must all be of one type"):
        model.update(["so-so"], [3])
    with pytest.raises(ValueError, match="there are 1 texts and 2 labels"):
        model.update(["so-so"], ["pos", "neg"])
    with pytest.raises(ValueError, match="there are no new texts"):
        model.update([], [])
    model.update(*REVIEWS, epochs=1)  # the rejected update changed nothing
    expected = TextModel.train(*REVIEWS, recipe("mira").replace(max_iter=11))
    np.testing.assert_array_equal(model.scores(REVIEWS.texts), expected.scores(REVIEWS.texts))


def test_one_vs_one_of_two_classes_is_the_learner_itself():
    model = TextModel.train(*REVIEWS, recipe("mira").replace(multiclass="one-vs-one"))
    bag = BagOfWords(ngram_range=(1, 2), binary=True)
    pairs = OneVsOne(MIRA(C=0.01)).fit(bag.fit_transform(REVIEWS.texts), REVIEWS.labels)
    assert model.predict(REVIEWS.texts) == pairs.predict(bag.transform(REVIEWS.texts)).tolist()
