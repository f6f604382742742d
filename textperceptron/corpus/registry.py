"""Published corpora: addresses, sizes and digests, and the path of a fetched copy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from textperceptron.corpus.errors import CHECK_PERMISSIONS, CorpusError, Location, import_optional

FOLDER_VARIABLE = "TEXTPERCEPTRON_DATA"
_NLTK = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/"


class KnownCorpus(NamedTuple):
    """A published corpus: its file, its address, and the size (bytes) and SHA-256 that the file must have."""

    name: str
    file: str
    url: str
    size: int
    sha256: str
    encoding: str
    summary: str


_KNOWN = (
    # The copy that scikit-learn fetches; it has the bytes of the file on the author's page, qwone.com.
    KnownCorpus(
        "20news-bydate", "20news-bydate.tar.gz", "https://ndownloader.figshare.com/files/5975967", 14_464_277,
        "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
        "latin-1", "20 Newsgroups by date: 11,314 posts to train on, 7,532 to test on, 20 classes",
    ),
    KnownCorpus(
        "aclImdb", "aclImdb_v1.tar.gz", "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz", 84_125_825,
        "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
        "utf-8", "Large Movie Review Dataset: 25,000 reviews to train on, 25,000 to test on, 2 classes",
    ),
    KnownCorpus(
        "movie_reviews", "movie_reviews.zip", f"{_NLTK}movie_reviews.zip", 4_004_848,
        "a41211ae685019137410268134db6a1a14428c89b671eb83056151a878539008",
        "utf-8", "Pang and Lee's polarity 2.0: 2,000 film reviews, 2 classes",
    ),
    KnownCorpus(
        "sentence_polarity", "sentence_polarity.zip", f"{_NLTK}sentence_polarity.zip", 490_256,
        "6e1ed4405b65c7eabf1d199a7f7c437091ac21da0ea7467b410a74062574566b",
        "utf-8", "Pang and Lee's sentence polarity: 10,662 sentences, 2 classes",
    ),
    KnownCorpus(
        "subjectivity", "subjectivity.zip", f"{_NLTK}subjectivity.zip", 521_628,
        "741f3371e1a4375051b874fd82fd55857b90975473c91c19a3101cbe17fc4d8c",
        "utf-8", "Pang and Lee's subjectivity: 10,000 sentences, plot or quote",
    ),
)  # fmt: skip


def known_corpora() -> dict[str, KnownCorpus]:
    """Return the published corpora that can be fetched, by name.

    Examples
    --------
    >>> sorted(known_corpora())
    ['20news-bydate', 'aclImdb', 'movie_reviews', 'sentence_polarity', 'subjectivity']
    """
    return {corpus.name: corpus for corpus in _KNOWN}


def known_corpus(name: str) -> KnownCorpus:
    """Return a published corpus; the error for an unknown name lists all names."""
    found = known_corpora().get(name)
    if found is None:
        raise CorpusError(f"no corpus to fetch is named {name!r}", None, f"There are {', '.join(known_corpora())}.")
    return found


def corpus_path(name: str) -> Path:
    """Return the file of a fetched corpus, after a check of its digest.

    Parameters
    ----------
    name : str
        One of :func:`known_corpora`.

    Raises
    ------
    CorpusError
        If it was not fetched, or is not the published file.
    """
    corpus = known_corpus(name)
    path = find_file(corpus)
    if path is None:
        where = " or ".join(str(folder) for folder in data_folders()) or f"the folder that {FOLDER_VARIABLE} names"
        raise CorpusError(
            f"{name} was not fetched: there is no {corpus.file} in {where}", None,
            f"Run: textperceptron corpora fetch {name}",
        )  # fmt: skip
    return path


def find_file(corpus: KnownCorpus) -> Path | None:
    """Return the file of a corpus, after a check of its digest; None if it was not fetched."""
    for folder in data_folders():
        path = folder / corpus.file
        if path.is_file():
            check_digest(corpus, path)
            return path
    return None


def data_folders() -> list[Path]:
    """Return the folders that are searched for corpora; downloads go into the first."""
    named = os.environ.get(FOLDER_VARIABLE)
    folders = [Path(named).expanduser()] if named else []
    try:
        pooch = import_optional("pooch", "fetch", "fetching")
    except CorpusError:
        return folders  # without pooch, nothing was fetched into the system's cache folder
    return [*folders, Path(pooch.os_cache("textperceptron"))]


def check_digest(corpus: KnownCorpus, path: Path) -> None:
    """Raise CorpusError unless a file is the published one."""
    found = sha256(path)
    if found != corpus.sha256:
        raise CorpusError(
            f"the file's SHA-256 is {found}, not {corpus.sha256} as published", Location(str(path)),
            "It was left as it is. Move it away, then fetch the corpus again.",
        )  # fmt: skip


def sha256(path: Path) -> str:
    """Return a file's SHA-256."""
    import hashlib

    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CorpusError(
            f"the file cannot be read ({error.strerror})", Location(str(path)), CHECK_PERMISSIONS
        ) from None  # fmt: skip
