"""Pipelines are explained like models: the same terms, the same sums, or one clear line."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import LinearSVC

from helpers.bundled import bundled
from textperceptron import (
    AROW,
    MIRA,
    BagOfWords,
    Conjunctions,
    HashedBagOfWords,
    LogCountRatio,
    OneVsAll,
    OneVsOne,
    TextClassifier,
    TextModel,
    VotedPerceptron,
    WordPairs,
    explain,
)
from textperceptron.settings import recipe

BAG = BagOfWords(ngram_range=(1, 2), binary=True, negation=True)
PIPELINES = {
    "learner": ("reviews", [BAG, AROW()]),
    "ratios": ("reviews", [BAG, LogCountRatio(), MIRA()]),
    "ratios inside": ("reviews", [BAG, MIRA(column_weight=LogCountRatio())]),
    "conjunctions": ("reviews", [BagOfWords(), Conjunctions(min_df=3), LogCountRatio(), MIRA()]),
    "triples": (
        "reviews",
        [BagOfWords(min_df=5), Conjunctions(keep_words=False, degree=3, min_df=3), AROW()],
    ),
    "word pairs": ("reviews", [BagOfWords(conjunctions=WordPairs(window=3), characters=4), AROW()]),
    "pairs on the fly": ("reviews", [BagOfWords(min_df=2), MIRA(pair_bits=14)]),
    "hashed": ("reviews", [HashedBagOfWords(n_features=512), "passthrough", MIRA()]),
    "selection": ("reviews", [BAG, SelectKBest(chi2, k=200), TfidfTransformer(), Normalizer(), LinearSVC()]),
    "logistic": ("topics", [BAG, LogisticRegression()]),
    "native": ("topics", [BAG, MIRA()]),
    "one-vs-all": ("topics", [BAG, OneVsAll(AROW())]),
    "one-vs-all of scikit-learn's": ("topics", [BAG, OneVsAll(LinearSVC())]),
    "one-vs-rest": ("topics", [BAG, OneVsRestClassifier(make_pipeline(LogCountRatio(), MIRA()))]),
}
TEXT = "The goal was not good: a lovely guitar, but the waiter was rude. A goal!"


@pytest.mark.parametrize("name", PIPELINES)
def test_contributions_add_up_to_the_scores_of_the_pipeline(name):
    corpus, steps = PIPELINES[name]
    train, test = bundled(corpus)
    pipeline = make_pipeline(*steps).fit(*train)
    for text in [TEXT, *test.texts[:3], ""]:
        found = explain(pipeline, text)
        assert found.label == pipeline.predict([text])[0]
        totals = np.sum([found.intercepts, *(term.contributions for term in found.terms)], axis=0)
        np.testing.assert_allclose(totals, found.scores, atol=1e-9)
        np.testing.assert_allclose(found.scores, np.ravel(pipeline.decision_function([text])), rtol=1e-5, atol=1e-5)
        total = sum(word.contribution for word in found.words) + found.intercept
        assert total == pytest.approx(found.margin, abs=1e-6)


def test_terms_of_conjunctions_have_the_places_of_their_words():
    pipeline = make_pipeline(*PIPELINES["conjunctions"][1]).fit(*bundled("reviews").train)
    places = {term.name: term.places for term in explain(pipeline, "the waiter and the good soup").terms}
    assert places["and-and-soup"] == (((11, 14), (24, 28)),)


def test_a_pipeline_is_explained_like_the_model_with_the_same_bits():
    train, test = bundled("reviews")
    model = TextModel.train(*train, recipe("mira"))
    pipeline = make_pipeline(BagOfWords(ngram_range=(1, 2), binary=True), MIRA(C=0.01)).fit(*train)
    classifier = TextClassifier("mira").fit(*train)
    for text in test.texts[:5]:
        assert explain(pipeline, text) == explain(classifier, text) == explain(model, text) == model.explain(text)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([BAG, VotedPerceptron()], "voted perceptron"),
        ([CountVectorizer(), MIRA()], "first step is CountVectorizer.* Use BagOfWords"),
        ([BAG, TruncatedSVD(3), LinearSVC()], "TruncatedSVD makes columns that are not terms"),
        ([BAG, MultinomialNB()], "scores of MultinomialNB are not sums"),
        ([BAG, OneVsOne(LinearSVC())], "scores of OneVsOne are not sums"),
    ],
)
def test_what_cannot_be_explained(steps, message):
    pipeline = make_pipeline(*steps).fit(*bundled("reviews").train)
    with pytest.raises(ValueError, match=message):
        explain(pipeline, "good")


def test_what_takes_no_texts():
    with pytest.raises(ValueError, match="MIRA does not take texts"):
        explain(MIRA().fit([[1.0], [0.0]], [1, 0]), "good")
    labels = make_pipeline(BagOfWords(), OneVsAll(MIRA())).fit(["good", "bad", "both"], [["a"], ["b"], ["a", "b"]])
    with pytest.raises(ValueError, match="several labels"):
        explain(labels, "good")
