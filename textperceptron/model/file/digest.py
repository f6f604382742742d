"""The digest of a file: SHA-256 over all its bytes, with zeros where the digest itself stands in the header."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from textperceptron.model.file.errors import ModelFileError

NAME = "sha256"
"""Field of our own header that holds the digest, in hexadecimal."""

BLANK = "0" * 64
"""What stands there while the digest is computed."""

# Our header is JSON inside a string of JSON, so its quotes are escaped once. Those of a text in it are escaped twice.
_FIELD = rb"\"sha256\":\"%b\""

FIRST_FORMAT = 2
"""The first format whose files have a digest."""


def digest_of(beginning: bytes, arrays: Iterable[bytes | memoryview]) -> str:
    """Return the digest of a file: of what it begins with, where the digest is blank, and of its arrays."""
    import hashlib  # 6 ms, which a command that only predicts can do without

    digest = hashlib.sha256(beginning)
    for array in arrays:
        digest.update(array)
    return digest.hexdigest()


def exchanged(beginning: bytes, old: str, new: str) -> bytes:
    """Return what a file begins with, with another digest.

    Raises
    ------
    ModelFileError
        If the old digest is not there, or twice.
    """
    before, after = (_FIELD % digest.encode() for digest in (old, new))
    if beginning.count(before) != 1:
        raise ModelFileError(f"{NAME} does not stand where it was written: the file is damaged.")
    return beginning.replace(before, after)


def check_field(header: dict[str, Any]) -> None:
    """Raise ModelFileError unless a header has a digest if, and only if, its format says so."""
    if header["format"] < FIRST_FORMAT:
        if NAME in header:
            raise ModelFileError(f"format {header['format']} has no {NAME}, and its header has one: it is damaged.")
    elif not isinstance(header.get(NAME), str) or not re.fullmatch("[0-9a-f]{64}", header[NAME]):
        raise ModelFileError(f"its header has no {NAME} of 64 hexadecimal digits: the file is damaged.")
