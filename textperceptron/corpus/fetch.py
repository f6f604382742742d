"""Resumable download of published corpora."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textperceptron.corpus.errors import CorpusError, import_optional
from textperceptron.corpus.registry import FOLDER_VARIABLE, KnownCorpus, data_folders, find_file, known_corpus

Progress = Callable[[int, int | None], None]  # bytes received, total bytes if the server sent them
ATTEMPTS = 5
BLOCK_BYTES = 1 << 13  # the most that a broken connection loses
TIMEOUT = 30  # seconds without a byte
MAX_REASON_LENGTH = 80  # characters of a server's reason phrase


def fetch_corpus(name: str, *, url: str | None = None, progress: Progress | None = None) -> Path:
    """Download a published corpus, unless it is present, and check its SHA-256.

    The file goes into the folder that the environment variable ``TEXTPERCEPTRON_DATA`` names, else into the system's
    cache folder. It gets its name only when it is complete and its SHA-256 is the published one. An interrupted
    download resumes on the next call; one that exceeds the published size is stopped.

    Parameters
    ----------
    name : str
        One of :func:`~textperceptron.corpus.known_corpora`.
    url : str, optional
        A mirror. It may be http: the SHA-256 decides. An https address must not redirect to http.
    progress : callable, optional
        Called with the bytes received and the total (None if unknown).

    Returns
    -------
    Path
        The file.

    Raises
    ------
    CorpusError
        If the download fails or is not the published file. The message says what to do without a network.
    """
    corpus = known_corpus(name)
    present = find_file(corpus)
    if present is not None:
        return present
    pooch = import_optional("pooch", "fetch", f"fetching {name}")
    folder, url = data_folders()[0], url or corpus.url
    downloader = ResumableDownload(folder / f"{corpus.file}.part", size=corpus.size, progress=progress)
    try:
        with _quiet(pooch.get_logger()):
            return Path(pooch.retrieve(url, corpus.sha256, corpus.file, folder, downloader=downloader))
    except TooLongError as error:
        raise _wrong_file(corpus, url, f"it has {error}, the published file has {corpus.size:,}") from None
    except (OSError, ValueError) as error:  # requests' exceptions are OSErrors
        other = re.search(r"SHA256 hash .* got (\w+)", str(error))  # pooch's message
        if other:
            raise _wrong_file(corpus, url, f"its SHA-256 is {other[1]}, not the one published") from None
        raise _download_failed(corpus, url, folder, error, downloader.size()) from None


def _download_failed(corpus: KnownCorpus, url: str, folder: Path, error: Exception, received: int) -> CorpusError:
    again = f"To resume after the {received:,} bytes received, run it again. " if received else ""
    return CorpusError(
        f"{corpus.name} could not be fetched from {url} ({_short_reason(error, url)})", None,
        f"{again}Without a network, put {corpus.file}, with the SHA-256 {corpus.sha256}, into {folder}, "
        f"or name the folder that has it in {FOLDER_VARIABLE}.",
    )  # fmt: skip


def _wrong_file(corpus: KnownCorpus, url: str, why: str) -> CorpusError:
    return CorpusError(
        f"the file from {url} is not {corpus.name}: {why}", None,
        "The download was discarded; nothing else was changed. Try a mirror (--url).",
    )  # fmt: skip


def _short_reason(error: Exception, url: str) -> str:
    """Return the cause of a failed download in a few words; requests uses many."""
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"the server says {answer.status_code} {str(answer.reason)[:MAX_REASON_LENGTH]}"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    name = type(error).__name__
    if name == "InvalidSchema":
        return "it redirects to an address without https" if _is_https(url) else "the address is neither https nor http"
    return {"ConnectTimeout": "no answer", "ReadTimeout": "no answer", "ConnectionError": "no connection"}.get(
        name, "the connection broke off" if name == "ChunkedEncodingError" else str(error)
    )


@contextmanager
def _quiet(logger: Any) -> Iterator[None]:
    """Keep a library's progress messages out of the output."""
    level = logger.level
    logger.setLevel("WARNING")
    try:
        yield
    finally:
        logger.setLevel(level)


class TooLongError(ValueError):
    """The server sent more bytes than the published file has."""


