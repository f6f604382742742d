"""The corpora that come with the package are what their README says."""

from __future__ import annotations

import hashlib
import re
from importlib import resources

import pytest

from textperceptron.corpus import corpus_names, load_corpus

HOME = resources.files("textperceptron._corpora")
README = HOME.joinpath("README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", corpus_names())
def test_files_have_the_checksums_that_the_readme_gives(name):
    for part in ("train", "test"):
        found = hashlib.sha256(HOME.joinpath(name, f"{part}.tsv").read_bytes()).hexdigest()
        assert f"| {name}/{part}.tsv | `{found}` |" in README


@pytest.mark.parametrize("name", corpus_names())
def test_no_text_stands_twice_or_in_both_splits(name):
    corpus = load_corpus(name)
    texts = [re.sub(r"\W+", " ", text.lower()) for text in corpus.train.texts + corpus.test.texts]
    assert len(set(texts)) == len(texts)
    assert f"| `{name}` | {len(corpus.train)} / {len(corpus.test)} |" in README


def test_reviews_are_balanced_and_many_have_a_negation_or_a_contrast():
    turns = re.compile(
        r"\b(not|never|no|nothing|but|yet|although|though|despite|hardly|however|instead|expected|without|nor)\b|n't"
    )
    corpus = load_corpus("reviews")
    for part in (corpus.train, corpus.test):
        assert part.labels.count("pos") == part.labels.count("neg")
        for label in ("pos", "neg"):
            texts = [text for text, own in zip(part.texts, part.labels, strict=True) if own == label]
            assert sum(bool(turns.search(text.lower())) for text in texts) > len(texts) / 3


def test_an_unknown_name_is_answered_with_those_that_exist():
    with pytest.raises(ValueError, match="no corpus is named 'reviews2': there are reviews"):
        load_corpus("reviews2")
