"""BagOfWords is CountVectorizer, column for column by name, and the same for every number of threads."""

from __future__ import annotations

import io
import pickle
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline

from helpers.texts import CORPORA, assert_same_counts, collections, corpus, documents
from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.estimators.hashed_bag_of_words import HashedBagOfWords
from textperceptron.settings.text import ANY_SCRIPT, COMPILED_PATTERNS, DEFAULT_PATTERN, WORDS_AND_PUNCTUATION
from textperceptron.text import term_table, tokenize


def fitted(cls, texts, **parameters):
    """The estimator and its matrix, or the message of the error without our additions."""
    estimator = cls(**parameters)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return estimator, estimator.fit_transform(texts)
    except ValueError as error:
        return estimator, str(error)


def assert_same_bytes(X, Y):
    for part in ("data", "indices", "indptr"):
        assert getattr(X, part).tobytes() == getattr(Y, part).tobytes()


def assert_parity(texts, more_texts=(), *, n_jobs=None, **parameters):
    # Of terms with the same total, max_features keeps those of CountVectorizer in its own order only.
    order = "frequency" if parameters.get("max_features") is None else "alphabet"
    theirs, their_X = fitted(CountVectorizer, texts, **parameters)
    ours, our_X = fitted(BagOfWords, texts, n_jobs=n_jobs, order=order, **parameters)
    if isinstance(their_X, str) or isinstance(our_X, str):
        assert isinstance(our_X, str)
        assert our_X.startswith(their_X.removesuffix("."))
        return
    assert_same_counts(our_X, their_X, ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert_same_bytes(ours.transform(texts), our_X)
    if len(more_texts):
        assert_same_counts(
            ours.transform(more_texts), theirs.transform(more_texts),
            ours.get_feature_names_out(), theirs.get_feature_names_out(),
        )  # fmt: skip


@pytest.mark.parametrize("pattern", [DEFAULT_PATTERN, *(each for each in COMPILED_PATTERNS if each != ANY_SCRIPT)])
@given(collections, collections, st.booleans(), st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 4)]))
def test_words_are_those_of_count_vectorizer(pattern, texts, more, lowercase, ngrams):
    assert_parity(texts, more, token_pattern=pattern, lowercase=lowercase, ngram_range=ngrams)


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
@given(collections, collections, st.booleans(), st.tuples(st.integers(1, 6), st.integers(0, 4)))
def test_character_ngrams_are_those_of_count_vectorizer(analyzer, texts, more, lowercase, sizes):
    ngrams = (sizes[0], sum(sizes))
    assert_parity(texts, more, analyzer=analyzer, lowercase=lowercase, ngram_range=ngrams)


@given(
    collections,
    st.sampled_from([1, 2, 3, 0.0, 0.3, 0.5, 1.0]),
    st.sampled_from([1, 2, 3, 0.5, 0.7, 1.0]),
    st.sampled_from([None, 1, 2, 5, 20]),
    st.booleans(),
    st.sampled_from([np.int64, np.float64, np.int32, np.uint8]),
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
)
def test_pruning_is_that_of_count_vectorizer(texts, min_df, max_df, max_features, binary, dtype, ngrams):
    assert_parity(
        texts, min_df=min_df, max_df=max_df, max_features=max_features, binary=binary, dtype=dtype, ngram_range=ngrams
    )


@given(collections, st.sampled_from(["ascii", "unicode", str.upper]), st.booleans(), st.sampled_from(["word", "char"]))
def test_accents_are_stripped_as_in_count_vectorizer(texts, strip_accents, lowercase, analyzer):
    assert_parity(texts, strip_accents=strip_accents, lowercase=lowercase, analyzer=analyzer)


