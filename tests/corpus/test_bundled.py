"""The bundled corpora have the properties that their README states."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from importlib import resources
from itertools import combinations

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from textperceptron import AROW, MIRA, AveragedPerceptron, BagOfWords, Perceptron
from textperceptron.corpus import corpus_names, load_corpus
from textperceptron.margins import is_separable

HOME = resources.files("textperceptron._corpora")
README = HOME.joinpath("README.md").read_text(encoding="utf-8")
CLASSES = {
    "reviews": ["neg", "pos"],
    "stars": ["1", "2", "3", "4", "5"],
    "topics": ["computing", "cooking", "gardening", "music", "sport", "travel"],
    "xor": ["neg", "pos"],
    "xor-hard": ["neg", "pos"],
}
LEARNERS = (Perceptron, AveragedPerceptron, MIRA, AROW)
TURNERS = ("not", "never", "hardly", "anything")
CONFIRMERS = ("so", "always", "truly", "nothing")
PRAISE = ("gripping", "tasty", "sturdy", "helpful")
BLAME = ("dull", "bland", "flimsy", "rude")


@pytest.mark.parametrize("name", corpus_names())
def test_files_have_the_checksums_that_the_readme_gives(name):
    for part in ("train", "test"):
        found = hashlib.sha256(HOME.joinpath(name, f"{part}.tsv").read_bytes()).hexdigest()
        assert f"| {name}/{part}.tsv | `{found}` |" in README


@pytest.mark.parametrize("name", corpus_names())
def test_every_line_is_a_label_one_tab_and_a_text(name):
    for part in ("train", "test"):
        written = HOME.joinpath(name, f"{part}.tsv").read_bytes().decode("utf-8")
        assert re.fullmatch(r"(?:[\w-]+\t\S[^\t\r\n]*\S\n)+", written)


@pytest.mark.parametrize("name", corpus_names())
def test_no_text_occurs_twice_or_in_both_splits(name):
    corpus = load_corpus(name)
    texts = [" ".join(words(text)) for text in corpus.train.texts + corpus.test.texts]
    assert len(set(texts)) == len(texts)
    assert f"| `{name}` | {len(corpus.train)} / {len(corpus.test)} |" in README


@pytest.mark.parametrize("name", corpus_names())
def test_both_splits_have_all_classes_equally_often(name):
    corpus = load_corpus(name)
    for part in (corpus.train, corpus.test):
        each = len(part) // len(CLASSES[name])
        assert Counter(part.labels) == dict.fromkeys(CLASSES[name], each)


@pytest.mark.parametrize("name", ["reviews", "stars"])
def test_more_than_a_third_of_every_class_has_a_negation_or_a_contrast(name):
    turns = re.compile(
        r"\b(not|never|no|nothing|but|yet|although|though|despite|hardly|however|instead|expected|without|nor)\b|n't"
    )
    corpus = load_corpus(name)
    for label in CLASSES[name]:
        texts = [*texts_of(corpus.train, label), *texts_of(corpus.test, label)]
        assert sum(bool(turns.search(text.lower())) for text in texts) > len(texts) / 3


def test_xor_is_not_separable_by_its_three_words_but_is_with_their_conjunctions():
    corpus = load_corpus("xor")
    single, paired = xor_columns(corpus.train)
    assert not is_separable(single, corpus.train.labels)
    assert is_separable(paired, corpus.train.labels)


def test_the_textbook_weights_classify_every_review_of_xor_correctly():
    corpus = load_corpus("xor")
    for part in (corpus.train, corpus.test):
        activations = xor_columns(part)[1] @ [1, -1, 0, -2, 2]
        assert [{1: "pos", -1: "neg"}[sign] for sign in activations] == part.labels


@pytest.mark.parametrize("name", ["xor", "xor-hard"])
def test_a_bag_of_words_classifies_at_most_three_of_each_four_reviews(name):
    """Two reviews per class have the same words in sum, so the sums of their scores are equal and one sign is wrong."""
    corpus = load_corpus(name)
    for part in (corpus.train, corpus.test):
        negative = defaultdict(list)
        for pair in combinations(texts_of(part, "neg"), 2):
            negative[words_in_sum(pair)].append(pair)
        left = set(part.texts)
        for pair in combinations(texts_of(part, "pos"), 2):
            for other in negative[words_in_sum(pair)]:
                if left.issuperset(pair + other):
                    left.difference_update(pair + other)
        assert not left


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("name", ["xor", "xor-hard"])
def test_the_training_set_is_not_separable_by_words_but_is_by_words_and_pairs(name, binary):
    corpus = load_corpus(name)
    counts = BagOfWords(binary=binary).fit_transform(corpus.train.texts)
    assert not is_separable(counts, corpus.train.labels)
    assert is_separable(pairs().fit_transform(counts), corpus.train.labels)


@pytest.mark.parametrize("name", ["xor", "xor-hard"])
def test_pairs_carry_over_to_the_test_split_as_the_readme_says_and_bigrams_do_not(name):
    corpus = load_corpus(name)
    found = []
    for ngrams, make_pairs in ((1, False), (2, False), (1, True)):
        bag = BagOfWords(ngram_range=(1, ngrams), binary=True)
        train, test = bag.fit_transform(corpus.train.texts), bag.transform(corpus.test.texts)
        if make_pairs:
            columns = pairs().fit(train)
            train, test = columns.transform(train), columns.transform(test)
        models = [learner(max_iter=100).fit(train, corpus.train.labels) for learner in LEARNERS]
        right = [len(corpus.test) * model.score(test, corpus.test.labels) for model in models]
        found += [min(right), max(right)]
    row = rf"^\| `{name}` " + rf"\| (\d+) to (\d+) of {len(corpus.test)} " * 3 + r"\|$"
    said = [int(n) for n in re.search(row, README, re.MULTILINE).groups()]
    # Uninformative words leave scores near zero, whose signs may depend on rounding.
    assert np.array(found) == pytest.approx(said, abs=3)


def test_the_label_of_a_hard_xor_review_is_decided_by_one_pair_of_words():
    corpus = load_corpus("xor-hard")
    for part, times in ((corpus.train, 2), (corpus.test, 1)):
        seen = Counter()
        for text, label in zip(part.texts, part.labels, strict=True):
            (operator,) = [word for word in words(text) if word in TURNERS + CONFIRMERS]
            (opinion,) = [word for word in words(text) if word in PRAISE + BLAME]
            assert label == ("pos" if (operator in CONFIRMERS) == (opinion in PRAISE) else "neg")
            seen[operator, opinion] += 1
        assert set(seen.values()) == {times}
        assert len(seen) == 64


def test_an_unknown_name_is_rejected_with_the_known_ones():
    with pytest.raises(ValueError, match="no corpus is named 'reviews2': there are reviews, stars, topics, xor, xor-h"):
        load_corpus("reviews2")


def words(text):
    return re.findall(r"\w+", text.lower())


def texts_of(part, label):
    return [text for text, own in zip(part.texts, part.labels, strict=True) if own == label]


def words_in_sum(texts):
    """Return the count and the document frequency of each word: both are linear in the rows."""
    often, present = Counter(), Counter()
    for text in texts:
        often.update(words(text))
        present.update(set(words(text)))
    return frozenset(often.items()), frozenset(present.items())


def xor_columns(part):
    """Return presence of excellent, terrible, not; and these with the conjunctions of each of the two and not."""
    single = np.array(
        [[word in words(text) for word in ("excellent", "terrible", "not")] for text in part.texts], float
    )
    return single, np.hstack([single, single[:, :2] * single[:, 2:]])


def pairs():
    """Words, and the products of two of them."""
    return PolynomialFeatures(2, interaction_only=True, include_bias=False)
