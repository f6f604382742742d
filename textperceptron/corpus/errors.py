"""Locations in a corpus, and the errors that name them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
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

    ``kind`` is the reason without the row's own values, for counting; by default the reason up to its first bracket.

    Examples
    --------
    >>> print(CorpusError("no tab between label and text", Location("reviews.tsv", 812), "Use --skip-bad."))
    reviews.tsv, line 812: no tab between label and text. Use --skip-bad.
    """

    def __init__(
        self, reason: str, location: Location | None = None, remedy: str = "", kind: str | None = None
    ) -> None:
        super().__init__(reason, location, remedy, kind)
        self.reason, self.location, self.remedy = reason, location, remedy
        self.kind = reason.partition(" (")[0] if kind is None else kind

    def __str__(self) -> str:
        where = "" if self.location is None else f"{self.location}: "
        return f"{where}{self.reason}." + (f" {self.remedy}" if self.remedy else "")


class SkippedRows:
    """The number of rows that could not be read, in total and per reason, with the location of the first few.

    Examples
    --------
    >>> skipped = SkippedRows()
    >>> skipped.add(CorpusError('no tab between label and text ("great")', Location("reviews.tsv", 812)))
    >>> print(skipped)
    1 row left out: reviews.tsv, line 812 (no tab between label and text ("great"))
    >>> skipped.add(CorpusError('no tab between label and text ("but")', Location("reviews.tsv", 900)))
    >>> skipped.add(CorpusError("the label is empty", Location("reviews.tsv", 7)))
    >>> print(skipped)
    3 rows left out: no tab between label and text: 2 (reviews.tsv, lines 812, 900); the label is empty: 1 \
(reviews.tsv, line 7)
    """

    def __init__(self) -> None:
        self.count = 0
        self.first: list[CorpusError] = []
        self.by_kind: dict[str, int] = {}
        self._reasons: dict[str, str] = {}
        self._locations: dict[str, list[Location]] = {}

    def add(self, error: CorpusError) -> None:
        """Count a row, and store its error and location if it is one of the first."""
        self.count += 1
        if len(self.first) < N_DETAILED:
            self.first.append(error)
        self.by_kind[error.kind] = self.by_kind.get(error.kind, 0) + 1
        self._reasons.setdefault(error.kind, error.reason)
        locations = self._locations.setdefault(error.kind, [])
        if error.location is not None and len(locations) < N_DETAILED:
            locations.append(error.location)

    def __len__(self) -> int:
        return self.count

    def __str__(self) -> str:
        if not self.count:
            return "no rows left out"
        if self.count == 1:
            return f"1 row left out: {self.first[0].location} ({self.first[0].reason})"
        groups = (
            f"{kind if n > 1 else self._reasons[kind]}: {n} ({_places(self._locations[kind], n)})"
            for kind, n in self.by_kind.items()
        )
        return f"{self.count:,} rows left out: " + "; ".join(groups)


def _places(locations: Sequence[Location], n: int) -> str:
    """Return the first of ``n`` locations in words."""
    first = locations[0]
    more = ", …" if n > len(locations) else ""
    if len(locations) == 1 or first.line is None or any(each.file != first.file for each in locations):
        return ", ".join(map(str, locations)) + more
    return f"{first.file}, {first.unit}s {', '.join(str(each.line) for each in locations)}{more}"


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
