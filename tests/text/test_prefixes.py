"""Prefixes of longer words are additional terms: compared with a short loop over the words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

import reference
from helpers.bundled import bundled
from helpers.texts import assert_same_counts, collections, corpus, documents
from textperceptron import BagOfWords, HashedBagOfWords, TextClassifier, TextModel, WordPairs
from textperceptron import settings as settings_package
from textperceptron.model.features import Features
from textperceptron.settings import Settings, TextSettings, WindowSettings, recipe
from textperceptron.text import term_table, tokenize
from textperceptron.text.counted_texts import count_texts
from textperceptron.text.vectorize import fit_transform, transform

REVIEWS, TOPICS = bundled("reviews"), bundled("topics")
PATTERNS = [r"(?u)\b\w\w+\b", r"\w+", r"\w+|[^\w\s]", r"\w+|[^\w\s]+", r"[a-z]+", r"\S+"]
sizes = st.sampled_from([1, 2, 3, 6, 40])


def reference_analyzer(size, ngram_range=(1, 1), **how):
    """Return an analyzer: text → tokens, prefixes and longer n-grams, with scikit-learn's tokens."""
    tokens = CountVectorizer(**how).build_analyzer()
    grams = CountVectorizer(ngram_range=ngram_range, **how).build_analyzer()

    def analyze(text):
        words, terms = tokens(text), grams(text)
        n = len(words) if ngram_range[0] == 1 else 0
        return [*terms[:n], *reference.prefixes(words, size), *terms[n:]]

    return analyze


def assert_parity(texts, more, size, how, n_jobs=None):
    analyze = reference_analyzer(size, **how)
    ours, theirs = BagOfWords(prefixes=size, n_jobs=n_jobs, **how), CountVectorizer(analyzer=analyze)
    try:
        X = ours.fit_transform(texts)
    except ValueError as nothing:
        with pytest.raises(ValueError, match=str(nothing).partition(";")[0]):
            theirs.fit_transform(texts)
        return
    Y = theirs.fit_transform(texts)
    names = ours.get_feature_names_out(), theirs.get_feature_names_out()
    assert_same_counts(X, Y, *names)
    assert_same_counts(ours.transform(more), theirs.transform(more), *names)
    assert ours.build_analyzer()(texts[0]) == analyze(texts[0])


@given(
    collections, collections, sizes, st.sampled_from(PATTERNS), st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.booleans(), st.sampled_from([None, ["film", "not"]]),
)  # fmt: skip
def test_prefixes_are_those_of_the_reference(texts, more, size, pattern, ngrams, lowercase, stop_words):
    how = {"token_pattern": pattern, "ngram_range": ngrams, "lowercase": lowercase, "stop_words": stop_words}
    assert_parity(texts, more, size, how)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["imdb.train.tsv.gz", "sentence_polarity.zip"])
def test_corpora_give_the_prefixes_of_the_reference(name):
    texts = corpus(name, 300)
    assert_parity(texts, texts[:50], 6, {"ngram_range": (1, 2), "token_pattern": r"\w+|[^\w\s]"}, n_jobs=2)


@given(collections, sizes)
def test_hashed_prefixes_have_the_columns_that_scikit_learn_gives_their_names(texts, size):
    ours = HashedBagOfWords(n_features=64, prefixes=size).transform(texts)
    theirs = HashingVectorizer(n_features=64, norm=None, analyzer=reference_analyzer(size)).transform(texts)
    theirs.sum_duplicates()
    np.testing.assert_array_equal(ours.toarray(), theirs.toarray())


@given(collections, sizes, st.sampled_from([(1, 1), (2, 2)]), st.sampled_from([r"\w+", r"[a-z]+"]))
def test_any_number_of_threads_gives_the_same_bytes(texts, size, ngrams, pattern):
    texts = [text for text in texts for _ in range(3)] + ["some words"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenize, "BLOCK", 50)
        patch.setattr(term_table, "FIRST_SLOTS", 4)
        how = {"prefixes": size, "ngram_range": ngrams, "token_pattern": pattern}
        bags = [BagOfWords(n_jobs=n, **how) for n in (1, 2, 5)]
        matrices = [bag.fit_transform(texts) for bag in bags]
    for bag, X in zip(bags, matrices, strict=True):
        assert bag.get_feature_names_out().tolist() == bags[0].get_feature_names_out().tolist()
        np.testing.assert_array_equal(X.indices, matrices[0].indices)
        np.testing.assert_array_equal(X.data, matrices[0].data)


