"""The corpora that come with the package, found by name."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable


@dataclass(frozen=True, slots=True)
class Documents:
    """Texts and, beside them, their labels."""

    texts: list[str]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents to train on and documents to test on, split once and for all."""

    name: str
    train: Documents
    test: Documents


def corpus_names() -> list[str]:
    """Return the names that :func:`load_corpus` takes.

    Examples
    --------
    >>> corpus_names()
    ['reviews', 'stars', 'topics', 'xor', 'xor-hard']
    """
    return sorted(folder.name for folder in _home().iterdir() if folder.joinpath("train.tsv").is_file())


def load_corpus(name: str) -> Corpus:
    r"""Read an embedded corpus.

    Parameters
    ----------
    name : str
        One of :func:`corpus_names`.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        If there is no corpus of that name.

    Examples
    --------
    >>> reviews = load_corpus("reviews")
    >>> len(reviews.train), len(reviews.test)
    (480, 160)
    >>> print(reviews.train.labels[1], reviews.train.texts[1], sep="\t")
    neg	Cold soup, warm beer, and a rude waiter who sighed when we asked for salt. Never again.
    """
    if name not in corpus_names():
        raise ValueError(f"no corpus is named {name!r}: there are {', '.join(corpus_names())}.")
    folder = _home().joinpath(name)
    return Corpus(name, _read(folder.joinpath("train.tsv")), _read(folder.joinpath("test.tsv")))


def _home() -> Traversable:
    return resources.files("textperceptron._corpora")


def _read(file: Traversable) -> Documents:
    # Not splitlines(): only \n ends a line, other separators belong to the text.
    lines = file.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return Documents(list(texts), list(labels))
