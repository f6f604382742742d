"""Options for reading a corpus; the error messages of readers name them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.common import complete_from, flag
from textperceptron.cli.console import print_message
from textperceptron.cli.escaping import label_text
from textperceptron.settings.corpus_columns import name_columns

if TYPE_CHECKING:
    from textperceptron.corpus import FileReading, SkippedRows
    from textperceptron.model import TextModel
    from textperceptron.settings import CorpusColumns

PANEL = "Reading the corpus"

FORMATS = ("tsv", "csv", "jsonl", "fasttext", "vw", "text", "parquet", "xlsx", "folders", "files")


Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="tsv, csv, jsonl, fasttext, vw, text, parquet or xlsx; for a folder or an archive: folders or files.",
        show_default="detected",
        rich_help_panel=PANEL,
        autocompletion=complete_from(*FORMATS),
    ),
]
TextColumn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", show_default="detected", rich_help_panel=PANEL,
        help="Name or number (from 1) of the column with the text; given several times, their texts are joined.",
    ),
]  # fmt: skip
LabelColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", show_default="detected", rich_help_panel=PANEL,
        help="Name or number (from 1) of the column with the label.",
    ),
]  # fmt: skip
WeightColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", show_default="none", rich_help_panel=PANEL,
        help="Name or number (from 1) of a column with the importance of each text, a number from 0; 0 leaves it out.",
    ),
]  # fmt: skip
Header = Annotated[
    bool | None,
    typer.Option(
        help="Whether the first row of a TSV or CSV file names the columns.",
        show_default="detected",
        rich_help_panel=PANEL,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER", help="Field separator of a CSV file.", show_default="detected", rich_help_panel=PANEL
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", show_default="the first with data", rich_help_panel=PANEL,
        help="Sheet of an Excel workbook.",
    ),
]  # fmt: skip
MergeLabels = Annotated[
    str | None,
    typer.Option(
        metavar="GROUPS", show_default="none", rich_help_panel=PANEL,
        help="Group labels, or drop those of an empty name: '1,2=neg;4,5=pos;3='.",
    ),
]  # fmt: skip
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        metavar="MARK", show_default="one label per text", rich_help_panel=PANEL,
        help="What separates the labels of a text, such as '|', if it may have several.",
    ),
]  # fmt: skip
Encoding = Annotated[str, typer.Option(metavar="NAME", help="Character encoding of the texts.", rich_help_panel=PANEL)]
Errors = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What to do with undecodable bytes: strict (an error), replace, ignore or backslashreplace.",
        rich_help_panel=PANEL,
        autocompletion=complete_from("strict", "replace", "ignore", "backslashreplace"),
    ),
]
SkipBad = Annotated[
    bool,
    flag("--skip-bad", help="Skip rows that cannot be read, and report how many.", panel=PANEL),
]


def read_options(
    format: str | None,  # noqa: A002 - the option's name
    text_column: list[str] | None,
    label_column: str | None,
    header: bool | None,
    delimiter: str | None,
    encoding: str,
    errors: str,
    skip_bad: bool,
    sheet: str | None = None,
    merge_labels: str | None = None,
    label_separator: str | None = None,
    weight_column: str | None = None,
) -> dict[str, Any]:
    """Return the options as keyword arguments of :func:`~textperceptron.corpus.read_corpus`."""
    with deferred_interrupts():
        from textperceptron.corpus import LabelMerge

    columns = [_column(column) for column in text_column or ()]
    return {
        "format": format,
        "text_column": columns or None,
        "label_column": None if label_column is None else _column(label_column),
        "weight_column": None if weight_column is None else _column(weight_column),
        "header": header,
        "delimiter": delimiter,
        "sheet": sheet,
        "encoding": encoding,
        "errors": errors,
        "merge_labels": None if merge_labels is None else LabelMerge(merge_labels),
        "label_separator": label_separator,
        "on_bad": "skip" if skip_bad else "raise",
    }


def _column(column: str) -> str | int:
    return int(column) if column.isdecimal() else column


def corpus_column_options(columns: CorpusColumns | None) -> list[str]:
    """Return the options that read the columns which a model remembers, and merge labels as it does.

    Examples
    --------
    >>> from textperceptron.settings import CorpusColumns
    >>> corpus_column_options(CorpusColumns(("title", 3), "stars", (("1", "neg"), ("2", "neg"), ("3", None))))
    ['--text-column', 'title', '--text-column', '3', '--label-column', 'stars', '--merge-labels', '1,2=neg;3=']
    """
    if columns is None:
        return []
    words = [word for column in columns.text for word in ("--text-column", str(column))]
    words += [] if columns.label is None else ["--label-column", str(columns.label)]
    words += [] if columns.label_separator is None else ["--label-separator", columns.label_separator]
    if columns.merged:
        with deferred_interrupts():
            from textperceptron.corpus.merge_labels import format_merge

        words += ["--merge-labels", format_merge(columns.merged)]
    return words


def options_for_texts(options: Mapping[str, Any], model: TextModel) -> dict[str, Any]:
    """Return options for texts to classify: the model's columns, and its labels to tell labels from texts."""
    labels = frozenset(map(label_text, model.classes))
    return {**options, "labelled": False, "columns": model.corpus_columns, "known_labels": labels}