@given(collections, st.sampled_from(["english", ["film", "the", "isn", "t", "ΟΔΟΣ"], [""]]))
def test_stop_words_are_left_out_before_ngrams_are_formed(texts, stop_words):
    assert_parity(texts, stop_words=stop_words, ngram_range=(1, 2))
    assert_parity(texts, stop_words=stop_words, ngram_range=(2, 2), token_pattern=WORDS_AND_PUNCTUATION)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"ngram_range": (1, 3), "stop_words": "english"},
        {"ngram_range": (2, 2), "lowercase": False},
        {"strip_accents": "unicode"},
        {"tokenizer": str.split, "token_pattern": None, "ngram_range": (1, 2)},
        {"analyzer": "char", "ngram_range": (2, 4)},
        {"analyzer": "char_wb", "ngram_range": (2, 3)},
    ],
    ids=lambda parameters: " ".join(parameters) or "defaults",
)
@pytest.mark.parametrize("cls", [BagOfWords, HashedBagOfWords])
@given(text=documents)
def test_the_analyzer_gives_the_terms_in_count_vectorizers_order(cls, parameters, text):
    ours = pickle.loads(pickle.dumps(cls(**parameters).build_analyzer()))(text)
    theirs = CountVectorizer(**parameters).build_analyzer()(text)
    if str(parameters.get("analyzer")).startswith("char"):  # by place, not by length: only their number counts
        ours, theirs = sorted(ours), sorted(theirs)
    assert ours == list(theirs)


def first_and_rest(text):
    return [text[:3], text[:3], text[3:]]


def at_each_space(text):
    return text.split(" ")


@pytest.mark.parametrize(
    "parameters",
    [
        {"token_pattern": r"[a-z]+"},
        {"token_pattern": r"\b(\w)\w*\b"},
        {"token_pattern": r"\w+ \w+", "ngram_range": (1, 2)},  # tokens with spaces: "a b" is one and two tokens
        {"tokenizer": str.split},
        {"tokenizer": at_each_space, "ngram_range": (1, 3), "stop_words": ["film", ""]},
        {"preprocessor": str.swapcase},
        {"preprocessor": str.swapcase, "tokenizer": str.split},
        {"analyzer": str.split},
        {"analyzer": first_and_rest},
    ],
    ids=lambda parameters: " ".join(parameters),
)
@given(texts=collections, more=collections)
def test_functions_and_other_patterns_take_a_slower_path_to_the_same_counts(parameters, texts, more):
    assert_parity(texts, more, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_corpora_give_the_counts_of_count_vectorizer(name):
    texts = corpus(name, 1000)
    more = texts[: len(texts) // 3]
    assert_parity(texts, more, ngram_range=(1, 2), n_jobs=2)


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_df": 3, "max_df": 0.4, "ngram_range": (1, 3)},
        {"max_features": 1000, "ngram_range": (1, 2)},
        {"max_features": 2000, "binary": True},
        {"stop_words": "english", "strip_accents": "unicode"},
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
        {"analyzer": "char", "ngram_range": (3, 3), "lowercase": False},
        {"token_pattern": WORDS_AND_PUNCTUATION, "ngram_range": (1, 2)},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("imdb.train.tsv.gz", marks=pytest.mark.slow),
        pytest.param("20news.test.tsv.gz", marks=pytest.mark.slow),
        "sentence_polarity.zip",
    ],
)
def test_corpora_give_the_same_counts_for_every_shared_parameter(name, parameters):
    assert_parity(corpus(name, 300), n_jobs=2, **parameters)


@pytest.mark.slow
def test_all_of_imdb_gives_the_counts_of_count_vectorizer():
    assert_parity(corpus("imdb.train.tsv.gz"), n_jobs=2)


@pytest.mark.slow
def test_every_character_is_classified_and_lowered_as_python_does():
    everything = [f"a{chr(c)}b{chr(c)}{chr(c)} {chr(c)}c" for c in range(0x110000)]
    for start in range(0, len(everything), 1 << 16):
        for pattern in (r"\w+", r"\w+|[^\w\s]"):
            assert_parity(["\n".join(everything[start : start + (1 << 16)])], token_pattern=pattern)


