"""Choice of the text and label columns: by name, by number, or by common names."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textperceptron.corpus.documents import ColumnChoice, Records
from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import ParsedRows, Report
from textperceptron.corpus.options import ReadOptions
from textperceptron.settings.corpus_columns import Column, name_columns

# In order of preference: in a table with a "text" and a "title", the text is "text".
TEXT_NAMES = (
    "text", "review", "review_text", "reviewtext", "review_body", "sentence", "content", "document", "body", "comment",
    "comment_text", "tweet", "message", "question", "phrase", "post", "utterance", "description", "abstract", "summary",
    "headline", "title",
)  # fmt: skip
LABEL_NAMES = (
    "label", "class", "category", "sentiment", "polarity", "target", "topic", "stars", "star_rating", "rating", "score",
    "intent", "coarse_label", "tag", "labels", "tags", "topics", "categories",
)  # fmt: skip
ID_NAMES = ("id", "idx", "index", "")
NAME_WORDS = 3  # of a name next to a text's
_LONGEST_NAME = 40  # characters in a message
NAME_BOTH = "Name the columns (--text-column, --label-column), by a name in the header or a number from 1."
NAME_TEXT = (
    "Name the column with the text (--text-column), by a name in the header or a number from 1; "
    "--format text reads plain lines."
)
NAME_LABEL = "Name the column with the label (--label-column), by a name in the header or a number from 1."
NAME_OTHER_TEXT = "Name the column with the text: --text-column."


def known_name(names: Iterable[str], known: Sequence[str]) -> str | None:
    """Return the name that comes first in ``known``, ignoring case, or None."""
    return next(iter(known_names(names, known)), None)


def known_names(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """Return the names that are in ``known``, ignoring case, in the order of ``known``."""
    own = {name.strip().casefold(): name for name in names}
    return [own[name] for name in known if name in own]


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


def names_columns(cells: Sequence[str], options: ReadOptions) -> bool:
    """Whether a first row is a header, by common names or by those that a model remembers.

    New texts for a model need neither labels nor row ids: beside the text, any short names will do.
    """
    if is_header(cells) or are_named(options.remembered_text, cells):
        return True
    if options.known_labels is None or known_name(cells, TEXT_NAMES) is None or options.knows_label(cells[0]):
        return False
    return all(len(cell.split()) <= NAME_WORDS for cell in cells)


@dataclass(frozen=True, slots=True)
class Columns:
    """Indices of the texts and the label in a row of ``len(names)`` cells; a set of labels may be empty."""

    text: tuple[int, ...]
    label: int | None
    names: tuple[str, ...]
    has_header: bool
    choice: ColumnChoice
    kept: tuple[int, ...] = ()
    keeps_rows: bool = False
    has_sets: bool = False

    def select(
        self, rows: list[list[str]], numbers: Sequence[int], file: str, report: Report, unit: str = "line"
    ) -> ParsedRows:
        """Return texts and labels of the rows; report rows of another width and rows without a label."""
        text, label, width = self.text, self.label, len(self.names)
        needs_label = label is not None and not self.has_sets
        if any(len(row) != width or (needs_label and not row[label]) for row in rows):  # type: ignore[index]
            good = [k for k, row in enumerate(rows) if self._check(row, Location(file, numbers[k], unit), report)]
            rows, numbers = [rows[k] for k in good], [numbers[k] for k in good]
        labels = [] if label is None else [sys.intern(row[label]) for row in rows]
        if len(text) == 1:
            (only,) = text
            texts = [row[only] for row in rows]
        else:
            texts = [join_texts(row[k] for k in text) for row in rows]
        records = None
        if self.keeps_rows:
            names = tuple(self.choice.names[k] for k in self.kept)
            records = Records(
                names, [dict(zip(names, (row[k] for k in self.kept), strict=True)) for row in rows]
            )  # fmt: skip
        return ParsedRows(texts, labels, numbers, unit, self.choice, records)

    def _check(self, row: list[str], location: Location, report: Report) -> bool:
        width = len(self.names)
        if len(row) != width:
            plain = ", read the lines as they are (--format text)" if width == 1 else ""
            report(CorpusError(
                f"{_count(len(row))} where the first row has {width} ({excerpt(' | '.join(row))})", location,
                f"Put a text that contains a delimiter in quotes (CSV){plain}, "
                "or use --skip-bad to leave such lines out.",
            ))  # fmt: skip
            return False
        if self.label is not None and not (self.has_sets or row[self.label]):
            report(CorpusError(
                f"{self._name_label()}, the label, is empty ({excerpt(' | '.join(row))})", location,
                "Add it, or use --skip-bad to leave such lines out.",
            ))  # fmt: skip
            return False
        return True

    def _name_label(self) -> str:
        assert self.label is not None
        return f"column {self.names[self.label]!r}" if self.has_header else f"column {self.label + 1}"


def join_texts(texts: Iterable[str]) -> str:
    r"""Join the texts of several columns to one document, empty ones left out.

    Examples
    --------
    >>> join_texts(["Soup", "", "Cold and late"])
    'Soup\nCold and late'
    """
    return "\n".join(filter(None, texts))


def pick_columns(
    first: list[str], options: ReadOptions, location: Location, rows: Sequence[Sequence[str]] = (), *,
    by_position: bool = True,
) -> Columns:  # fmt: skip
    """Find texts and label from the options, the columns that a model remembers, and the first row.

    Parameters
    ----------
    rows : sequence of rows
        Some rows, the first included: two columns without a header are label and text only if a label known to the
        model is among them.
    by_position : bool
        Whether two columns without known names are label and text.
    """
    remembered = options.remembered_text
    has_header = options.header
    if has_header is None:
        wanted = (*options.text_columns, options.label_column, options.weight_column)
        has_header = any(isinstance(c, str) and not c.isdecimal() for c in wanted) or names_columns(first, options)
    names = first if has_header else []
    text: tuple[int, ...] = tuple(
        _find_column(column, "text", first, names, location) for column in options.text_columns
    )
    if len(first) == 1:
        text = (0,)
    label = None
    if options.labelled is not False:
        if options.label_column is not None:
            label = _find_column(options.label_column, "label", first, names, location)
        elif options.remembered_label is not None:
            label = _find_remembered(options.remembered_label, len(first), names)
    if not text and remembered and (names or isinstance(remembered[0], int)):
        text = tuple(_remembered_column(column, first, names, location) for column in remembered)
    others: dict[str, tuple[str, ...]] = {"text": (), "label": ()}
    if not text and (known := [name for name in known_names(names, TEXT_NAMES) if names.index(name) != label]):
        text, others["text"] = (names.index(known[0]),), tuple(known[1:])
    if label is None and options.labelled is not False:
        known = [name for name in known_names(names, LABEL_NAMES) if names.index(name) not in text]
        if known:
            label, others["label"] = names.index(known[0]), tuple(known[1:])
    if len(first) == 2:  # label first, as in TSV, unless a name or an option says otherwise
        if not text and (label is not None or (by_position and _starts_with_label(rows, options))):
            text = (1 if label is None else 1 - label,)
        if label is None and len(text) == 1 and options.labelled is not False and not _has_id(names, text[0]):
            label = 1 - text[0]
    if not text or (options.labelled and label is None):
        raise unclear_columns(text, first, names, options, location)
    choice = ColumnChoice(
        tuple(names[k].strip() if names else k + 1 for k in text),
        None if label is None else names[label].strip() if names else label + 1,
        tuple(name.strip() for name in others["text"]), tuple(name.strip() for name in others["label"]),
        unique_names(names) if names else _default_names(len(first), text, label), has_header,
        is_default=not (
            options.text_columns or options.label_column is not None or options.weight_column is not None or names
        ),
    )  # fmt: skip
    kept = kept_indices(choice.names, options, location) if options.keep_columns else ()
    return Columns(
        text, label, tuple(name.strip() for name in first), has_header, choice, kept, bool(options.keep_columns),
        options.separator is not None,
    )  # fmt: skip


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, each once: empty and repeated ones get a number.

    Examples
    --------
    >>> unique_names(["id", "", "note", "note"])
    ('id', 'column_2', 'note', 'note_2')
    """
    found: list[str] = []
    for k, name in enumerate(names, 1):
        base = unique = name.strip() or f"column_{k}"
        n = 1
        while unique in found:
            n += 1
            unique = f"{base}_{n}"
        found.append(unique)
    return tuple(found)


