"""What a model file says about itself, without reading its arrays."""

from __future__ import annotations

import os
from typing import NamedTuple

from textperceptron.model_file import ModelFileError, read_header
from textperceptron.pipeline.storage import Description, read_description


class Inspection(NamedTuple):
    """The description of a model, and type and shape of each array."""

    description: Description
    arrays: dict[str, tuple[str, tuple[int, ...]]]
    n_bytes: int


def inspect(path: str | os.PathLike[str]) -> Inspection:
    """Read the header of a model file, and check it as loading does.

    Raises
    ------
    ValueError
        If it is no model file, a damaged one, or one of a newer format.
    OSError
        If it cannot be read.
    """
    header, arrays = read_header(path, "model")
    try:
        return Inspection(read_description(header), arrays, os.stat(path).st_size)
    except (ValueError, RecursionError) as problem:  # of whatever part of it
        raise ModelFileError(f"{os.fspath(path)}: {problem}") from None
