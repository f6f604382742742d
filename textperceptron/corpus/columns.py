"""Choice of the text and label columns: by name, by number, or by common names."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import ParsedRows, Report
from textperceptron.corpus.options import ReadOptions

# In order of preference: in a table with a "text" and a "title", the text is "text".
TEXT_NAMES = (
    "text", "review", "review_text", "reviewtext", "review_body", "sentence", "content", "document", "body", "comment",
    "comment_text", "tweet", "message", "question", "phrase", "post", "utterance", "description", "abstract", "summary",
    "headline", "title",
)  # fmt: skip
LABEL_NAMES = (
    "label", "class", "category", "sentiment", "polarity", "target", "topic", "stars", "star_rating", "rating", "score",
    "intent", "coarse_label", "tag",
)  # fmt: skip
ID_NAMES = ("id", "idx", "index", "")


def known_name(names: Iterable[str], known: Sequence[str]) -> str | None:
    """Return the name that comes first in ``known``, ignoring case, or None."""
    own = {name.strip().casefold(): name for name in names}
    return next((own[name] for name in known if name in own), None)


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first row is a header: it names a text and either a label or a row id.

    Examples
    --------
    >>> is_header(["sentence", "label"]), is_header(["text", "I sent a text"]), is_header(["pos", "Lovely review"])
    (True, False, False)
    """
    if known_name(cells, TEXT_NAMES) is None:
        return False
    return len(cells) == 1 or known_name(cells, LABEL_NAMES + ID_NAMES) is not None


@dataclass(frozen=True, slots=True)
class Columns:
    """Indices of the text and the label in a row of ``width`` cells."""

    text: int
    label: int | None
    width: int
    has_header: bool

    def select(self, rows: list[list[str]], numbers: Sequence[int], file: str, report: Report) -> ParsedRows:
        """Return texts and labels of the rows; report rows of another width and rows without a label."""
        text, label = self.text, self.label
        if any(len(row) != self.width or not (label is None or row[label]) for row in rows):
            good = [k for k, row in enumerate(rows) if self._check(row, Location(file, numbers[k]), report)]
            rows, numbers = [rows[k] for k in good], [numbers[k] for k in good]
        labels = [] if label is None else [sys.intern(row[label]) for row in rows]
        return ParsedRows([row[text] for row in rows], labels, numbers)

    def _check(self, row: list[str], location: Location, report: Report) -> bool:
        if len(row) != self.width:
            report(CorpusError(
                f"{_count(len(row))} where the first row has {self.width} ({excerpt(' | '.join(row))})", location,
                "Put a text that contains a delimiter in quotes (CSV), or use --skip-bad to leave such lines out.",
            ))  # fmt: skip
            return False
        if self.label is not None and not row[self.label]:
            report(CorpusError(
                f"column {self.label + 1}, the label, is empty ({excerpt(' | '.join(row))})", location,
                "Add it, or use --skip-bad to leave such lines out.",
            ))  # fmt: skip
            return False
        return True


def pick_columns(first: list[str], options: ReadOptions, location: Location) -> Columns:
    """Find text and label from the options and the first row."""
    has_header = options.header
    if has_header is None:
        wanted = [c for c in (options.text_column, options.label_column) if isinstance(c, str) and not c.isdecimal()]
        has_header = bool(wanted) or is_header(first)
    names = first if has_header else []
    text = _find_column(options.text_column, "text", first, names, location)
    label = None if options.labelled is False else _find_column(options.label_column, "label", first, names, location)
    if text is None and (known := known_name(names, TEXT_NAMES)) is not None:
        text = names.index(known)
    if label is None and options.labelled is not False and (known := known_name(names, LABEL_NAMES)) is not None:
        label = names.index(known) if names.index(known) != text else None
    if len(first) == 1:
        text = 0
    elif len(first) == 2:  # label first, as in TSV, unless a name or an option says otherwise
        text = text if text is not None else 1 if label is None else 1 - label
        label = label if label is not None or options.labelled is False or _has_id(names, text) else 1 - text
    if text is None or (options.labelled and label is None):
        raise CorpusError(
            f"it is not clear which of {_count(len(first))} is the {'text' if text is None else 'label'} "
            f"({excerpt(' | '.join(first))})", location,
            "Name the columns (--text-column, --label-column), by a name in the header or a number from 1.",
        )  # fmt: skip
    return Columns(text, label, len(first), has_header)


def _has_id(names: Sequence[str], text: int) -> bool:
    """Whether there are two named columns, the text and a row id."""
    return bool(names) and names[1 - text].strip().casefold() in ID_NAMES


def _find_column(
    wanted: str | int | None, role: str, first: Sequence[str], names: Sequence[str], location: Location
) -> int | None:
    if wanted is None:
        return None
    if isinstance(wanted, str):
        stripped = [name.strip() for name in names]
        if wanted in stripped:
            return stripped.index(wanted)
        if not wanted.isdecimal() or int(wanted) == 0:
            raise CorpusError(
                f"there is no column {wanted!r} among {', '.join(map(repr, names or first))}", location,
                f"Name another --{role}-column, or its number from 1.",
            )  # fmt: skip
    if int(wanted) > len(first):
        raise CorpusError(
            f"there is no column {wanted}: the first row has {_count(len(first))} ({excerpt(' | '.join(first))})",
            location,
            f"Columns are counted from 1; name another --{role}-column.",
        )  # fmt: skip
    return int(wanted) - 1


def _count(n: int) -> str:
    return "1 column" if n == 1 else f"{n} columns"