@pytest.mark.parametrize("odd", ["é", "Éé", "ÿ", "’", "Жж", "İ", "\u3000", "😀", "𐐀"])
@pytest.mark.parametrize("stop_words", [None, ["the"]])
def test_words_are_cut_alike_wherever_a_character_beyond_ascii_stands(odd, stop_words):
    plain = "The b film's CAST, 12 a_b -- " * 8
    texts = [plain[:k] + odd + plain[k:] for k in range(140)] + [odd * 70 + plain, plain[:64] + odd + plain[:63]]
    assert_parity(texts, stop_words=stop_words, token_pattern=r"\w+")
    assert_parity(texts, stop_words=stop_words)


@pytest.mark.parametrize("text", ["ΟΔΟΣ ΟΔΟΣ. Σ Σ1 1Σ ΣΑ ΑΣ' ΑΣ'Α", "İ İİ Iİ", "ǅungla", "ΑΣ\u0301 ΑΣ\u00ad", "A.Σ"])
def test_lower_case_follows_its_context(text):
    assert_parity([text, "σς"], token_pattern=r"\w+")


def test_alphabetical_order_keeps_the_terms_of_count_vectorizer_where_max_features_cuts_through_ties():
    texts = corpus("trec.train.tsv")
    theirs, ours = CountVectorizer(max_features=500), BagOfWords(max_features=500, order="alphabet")
    assert theirs.fit(texts).vocabulary_ == ours.fit(texts).vocabulary_


@given(collections, st.sampled_from([(1, 1), (1, 2), (2, 3)]), st.sampled_from(["word", "char_wb"]))
def test_any_number_of_threads_gives_the_same_bytes(texts, ngrams, analyzer):
    texts = [text for text in texts for _ in range(3)] + ["some words"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenize, "BLOCK", 50)
        patch.setattr(term_table, "FIRST_SLOTS", 4)
        results = [fitted(BagOfWords, texts, ngram_range=ngrams, analyzer=analyzer, n_jobs=n) for n in (1, 2, 5)]
        known = [results[0][0].set_params(n_jobs=n).transform(texts) for n in (1, 3)]
    (first, X), *others = results
    for other, Y in [*others, *((first, Y) for Y in known)]:
        assert first.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()
        assert_same_bytes(X, Y)


@given(collections, st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 3)]), st.sampled_from([r"\w+", r"\w+|[^\w\s]"]))
def test_columns_are_ordered_by_document_frequency_or_name(texts, ngrams, pattern):
    _, X = fitted(BagOfWords, texts, ngram_range=ngrams, token_pattern=pattern)
    if isinstance(X, str):
        return
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    assert frequency.tolist() == sorted(frequency, reverse=True)
    by_name = BagOfWords(ngram_range=ngrams, token_pattern=pattern, order="alphabet").fit(texts)
    names = by_name.get_feature_names_out().tolist()
    assert names == sorted(names)


@given(st.lists(st.text("ab!\x08\x7f\x1c -"), min_size=1), st.sampled_from([r"\w+|[^\w\s]", r"\w+|[^\w\s]+"]))
def test_characters_below_the_space_between_words_sort_where_python_sorts_them(texts, pattern):
    bag = BagOfWords(token_pattern=pattern, ngram_range=(1, 3), order="alphabet")
    names = bag.fit(["a", *texts]).get_feature_names_out().tolist()
    assert names == sorted(names)


@pytest.mark.parametrize(
    "ngrams",
    [
        (255, 257),
        (300, 300),
        *(pytest.param((1, most), marks=pytest.mark.slow) for most in (255, 256, 400)),
    ],
)
@pytest.mark.parametrize("order", ["alphabet", "frequency"])
def test_ngrams_may_have_any_length(ngrams, order):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["ab", "cd", "ef"], n)) for n in (300, 310)] + ["gh " * 300, "ab cd"]
    expected = CountVectorizer(ngram_range=ngrams).fit(texts)
    ours = BagOfWords(ngram_range=ngrams, order=order).fit(texts)
    names = ours.get_feature_names_out()
    assert sorted(names) == list(expected.get_feature_names_out())
    assert (ours.transform(texts)[:, np.argsort(names)] != expected.transform(texts)).nnz == 0


