"""The file of a model, begun while its weights are learnt."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from textperceptron.model_file import BegunFile, is_laid_out_ahead
from textperceptron.pipeline.features import Features
from textperceptron.pipeline.storage import vocabulary_arrays
from textperceptron.workers import aside


class Beginning:
    """What may be there of a file when its model is saved for the first time.

    Parameters
    ----------
    path : str or path, optional
        Where the model is going to be saved. Without it, nothing is begun.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._folder = None if path is None else _folder_of(path)
        self._process = os.getpid()
        self._files: list[Callable[[], BegunFile | None]] = []

    def begin(self, features: Callable[[], Features]) -> None:
        """Write the names of columns, once they are there, on a thread of its own."""
        if (folder := self._folder) is not None:
            self._files.append(aside(lambda: _begun(folder, features()), 2))

    def take(self, path: str | os.PathLike[str]) -> BegunFile | None:
        """Return the file, once, for a model that is saved to a path; None if there is none for it.

        It waits for what is under way, unless that is for another folder, perhaps of a slow disk, or on a thread that
        another process has, which has made this one by fork.
        """
        try:
            begun = self._files.pop()  # of several threads, one gets it
        except IndexError:
            return None
        return begun() if os.getpid() == self._process and _folder_of(path) == self._folder else None

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the file behind when a model is copied."""
        return Beginning, ()


def _folder_of(path: str | os.PathLike[str]) -> Path | None:
    """Return the folder of a file, None where there can be none."""
    try:
        return Path(os.path.realpath(path)).parent
    except (OSError, ValueError):  # whoever writes the file will say what is wrong
        return None


def _begun(folder: Path, features: Features) -> BegunFile | None:
    """Begin the file of a model of two classes with its vocabulary; None if that cannot be done, or does not pay."""
    names = vocabulary_arrays(features.vocabulary, small=False)
    later = {"weights": np.broadcast_to(np.zeros(1, features.part.dtype), features.n_columns + 1)}
    if not is_laid_out_ahead({**names, **later}):
        return None
    try:
        return BegunFile(folder, names, later)
    except OSError:  # whoever writes the whole file will say what is wrong
        return None
