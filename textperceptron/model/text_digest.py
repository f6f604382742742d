"""The digest of training texts and labels: which data a model was trained on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from textperceptron._interrupts import deferred_interrupts
from textperceptron.text.frames import TextColumn, documents_of, python_value, values_of

_CHUNK = 128  # texts encoded at once: their bytes stay in the cache


def training_digest(texts: Iterable[Any], labels: Iterable[Any]) -> str:
    """Return the digest that a model has if it was trained on these texts and labels, in this order.

    It is the SHA-256 of three SHA-256 digests: of all texts in UTF-8, one after the other; of their lengths in bytes as
    little-endian 64-bit integers; and of the labels as a JSON list in ASCII, as Python's ``json.dumps`` writes it.

    Parameters
    ----------
    texts : iterable of str or bytes
    labels : iterable of labels
        One per text, or a sorted list per text.

    Examples
    --------
    >>> from textperceptron import TextModel
    >>> from textperceptron.model import training_digest
    >>> texts, labels = ["a fine film", "a dull film"], ["pos", "neg"]
    >>> training_digest(texts, labels) == TextModel.train(texts, labels).training_texts.digest
    True
    """
    digest = TextDigest()
    digest.add(documents_of(texts))
    return digest.with_labels(values_of(labels, "labels"))


class TextDigest:
    """The digests of texts and of their lengths, while texts are read."""

    def __init__(self) -> None:
        with deferred_interrupts():
            from hashlib import sha256

        self._sha256 = sha256
        self._contents, self._lengths = sha256(), sha256()

    def add(self, texts: Iterable[Any]) -> TextDigest:
        """Add texts."""
        for _ in self.passing(texts):
            pass
        return self

    def passing(self, texts: Iterable[Any]) -> Iterator[list[Any]]:
        """Yield texts in short lists that have been added."""
        chunks = texts.chunks() if isinstance(texts, TextColumn) else _chunks(iter(texts))
        for chunk in chunks:
            encoded = _encoded(chunk)
            self._contents.update(b"".join(encoded))
            self._lengths.update(np.fromiter(map(len, encoded), "<i8", len(encoded)).tobytes())
            yield chunk

    def with_labels(self, labels: Sequence[Any]) -> str:
        """Return the digest of the texts and their labels."""
        with deferred_interrupts():
            import json

        of_labels = self._sha256(json.dumps(labels).encode())
        return self._sha256(self._contents.digest() + self._lengths.digest() + of_labels.digest()).hexdigest()


def combined_digest(before: str, after: str) -> str:
    """Return the digest of a model that was trained on texts with the first digest, and updated on the second's."""
    with deferred_interrupts():
        from hashlib import sha256

    return sha256(bytes.fromhex(before) + bytes.fromhex(after)).hexdigest()


def _chunks(texts: Iterator[Any]) -> Iterator[list[Any]]:
    while chunk := list(islice(texts, _CHUNK)):
        yield chunk


def _encoded(texts: list[Any]) -> list[bytes]:
    try:
        return list(map(str.encode, texts))
    except (TypeError, UnicodeEncodeError):  # bytes, scalars of Arrow, lone surrogates
        return [_as_bytes(text) for text in texts]


def _as_bytes(text: Any) -> bytes:
    text = python_value(text)
    if isinstance(text, bytes):
        return text
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else b""  # which reading it will reject