def words_with_the_same_hash(n):
    """Words of seven letters whose slots were the same when the hash of the counting tables was fixed.

    Their key is the bytes with the length above them, and the slot was the upper bits of
    ``(key ^ key >> 32) * 0x9E3779B97F4A7C15``: words are kept for which these are 0.
    """
    rng, words = np.random.default_rng(0), []
    while len(words) < n:
        drawn = rng.integers(ord("a"), ord("z") + 1, (1 << 18, 8), np.uint8)
        drawn[:, 7] = 7
        key = drawn.view("<u8")[:, 0]
        hashed = (key ^ key >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)
        words += [bytes(row[:7].tolist()).decode() for row in drawn[hashed >> np.uint64(52) == 0]]
    return words[:n]


@pytest.mark.slow
def test_words_that_were_chosen_to_collide_are_counted_as_fast_as_others():
    chosen = words_with_the_same_hash(10_000)
    others = ["".join(reversed(word)) for word in chosen]

    def seconds(words):
        texts = [" ".join(words[k : k + 100]) for k in range(0, len(words), 100)]
        taken = []
        for _ in range(3):
            begin = time.process_time()
            BagOfWords().fit(texts)
            taken.append(time.process_time() - begin)
        return min(taken)

    assert seconds(chosen) < 5 * seconds(others)  # tens of times as long with a hash that is known


@given(collections)
def test_rows_have_ascending_columns_and_no_duplicates(texts):
    _, X = fitted(BagOfWords, texts, ngram_range=(1, 2))
    if not isinstance(X, str):
        assert all((np.diff(X.indices[a:b]) > 0).all() for a, b in zip(X.indptr, X.indptr[1:], strict=False))


@pytest.mark.parametrize("count", [1, 2, 254, 255, 256, 257, 70000])
def test_counts_of_any_size_are_exact(count):
    X = BagOfWords(dtype=np.int64).fit_transform(["word " * count + " ".join(f"w{k}" for k in range(50))])
    assert X.max() == count
    assert X.sum() == count + 50


def test_alphabetical_vocabulary_equals_scikit_learns_dictionary():
    texts = ["one two two", "three zwei", "é"]
    assert BagOfWords(order="alphabet").fit(texts).vocabulary_ == CountVectorizer().fit(texts).vocabulary_


@given(collections, st.sampled_from([["film", "good", "not good"], {"film": 1, "the": 0}, {"b", "a"}, {"FILM"}]))
def test_a_given_vocabulary_is_counted_as_in_count_vectorizer(texts, vocabulary):
    assert_parity(texts, vocabulary=vocabulary, ngram_range=(1, 2))
    unfitted = BagOfWords(vocabulary=vocabulary).transform(texts)
    np.testing.assert_array_equal(unfitted.toarray(), CountVectorizer(vocabulary=vocabulary).transform(texts).toarray())


def test_generators_files_and_bytes_are_read_as_in_count_vectorizer(tmp_path):
    texts = ["Größe zählt", "größe nicht"]
    paths = []
    for number, text in enumerate(texts):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(text, encoding="latin-1")
    X = BagOfWords().fit_transform(texts).toarray()
    raw = [text.encode("latin-1") for text in texts]
    np.testing.assert_array_equal(BagOfWords().fit_transform(iter(texts)).toarray(), X)
    np.testing.assert_array_equal(BagOfWords().fit_transform(np.array(texts)).toarray(), X)
    np.testing.assert_array_equal(BagOfWords(encoding="latin-1").fit_transform(raw).toarray(), X)
    np.testing.assert_array_equal(BagOfWords(input="filename", encoding="latin-1").fit_transform(paths).toarray(), X)
    files = [io.BytesIO(data) for data in raw]
    np.testing.assert_array_equal(BagOfWords(input="file", encoding="latin-1").fit_transform(files).toarray(), X)


