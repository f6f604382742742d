"""``norm="l2"``: rows of length 1; ``norm="l1"``: rows of sum 1."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from helpers.bundled import bundled
from helpers.texts import collections, documents
from textperceptron import AROW, BagOfWords, HashedBagOfWords, TextModel
from textperceptron.settings import TextSettings, recipe
from textperceptron.settings.text import WORDS_AND_PUNCTUATION

REVIEWS, TOPICS = bundled("reviews"), bundled("topics")
NORMS = pytest.mark.parametrize("norm", ["l1", "l2"])


@NORMS
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(texts=collections)
def test_rows_are_divided_by_their_length_and_empty_ones_are_kept(dtype, binary, norm, texts):
    texts = [*texts, "one word at least", ""]
    bag = BagOfWords(ngram_range=(1, 2), binary=binary, dtype=dtype)
    expected = normalize(bag.fit_transform(texts).astype(np.float64), norm)
    scaled = BagOfWords(ngram_range=(1, 2), binary=binary, dtype=dtype, norm=norm)
    for found in (scaled.fit_transform(texts), scaled.transform(texts)):
        assert found.dtype == dtype
        np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-6 if dtype == np.float32 else 1e-15)
    assert found[-1].nnz == 0


@NORMS
@pytest.mark.parametrize("sign", [True, False])
def test_hashed_rows_are_those_of_scikit_learn(norm, sign):
    texts = REVIEWS.train.texts
    parameters = {"n_features": 2**12, "norm": norm, "alternate_sign": sign}
    ours = HashedBagOfWords(dtype=np.float64, **parameters).transform(texts)
    theirs = HashingVectorizer(**parameters).transform(texts)
    assert abs(ours - theirs).max() < 1e-15


@pytest.mark.parametrize("make", [BagOfWords, HashedBagOfWords])
def test_an_unknown_norm_and_integer_types_are_rejected(make):
    with pytest.raises(ValueError, match=r"norm='max': use 'l2'.* 'l1'.* or None"):
        make(norm="max").fit_transform(["a text"])
    with pytest.raises(ValueError, match="dtype=int64 cannot hold"):
        make(norm="l2", dtype=np.int64).fit_transform(["a text"])
    with pytest.raises(ValueError, match="norm='L2': use 'l2'"):
        TextSettings(norm="L2")


@given(text=documents, binary=st.booleans(), grams=st.sampled_from([(1, 1), (1, 3)]))
@NORMS
@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS], ids=["two classes", "six classes"])
def test_a_single_text_has_the_same_scores_as_in_a_batch(corpus, norm, text, binary, grams):
    model = models()[corpus is REVIEWS, norm, binary, grams]
    texts = [text, *corpus.test.texts[:5], "no_such_word", "lovely"]
    scores = model.scores(texts)
    for each, score in zip(texts, scores, strict=True):
        np.testing.assert_array_equal(np.atleast_1d(score), model._text_scorer.scores(each))
        assert model.predict_one(each) == model.predict([each])[0]


_MADE = {}


def models():
    """Train small models of every kind, once."""
    for corpus in (REVIEWS, TOPICS) if not _MADE else ():
        for norm, binary, grams in product(("l1", "l2"), (True, False), ((1, 1), (1, 3))):
            chosen = recipe("averaged").replace(
                ngram_range=grams, binary=binary, norm=norm, token_pattern=WORDS_AND_PUNCTUATION, max_iter=2
            )
            _MADE[corpus is REVIEWS, norm, binary, grams] = TextModel.train(*corpus.train, chosen)
    return _MADE


def test_a_text_model_is_the_pipeline_and_its_explanations_add_up(tmp_path):
    chosen = recipe("mira").replace(learner="arow", norm="l2", binary=False)
    TextModel.train(*REVIEWS.train, chosen).save(tmp_path / "model")
    model = TextModel.load(tmp_path / "model")
    pipeline = make_pipeline(BagOfWords(ngram_range=(1, 2), norm="l2"), AROW()).fit(*REVIEWS.train)
    texts = REVIEWS.test.texts
    np.testing.assert_allclose(model.scores(texts), pipeline.decision_function(texts), rtol=1e-6, atol=1e-6)
    explanation = model.explain(texts[0])
    assert explanation.scores[0] == pytest.approx(model.scores(texts[:1])[0], rel=1e-6)
    assert sum(term.value**2 for term in explanation.terms) == pytest.approx(1, rel=1e-5)


def test_update_normalizes_rows_too():
    chosen = recipe("mira").replace(norm="l2", C=1.0, max_iter=2)
    grown = TextModel.train(*REVIEWS.train, chosen.replace(max_iter=1))
    grown.update(*REVIEWS.train)
    whole = TextModel.train(*REVIEWS.train, chosen)
    np.testing.assert_array_equal(grown.scores(REVIEWS.test.texts), whole.scores(REVIEWS.test.texts))
