"""Any iterable of documents → preprocessed lists of str, or an error that names the document."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from textperceptron.settings import TextSettings
from textperceptron.text.frames import CHUNK, TextColumn, documents_of, is_missing, python_value

_MISSING = "The text is missing: leave it out with its label, or use '' instead."


class BadDocumentError(TypeError, ValueError):
    """A document that is not text; both a TypeError and a ValueError, like scikit-learn's parameter errors."""


def read_documents(raw_documents: Iterable[Any], settings: TextSettings) -> Iterator[list[str]]:
    """Yield lists of decoded and preprocessed documents.

    Raises
    ------
    ValueError
        If ``raw_documents`` is one string, or a table of several columns.
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
    is_array = isinstance(raw_documents, np.ndarray)  # its rows may be the documents of a user's function
    documents = raw_documents if is_array and _takes_any_object(settings) else documents_of(raw_documents)
    preprocess = preprocessor_of(settings)
    count = 0
    for chunk in documents.chunks() if isinstance(documents, TextColumn) else _chunks(iter(documents)):
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


def _chunks(documents: Iterator[Any]) -> Iterator[list[Any]]:
    while chunk := list(islice(documents, CHUNK)):
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
    else:
        document = python_value(document)
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
    if isinstance(document, float) and document != document:  # scikit-learn's words
        raise BadDocumentError(
            f"np.nan is an invalid document, expected byte or unicode string (document {number}). {_MISSING}"
        )
    remedy = _MISSING if is_missing(document) else "Leave it out, or write it as text."
    raise BadDocumentError(
        f"Document {number} is {document!r} ({type(document).__name__}), expected byte or unicode string. {remedy}"
    )


def preprocessor_of(settings: TextSettings) -> Callable[[Any], str] | None:
    """Return the function that preprocesses documents; None if compiled code does it, which can only lower text."""
    if callable(settings.analyzer):
        return None
    if settings.preprocessor is None and settings.strip_accents is None and not settings.needs_python:
        return None
    function = python_preprocessor(settings)
    return None if function is _unchanged else function


def python_preprocessor(settings: TextSettings) -> Callable[[Any], str]:
    """Return the function that preprocesses documents, even where compiled code would do it."""
    if settings.preprocessor is not None:
        given: Callable[[Any], str] = settings.preprocessor
        return given
    strip: Any = settings.strip_accents
    if strip is None:
        return str.lower if settings.lowercase else _unchanged
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


def _unchanged(text: str) -> str:
    return text


def _lower_and_strip(text: str, strip: Callable[[str], str]) -> str:
    return strip(text.lower())


ACCENT_STRIPPERS = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}
