"""Read corpora to train on, and select the split to evaluate on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textperceptron.cli.corpus_options import report_skipped
from textperceptron.corpus import Corpus, CorpusError, Documents, Location, open_corpus


def read_labelled(source: str, options: Mapping[str, Any]) -> Corpus:
    """Read a corpus with labels, and report skipped rows."""
    corpus = open_corpus(source, labelled=True, **options)
    report_skipped(corpus.skipped)
    return corpus


def read_training_corpus(sources: Sequence[str], options: Mapping[str, Any]) -> Corpus:
    """Read several corpora as one, with the test splits of those that have one.

    Raises
    ------
    CorpusError
        If a corpus cannot be read, or there are fewer than two classes.
    """
    corpora = [read_labelled(source, options) for source in sources]
    corpus = corpora[0]
    if len(corpora) > 1:
        tests = [each.test for each in corpora if each.test is not None]
        name = ", ".join(each.name for each in corpora)
        corpus = Corpus(name, _concatenate([each.train for each in corpora]), _concatenate(tests) if tests else None)
    corpus.require_classes()
    return corpus


def select_split(corpus: Corpus, split: str | None = None) -> tuple[Documents, str]:
    """Return the documents of a split and its name in messages; by default the test split, or else all documents.

    Raises
    ------
    CorpusError
        If the corpus has no such split.
    """
    if split == "test" and corpus.test is None:
        raise CorpusError("the corpus has no test split", Location(corpus.name), "Omit --part to use all texts.")
    if split == "all" or (split is None and corpus.test is None):
        return _concatenate([corpus.train, *([corpus.test] if corpus.test else [])]), "all texts"
    if split == "train" or corpus.test is None:
        return corpus.train, "training split"
    return corpus.test, "test split"


def _concatenate(documents: Sequence[Documents]) -> Documents:
    if len(documents) == 1:
        return documents[0]
    texts = [text for each in documents for text in each.texts]
    return Documents(texts, [label for each in documents for label in each.labels])