class ResumableDownload:
    """A downloader for pooch that stores the received bytes in ``part`` until the file is complete.

    Parameters
    ----------
    part : Path
        The incomplete file; ``part.tag`` in the same folder identifies the server's version of the file.
    size : int
        The expected number of bytes; a longer file is not downloaded. The caller checks the digest.
    progress : callable, optional
        Called with the bytes received and the total.
    """

    def __init__(self, part: Path, *, size: int, progress: Progress | None = None) -> None:
        self.part, self.tag = part, part.with_name(part.name + ".tag")
        self._size = size
        self._progress = progress
        self._requests = import_optional("requests", "fetch", "fetching")  # a dependency of pooch

    def __call__(self, url: str, output_file: str, pooch: object = None) -> None:
        """Download ``url`` to ``output_file``; retry after a broken connection as long as bytes arrive.

        Raises
        ------
        TooLongError
            If the server sends more than the expected size. The received bytes are removed.
        OSError
            If the file cannot be fetched or written, or if an https address redirects to http.
        """
        broken = (self._requests.ConnectionError, self._requests.exceptions.ChunkedEncodingError)
        for attempt in range(1, ATTEMPTS + 1):
            before = self.size()
            try:
                self._attempt(url)
                break
            except broken:
                if attempt == ATTEMPTS or self.size() == before:
                    raise
        os.replace(self.part, output_file)
        self.tag.unlink(missing_ok=True)

    def size(self) -> int:
        """Return the number of bytes received so far."""
        return self.part.stat().st_size if self.part.exists() else 0

    def _attempt(self, url: str) -> None:
        received = self.size()
        if received > self._size:
            self._discard()
            received = 0
        version = self.tag.read_text("ascii") if self.tag.exists() else ""
        headers = {"Accept-Encoding": "identity"}  # else the bytes counted are not the bytes sent
        if received:
            headers["Range"] = f"bytes={received}-"
            if version:
                headers["If-Range"] = version  # another version is sent from its start
        with self._session(url) as session, session.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
            start, total = _range(answer)
            if answer.status_code == 416 and received:
                if total != received:
                    self._discard()
                    self._attempt(url)
                return  # else the file is complete; the digest decides
            answer.raise_for_status()
            if start not in (0, received):
                raise self._requests.ConnectionError(f"byte {received} was requested, byte {start} was sent")
            if total is not None and total > self._size:
                raise self._too_long(total)
            if start == 0:
                self.tag.write_text(_version(answer), "ascii")
            self._write(answer, start, total)

    def _session(self, url: str) -> Any:
        session = self._requests.Session()
        if _is_https(url):
            del session.adapters["http://"]  # so that a redirect to http raises InvalidSchema
        return session

    def _write(self, answer: Any, start: int, total: int | None) -> None:
        done = start
        # The bytes as sent: some servers declare a .tar.gz as compressed for transfer, and requests would unpack it.
        answer.raw.headers.discard("Content-Encoding")
        with open(self.part, "ab" if start else "wb") as file:
            for block in answer.iter_content(BLOCK_BYTES):
                done += len(block)
                if done > self._size:
                    break
                file.write(block)
                if self._progress is not None:
                    self._progress(done, total)
        if done > self._size:
            raise self._too_long(done)
        if total is not None and done != total:
            raise self._requests.ConnectionError(f"{done} of {total} bytes were sent")

    def _too_long(self, n_bytes: int) -> TooLongError:
        self._discard()
        return TooLongError(f"at least {n_bytes:,} bytes")

    def _discard(self) -> None:
        self.part.unlink(missing_ok=True)
        self.tag.unlink(missing_ok=True)


def _is_https(url: str) -> bool:
    return url.lower().startswith("https:")


def _range(answer: Any) -> tuple[int, int | None]:
    """Return the offset of the first byte sent, and the size of the whole file if known."""
    if answer.status_code not in (206, 416):
        return 0, _parse_int(answer.headers.get("Content-Length", ""))
    sent, _, total = answer.headers.get("Content-Range", "").removeprefix("bytes").strip().partition("/")
    return _parse_int(sent.partition("-")[0]) or 0, _parse_int(total)


def _parse_int(digits: str) -> int | None:
    return int(digits) if digits.isdecimal() and len(digits) < 20 else None


def _version(answer: Any) -> str:
    """Return the validator of a file for ``If-Range``: a strong ETag, else the time of its last change."""
    tag = str(answer.headers.get("ETag", ""))
    version = tag if tag and not tag.startswith("W/") else str(answer.headers.get("Last-Modified", ""))
    return version if version.isascii() else ""
