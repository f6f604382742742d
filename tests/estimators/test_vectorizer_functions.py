"""build_preprocessor, build_tokenizer, build_analyzer: as in scikit-learn, also when a subclass overrides them."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from helpers.texts import documents
from textperceptron import BagOfWords, HashedBagOfWords
from textperceptron.settings.text import WORDS_AND_PUNCTUATION

BOTH = pytest.mark.parametrize("make", [BagOfWords, HashedBagOfWords])
TEXTS = ["The films were FILMED in Ångström", "not a film, no filming", "films!"]


def first_five(word):
    return word[:5]


class Stems:
    """A mixin of the kind that people write for CountVectorizer."""

    def build_analyzer(self):
        analyze = super().build_analyzer()
        return lambda document: [first_five(term) for term in analyze(document)]


class StemmedBag(Stems, BagOfWords):
    pass


class StemmedHash(Stems, HashedBagOfWords):
    pass


class StemmedCounts(Stems, CountVectorizer):
    pass


class StemmedHashing(Stems, HashingVectorizer):
    pass


@given(
    documents,
    st.sampled_from([None, "ascii", "unicode"]),
    st.booleans(),
    st.sampled_from([r"(?u)\b\w\w+\b", r"\w+", WORDS_AND_PUNCTUATION, r"[a-z]+"]),
)
def test_the_functions_are_those_of_count_vectorizer(text, strip_accents, lowercase, token_pattern):
    parameters = {"strip_accents": strip_accents, "lowercase": lowercase, "token_pattern": token_pattern}
    ours, theirs = BagOfWords(**parameters), CountVectorizer(**parameters)
    assert ours.build_preprocessor()(text) == theirs.build_preprocessor()(text)
    assert ours.build_tokenizer()(text) == theirs.build_tokenizer()(text)
    assert ours.build_analyzer()(text) == theirs.build_analyzer()(text)


@given(documents, st.sampled_from([{}, {"token_pattern": "any-script"}, {"tokenizer": str.split}]))
def test_preprocessor_and_tokenizer_make_the_tokens_of_the_analyzer(text, parameters):
    assume("İ" not in text)  # one text lowered twice
    bag = BagOfWords(**parameters)
    assert bag.build_tokenizer()(bag.build_preprocessor()(text)) == bag.build_analyzer()(text)


@BOTH
def test_the_tokenizer_knows_neither_stop_words_nor_what_is_made_of_tokens(make):
    bag = make(stop_words=["film"], ngram_range=(2, 3), negation=True, prefixes=3, analyzer="char", lowercase=True)
    bag.set_params(analyzer="word")
    assert bag.build_tokenizer()("Not a film") == ["Not", "film"]
    assert bag.get_stop_words() == {"film"}
    assert make().get_stop_words() is None
    assert "the" in make(stop_words="english").get_stop_words()


@BOTH
def test_functions_of_the_user_are_returned_as_they_are(make):
    bag = make(preprocessor=str.upper, tokenizer=str.split, token_pattern=None)
    assert (bag.build_preprocessor(), bag.build_tokenizer()) == (str.upper, str.split)
    assert bag.build_analyzer()("a film") == ["A", "FILM"]
    assert pickle.loads(pickle.dumps(make().build_tokenizer()))("a fine film") == ["fine", "film"]


@pytest.mark.parametrize(("ours", "theirs"), [(StemmedBag, StemmedCounts), (StemmedHash, StemmedHashing)])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_an_overridden_analyzer_makes_the_terms(ours, theirs, ngram_range):
    hashed = issubclass(ours, HashedBagOfWords)
    bag = ours(ngram_range=ngram_range, **({} if hashed else {"order": "alphabet"}))
    vectorizer = theirs(ngram_range=ngram_range, **({"norm": None} if hashed else {}))
    np.testing.assert_array_equal(bag.fit_transform(TEXTS).toarray(), vectorizer.fit_transform(TEXTS).toarray())
    np.testing.assert_array_equal(bag.transform(TEXTS[1:]).toarray(), vectorizer.transform(TEXTS[1:]).toarray())
    if not hashed:
        np.testing.assert_array_equal(bag.get_feature_names_out(), vectorizer.get_feature_names_out())


def test_an_overridden_analyzer_reads_files_once(tmp_path):
    (tmp_path / "text").write_text("Films filmed")
    assert dict(StemmedBag(input="filename").fit([tmp_path / "text"]).vocabulary_) == {"films": 0, "filme": 1}
    assert dict(StemmedBag(input="file").fit([io.BytesIO(b"Films filmed")]).vocabulary_) == {"films": 0, "filme": 1}
    assert dict(StemmedBag(encoding="latin-1").fit([b"caf\xe9s"]).vocabulary_) == {"cafés": 0}


@BOTH
def test_an_overridden_preprocessor_and_tokenizer_come_before_stop_words_and_n_grams(make):
    class Own(make):
        def build_preprocessor(self):
            lower = super().build_preprocessor()
            return lambda text: lower(text).replace("å", "a")

        def build_tokenizer(self):
            tokenize = super().build_tokenizer()
            return lambda text: [first_five(token) for token in tokenize(text)]

    bag = Own(ngram_range=(1, 2), stop_words=["were"])
    assert bag.build_analyzer()("Ångström films were") == ["angst", "films", "angst films"]
    given = make(
        ngram_range=(1, 2), stop_words=["were"], preprocessor=Own().build_preprocessor(),
        tokenizer=Own().build_tokenizer(), token_pattern=None,
    )  # fmt: skip
    np.testing.assert_array_equal(bag.fit_transform(TEXTS).toarray(), given.fit_transform(TEXTS).toarray())


@BOTH
def test_a_subclass_that_overrides_nothing_stays_compiled(make):
    class Same(make):
        pass

    assert not Same()._settings().needs_python


@BOTH
def test_inconsistent_stop_words_are_warned_of(make):
    with pytest.warns(UserWarning, match=r"Tokenizing the stop words generated tokens \['and', 'll', 've'\]"):
        make(stop_words=["you've", "you", "you'll", "AND"]).fit_transform(["hello world"])
