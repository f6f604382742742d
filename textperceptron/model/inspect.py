"""What a model file says about itself; its arrays are read only to verify them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from textperceptron.model.file import error_context, read_header
from textperceptron.model.serialize import Description, read_description, warn_of_slow_pattern


@dataclass(frozen=True)
class Inspection:
    """The description of a model, the type and shape of each array, and the size of the file."""

    description: Description
    arrays: dict[str, tuple[str, tuple[int, ...]]]
    n_bytes: int


def inspect(path: str | os.PathLike[str], *, verify: bool = False) -> Inspection:
    """Read the header of a model file, with the checks of loading.

    Parameters
    ----------
    path : str or path
    verify : bool
        Read the whole file and compare its digest.

    Raises
    ------
    ValueError
        If the file is not a model file, is damaged or of a newer format, or has no digest to verify (format 1).
    OSError
        If the file cannot be read.

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