def report_reading(files: Sequence[FileReading], n_reported: int = 0) -> int:
    """Print to standard error what texts were taken for where that is not evident; return the number of files seen."""
    for reading in files[n_reported:]:
        said = describe_reading(reading)
        if said:
            print_message(f"{reading.file}: {said}")
    return len(files)


FORMAT_NAMES = {"tsv": "TSV", "csv": "CSV", "jsonl": "JSON lines", "fasttext": "fastText lines", "parquet": "Parquet",
                "xlsx": "an Excel workbook"}  # fmt: skip


def describe_reading(reading: FileReading) -> str:
    """Return what a file was taken for, and how to read it otherwise; empty if its name or an option says so."""
    choice = reading.choice
    if reading.has_tabs:
        return (
            "most lines contain a tab, but none begins with a label of the model: read as plain lines. "
            "Use --text-column to read a column."
        )
    if reading.format == "files" and reading.by_content:
        return "each line is a document. Use --format folders if each file is one."
    if reading.format in ("csv", "tsv") and choice is not None and len(choice.names) == 1 and not choice.has_header:
        return "one column, and its first row is a document. Use --header if it is the column's name."
    if not reading.by_content or reading.format not in FORMAT_NAMES:
        return ""
    column = "" if choice is None else f", text from {name_columns(choice.text)}"
    plain = "" if reading.format in ("parquet", "xlsx") else ". Use --format text to read plain lines."
    return f"read as {FORMAT_NAMES[reading.format]}{column}{plain}"


def is_regular_file(path: str) -> bool:
    """Whether a path, or ``-`` for standard input, is a regular file rather than a pipe or a terminal."""
    try:
        return stat.S_ISREG((os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)).st_mode)
    except (AttributeError, OSError, ValueError):  # a pattern; standard input is closed or has no descriptor
        return False


def read_standard_input(options: Mapping[str, Any]) -> str | BinaryIO:
    """Return all of standard input: as one text without the last line's end, or as a stream if it has rows.

    Raises
    ------
    CorpusError
        If it is closed or cannot be decoded; with the line.
    """
    with deferred_interrupts():
        import io

        from textperceptron.corpus.byte_blocks import STANDARD_INPUT, standard_input, stream_blocks
        from textperceptron.corpus.detect import detect_format
        from textperceptron.corpus.errors import CorpusError
        from textperceptron.corpus.lines import UndecodableError, decode_document
        from textperceptron.corpus.options import ReadOptions
        from textperceptron.corpus.streams import Stream

    class StandardInput(io.BytesIO):
        """The bytes under the name of their source."""

        name = STANDARD_INPUT

    raw = b"".join(stream_blocks(standard_input()))
    read = ReadOptions(**options)
    stream = Stream(STANDARD_INPUT, [raw], read)
    if raw and detect_format(stream, read).format != "text":
        return StandardInput(raw)
    try:
        return decode_document(stream.as_text().read_all(), stream, read).removesuffix("\n")
    except UndecodableError as problem:  # its own remedy is for corpora
        remedy = "Name the text's encoding (--encoding), or replace such bytes (--errors replace)."
        raise CorpusError(problem.reason, problem.location, remedy) from None


def report_skipped(skipped: SkippedRows) -> None:
    """Print to standard error which rows were skipped, if any."""
    if len(skipped):
        print_message(str(skipped))
