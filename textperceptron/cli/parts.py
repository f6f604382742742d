"""Which documents of a corpus are meant."""

from __future__ import annotations

from collections.abc import Sequence

from textperceptron.corpus import Corpus, CorpusError, Documents, Place


def chosen_part(corpus: Corpus, part: str | None = None) -> tuple[Documents, str]:
    """Return documents and what they are called: those to test on where a corpus has them, unless told otherwise.

    Raises
    ------
    CorpusError
        If the corpus has no such part.
    """
    if part == "test" and corpus.test is None:
        raise CorpusError("the corpus has no test split", Place(corpus.name), "Leave --part out to take all of it.")
    if part == "all" or (part is None and corpus.test is None):
        return merged([corpus.train, *([corpus.test] if corpus.test else [])]), "all of it"
    if part == "train" or corpus.test is None:
        return corpus.train, "its part to train on"
    return corpus.test, "its test split"


def merged(documents: Sequence[Documents]) -> Documents:
    """Return several lists of documents as one."""
    if len(documents) == 1:
        return documents[0]
    texts = [text for each in documents for text in each.texts]
    return Documents(texts, [label for each in documents for label in each.labels])


def merged_corpora(corpora: Sequence[Corpus]) -> Corpus:
    """Return several corpora as one: everything to train on, and the test splits of those that have one."""
    if len(corpora) == 1:
        return corpora[0]
    tests = [corpus.test for corpus in corpora if corpus.test is not None]
    name = ", ".join(corpus.name for corpus in corpora)
    return Corpus(name, merged([corpus.train for corpus in corpora]), merged(tests) if tests else None)
