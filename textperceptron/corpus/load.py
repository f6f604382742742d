"""Corpora by name: those that come with the package, and published ones that were fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from textperceptron.corpus.documents import Corpus
from textperceptron.corpus.embedded import corpus_folder, corpus_names
from textperceptron.corpus.errors import CorpusError
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.read import read_corpus
from textperceptron.corpus.registry import corpus_path, known_corpora
from textperceptron.corpus.sources import Source, files_on_disk


def load_corpus(name: str) -> Corpus:
    r"""Read a corpus that comes with the package, or a published one that was fetched.

    Parameters
    ----------
    name : str
        One of :func:`~textperceptron.corpus.corpus_names`, or of :func:`~textperceptron.corpus.known_corpora` after
        :func:`~textperceptron.corpus.fetch_corpus`.

    Returns
    -------
    Corpus
        ``test`` is None for a corpus without a fixed split.

    Raises
    ------
    CorpusError
        If there is no corpus of that name, or it was not fetched.

    Examples
    --------
    >>> reviews = load_corpus("reviews")
    >>> len(reviews.train), len(reviews.test)
    (480, 160)
    >>> print(reviews.train.labels[1], reviews.train.texts[1], sep="\t")
    neg	Cold soup, warm beer, and a rude waiter who sighed when we asked for salt. Never again.
    """
    if name in corpus_names():
        return replace(read_corpus(corpus_folder(name)), name=name)
    known = known_corpora().get(name)
    if known is None:
        raise unknown_corpus(name)
    return replace(read_corpus(corpus_path(name), encoding=known.encoding), name=name)


def find_corpus(name: str) -> Path:
    """Return the folder of a corpus that comes with the package, or the file of one that was fetched.

    Raises
    ------
    CorpusError
        As in :func:`load_corpus`.
    """
    if name in corpus_names():
        return corpus_folder(name)
    if name not in known_corpora():
        raise unknown_corpus(name)
    return corpus_path(name)


def unknown_corpus(name: str) -> CorpusError:
    """Return the error for a name that is none, with those that are."""
    return CorpusError(
        f"no corpus is named {name!r}: there are {', '.join(corpus_names())}", None,
        f"Published ones can be fetched: {', '.join(known_corpora())}.",
    )  # fmt: skip


def open_corpus(source: Source, **options: Any) -> Corpus:
    """Read what a person named: a path if there is one, else a corpus of that name.

    Parameters
    ----------
    source : str, path, list of paths, or binary stream
        As in :func:`~textperceptron.corpus.read_corpus`, or a name as in :func:`load_corpus`.
    **options : dict
        Those of :func:`~textperceptron.corpus.read_corpus`; a corpus known by name needs none.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> open_corpus("reviews").name
    'reviews'
    """
    ReadOptions(**options)  # a wrong one is a mistake even where none is needed
    if isinstance(source, str) and source != "-" and not os.path.exists(source):
        if source in corpus_names() or source in known_corpora():
            return load_corpus(source)
        if os.sep not in source and "." not in source and not set("*?[") & set(source):
            return load_corpus(source)  # which says what names there are
    return read_corpus(source, **options)


def files_of(source: str, **options: Any) -> Iterator[str]:
    """Yield the files that :func:`open_corpus` would read; none of a corpus that was fetched, or that is not there.

    Parameters
    ----------
    source : str
    **options : dict
        Those of :func:`~textperceptron.corpus.read_corpus`.

    Examples
    --------
    >>> [os.path.basename(file) for file in files_of("reviews")]
    ['train.tsv', 'test.tsv']
    """
    if source != "-" and not os.path.exists(source) and source in corpus_names():
        source = str(corpus_folder(source))
    with suppress(CorpusError):  # whoever reads it will say what is wrong
        yield from files_on_disk(source, ReadOptions(**options))
