"""Download a published corpus into the folder for corpora."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textperceptron.corpus.download import Progress, Resuming, TooLongError, is_https
from textperceptron.corpus.errors import CorpusError, optional_module
from textperceptron.corpus.registry import FOLDER_VARIABLE, KnownCorpus, data_folders, find_file, known_corpus

LONGEST_REASON = 80  # characters of what a server says about an error


def fetch_corpus(name: str, *, url: str | None = None, progress: Progress | None = None) -> Path:
    """Download a published corpus, unless it is there already, and check it.

    It goes into the folder that the environment variable ``TEXTPERCEPTRON_DATA`` names, else into the system's folder
    for caches, and appears there under its name only when all of it has come and its SHA-256 is the published one. A
    download that broke off goes on when it is asked for again. One that is longer than the published file is stopped.

    Parameters
    ----------
    name : str
        One of :func:`~textperceptron.corpus.known_corpora`.
    url : str, optional
        A mirror to fetch it from. It may be http: the SHA-256 decides. An https address must not lead to an http one.
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
    downloader = Resuming(folder / f"{corpus.file}.part", size=corpus.size, progress=progress)
    try:
        with _without_log(pooch.get_logger()):
            return Path(pooch.retrieve(url, corpus.sha256, corpus.file, folder, downloader=downloader))
    except TooLongError as error:
        raise _wrong_file(corpus, url, f"it has {error}, the published file has {corpus.size:,}") from None
    except (OSError, ValueError) as error:  # requests' errors are some of them
        other = re.search(r"SHA256 hash .* got (\w+)", str(error))  # pooch's words
        if other:
            raise _wrong_file(corpus, url, f"its SHA-256 is {other[1]}, not the one published") from None
        raise _not_fetched(corpus, url, folder, error, downloader.size()) from None


def _not_fetched(corpus: KnownCorpus, url: str, folder: Path, error: Exception, come: int) -> CorpusError:
    again = f"To go on behind the {come:,} bytes that have come, run it again. " if come else ""
    return CorpusError(
        f"{corpus.name} could not be fetched from {url} ({_why(error, url)})", None,
        f"{again}Without a network, put {corpus.file}, with the SHA-256 {corpus.sha256}, into {folder}, "
        f"or name the folder that has it in {FOLDER_VARIABLE}.",
    )  # fmt: skip


def _wrong_file(corpus: KnownCorpus, url: str, why: str) -> CorpusError:
    return CorpusError(
        f"what came from {url} is not {corpus.name}: {why}", None,
        "What came was thrown away; nothing else was changed. Try a mirror (--url).",
    )  # fmt: skip


def _why(error: Exception, url: str) -> str:
    """Return in a few words what requests says in many."""
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"the server says {answer.status_code} {str(answer.reason)[:LONGEST_REASON]}"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    name = type(error).__name__
    if name == "InvalidSchema":
        return "it leads to an address without https" if is_https(url) else "the address is neither https nor http"
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
