"""``WordPairs`` compared with a short loop over the tokens."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import reference_conjunctions as reference
from helpers.texts import assert_same_counts, collections, corpus
from textperceptron import BagOfWords, Conjunctions, HashedBagOfWords, Perceptron, WordPairs
from textperceptron.text import term_table, tokenize
from textperceptron.text.conjunctions.names import conjunction_name

PIVOTS = ("not", "film", "the", "ab", "never")
pairs = st.builds(
    WordPairs,
    pivots=st.sampled_from([None, PIVOTS, ("film",)]),
    window=st.sampled_from([1, 2, 3, 50]),
) | st.builds(WordPairs, pivots=st.sampled_from([PIVOTS, ("film",)]), window=st.none())


def reference_analyzer(pairs, ngram_range=(1, 1), **how):
    """From a text to its n-grams and pairs, with scikit-learn's tokens."""
    tokens = CountVectorizer(**how).build_analyzer()
    grams = CountVectorizer(ngram_range=ngram_range, **how).build_analyzer()
    return lambda text: [*grams(text), *reference.window_pairs(tokens(text), pairs.pivots, pairs.window)]


def fitted(vectoriser, texts):
    try:
        return vectoriser, vectoriser.fit_transform(texts)
    except ValueError as error:
        return vectoriser, str(error)


def assert_parity(texts, more, pairs, how, columns=None, n_jobs=None, order="frequency"):
    columns = columns or {}
    analyze = reference_analyzer(pairs, **how)
    ours, X = fitted(BagOfWords(conjunctions=pairs, n_jobs=n_jobs, order=order, **how, **columns), texts)
    theirs, Y = fitted(CountVectorizer(analyzer=analyze, **columns), texts)
    if isinstance(X, str):
        nothing_to_join = not any("-and-" in term for text in texts for term in analyze(text))
        assert isinstance(Y, str) or (nothing_to_join and X.startswith("No document has words to join"))
        return
    names = ours.get_feature_names_out(), theirs.get_feature_names_out()
    assert_same_counts(X, Y, *names)
    assert_same_counts(ours.transform(more), theirs.transform(more), *names)
    assert sorted(ours.build_analyzer()(texts[0])) == sorted(analyze(texts[0]))


@given(
    collections, collections, pairs, st.sampled_from([r"(?u)\b\w\w+\b", r"\w+", r"\w+|[^\w\s]", r"[a-z]+"]),
    st.sampled_from([(1, 1), (1, 2), (2, 3)]), st.booleans(), st.sampled_from([None, ["so", "not"]]),
)  # fmt: skip
def test_pairs_are_those_of_the_reference(texts, more, pairs, pattern, ngrams, lowercase, stop_words):
    if stop_words and pairs.pivots:
        pairs = WordPairs([pivot for pivot in pairs.pivots if pivot not in stop_words], pairs.window)
    how = {"token_pattern": pattern, "ngram_range": ngrams, "lowercase": lowercase, "stop_words": stop_words}
    assert_parity(texts, more, pairs, how)


@given(
    collections, pairs, st.sampled_from([1, 2, 0.5]), st.sampled_from([1.0, 2]), st.sampled_from([None, 3, 20]),
    st.booleans(), st.sampled_from([np.int64, np.float64]),
)  # fmt: skip
def test_pairs_are_pruned_and_typed_like_any_term(texts, pairs, min_df, max_df, max_features, binary, dtype):
    columns = {"min_df": min_df, "max_df": max_df, "max_features": max_features, "binary": binary, "dtype": dtype}
    order = "frequency" if max_features is None else "alphabet"
    if max_df == 2 and min_df == 0.5 and len(texts) > 4:
        return
    assert_parity(texts, texts[:2], pairs, {}, columns, order=order)


def at_spaces(text):
    return text.split(" ")


@given(
    collections, pairs, st.sampled_from([{"tokenizer": at_spaces, "token_pattern": None}, {"preprocessor": str.lower}])
)
def test_functions_take_a_slower_path_to_the_same_pairs(texts, pairs, how):
    assert_parity(texts, texts[:1], pairs, how)


@pytest.mark.parametrize("name", [pytest.param("imdb.train.tsv.gz", marks=pytest.mark.slow), "sentence_polarity.zip"])
@pytest.mark.parametrize(
    "pairs", [WordPairs(("not", "never"), 4), WordPairs(None, 2), WordPairs(("not",), None)], ids=str
)
def test_corpora_give_the_pairs_of_the_reference(name, pairs):
    texts = corpus(name, 300)
    assert_parity(texts, texts[:50], pairs, {"ngram_range": (1, 2)}, n_jobs=2)


@given(collections, st.sampled_from([(1, 1), (2, 2)]), st.sampled_from([r"\w+", r"[a-z]+"]))
def test_any_number_of_threads_gives_the_same_bytes(texts, ngrams, pattern):
    texts = [text for text in texts for _ in range(3)] + ["some words"]
    how = {"conjunctions": WordPairs(None, 3), "ngram_range": ngrams, "token_pattern": pattern}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenize, "BLOCK", 50)
        patch.setattr(term_table, "FIRST_SLOTS", 4)
        results = [BagOfWords(**how, n_jobs=n).fit(texts) for n in (1, 2, 5)]
        matrices = [bag.transform(texts) for bag in results]
    for bag, X in zip(results, matrices, strict=True):
        assert bag.get_feature_names_out().tolist() == results[0].get_feature_names_out().tolist()
        for part in ("data", "indices", "indptr"):
            assert getattr(X, part).tobytes() == getattr(matrices[0], part).tobytes()


