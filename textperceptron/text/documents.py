"""Any iterable of documents → lists of str, or an error that names the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from textperceptron.text.settings import TermSettings

CHUNK = 4096  # documents taken from an iterable at a time


class BadDocumentError(TypeError, ValueError):
    """A document that is not text; both a TypeError and a ValueError, like scikit-learn's parameter errors."""


def read_documents(raw_documents: Iterable[Any], settings: TermSettings) -> Iterator[list[str]]:
    """Yield lists of decoded and preprocessed documents.

    Raises
    ------
    ValueError
        If ``raw_documents`` is one string.
    BadDocumentError
        If a document is neither a string nor bytes.
    UnicodeDecodeError
        If bytes do not decode; the message names the document and the position.
    """
    if isinstance(raw_documents, str | bytes):
        raise ValueError(
            "Iterable over raw text documents expected, string object received. "
            "Put a single document into a list: [text]."
        )
    documents = iter(raw_documents)
    preprocess = settings.preprocess
    count = 0
    while chunk := list(islice(documents, CHUNK)):
        if settings.input != "content" or not all_text(chunk):
            chunk = [read(document, count + k, settings) for k, document in enumerate(chunk)]
        if preprocess is not None:
            chunk = [preprocess(document) for document in chunk]
            if not settings.needs_python and not all_text(chunk):
                wrong = next(k for k, document in enumerate(chunk) if not isinstance(document, str))
                raise BadDocumentError(
                    f"The preprocessor returned {chunk[wrong]!r} for document {count + wrong}; it must return a str."
                )
        count += len(chunk)
        yield chunk


def all_text(documents: list[Any]) -> bool:
    """Whether all documents are strings."""
    return all(issubclass(kind, str) for kind in set(map(type, documents)))


def read(document: Any, number: int, settings: TermSettings) -> str:
    """Return a document as str; ``number`` is for error messages."""
    if settings.input == "filename":
        with open(document, "rb") as file:
            document = file.read()
    elif settings.input == "file":
        document = document.read()
    if isinstance(document, bytes):
        try:
            return document.decode(settings.encoding, settings.decode_error)
        except UnicodeDecodeError as error:
            raise UnicodeDecodeError(
                error.encoding, error.object, error.start, error.end,
                f"{error.reason} (document {number}). Give its encoding, or decode_error='replace'",
            ) from None  # fmt: skip
    if isinstance(document, str):
        return document
    if settings.takes_any_object and document is not np.nan:
        return document  # type: ignore[no-any-return]
    if isinstance(document, float) and document != document:
        raise BadDocumentError(
            f"np.nan is an invalid document, expected byte or unicode string (document {number}). "
            "Drop missing texts, or replace them with ''."
        )
    raise BadDocumentError(
        f"Document {number} is {document!r} ({type(document).__name__}), expected byte or unicode string. "
        "Drop it, or convert it with str()."
    )
