"""Locations in a corpus, and the errors that name them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from textperceptron._interrupts import deferred_interrupts

EXCERPT_LENGTH = 40  # characters of a bad row that a message shows
N_DETAILED = 5  # skipped rows whose errors are stored
CHECK_PERMISSIONS = "Check its permissions, or name another."  # the remedy where the system denies access


@dataclass(frozen=True, slots=True)
class Location:
    """A file and, if it has them, a line or row in it.

    Examples
    --------
    >>> print(Location("reviews.tsv", 812))
    reviews.tsv, line 812
    """

    file: str
    line: int | None = None
    unit: str = "line"

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}, {self.unit} {self.line}"


class CorpusError(ValueError):
    """Input that cannot be read: the location, the reason and the remedy.

    Examples
    --------
    >>> print(CorpusError("no tab between label and text", Location("reviews.tsv", 812), "Use --skip-bad."))
    reviews.tsv, line 812: no tab between label and text. Use --skip-bad.
    """

    def __init__(self, reason: str, location: Location | None = None, remedy: str = "") -> None:
        super().__init__(reason, location, remedy)
        self.reason, self.location, self.remedy = reason, location, remedy

    def __str__(self) -> str:
        where = "" if self.location is None else f"{self.location}: "
        return f"{where}{self.reason}." + (f" {self.remedy}" if self.remedy else "")


class SkippedRows:
    """The number of rows that could not be read, and the errors of the first few.

    Examples
    --------
    >>> skipped = SkippedRows()
    >>> skipped.add(CorpusError("no tab between label and text", Location("reviews.tsv", 812)))
    >>> print(skipped)
    1 row left out: reviews.tsv, line 812 (no tab between label and text)
    """

    def __init__(self) -> None:
        self.count = 0
        self.first: list[CorpusError] = []

    def add(self, error: CorpusError) -> None:
        """Count a row, and store its error if it is one of the first."""
        self.count += 1
        if len(self.first) < N_DETAILED:
            self.first.append(error)

    def __len__(self) -> int:
        return self.count

    def __str__(self) -> str:
        rows = "1 row" if self.count == 1 else f"{self.count} rows"
        if not self.count:
            return "no rows left out"
        shown = "; ".join(f"{error.location} ({error.reason})" for error in self.first)
        return f"{rows} left out: {shown}" + ("; …" if self.count > len(self.first) else "")


def excerpt(text: str) -> str:
    r"""Return the beginning of a text in quotes, its control characters escaped.

    Examples
    --------
    >>> print(excerpt("great phone\r but"))
    "great phone\r but"
    """
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:EXCERPT_LENGTH])
    return f'"{shown}{"…" if len(text) > EXCERPT_LENGTH else ""}"'


def import_optional(name: str, extra: str, purpose: str) -> Any:
    """Import a module of an optional dependency; if it is missing, the error names the extra to install."""
    try:
        with deferred_interrupts():
            return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise CorpusError(
            f"{purpose} needs {package}, which is not installed", None, f'Run: pip install "textperceptron[{extra}]"'
        ) from None