def kept_indices(names: Sequence[str], options: ReadOptions, location: Location) -> tuple[int, ...]:
    """Return the indices of the columns to keep.

    Raises
    ------
    CorpusError
        If one of them does not exist.
    """
    if isinstance(options.keep_columns, bool):
        return tuple(range(len(names)))
    return tuple(_kept_index(wanted, names, options, location) for wanted in options.keep_columns)


def _kept_index(wanted: Column, names: Sequence[str], options: ReadOptions, location: Location) -> int:
    if wanted in names:
        return names.index(str(wanted))
    if isinstance(wanted, int) and wanted <= len(names):
        return wanted - 1
    is_weight = wanted == options.weight_column
    raise CorpusError(
        f"there is no {name_columns((wanted,)) if isinstance(wanted, int) else f'column {wanted!r}'} "
        f"{'with weights' if is_weight else 'to keep'} among {', '.join(map(_short, names))}", location,
        "Name another --weight-column." if is_weight else "Name others: --columns.",
    )  # fmt: skip


def keep_fields(fields: Mapping[str, Sequence[str]], options: ReadOptions, location: Location) -> Records | None:
    """Return the fields to keep of the rows of a format without named columns; None if none are to be kept."""
    if not options.keep_columns:
        return None
    names = list(fields)
    kept = tuple(names[k] for k in kept_indices(names, options, location))
    values = zip(*(fields[name] for name in kept), strict=True)
    return Records(kept, [dict(zip(kept, row, strict=True)) for row in values])


