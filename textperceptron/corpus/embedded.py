"""The corpora that come with the package, found by name."""

from __future__ import annotations

import importlib
from pathlib import Path


def corpus_names() -> list[str]:
    """Return the names of the corpora that come with the package.

    Examples
    --------
    >>> corpus_names()
    ['reviews', 'stars', 'topics', 'xor', 'xor-hard']
    """
    return sorted(folder.name for folder in _home().iterdir() if (folder / "train.tsv").is_file())


def corpus_folder(name: str) -> Path:
    """Return the folder of an embedded corpus."""
    return _home() / name


def _home() -> Path:
    # Not importlib.resources: importing that would make every command start later.
    return Path(importlib.import_module("textperceptron._corpora").__path__[0])