@given(collections, sizes, st.sampled_from([r"\w+", r"[a-z]+"]), st.sampled_from([(1, 2), (2, 2)]))
def test_prefixes_and_pairs_of_words_can_be_combined(texts, size, pattern, ngrams):
    texts = [*texts, "not a word"]
    how = {"token_pattern": pattern, "ngram_range": ngrams}
    pairs = WordPairs(None, 2)
    both = BagOfWords(prefixes=size, conjunctions=pairs, **how).build_analyzer()
    alone = BagOfWords(conjunctions=pairs, **how).build_analyzer()
    tokens = BagOfWords(token_pattern=pattern).build_analyzer()
    for text in texts:
        words, others = tokens(text), alone(text)
        n = len(words) if ngrams[0] == 1 else 0
        assert both(text) == [*others[:n], *reference.prefixes(words, size), *others[n:]]
    bag = BagOfWords(prefixes=size, conjunctions=pairs, **how)
    theirs = CountVectorizer(analyzer=both)
    X, Y = bag.fit_transform(texts), theirs.fit_transform(texts)
    names = bag.get_feature_names_out(), theirs.get_feature_names_out()
    assert_same_counts(X, Y, *names)
    assert_same_counts(bag.transform(texts), Y, *names)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"\w+|[^\w\s]+", ["*** **** x", "*** **** y", "*** z", "…* …… é*", "ééé **é"]),
        (r"\S+", ["wo* word x", "wo* wonder", "wo* x", "a-and-b a b"]),
    ],
)
@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 2)])
def test_tokens_that_look_like_prefixes_count_once_per_text(pattern, texts, ngrams):
    for size in (1, 2):
        assert_parity(texts, texts, size, {"token_pattern": pattern, "ngram_range": ngrams})
        part = settings_package.TextSettings(token_pattern=pattern, ngram_range=ngrams, binary=True, prefixes=size)
        bag = BagOfWords(token_pattern=pattern, ngram_range=ngrams, binary=True, prefixes=size).fit(texts)
        features, rows = Features.learn(texts, part)
        assert sorted(features().vocabulary.names()) == sorted(bag.get_feature_names_out())
        for begin, end in pairwise(rows.indptr.tolist()):
            assert len(set(rows.indices[begin:end].tolist())) == end - begin


def test_a_negated_word_has_the_prefix_of_the_word_itself():
    terms = BagOfWords(negation=True, prefixes=6).build_analyzer()
    assert terms("never wonderful") == ["never", "NOT_wonderful", "wonder*"]
    assert terms("never wonder") == ["never", "NOT_wonder"]


@pytest.mark.parametrize("analyzer", ["char", "char_wb", str.split])
def test_terms_that_are_not_made_of_words_have_no_prefixes(analyzer):
    texts = ["wonderful wonders"]
    with_prefixes = BagOfWords(analyzer=analyzer, prefixes=3).fit(texts)
    assert (
        with_prefixes.get_feature_names_out().tolist()
        == BagOfWords(analyzer=analyzer).fit(texts).get_feature_names_out().tolist()
    )


@given(documents=collections, size=sizes, ngrams=st.sampled_from([(1, 2), (2, 2)]))
def test_documents_counted_once_have_the_prefixes_of_counting_them_again(documents, size, ngrams):
    documents = ["wonderful words", *documents]
    settings = TextSettings(prefixes=size, ngram_range=ngrams)
    counted = count_texts(documents, settings)
    rows = counted.rows(counted.choose(settings), settings)
    bag = BagOfWords(prefixes=size, ngram_range=ngrams).fit(documents)
    expected = transform(documents, settings, bag.vocabulary_)
    for mine, other in zip(rows, expected, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.fixture(scope="module")
def models():
    with_prefixes = recipe("best").replace(prefixes=3, negation=True, max_iter=2)
    counts = with_prefixes.replace(
        binary=False, norm=None, ngram_range=(2, 2), token_pattern=r"(?u)\b\w+\b", negation=False
    )
    return [
        TextModel.train(*corpus.train, settings) for corpus in (REVIEWS, TOPICS) for settings in (with_prefixes, counts)
    ]


@given(text=documents)
def test_a_single_text_gets_the_same_scores_as_in_a_batch(models, text):
    texts = [text, "wonderful, wonderfully wonderful", "größere Übungen", "", "I don’t", REVIEWS.test.texts[0]]
    for model in models:
        scores = model.scores(texts)
        for each, score in zip(texts, scores, strict=True):
            np.testing.assert_array_equal(np.atleast_1d(score), model._text_scorer.scores(each))
            assert model.predict_one(each) == model.predict([each])[0]


def test_an_explanation_names_prefixes_and_adds_up(models):
    found = models[0].explain("this was delightful, truly delightful")
    assert {"delightful", "del*", "tru*"} <= {term.name for term in found.terms}
    total = found.intercepts[0] + sum(term.contributions[0] for term in found.terms)
    assert total == pytest.approx(models[0].scores(["this was delightful, truly delightful"])[0])


def test_a_file_keeps_them_and_an_older_file_has_none(models, tmp_path):
    models[0].save(tmp_path / "model")
    loaded = TextModel.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.scores(REVIEWS.test.texts), models[0].scores(REVIEWS.test.texts))
    written = models[0].settings.as_json()
    assert written["text"].pop("prefixes") == 3
    assert Settings.from_json(written).text.prefixes == 0


@pytest.mark.parametrize("wrong", [-1, True, 2.0, "6", None, 2**31])
def test_a_bad_number_of_characters_is_rejected(wrong):
    message = "use a number of characters, such as 6, 0 for no prefixes, or 'auto'"
    for make in (BagOfWords, HashedBagOfWords):
        with pytest.raises(ValueError, match=message):
            make(prefixes=wrong).fit_transform(["a text"])
    with pytest.raises(ValueError, match=message):
        settings_package.TextSettings(prefixes=wrong)
    with pytest.raises(ValueError, match=message):
        TextClassifier(prefixes=wrong).fit(["a text", "a word"], [0, 1])


def test_prefixes_do_not_hide_that_no_words_are_joined():
    settings = TextSettings(prefixes=3, conjunctions=WindowSettings(("never",), None))
    with pytest.raises(ValueError, match="No document has words to join"):
        fit_transform(["wonderful acting", "wonderfully acted"], settings)
