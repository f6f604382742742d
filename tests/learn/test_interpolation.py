"""Interpolation between learnt weights and column weights."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

import reference
from helpers.bundled import bundled, many_topics
from helpers.problems import problems
from textperceptron import AROW, MIRA, AveragedPerceptron, BagOfWords, LogCountRatio, OneVsAll, Perceptron, TextModel
from textperceptron.learn import EMPTY, Plan, check_rows, train
from textperceptron.learn.fitted import make_rule
from textperceptron.learn.one_vs_all import one_vs_all_from_two
from textperceptron.learn.rules import ArowRule, BatchRule, MiraRule, PerceptronRule
from textperceptron.settings import LearnerSettings, recipe

COLUMN_WEIGHTS = st.lists(st.sampled_from([0.0, 0.25, -0.5, 1.0, 2.0, -4.0]), min_size=5, max_size=5)
REVIEWS, TOPICS = bundled("reviews"), bundled("topics")
RATIOS = {"column_weight": "log_count_ratio", "interpolation": 0.25}


@pytest.mark.parametrize("rule", [PerceptronRule(average=True), MiraRule(C=0.3), ArowRule(r=0.5), BatchRule()])
@given(
    drawn=problems(float32=False),
    column_weight=COLUMN_WEIGHTS,
    share=st.sampled_from([0.0, 0.25, 1.0]),
    unit=st.booleans(),
)
def test_weights_are_drawn_towards_their_mean_size(rule, drawn, column_weight, share, unit):
    rule = dataclasses.replace(rule, fit_intercept=drawn.fit_intercept, interpolation=share)
    X, r = normalize(drawn.X) if unit else drawn.X, column_weight[: drawn.X.shape[1]]
    weight = EMPTY if drawn.weight is None else np.array(drawn.weight)
    plan = Plan(max_iter=drawn.epochs, shuffle=drawn.shuffle, seed=drawn.seed)
    rows = check_rows(X.data, X.indices, X.indptr, X.shape[1])
    run = train(rule, rows, drawn.y, plan, weight=weight, column_weight=np.array(r))
    learnt = rule.learnt_weights(run.state)
    inner = {column: learnt[column] / r[column] if r[column] else 0.0 for column in range(len(r))}
    lengths = [norm for norm in np.sqrt(X.multiply(X).sum(axis=1)).ravel().tolist() if norm]
    rows_are_unit = bool(lengths) and all(abs(norm - 1) < 1e-9 for norm in lengths)
    expected = reference.interpolated({**inner, reference.PAD: learnt[-1]}, share, rows_are_unit)
    wanted = [r[column] * expected.get(column, 0.0) for column in range(len(r))] + [expected[reference.PAD]]
    np.testing.assert_allclose(rule.final_weights(run.state), wanted, rtol=1e-12, atol=1e-12)


def test_nothing_learnt_is_naive_bayes_without_a_prior():
    bag = BagOfWords(binary=True)
    X, y = bag.fit_transform(REVIEWS.train.texts), REVIEWS.train.labels
    learner = MIRA(column_weight="log_count_ratio", interpolation=0.0).fit(X, y)
    bayes = MultinomialNB(fit_prior=False).fit(X, y)
    Z = bag.transform(REVIEWS.test.texts)
    log_odds = bayes.predict_log_proba(Z) @ [-1, 1]
    np.testing.assert_array_equal(learner.decision_function(Z) > 0, log_odds > 0)
    np.testing.assert_allclose(np.corrcoef(learner.decision_function(Z), log_odds)[0, 1], 1, rtol=1e-6)


@pytest.mark.parametrize("cls", [Perceptron, AveragedPerceptron, MIRA, AROW])
def test_all_of_what_is_learnt_is_no_interpolation(cls):
    X, y = BagOfWords(binary=True).fit_transform(REVIEWS.train.texts), REVIEWS.train.labels
    plain = cls(column_weight="log_count_ratio").fit(X, y)
    whole = cls(column_weight="log_count_ratio", interpolation=1.0).fit(X, y)
    np.testing.assert_array_equal(whole.coef_, plain.coef_)
    np.testing.assert_array_equal(whole.intercept_, plain.intercept_)


@pytest.mark.parametrize("corpus", [TOPICS, many_topics()], ids=["6 classes", "24 classes"])
@pytest.mark.parametrize("learner", [MIRA(C=0.1), AROW(), Perceptron()])
def test_one_vs_all_interpolates_each_class_with_its_own_ratios(learner, corpus):
    X, y = BagOfWords(binary=True, dtype=np.float64).fit_transform(corpus.train.texts), np.array(corpus.train.labels)
    learner = clone(learner).set_params(**RATIOS)
    together = OneVsAll(learner).fit(X, y)
    for place, label in enumerate(together.classes_):
        alone = clone(learner).fit(X, y == label)
        np.testing.assert_allclose(together.decision_function(X)[:, place], alone.decision_function(X), rtol=1e-9)
        np.testing.assert_array_equal(together.estimators_[place].decision_function(X), alone.decision_function(X))


@pytest.mark.parametrize("learner", ["averaged", "mira", "arow"])
@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS], ids=["two classes", "six classes"])
def test_a_text_model_has_the_bits_of_the_pipeline(learner, corpus):
    settings = recipe("mira").replace(learner=learner, multiclass="one-vs-all", **RATIOS)
    model = TextModel.train(*corpus.train, settings)
    estimator = {"averaged": AveragedPerceptron(), "mira": MIRA(C=0.01), "arow": AROW()}[learner].set_params(**RATIOS)
    if corpus is TOPICS:
        estimator = OneVsAll(estimator)
    pipeline = make_pipeline(BagOfWords(ngram_range=(1, 2), binary=True), estimator).fit(*corpus.train)
    texts = corpus.test.texts
    np.testing.assert_array_equal(model.scores(texts), pipeline.decision_function(texts))
    assert [model.predict_one(text) for text in texts] == model.predict(texts)


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("learner", ["averaged", "mira", "arow"])
@pytest.mark.parametrize("split", [REVIEWS.train, TOPICS.train], ids=["two classes", "six classes"])
def test_epochs_one_by_one_are_the_epochs_of_one_training(split, learner, stored, tmp_path):
    chosen = recipe("mira").replace(learner=learner, multiclass="one-vs-all", max_iter=2, **RATIOS)
    model = TextModel.train(*split, chosen.replace(max_iter=1))
    if stored:
        model.save(tmp_path / "model", trainable=True)
        model = TextModel.load(tmp_path / "model")
    fitted, rows = model.parts.fitted, model.parts.rows(split.texts)  # with the ratios of the first training
    fitted = fitted.update(rows, model.parts.classes.codes(split.labels), len(model.classes))
    np.testing.assert_array_equal(fitted.model.scores(rows), TextModel.train(*split, chosen).scores(split.texts))


def test_two_classes_that_become_two_problems_keep_their_scores():
    X, y = BagOfWords(binary=True, dtype=np.float64).fit_transform(REVIEWS.train.texts), REVIEWS.train.labels
    model = OneVsAll(MIRA(C=0.1, shuffle=False, **RATIOS)).fit(X, y)
    both = one_vs_all_from_two(model._fitted, np.arange(2))
    neg, pos = both.model.scores(check_rows(X.data, X.indices, X.indptr, X.shape[1])).T
    np.testing.assert_allclose(pos, model.decision_function(X), rtol=1e-12)
    np.testing.assert_allclose(neg, -pos, rtol=1e-12)


@pytest.mark.parametrize("share", [-0.1, 1.5, "half", np.nan])
def test_an_interpolation_outside_0_to_1_is_rejected(share):
    X = sp.csr_array(np.eye(2, dtype=np.float32))
    with pytest.raises(ValueError, match=r"interpolation=.*: use a number from 0 to 1"):
        MIRA(column_weight="log_count_ratio", interpolation=share).fit(X, [0, 1])
    with pytest.raises(ValueError, match=r"interpolation=.*: use a number from 0 to 1"):
        LearnerSettings(column_weight="log_count_ratio", interpolation=share)


def test_without_column_weights_there_is_nothing_to_interpolate_with():
    X = sp.csr_array(np.eye(3, dtype=np.float32))
    with pytest.raises(ValueError, match="set column_weight"):
        MIRA(interpolation=0.5).fit(X, [0, 1, 1])
    with pytest.raises(ValueError, match="set column_weight"):
        OneVsAll(MIRA(interpolation=0.5)).fit(X, [0, 1, 2])
    assert make_rule(LearnerSettings(interpolation=0.5)) == make_rule(LearnerSettings())


def test_classes_that_are_learnt_natively_have_no_ratios_of_their_own():
    X = sp.csr_array(np.eye(3, dtype=np.float32))
    with pytest.raises(ValueError, match="one-vs-all"):
        MIRA(interpolation=0.5, column_weight=np.ones(3)).fit(X, [0, 1, 2])


def test_interpolation_cannot_start_in_the_middle_of_training():
    X, y = BagOfWords(binary=True).fit_transform(REVIEWS.train.texts), REVIEWS.train.labels
    learner = MIRA(column_weight="log_count_ratio", warm_start=True, max_iter=1).fit(X, y)
    with pytest.raises(ValueError, match=r"interpolation=0.5: it was None when training began"):
        learner.set_params(interpolation=0.5).fit(X, y)


def test_ratios_of_presence_do_not_depend_on_how_rows_are_scaled():
    bag = BagOfWords(binary=True, dtype=np.float64)
    X, y = bag.fit_transform(REVIEWS.train.texts), REVIEWS.train.labels
    scaled = clone(bag).set_params(norm="l2").fit_transform(REVIEWS.train.texts)
    presence = LogCountRatio(binary=True).fit(scaled, y)
    np.testing.assert_array_equal(presence.log_ratios_, LogCountRatio().fit(X, y).log_ratios_)
    fused = MIRA(column_weight=LogCountRatio(binary=True)).fit(scaled, y)
    apart = MIRA().fit(presence.transform(scaled), y)
    np.testing.assert_allclose(fused.coef_, apart.coef_ * presence.log_ratios_, rtol=1e-9, atol=1e-12)


def test_ratios_of_presence_take_no_notice_of_stored_zeros_and_signs():
    X = sp.csr_array(([0.0, -2.0, 0.5, 3.0], [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))
    there = sp.csr_array([[0.0, 1.0], [1.0, 1.0]])
    found = LogCountRatio(binary=True).fit(X, [0, 1]).log_ratios_
    np.testing.assert_array_equal(found, LogCountRatio().fit(there, [0, 1]).log_ratios_)
