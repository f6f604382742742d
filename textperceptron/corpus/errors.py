"""Where something stands in a corpus, and what is wrong with it."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

EXCERPT = 40  # characters of a bad row that a message shows
MAY_READ = "Check its permissions, or name another."  # what to do about a file or folder that the system refuses
FIRST = 5  # rows left out that are remembered one by one


class Place(NamedTuple):
    """A file and, where it has them, a line or a row in it.

    Examples
    --------
    >>> print(Place("reviews.tsv", 812))
    reviews.tsv, line 812
    """

    file: str
    line: int | None = None
    unit: str = "line"

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}, {self.unit} {self.line}"


class CorpusError(ValueError):
    """Something in a corpus that cannot be read: the place, the reason and the remedy.

    Examples
    --------
    >>> print(CorpusError("no tab between label and text", Place("reviews.tsv", 812), "Use --skip-bad."))
    reviews.tsv, line 812: no tab between label and text. Use --skip-bad.
    """

    def __init__(self, reason: str, place: Place | None = None, remedy: str = "") -> None:
        super().__init__(reason, place, remedy)
        self.reason, self.place, self.remedy = reason, place, remedy

    def __str__(self) -> str:
        where = "" if self.place is None else f"{self.place}: "
        return f"{where}{self.reason}." + (f" {self.remedy}" if self.remedy else "")


class SkippedRows:
    """How many rows were left out because they could not be read, and what was wrong with the first few.

    Examples
    --------
    >>> skipped = SkippedRows()
    >>> skipped.add(CorpusError("no tab between label and text", Place("reviews.tsv", 812)))
    >>> print(skipped)
    1 row left out: reviews.tsv, line 812 (no tab between label and text)
    """

    def __init__(self) -> None:
        self.count = 0
        self.first: list[CorpusError] = []

    def add(self, error: CorpusError) -> None:
        """Count a row; remember it if it is one of the first."""
        self.count += 1
        if len(self.first) < FIRST:
            self.first.append(error)

    def __len__(self) -> int:
        return self.count

    def __str__(self) -> str:
        rows = "1 row" if self.count == 1 else f"{self.count} rows"
        if not self.count:
            return "no row left out"
        shown = "; ".join(f"{error.place} ({error.reason})" for error in self.first)
        return f"{rows} left out: {shown}" + ("; …" if self.count > len(self.first) else "")


def excerpt(text: str) -> str:
    r"""Return the beginning of a text in quotes, with its control characters spelt out.

    Examples
    --------
    >>> print(excerpt("great phone\r but"))
    "great phone\r but"
    """
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:EXCERPT])
    return f'"{shown}{"…" if len(text) > EXCERPT else ""}"'


def optional_module(name: str, extra: str, purpose: str) -> Any:
    """Import a module that an extra of the package installs, or say which extra it is."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise CorpusError(
            f"{purpose} needs {package}, which is not installed", None, f'Run: pip install "textperceptron[{extra}]"'
        ) from None
