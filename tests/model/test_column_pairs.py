"""Column pairs in text models: the same bits as the estimators, through files, checkpoints and updates."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from helpers.bundled import bundled
from textperceptron import (
    AROW,
    MIRA,
    AveragedPerceptron,
    BagOfWords,
    BatchPerceptron,
    HashedBagOfWords,
    OneVsAll,
    OneVsOne,
    Perceptron,
    TextClassifier,
    TextModel,
    _memory,
)
from textperceptron.cli import main
from textperceptron.model import inspect
from textperceptron.settings import recipe

REVIEWS, TOPICS, XOR = bundled("reviews"), bundled("topics"), bundled("xor")
BITS = 12  # so that pairs of these corpora collide
LEARNERS = {
    "perceptron": Perceptron(pair_bits=BITS),
    "averaged": AveragedPerceptron(pair_bits=BITS),
    "mira": MIRA(C=0.01, pair_bits=BITS),
    "arow": AROW(pair_bits=BITS),
    "batch": BatchPerceptron(pair_bits=BITS),
}


def settings(**changes):
    return recipe("mira").replace(**{"ngram_range": (1, 1), "pair_bits": BITS, "max_iter": 4, **changes})


def words():
    return BagOfWords(binary=True)


def assert_same(model, pipeline, split):
    np.testing.assert_array_equal(model.scores(split.texts), pipeline.decision_function(split.texts))
    assert model.predict(split.texts) == pipeline.predict(split.texts).tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_models_of_two_classes_equal_those_of_the_estimators(learner):
    model = TextModel.train(*REVIEWS.train, settings(learner=learner))
    estimator = LEARNERS[learner].set_params(max_iter=4)
    assert_same(model, make_pipeline(words(), estimator).fit(*REVIEWS.train), REVIEWS.test)


@pytest.mark.parametrize(
    ("way", "wrapped"),
    [("native", lambda learner: learner), ("one-vs-all", OneVsAll), ("one-vs-one", OneVsOne)],
    ids=["native", "one-vs-all", "one-vs-one"],
)
@pytest.mark.parametrize("learner", ["perceptron", "mira", "arow"])
def test_models_of_many_classes_equal_those_of_the_estimators(learner, way, wrapped, tmp_path):
    model = TextModel.train(*TOPICS.train, settings(learner=learner, multiclass=way))
    estimator = wrapped(LEARNERS[learner].set_params(max_iter=4))
    pipeline = make_pipeline(words(), estimator).fit(*TOPICS.train)
    assert_same(model, pipeline, TOPICS.test)
    model.save(tmp_path / "model")
    assert_same(TextModel.load(tmp_path / "model"), pipeline, TOPICS.test)


@pytest.mark.parametrize("how", [{"early_stopping": True}, {"calibrate": True}, {"tol": 0.05}], ids=str)
@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS], ids=["two classes", "six classes"])
def test_stopping_rules_and_probabilities_use_the_pairs(corpus, how):
    model = TextModel.train(*corpus.train, settings(**how))
    pipeline = make_pipeline(words(), MIRA(C=0.01, pair_bits=BITS, max_iter=4, **how)).fit(*corpus.train)
    assert_same(model, pipeline, corpus.test)
    assert model.stopped_by == pipeline[-1].stopped_by_
    if "calibrate" in how:
        expected = pipeline.predict_proba(corpus.test.texts)
        np.testing.assert_array_equal(model.probabilities(corpus.test.texts), expected)


def test_hashed_columns_have_pairs_too():
    model = TextModel.train(*REVIEWS.train, settings(n_features=512, binary=False))
    pipeline = make_pipeline(HashedBagOfWords(n_features=512), MIRA(C=0.01, pair_bits=BITS, max_iter=4)).fit(
        *REVIEWS.train
    )
    assert_same(model, pipeline, REVIEWS.test)


def test_text_classifier_gives_the_same_bits_before_and_after_pickling(tmp_path):
    classifier = TextClassifier(recipe="mira", ngram_range=(1, 1), pair_bits=BITS, max_iter=4).fit(*REVIEWS.train)
    model = TextModel.train(*REVIEWS.train, settings())
    np.testing.assert_array_equal(classifier.decision_function(REVIEWS.test.texts), model.scores(REVIEWS.test.texts))
    classifier.save(tmp_path / "model")
    assert TextClassifier.load(tmp_path / "model").pair_bits == BITS


@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS], ids=["two classes", "six classes"])
def test_one_text_at_a_time_and_any_number_of_threads_give_the_same_labels(corpus, monkeypatch):
    monkeypatch.setattr("textperceptron.learn.rows._CHUNK_ENTRIES", 500)
    model = TextModel.train(*corpus.train, settings())
    texts = corpus.test.texts
    labels = model.predict(texts)
    assert [model.predict_one(text) for text in texts] == labels
    assert model.predict_one("") == model.predict([""])[0]
    assert model.predict(texts, n_jobs=3) == labels
    again = TextModel.train(*corpus.train, settings(), n_jobs=3)
    np.testing.assert_array_equal(again.scores(texts), model.scores(texts))


def test_a_file_records_pairs_and_an_older_file_has_none(tmp_path):
    TextModel.train(*XOR.train, settings()).save(tmp_path / "model")
    found = inspect(tmp_path / "model")
    assert found.description.settings.learner.pair_bits == BITS
    assert found.arrays["weights"] == ("float32", (found.description.n_columns + 2**BITS + 1,))
    kept = settings().as_json()
    del kept["learner"]["pair_bits"]
    assert type(settings()).from_json(kept).learner.pair_bits is None


@pytest.mark.parametrize("way", ["native", "one-vs-all", "one-vs-one"])
@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS], ids=["two classes", "six classes"])
def test_an_explanation_adds_up_words_and_pairs_to_the_scores(corpus, way):
    model = TextModel.train(*corpus.train, settings(multiclass=way))
    for text in corpus.test.texts[:5]:
        found = model.explain(text)
        assert found.label == model.predict_one(text)
        joined = [term for term in found.terms if "-and-" in term.name]
        alone = [term for term in found.terms if "-and-" not in term.name]
        assert 0 < len(joined) <= len(alone) * (len(alone) - 1) / 2
        assert all(any(term.contributions) for term in joined)
        total = np.array(found.intercepts) + np.sum([term.contributions for term in found.terms], axis=0)
        np.testing.assert_allclose(found.scores, total, atol=1e-12)
        if way != "one-vs-one" or corpus is REVIEWS:
            np.testing.assert_allclose(np.ravel(model.scores([text])), total, rtol=1e-5, atol=1e-6)


def test_a_pair_is_named_by_its_words_and_has_the_weight_of_the_estimator():
    texts, labels = XOR.train
    model = TextModel.train(texts, labels, settings(learner="perceptron", max_iter=100))
    bag = words()
    X = bag.fit_transform(texts)
    estimator = Perceptron(pair_bits=BITS, max_iter=100).fit(X, labels)
    names = bag.get_feature_names_out().tolist()
    assert model.predict(texts) == labels
    for text in texts[:6]:
        for term in model.explain(text).terms:
            places = [[names.index(word) for word in term.name.split("-and-")]]
            weight = estimator.pair_weights(places) if len(places[0]) == 2 else estimator.coef_[:, places[0]]
            assert term.contributions == (float(weight[0, 0]),)


def test_top_terms_are_words_and_pairs_are_in_the_pair_report():
    texts, labels = REVIEWS.train
    model = TextModel.train(texts, labels, settings())
    bag = words()
    X = bag.fit_transform(texts)
    estimator = MIRA(C=0.01, pair_bits=BITS, max_iter=4).fit(X, labels)
    names = bag.get_feature_names_out()
    by_weight = np.argsort(-estimator.coef_[0], kind="stable")[:5]
    assert [term for term, _ in model.top_terms("pos", 5)] == names[by_weight].tolist()
    assert model.pair_report(texts, 7) == estimator.pair_report(X, names, top=7)


@pytest.mark.parametrize("way", ["native", "one-vs-one"])
def test_pairs_of_many_classes_are_reported_with_the_class_that_they_favour(way):
    model = TextModel.train(*TOPICS.train, settings(multiclass=way))
    report = model.pair_report(TOPICS.train.texts, 5)
    assert len(report.top_pairs) == 5
    for pair in report.top_pairs:
        assert pair.label in model.classes
        assert pair.name.count("-and-") == 1


def test_a_report_needs_pairs_and_names():
    with pytest.raises(ValueError, match="has no column pairs: train with pair_bits=22"):
        TextModel.train(*XOR.train).pair_report(XOR.train.texts)
    with pytest.raises(ValueError, match="hashed columns have no names"):
        TextModel.train(*XOR.train, settings(n_features=64)).pair_report(XOR.train.texts)


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS], ids=["two classes", "six classes"])
@pytest.mark.parametrize("learner", ["averaged", "arow"])
def test_update_uses_the_same_pairs(learner, corpus, stored, tmp_path):
    model = TextModel.train(*corpus.train, settings(learner=learner, max_iter=1))
    for _ in range(2):
        if stored:
            model.save(tmp_path / "model", trainable=True)
            model = TextModel.load(tmp_path / "model")
        model.update(*corpus.train)
    expected = TextModel.train(*corpus.train, settings(learner=learner, max_iter=3))
    np.testing.assert_array_equal(model.scores(corpus.test.texts), expected.scores(corpus.test.texts))


def test_a_third_class_is_added_as_by_the_estimators_or_rejected():
    texts, labels = REVIEWS.train
    more = [*texts[:40], *TOPICS.train.texts[:40]], [*labels[:40], *["topic"] * 40]
    model = TextModel.train(texts, labels, settings(max_iter=1))
    bag = words().fit(texts)
    estimator = MIRA(C=0.01, pair_bits=BITS).partial_fit(bag.transform(texts), labels)
    model.update(*more)
    estimator.partial_fit(bag.transform(more[0]), more[1])
    np.testing.assert_array_equal(model.scores(more[0]), estimator.decision_function(bag.transform(more[0])))
    for way in ("one-vs-all", "one-vs-one"):
        model = TextModel.train(texts, labels, settings(max_iter=1, multiclass=way))
        with pytest.raises(ValueError, match=f"{way}.* cannot get a third class: train from the start"):
            model.update(*more)


def test_models_with_pairs_are_halved_but_not_pruned(tmp_path):
    model = TextModel.train(*REVIEWS.train, settings())
    for how in ({"keep": 10}, {"min_weight": 0.1}):
        with pytest.raises(ValueError, match=r"pair_bits=12: columns cannot be pruned.*min_df"):
            model.pruned(**how)
    half = model.halved()
    assert half.save(tmp_path / "half") < 0.6 * model.save(tmp_path / "whole")
    texts = REVIEWS.test.texts
    np.testing.assert_array_equal(TextModel.load(tmp_path / "half").scores(texts), half.scores(texts))
    np.testing.assert_allclose(half.scores(texts), model.scores(texts), rtol=0.05, atol=0.05)
    assert model.compare(half, *REVIEWS.test).changed <= 3


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"pair_bits": 0}, "pair_bits=0: use .* at least 1"),
        ({"pair_bits": 31}, "pair_bits=31: use at most 30"),
        ({"column_weight": "log_count_ratio"}, "pair_bits=12 with a column_weight"),
        ({"hash_bits": 10}, "pair_bits=12 with hash_bits=10"),
        ({"learner": "voted"}, "pair_bits=12: learner='voted' keeps rows.*kernel='poly'"),
    ],
)
def test_settings_that_pairs_exclude_are_rejected(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        settings(**changes)


@pytest.mark.parametrize(
    ("way", "otherwise"),
    [("native", r"Use pair_bits=24 at most\."), ("one-vs-all", "at most, or multiclass='one-vs-one'")],
)
def test_more_weights_than_a_table_can_have_are_rejected_before_allocation(way, otherwise):
    with pytest.raises(ValueError, match=f"pair_bits=27 with 6 classes: .*{otherwise}"):
        TextModel.train(*TOPICS.train, settings(pair_bits=27, multiclass=way))


def test_a_table_that_does_not_fit_into_memory_is_one_line_and_exit_code_2(monkeypatch, capfd):
    monkeypatch.setattr(_memory, "available_memory", lambda: 10**8)
    for corpus, way in ((XOR, "native"), (TOPICS, "one-vs-one")):
        with pytest.raises(MemoryError, match=r"pair_bits=24: 16,7.* with the training state of learner='mira'"):
            TextModel.train(*corpus.train, settings(pair_bits=24, multiclass=way))
    assert main(["train", "xor", "--pair-bits", "24"]) == 2
    said = capfd.readouterr().err
    assert said.startswith("textperceptron: pair_bits=24: ")
    assert said.endswith("Use fewer bits.\n")
    assert said.count("\n") == 1
