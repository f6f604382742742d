"""A download that goes on where it broke off."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textperceptron.corpus.errors import optional_module

Progress = Callable[[int, int | None], None]  # bytes that have come, bytes in all if the server said so
ATTEMPTS = 5
BLOCK = 1 << 13  # what a broken connection loses at most
TIMEOUT = 30  # seconds without a byte


class TooLongError(ValueError):
    """More bytes than the file to be downloaded has."""


def is_https(url: str) -> bool:
    """Whether an address is an encrypted one."""
    return url.lower().startswith("https:")


class Resuming:
    """A downloader for pooch: what has come stays in ``part`` until all has come.

    Parameters
    ----------
    part : Path
        The file that grows; beside it, ``part.tag`` names the version that the server was sending.
    size : int
        Bytes that the file must have; a longer one is not downloaded. A checksum, which the caller looks at, decides
        whether it is the right one.
    progress : callable, optional
        Called with the bytes that have come and the bytes in all.
    """

    def __init__(self, part: Path, *, size: int, progress: Progress | None = None) -> None:
        self.part, self.tag = part, part.with_name(part.name + ".tag")
        self._size = size
        self._progress = progress
        # pooch depends on requests, so that whoever has the one has the other.
        self._requests = optional_module("requests", "fetch", "fetching")

    def __call__(self, url: str, output_file: str, pooch: object = None) -> None:
        """Fetch ``url`` and put it at ``output_file``; try again as long as something comes.

        Raises
        ------
        TooLongError
            If more comes than the file has. What has come is removed.
        OSError
            If it cannot be fetched or written, or if an https address leads to one without.
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
        """Return how many bytes are there."""
        return self.part.stat().st_size if self.part.exists() else 0

    def _attempt(self, url: str) -> None:
        have = self.size()
        if have > self._size:
            self._start_again()
            have = 0
        version = self.tag.read_text("ascii") if self.tag.exists() else ""
        headers = {"Accept-Encoding": "identity"}  # else the bytes counted are not the bytes sent
        if have:
            headers["Range"] = f"bytes={have}-"
            if version:
                headers["If-Range"] = version  # another version is sent from its beginning
        with self._session(url) as session, session.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
            begin, total = _range(answer)
            if answer.status_code == 416 and have:
                if total != have:
                    self._start_again()
                    self._attempt(url)
                return  # else all had come before; the checksum decides
            answer.raise_for_status()
            if begin not in (0, have):
                raise self._requests.ConnectionError(f"byte {have} was asked for, byte {begin} was sent")
            if total is not None and total > self._size:
                raise self._too_long(total)
            if begin == 0:
                self.tag.write_text(_version(answer), "ascii")
            self._write(answer, begin, total)

    def _session(self, url: str) -> Any:
        session = self._requests.Session()
        if is_https(url):
            del session.adapters["http://"]  # so that a redirect there raises InvalidSchema
        return session

    def _write(self, answer: Any, begin: int, total: int | None) -> None:
        done = begin
        # The bytes as they are sent: some servers call a .tar.gz compressed for the way, and it would be unpacked.
        answer.raw.headers.discard("Content-Encoding")
        with open(self.part, "ab" if begin else "wb") as file:
            for block in answer.iter_content(BLOCK):
                done += len(block)
                if done > self._size:
                    break
                file.write(block)
                if self._progress is not None:
                    self._progress(done, total)
        if done > self._size:
            raise self._too_long(done)
        if total is not None and done != total:
            raise self._requests.ConnectionError(f"{done} of {total} bytes came")

    def _too_long(self, n_bytes: int) -> TooLongError:
        self._start_again()
        return TooLongError(f"at least {n_bytes:,} bytes")

    def _start_again(self) -> None:
        self.part.unlink(missing_ok=True)
        self.tag.unlink(missing_ok=True)


def _range(answer: Any) -> tuple[int, int | None]:
    """Return the first byte that is sent, and how many the file has in all."""
    if answer.status_code not in (206, 416):
        return 0, _number(answer.headers.get("Content-Length", ""))
    sent, _, total = answer.headers.get("Content-Range", "").removeprefix("bytes").strip().partition("/")
    return _number(sent.partition("-")[0]) or 0, _number(total)


def _number(digits: str) -> int | None:
    return int(digits) if digits.isdecimal() and len(digits) < 20 else None


def _version(answer: Any) -> str:
    """Return what names the version of a file in a later request: a strong ETag, else the time of its last change."""
    tag = str(answer.headers.get("ETag", ""))
    version = tag if tag and not tag.startswith("W/") else str(answer.headers.get("Last-Modified", ""))
    return version if version.isascii() else ""
