"""Corpora by name: bundled with the package, or published and fetched."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from textperceptron.corpus.documents import Corpus
from textperceptron.corpus.errors import CorpusError
from textperceptron.corpus.merge_labels import MergeLabels, as_merge
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.read import read_corpus
from textperceptron.corpus.registry import corpus_path, known_corpora
from textperceptron.corpus.sources import Source, files_on_disk

BUNDLED_CORPORA = {
    "reviews": "short reviews: 480 to train on, 160 to test on, 2 classes",
    "stars": "short reviews with 1 to 5 stars: 320 to train on, 80 to test on",
    "topics": "short posts: 300 to train on, 120 to test on, 6 topics",
    "xor": "excellent, terrible and not: 40 texts to train on, 20 to test on, 2 classes",
    "xor-hard": "more words that reverse others: 128 texts to train on, 64 to test on, 2 classes",
}


def corpus_names() -> list[str]:
    """Return the names of the bundled corpora.

    Examples
    --------
    >>> corpus_names()
    ['reviews', 'stars', 'topics', 'xor', 'xor-hard']
    """
    return sorted(BUNDLED_CORPORA)


def _bundled_root() -> Path:
    # Not importlib.resources, whose import would slow the start of every command.
    try:
        return Path(importlib.import_module("textperceptron._corpora").__path__[0])
    except ModuleNotFoundError:  # Python runs in a clone, where they are beside the package
        return Path(__file__).resolve().parents[2] / "corpora"


def load_corpus(
    name: str, *, merge_labels: MergeLabels = None, callback: Callable[[int], object] | None = None
) -> Corpus:
    r"""Read a bundled corpus, or a published one that was fetched.

    Parameters
    ----------
    name : str
        One of :func:`~textperceptron.corpus.corpus_names`, or of :func:`~textperceptron.corpus.known_corpora` after
        :func:`~textperceptron.corpus.fetch_corpus`.
    merge_labels : str or mapping, optional
        Labels to group or drop, as in :func:`~textperceptron.corpus.read_corpus`.
    callback : callable, optional
        Called with the number of documents read so far, after each batch.

    Returns
    -------
    Corpus
        ``test`` is None for a corpus without a fixed split.

    Raises
    ------
    CorpusError
        If the name is unknown, or the corpus was not fetched.

    Examples
    --------
    >>> reviews = load_corpus("reviews")
    >>> len(reviews.train), len(reviews.test)
    (480, 160)
    >>> print(reviews.train.labels[1], reviews.train.texts[1], sep="\t")
    neg	Cold soup, warm beer, and a rude waiter who sighed when we asked for salt. Never again.
    """
    path, known = find_corpus(name), known_corpora().get(name)
    encoding = known.encoding if known else "utf-8"
    return replace(read_corpus(path, encoding=encoding, merge_labels=merge_labels, callback=callback), name=name)


def find_corpus(name: str) -> Path:
    """Return the folder of a bundled corpus, or the file of a fetched one.

    Raises
    ------
    CorpusError
        As in :func:`load_corpus`.
    """
    if name in corpus_names():
        return _bundled_root() / name
    if name not in known_corpora():
        raise _unknown_corpus(name)
    return corpus_path(name)


def _unknown_corpus(name: str) -> CorpusError:
    return CorpusError(
        f"no corpus is named {name!r}: there are {', '.join(corpus_names())}", None,
        f"Published ones can be fetched: {', '.join(known_corpora())}.",
    )  # fmt: skip


def open_corpus(source: Source, *, callback: Callable[[int], object] | None = None, **options: Any) -> Corpus:
    """Read a path if it exists, else the corpus of that name.

    Parameters
    ----------
    source : str, path, list of paths, or binary stream
        As in :func:`~textperceptron.corpus.read_corpus`, or a name as in :func:`load_corpus`.
    callback : callable, optional
        Called with the number of documents read so far, after each batch.
    **options : dict
        Those of :func:`~textperceptron.corpus.read_corpus`; for a corpus known by name, only ``merge_labels`` and the
        merged labels of ``columns`` count.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> open_corpus("reviews").name
    'reviews'
    """
    rules, columns = options.get("merge_labels"), options.get("columns")
    merge = as_merge(rules, columns)
    ReadOptions(**options | {"merge_labels": merge})  # raises for a wrong option, even where it would be ignored
    if isinstance(source, str) and source != "-" and not os.path.exists(source):
        is_path = os.sep in source or "." in source or bool(set("*?[") & set(source))
        if source in corpus_names() or source in known_corpora() or not is_path:
            return load_corpus(
                source, merge_labels=merge if rules is None else rules, callback=callback
            )  # whose error lists the names
    return read_corpus(source, callback=callback, **options)


def files_of(source: str, **options: Any) -> Iterator[str]:
    """Yield the files that :func:`open_corpus` would read, but not those of a fetched or missing corpus.

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
        source = str(_bundled_root() / source)
    with suppress(CorpusError):  # reading the corpus will raise it
        yield from files_on_disk(source, ReadOptions(**options))
