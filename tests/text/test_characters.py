"""N-grams of characters of words: compared with a loop, weighted, with the same result through every door."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from helpers.bundled import bundled
from textperceptron import BagOfWords, HashedBagOfWords, TextClassifier, TextModel
from textperceptron.settings import Settings, TextSettings, recipe
from textperceptron.text.analyze import terms_of

REVIEWS, TOPICS = bundled("reviews"), bundled("topics")
SETTINGS = recipe("best").replace(characters=4, max_iter=2)
ALPHABET = "aZé_9 .^~$'नही我ก가አ\u0301"
texts = st.text(st.sampled_from(ALPHABET + "\U0001f44d\ud800") | st.characters(), max_size=30)


def expected_ngrams(token, n):
    if not (token[0].isalnum() or token[0] == "_") or token[0] in "我ก":
        return []
    return reference.character_ngrams(token, max(2, (n + 1) // 2) if token[0] in "가አ" else n)


@given(st.text(st.sampled_from(ALPHABET), max_size=30), st.integers(2, 7))
def test_ngrams_are_those_of_the_reference(text, n):
    tokens = terms_of(text, TextSettings(token_pattern="any-script"))
    grams = [gram for token in tokens for gram in expected_ngrams(token, n)]
    found = terms_of(text, TextSettings(token_pattern="any-script", characters=n))
    assert sorted(found) == sorted([*tokens, *grams])


def test_a_negated_word_has_the_ngrams_of_the_word():
    plain, negated = (terms_of(text, TextSettings(characters=4, negation=True)) for text in ("good", "not good"))
    assert set(plain) - {"good"} <= set(negated)
    assert not any("NOT" in term for term in negated if term != "NOT_good")


@pytest.mark.parametrize("values", [{"binary": True}, {"sublinear_tf": True}, {}], ids=["presence", "logs", "counts"])
def test_columns_of_characters_come_last_and_have_their_weight(values):
    common = {"characters": 4, "min_df": 2, "norm": None}
    bag = BagOfWords(character_weight=0.5, **common, **values)
    rows = bag.fit_transform(REVIEWS.train.texts)
    names, n_words = bag.get_feature_names_out(), bag.vocabulary_.n_words
    assert not any(name[0] in "^~" for name in names[:n_words])
    assert all(name[0] in "^~" for name in names[n_words:])
    counts = BagOfWords(character_weight=1, **common).fit_transform(REVIEWS.train.texts).toarray()
    expected = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) if "sublinear_tf" in values else counts
    expected = (counts > 0) if "binary" in values else expected
    np.testing.assert_allclose(rows.toarray(), expected * np.where(np.arange(len(names)) < n_words, 1, 0.5), rtol=1e-6)
    np.testing.assert_array_equal(bag.transform(REVIEWS.train.texts).toarray(), rows.toarray())
    unit = BagOfWords(character_weight=0.5, **common | {"norm": "l2"}, **values).fit_transform(REVIEWS.train.texts)
    np.testing.assert_allclose(np.sqrt(unit.multiply(unit).sum(axis=1)), 1, rtol=1e-6)


def test_logarithms_of_hashed_counts_keep_their_sign():
    texts = ["a a a b", "c d e f g h c c c"]
    counts = HashedBagOfWords(n_features=4, token_pattern=r"\w+").transform(texts).toarray()
    logs = HashedBagOfWords(n_features=4, token_pattern=r"\w+", sublinear_tf=True).transform(texts).toarray()
    assert counts.min() < -1
    assert counts.max() > 1
    magnitudes = 1 + np.log(np.maximum(abs(counts), 1))
    np.testing.assert_allclose(logs, np.where(counts == 0, 0, np.sign(counts) * magnitudes), rtol=1e-6)


@pytest.mark.parametrize("corpus", [REVIEWS, TOPICS], ids=["2 classes", "6 classes"])
def test_every_door_gives_the_same_model(corpus, tmp_path):
    model = TextModel.train(*corpus.train, SETTINGS)
    scores = model.scores(corpus.test.texts)
    one_thread = TextModel.train(*corpus.train, SETTINGS, n_jobs=1)
    np.testing.assert_array_equal(one_thread.scores(corpus.test.texts), scores)
    classifier = TextClassifier("best", characters=4, max_iter=2).fit(*corpus.train)
    np.testing.assert_array_equal(classifier.decision_function(corpus.test.texts), scores)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(TextModel.load(tmp_path / "model").scores(corpus.test.texts), scores)
    assert [model.predict_one(text) for text in corpus.test.texts] == model.predict(corpus.test.texts)
    pruned = model.pruned(keep=model.n_columns // 2)
    assert [pruned.predict_one(text) for text in corpus.test.texts] == pruned.predict(corpus.test.texts)
    assert 0 < pruned.parts.features.n_words < pruned.n_columns


MODELS = [TextModel.train(*corpus.train, SETTINGS) for corpus in (REVIEWS, TOPICS)]


@given(texts, st.sampled_from(MODELS))
def test_one_text_has_the_score_of_many(text, model):
    assert model.predict_one(text) == model.predict([text])[0]
    explanation = model.explain(text)
    np.testing.assert_allclose(explanation.scores, np.ravel(model.scores([text])), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n", [1, -1, 21, 2.5, True, "4"])
def test_other_lengths_are_rejected(n):
    with pytest.raises(ValueError, match="characters="):
        TextSettings(characters=n)


@pytest.mark.parametrize("changes", [{"n_features": 1024}, {"token_pattern": "[a-z]+"}, {"analyzer": "char"}])
def test_combinations_without_words_are_rejected(changes):
    with pytest.raises(ValueError, match="characters=4 needs words"):
        TextSettings(characters=4, **changes)
    assert Settings(TextSettings(characters=4)).replace(**changes).text.characters == 0
    assert recipe("best").replace(**changes).text.resolve_auto(2, 100, "en").characters == 0


def test_a_vectorizer_needs_values_and_fractions():
    with pytest.raises(ValueError, match="its columns must be learnt"):
        BagOfWords(characters=4, vocabulary=["good"]).fit(["good"])
    with pytest.raises(ValueError, match="sublinear_tf=True makes fractions"):
        BagOfWords(sublinear_tf=True, dtype=np.int64).fit(["good"])
    with pytest.raises(ValueError, match="binary='auto' needs texts with labels"):
        BagOfWords(binary="auto").fit(["good"])


def test_a_very_long_word_is_no_problem():
    model = TextModel.train(["a" * 1_000_000, "b " * 1000], ["x", "y"], SETTINGS)
    assert model.predict(["a" * 500_000, "b"]) == ["x", "y"]
