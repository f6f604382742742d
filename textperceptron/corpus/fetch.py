"""Download a published corpus into the folder for corpora."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textperceptron.corpus.download import Progress, Resuming
from textperceptron.corpus.errors import CorpusError, optional_module
from textperceptron.corpus.registry import (
    FOLDER_VARIABLE,
    SUMS,
    KnownCorpus,
    check_sum,
    data_folders,
    find_file,
    known_corpus,
    recorded_sum,
)


def fetch_corpus(name: str, *, url: str | None = None, progress: Progress | None = None) -> Path:
    """Download a published corpus, unless it is there already, and check it.

    It goes into the folder that the environment variable ``TEXTPERCEPTRON_DATA`` names, else into the system's folder
    for caches, and appears there under its name only when all of it has come and its checksum is right. A download that
    broke off goes on when it is asked for again. A corpus whose checksum is not known beforehand is trusted the first
    time; its checksum is recorded in ``SHA256SUMS`` beside it and held against it from then on.

    Parameters
    ----------
    name : str
        One of :func:`~textperceptron.corpus.known_corpora`.
    url : str, optional
        A mirror to fetch it from.
    progress : callable, optional
        Called with the bytes that have come and the bytes in all (None if unknown).

    Returns
    -------
    Path
        The file.

    Raises
    ------
    CorpusError
        If it cannot be fetched or is not the published file. The message says how to go on without a network.
    """
    corpus = known_corpus(name)
    there = find_file(corpus)
    if there is not None:
        return there
    pooch = optional_module("pooch", "fetch", f"fetching {name}")
    folder, url = data_folders()[0], url or corpus.url
    expected = corpus.sha256 or recorded_sum(corpus, folder)
    downloader = Resuming(folder / f"{corpus.file}.part", has_checksum=expected is not None, progress=progress)
    try:
        with _without_log(pooch.get_logger()):
            path = Path(pooch.retrieve(url, expected, corpus.file, folder, downloader=downloader))
    except OSError as error:  # requests' errors are some of them
        raise _not_fetched(corpus, url, folder, error, downloader.size()) from None
    except ValueError as error:
        raise _wrong_file(corpus, url, folder, error) from None
    check_sum(corpus, path)
    return path


def _not_fetched(corpus: KnownCorpus, url: str, folder: Path, error: OSError, come: int) -> CorpusError:
    again = f"To go on behind the {come:,} bytes that have come, run it again. " if come else ""
    checked = (
        f"with the SHA-256 {corpus.sha256}" if corpus.sha256 else "whose SHA-256 is recorded when it is first read"
    )
    return CorpusError(
        f"{corpus.name} could not be fetched from {url} ({_why(error)})", None,
        f"{again}Without a network, put {corpus.file}, {checked}, into {folder}, "
        f"or name the folder that has it in {FOLDER_VARIABLE}.",
    )  # fmt: skip


def _wrong_file(corpus: KnownCorpus, url: str, folder: Path, error: ValueError) -> CorpusError:
    if isinstance(error, CorpusError):
        return error
    known = "published" if corpus.sha256 else f"recorded in {folder / SUMS}"
    found = re.search(r"got (\w+)", str(error))  # pooch's words
    sum_of_it = found[1] if found else "another"
    return CorpusError(
        f"what came from {url} is not {corpus.name}: its SHA-256 is {sum_of_it}, not the one {known}", None,
        "What came was thrown away; nothing else was changed. Try a mirror (--url).",
    )  # fmt: skip


def _why(error: OSError) -> str:
    """Return in a few words what requests says in many."""
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"the server says {answer.status_code} {answer.reason}"
    if error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    name = type(error).__name__
    return {"ConnectTimeout": "no answer", "ReadTimeout": "no answer", "ConnectionError": "no connection"}.get(
        name, "the connection broke off" if name == "ChunkedEncodingError" else str(error)
    )


@contextmanager
def _without_log(logger: Any) -> Iterator[None]:
    """Keep a library's messages about its progress out of the output of a command."""
    level = logger.level
    logger.setLevel("WARNING")
    try:
        yield
    finally:
        logger.setLevel(level)