def test_documents_that_are_token_lists_pass_through_functions():
    lists = [["a", "b", "a"], ["b"]]
    for parameters in (
        {"analyzer": lambda tokens: tokens},
        {"tokenizer": lambda tokens: tokens, "lowercase": False, "token_pattern": None},
        {"tokenizer": lambda tokens: tokens, "preprocessor": lambda tokens: tokens, "token_pattern": None},
    ):
        assert BagOfWords(**parameters).fit_transform(lists).toarray().tolist() == [[1, 2], [1, 0]]


def negated(text, **parameters):
    return BagOfWords(negation=True, **parameters).fit([text]).get_feature_names_out().tolist()


def test_negation_reaches_from_the_negator_to_the_next_punctuation():
    expected = ["do", "not", "NOT_like", "NOT_this", "NOT_film", "but", "the", "cast"]
    assert negated("I do not like this film, but the cast") == expected


@pytest.mark.parametrize("apostrophe", "'’")
def test_a_contraction_negates_and_its_parts_keep_their_names(apostrophe):
    text = f"it isn{apostrophe}t a well-made film. fine"
    assert negated(text) == ["it", "isn", "NOT_well", "NOT_made", "NOT_film", "fine"]
    marks = negated(text, token_pattern=WORDS_AND_PUNCTUATION)
    assert set(marks) == {"it", "isn", apostrophe, "t", "NOT_a", "NOT_well", "-", "NOT_made", "NOT_film", ".", "fine"}


def test_negation_ends_with_the_document_and_survives_stop_words():
    X = BagOfWords(negation=True, stop_words=["not", "the"]).fit(["not the best", "best"])
    assert set(X.get_feature_names_out()) == {"NOT_best", "best"}


@given(documents)
def test_negation_only_adds_prefixes(text):
    plain, X = fitted(BagOfWords, [text], token_pattern=r"\w+")
    marked, Y = fitted(BagOfWords, [text], token_pattern=r"\w+", negation=True)
    if isinstance(X, str):
        assert isinstance(Y, str)
        return
    bare = {}
    for name, value in zip(marked.get_feature_names_out(), Y.toarray()[0], strict=True):
        bare[name.removeprefix("NOT_")] = bare.get(name.removeprefix("NOT_"), 0) + value
    if not any(name.startswith("NOT_") for name in plain.get_feature_names_out()):
        assert bare == dict(zip(plain.get_feature_names_out(), X.toarray()[0], strict=True))


def test_inverse_transform_gives_the_terms_of_each_document():
    bag = BagOfWords(token_pattern=r"\w").fit(["b a", "c a a"])
    X = bag.transform(["a b", "", "c"])
    assert [terms.tolist() for terms in bag.inverse_transform(X)] == [["a", "b"], [], ["c"]]
    assert [terms.tolist() for terms in bag.inverse_transform(X.toarray())] == [["a", "b"], [], ["c"]]


def test_clone_pickle_and_pipeline_keep_it_working():
    texts = ["good film", "bad film"]
    bag = BagOfWords(ngram_range=(1, 2)).fit(texts)
    assert clone(bag).get_params() == bag.get_params()
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(bag)).transform(texts).toarray(), bag.transform(texts).toarray()
    )
    weighted = make_pipeline(BagOfWords(order="alphabet"), TfidfTransformer()).fit_transform(texts)
    theirs = make_pipeline(CountVectorizer(), TfidfTransformer()).fit_transform(texts)
    np.testing.assert_allclose(weighted.toarray(), theirs.toarray(), rtol=1e-6)


def test_dtype_is_the_type_of_the_values_and_float32_by_default():
    assert BagOfWords().fit_transform(["word"]).dtype == np.float32
    for dtype in (np.int8, np.uint16, np.int32, np.int64, np.float64, bool):
        assert BagOfWords(dtype=dtype).fit_transform(["word word"]).dtype == dtype
