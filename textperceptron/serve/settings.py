"""What to serve, where, and the limits of a request."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textperceptron._validation import at_least


@dataclass(frozen=True)
class ServeSettings:
    """Settings of the service.

    Attributes
    ----------
    paths : tuple of str
        Model files.
    host : str
        Address to listen at.
    port : int
        Port to listen at; 0 for any free one.
    processes : int
        Processes that answer requests.
    max_body : int
        Largest body of a request, in bytes.
    max_texts : int
        Largest number of texts per request.
    timeout : float
        Seconds for receiving and answering a request.
    check_every : float
        Seconds between checks of the model files for changes.
    access_log : bool
        Whether to log each request.

    Examples
    --------
    >>> from textperceptron.serve import ServeSettings
    >>> ServeSettings(("reviews.tpm",), port=70000)
    Traceback (most recent call last):
    ...
    ValueError: port=70000 is not a port: use 1 to 65535, or 0 for any free one.
    """

    paths: tuple[str, ...]
    host: str = "127.0.0.1"
    port: int = 8000
    processes: int = 1
    max_body: int = 1_000_000
    max_texts: int = 10_000
    timeout: float = 10.0
    check_every: float = 1.0
    access_log: bool = False

    def __post_init__(self) -> None:
        if not self.paths:
            raise ValueError("there is no model to serve: name at least one model file.")
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port={self.port} is not a port: use 1 to 65535, or 0 for any free one.")
        for name, least in (("processes", 1), ("max_body", 1), ("max_texts", 1)):
            at_least(name, getattr(self, name), least)
        for name in ("timeout", "check_every"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)} is not a time: use a number of seconds above 0.")


def model_names(paths: Sequence[str]) -> list[str]:
    """Return the name of each model: its file's, without folder and suffix.

    Raises
    ------
    ValueError
        If two models have the same name.

    Examples
    --------
    >>> from textperceptron.serve import model_names
    >>> model_names(["models/reviews.tpm", "topics-2.tpm"])
    ['reviews', 'topics-2']
    """
    names: dict[str, str] = {}
    for path in paths:
        name = Path(path).stem
        if name in names:
            raise ValueError(
                f"{path}: its name would be {name!r}, as that of {names[name]}. Rename one file, or serve it at "
                "another port."
            )
        names[name] = path
    return list(names)
