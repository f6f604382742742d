"""Any iterable of documents → preprocessed lists of str, or an error that names the document."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from textperceptron.settings import TextSettings

CHUNK = 4096  # documents taken from an iterable at a time


class BadDocumentError(TypeError, ValueError):
    """A document that is not text; both a TypeError and a ValueError, like scikit-learn's parameter errors."""


def read_documents(raw_documents: Iterable[Any], settings: TextSettings) -> Iterator[list[str]]:
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
    preprocess = preprocessor_of(settings)
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


def read(document: Any, number: int, settings: TextSettings) -> str:
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
    if _takes_any_object(settings) and document is not np.nan:
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


def preprocessor_of(settings: TextSettings) -> Callable[[Any], str] | None:
    """Return the function that preprocesses documents; None if compiled code does it, which can only lower text."""
    if callable(settings.analyzer):
        return None
    if settings.preprocessor is not None:
        given: Callable[[Any], str] = settings.preprocessor
        return given
    if settings.strip_accents is None:
        return str.lower if settings.needs_python and settings.lowercase else None
    strip: Any = settings.strip_accents
    strip = ACCENT_STRIPPERS[strip] if isinstance(strip, str) else strip
    # Lowering comes first: decomposing a letter can make new capitals, which stay.
    return partial(_lower_and_strip, strip=strip) if settings.lowercase else strip


def lowers_in_kernel(settings: TextSettings) -> bool:
    """Whether compiled code lowers the text."""
    return settings.lowercase and preprocessor_of(settings) is None


def _takes_any_object(settings: TextSettings) -> bool:
    """Whether documents go to a user's function first, which may take other objects than text."""
    if callable(settings.analyzer) or settings.preprocessor is not None:
        return True
    return settings.needs_python and preprocessor_of(settings) is None


def strip_accents_unicode(text: str) -> str:
    """Remove accents from letters.

    Examples
    --------
    >>> strip_accents_unicode("naïve Ångström")
    'naive Angstrom'
    """
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def strip_accents_ascii(text: str) -> str:
    """Remove accents from letters, and all other characters outside ASCII.

    Examples
    --------
    >>> strip_accents_ascii("naïve Ω")
    'naive '
    """
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def _lower_and_strip(text: str, strip: Callable[[str], str]) -> str:
    return strip(text.lower())


ACCENT_STRIPPERS = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}