def test_the_whole_document_as_window_gives_the_products_of_counts():
    texts = corpus("sentence_polarity.zip", 500)
    bag = BagOfWords()
    X = bag.fit_transform(texts)
    join = Conjunctions(pivots=["not", "film"], feature_names=bag.get_feature_names_out())
    explicit, their_names = join.fit_transform(X), join.get_feature_names_out()
    pairs = BagOfWords(conjunctions=WordPairs(["not", "film"], None))
    assert_same_counts(pairs.fit_transform(texts), explicit, pairs.get_feature_names_out(), their_names)


@given(collections, pairs)
def test_hashed_pairs_are_those_of_scikit_learn(texts, pairs):
    ours = HashedBagOfWords(n_features=256, conjunctions=pairs, ngram_range=(1, 2), dtype=np.float64)
    theirs = HashingVectorizer(n_features=256, norm=None, analyzer=reference_analyzer(pairs, (1, 2)))
    np.testing.assert_array_equal(ours.fit_transform(texts).toarray(), theirs.transform(texts).toarray())


def test_negators_are_known_by_name():
    bag = BagOfWords(conjunctions=WordPairs(window=2)).fit(["I don't like it", "never again", "a fine film"])
    joined = [name for name in bag.get_feature_names_out() if "-and-" in name]
    assert joined == ["don-and-like", "don-and-it", "again-and-never"]
    assert bag.vocabulary_[conjunction_name("never", "again")] == bag.vocabulary_["again-and-never"]


def test_parameters_reach_through_grid_search_and_clone():
    texts = ["excellent", "not quite so excellent", "terrible", "not quite so terrible"] * 3
    y = [1, 0, 0, 1] * 3
    model = make_pipeline(BagOfWords(conjunctions=WordPairs()), Perceptron(max_iter=100))
    search = GridSearchCV(model, {"bagofwords__conjunctions__window": [1, 3]}, cv=3).fit(texts, y)
    assert search.best_params_ == {"bagofwords__conjunctions__window": 3}
    assert search.best_score_ == 1
    assert model.get_params()["bagofwords__conjunctions__window"] == 4
    copy = clone(BagOfWords(conjunctions=WordPairs(["no"], 7)))
    assert (copy.conjunctions.pivots, copy.conjunctions.window) == (["no"], 7)


@pytest.mark.parametrize("cls", [BagOfWords, HashedBagOfWords])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"conjunctions": WordPairs(None, None)}, "neither pivots nor window.*use Conjunctions"),
        ({"conjunctions": WordPairs([], 4)}, "pivots is empty"),
        ({"conjunctions": WordPairs("not", 4)}, r"pivots='not': use 'negators' or a list of words, e.g. \['not'\]"),
        ({"conjunctions": WordPairs([3], 4)}, "pivots holds 3: use words"),
        ({"conjunctions": WordPairs(["not"], 0)}, "window=0: use a number of tokens"),
        ({"conjunctions": WordPairs(["not"], 1.5)}, "window=1.5"),
        ({"conjunctions": WordPairs(["not"], True)}, "window=True"),
        ({"conjunctions": 4}, r"conjunctions=4: use WordPairs\(pivots"),
        ({"conjunctions": WordPairs(["Not", "a"])}, r"not tokens: 'Not' \(becomes 'not'\), 'a' \("),
        ({"conjunctions": WordPairs(["no"]), "stop_words": ["no"]}, r"'no' \(becomes nothing\)"),
        ({"conjunctions": WordPairs(), "analyzer": "char"}, "conjunctions join words, but analyzer='char'"),
        ({"conjunctions": WordPairs(), "analyzer": str.split}, "conjunctions join words, but analyzer="),
    ],
)  # fmt: skip
def test_settings_that_cannot_work_are_rejected(cls, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        cls(**parameters).fit(["no words"])


def test_pivots_that_no_document_holds_are_named():
    message = "No document has words to join: two different words at most 4 tokens apart, one of them among 'nott'"
    with pytest.raises(ValueError, match=message):
        BagOfWords(conjunctions=WordPairs(["nott"])).fit(["not good", "not bad"])


def test_pivots_may_be_words_that_negation_marks():
    bag = BagOfWords(negation=True, conjunctions=WordPairs(["NOT_good"], 1)).fit(["not good film"])
    assert "NOT_film-and-NOT_good" in bag.vocabulary_


def test_a_tokenizer_that_fails_on_a_pivot_is_not_called_twice():
    def needs_two(text):
        first, second = text.split()
        return [first, second]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bag = BagOfWords(tokenizer=needs_two, conjunctions=WordPairs(["not"])).fit(["not good"])
    assert "good-and-not" in bag.vocabulary_
