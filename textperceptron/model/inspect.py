"""What a model file says about itself, without reading its arrays unless they are to be verified."""

from __future__ import annotations

import os
from typing import NamedTuple

from textperceptron.model.file import error_context, read_header
from textperceptron.model.slow_pattern import warn_of_slow_pattern
from textperceptron.model.storage import Description, read_description


class Inspection(NamedTuple):
    """The description of a model, and type and shape of each array."""

    description: Description
    arrays: dict[str, tuple[str, tuple[int, ...]]]
    n_bytes: int


def inspect(path: str | os.PathLike[str], *, verify: bool = False) -> Inspection:
    """Read the header of a model file, and check it as loading does.

    Parameters
    ----------
    path : str or path
    verify : bool
        Read all of the file and compare its digest.

    Raises
    ------
    ValueError
        If it is no model file, a damaged one, or one of a newer format; or has no digest to verify (format 1).
    OSError
        If it cannot be read.

    Warns
    -----
    SlowPatternWarning
        If its ``token_pattern`` may take very long on some texts.
    """
    header, arrays = read_header(path, "model", verify=verify)
    with error_context(path):
        found = Inspection(read_description(header), arrays, os.stat(path).st_size)
    warn_of_slow_pattern(path, found.description.settings.text, stacklevel=2)
    return found
