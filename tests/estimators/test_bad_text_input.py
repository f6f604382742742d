"""Bad text raises with place and remedy, in the words that scikit-learn's users know."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.estimators.hashed_bag_of_words import HashedBagOfWords

BOTH = pytest.mark.parametrize("cls", [BagOfWords, HashedBagOfWords])


@BOTH
@pytest.mark.parametrize("text", ["one text", b"one text"])
def test_a_bare_string_is_rejected(cls, text):
    message = "Iterable over raw text documents expected, string object received"
    for method in ("fit_transform", "transform"):
        with pytest.raises(ValueError, match=message):
            getattr(cls() if cls is HashedBagOfWords else cls(vocabulary=["a"]), method)(text)


@BOTH
def test_bytes_that_do_not_decode_are_named_with_document_and_position(cls):
    texts = ["fine"] * 5000 + [b"caf\xe9 au lait"]
    with pytest.raises(UnicodeDecodeError, match=r"byte 0xe9 in position 3: .*document 5000.*decode_error") as caught:
        cls().fit_transform(texts)
    assert caught.value.start == 3
    assert cls(decode_error="ignore").fit_transform(texts).shape[0] == 5001
    assert cls(encoding="latin-1").fit_transform(texts).shape[0] == 5001


@BOTH
@pytest.mark.parametrize("document", [None, 3, 2.5, ["a", "list"]])
def test_documents_that_are_not_text_are_named(cls, document):
    with pytest.raises(ValueError, match=r"Document 2 is .* expected byte or unicode string"):
        cls().fit_transform(["some", "text", document])
    with pytest.raises(TypeError, match="Document 0"):
        cls().fit_transform([document])


@BOTH
@pytest.mark.parametrize("nan", [np.nan, float("nan")])
def test_missing_texts_are_named(cls, nan):
    with pytest.raises(ValueError, match=r"np.nan is an invalid document.*document 1"):
        cls().fit_transform(["some", nan])


@pytest.mark.parametrize(
    ("parameters", "texts", "message"),
    [
        ({}, ["", "!"], "empty vocabulary; perhaps the documents only contain stop words"),
        ({}, [], "empty vocabulary"),
        ({"stop_words": ["a", "word"]}, ["a word"], "empty vocabulary"),
        ({"ngram_range": (3, 3)}, ["two words"], "empty vocabulary"),
        ({"ngram_range": (1, 2**31)}, ["two words"], r"ngram_range=\(1, 2147483648\): use integers below 2\*\*31"),
        ({"ngram_range": (1, 2.0)}, ["two words"], r"ngram_range=\(1, 2.0\): use integers"),
        ({"min_df": 3, "max_df": 2}, ["a word"], "max_df corresponds to < documents than min_df.*min_df=3"),
        ({"min_df": 0.9, "max_df": 0.1}, ["a word"], "max_df corresponds to < documents than min_df"),
        ({"min_df": 2}, ["one", "two"], "After pruning, no terms remain. Try a lower min_df or a higher max_df"),
        ({"min_df": -1}, ["word"], r"'min_df' parameter must be .* Got -1 instead"),
        ({"max_df": 1.5}, ["word"], r"'max_df' parameter must be .* Got 1.5 instead"),
        ({"max_df": True}, ["word"], r"'max_df' parameter must be"),
        ({"max_features": 0}, ["word"], r"'max_features' parameter must be"),
        ({"ngram_range": (2, 1)}, ["word"], r"Invalid value for ngram_range=\(2, 1\) lower boundary larger"),
        ({"ngram_range": (0, 1)}, ["word"], r"ngram_range=\(0, 1\): the lower boundary must be 1"),
        ({"ngram_range": 2}, ["word"], "use two numbers"),
        ({"analyzer": "words"}, ["word"], "analyzer='words': use one of 'word', 'char'"),
        ({"strip_accents": "all"}, ["word"], "strip_accents='all': use one of"),
        ({"stop_words": "german"}, ["word"], "not a built-in stop list: german"),
        ({"order": "length"}, ["word"], "order='length': use one of"),
        ({"token_pattern": r"(\w)(\w)"}, ["word"], "More than 1 capturing group in token pattern"),
        ({"token_pattern": None}, ["word"], "token_pattern is None"),
        ({"negation": True, "tokenizer": str.split, "token_pattern": None}, ["word"], "negation=True has to see"),
        ({"negation": True, "analyzer": "char"}, ["word"], "negation=True has to see"),
        ({"vocabulary": []}, ["word"], "empty vocabulary passed to fit"),
        ({"vocabulary": ["a", "b", "a"]}, ["word"], "Duplicate term in vocabulary: 'a'"),
        ({"vocabulary": {"a": 0, "b": 0}}, ["word"], "Vocabulary contains repeated indices"),
        ({"vocabulary": {"a": 0, "b": 2}}, ["word"], "Vocabulary of size 2 doesn't contain index 1"),
        ({"n_jobs": 0}, ["word"], "n_jobs == 0 has no meaning"),
        ({"analyzer": lambda text: [1]}, ["word"], "terms must be str"),
        ({"vocabulary": ["a", 1]}, ["word"], "Terms must be strings"),
        ({"preprocessor": len}, ["word"], "The preprocessor returned 4 for document 0"),
    ],
)
def test_settings_that_cannot_work_are_rejected(parameters, texts, message):
    with pytest.raises((ValueError, TypeError), match=message):
        BagOfWords(**parameters).fit(texts)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tokenizer": str.split}, "'token_pattern' will not be used since 'tokenizer' is not None"),
        ({"analyzer": str.split, "preprocessor": str.lower}, "'preprocessor' will not be used"),
        ({"analyzer": str.split, "ngram_range": (1, 2)}, "'ngram_range' will not be used"),
        ({"analyzer": "char", "stop_words": "english"}, "'stop_words' will not be used since 'analyzer' != 'word'"),
        ({"stop_words": ["we'll"]}, r"stop_words may be inconsistent .* tokens \['ll', 'we'\] not in stop_words"),
        ({"vocabulary": ["Word"]}, "Upper case characters found in vocabulary while 'lowercase' is True"),
    ],
)
def test_settings_without_effect_are_warned_of(parameters, message):
    with pytest.warns(UserWarning, match=message):
        BagOfWords(**parameters).fit(["some words"])


def test_transform_before_fit_says_so():
    with pytest.raises(NotFittedError, match="Vocabulary not fitted or provided"):
        BagOfWords().transform(["word"])
    with pytest.raises(NotFittedError):
        BagOfWords().get_feature_names_out()


def test_an_error_in_a_users_function_comes_through_unchanged():
    def fails(text):
        raise RuntimeError("my own")

    with pytest.raises(RuntimeError, match="my own"):
        BagOfWords(tokenizer=fails, token_pattern=None, n_jobs=2).fit(["word"])


def test_an_error_in_the_middle_of_a_stream_comes_through_with_threads():
    def stream():
        yield from ["some words"] * 10_000
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        BagOfWords(n_jobs=2).fit(stream())