def missing_column(column: Column, names: Iterable[str], location: Location) -> CorpusError:
    """Build the error for a file without the column that a model was trained on."""
    return CorpusError(
        f"there is no {name_columns((column,)) if isinstance(column, int) else f'column {column!r}'}, "
        f"which the model was trained on, among {', '.join(map(_short, names))}", location, NAME_OTHER_TEXT,
    )  # fmt: skip


def _short(name: str) -> str:
    """Return a name in quotes, shortened if it is a text rather than a name."""
    return repr(name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…")


def match_name(wanted: str, names: Sequence[str]) -> str | None:
    """Return the name that a model remembers as it is spelt in a file: exactly, else without regard to case."""
    stripped = {name: name.strip() for name in names}
    exact = [name for name, text in stripped.items() if text == wanted]
    found = exact or [name for name, text in stripped.items() if text.casefold() == wanted.casefold()]
    return found[0] if exact or len(found) == 1 else None


def are_named(remembered: Sequence[Column], first: Sequence[str]) -> bool:
    """Whether a first row names all columns of the text that a model remembers."""
    return bool(remembered) and all(isinstance(c, str) and match_name(c, first) is not None for c in remembered)


def _starts_with_label(rows: Sequence[Sequence[str]], options: ReadOptions) -> bool:
    """Whether the first cell of a row is a label that the model knows; True without a model."""
    return options.known_labels is None or any(row and options.knows_label(row[0]) for row in rows)


def unclear_columns(
    text: Sequence[int], first: Sequence[str], names: Sequence[str], options: ReadOptions, location: Location
) -> CorpusError:
    """Build the error for columns of which the text or, if that is known, the label cannot be told."""
    shown, remembered = excerpt(" | ".join(first)), options.remembered_text
    if text:
        taken = " and ".join(f"{names[k].strip()!r}" if names else f"column {k + 1}" for k in text)
        return CorpusError(
            f"the text is {taken}, but it is not clear which column is the label ({shown})", location, NAME_LABEL
        )
    remedy = NAME_TEXT if options.labelled is False else NAME_BOTH
    if remembered:
        return CorpusError(
            f"the first row ({shown}) does not name {name_columns(remembered)}, which the model was trained on",
            location, remedy,
        )  # fmt: skip
    return CorpusError(f"it is not clear which of {_count(len(first))} is the text ({shown})", location, remedy)


def _default_names(width: int, text: Sequence[int], label: int | None) -> tuple[str, ...]:
    """Return names for the columns of a file without a header."""
    roles = dict.fromkeys(text, "text") | ({} if label is None else {label: "label"})
    return unique_names([roles.get(k, "") for k in range(width)])


def _has_id(names: Sequence[str], text: int) -> bool:
    """Whether there are two named columns, the text and a row id."""
    return bool(names) and names[1 - text].strip().casefold() in ID_NAMES


def _find_remembered(column: Column, width: int, names: Sequence[str]) -> int | None:
    if isinstance(column, int):
        return column - 1 if column <= width else None
    found = match_name(column, names)
    return None if found is None else list(names).index(found)


def _remembered_column(column: Column, first: Sequence[str], names: Sequence[str], location: Location) -> int:
    found = _find_remembered(column, len(first), names)
    if found is None:
        raise missing_column(column, names or first, location)
    return found


def _find_column(wanted: Column, role: str, first: Sequence[str], names: Sequence[str], location: Location) -> int:
    if isinstance(wanted, str):
        stripped = [name.strip() for name in names]
        if wanted in stripped:
            return stripped.index(wanted)
        if not wanted.isdecimal() or int(wanted) == 0:
            one_by_one = [part.strip() for part in wanted.split(",")]
            several = role == "text" and set(one_by_one) <= set(stripped)
            raise CorpusError(
                f"there is no column {wanted!r} among {', '.join(map(repr, names or first))}", location,
                f"Give each its own option: {' '.join(f'--text-column {part}' for part in one_by_one)}." if several
                else f"Name another --{role}-column, or its number from 1.",
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
