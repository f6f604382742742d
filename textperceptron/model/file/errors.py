"""What is wrong with a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


class ModelFileError(ValueError):
    """A file that is no model, or a damaged one, or one of a newer version."""


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let whatever the contents of a file raise within the block become a ModelFileError that begins with its path."""
    try:
        yield
    except (ValueError, OverflowError, RecursionError) as problem:
        raise ModelFileError(f"{os.fspath(path)}: {problem}") from None
