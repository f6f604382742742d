"""Options for reading a corpus; the error messages of readers name them."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.common import complete_from, flag
from textperceptron.cli.console import print_message

if TYPE_CHECKING:
    from textperceptron.corpus import SkippedRows

PANEL = "Reading the corpus"

FORMATS = ("tsv", "csv", "jsonl", "fasttext", "text", "parquet", "folders", "files")


def _format(default: str) -> Any:
    return typer.Option(
        "--format",
        metavar="NAME",
        help="tsv, csv, jsonl, fasttext, text or parquet; for a folder or an archive: folders or files.",
        show_default=default,
        rich_help_panel=PANEL,
        autocompletion=complete_from(*FORMATS),
    )


Format = Annotated[str | None, _format("detected")]
TextFormat = Annotated[str | None, _format("text; detected with --text-column")]
TextColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", show_default="detected", rich_help_panel=PANEL,
        help="Name or number (from 1) of the column with the text.",
    ),
]  # fmt: skip
LabelColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", show_default="detected", rich_help_panel=PANEL,
        help="Name or number (from 1) of the column with the label.",
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
    text_column: str | None,
    label_column: str | None,
    header: bool | None,
    delimiter: str | None,
    encoding: str,
    errors: str,
    skip_bad: bool,
) -> dict[str, Any]:
    """Return the options as keyword arguments of :func:`~textperceptron.corpus.read_corpus`."""
    return {
        "format": format,
        "text_column": _column(text_column),
        "label_column": _column(label_column),
        "header": header,
        "delimiter": delimiter,
        "encoding": encoding,
        "errors": errors,
        "on_bad": "skip" if skip_bad else "raise",
    }


def _column(column: str | None) -> str | int | None:
    return int(column) if column is not None and column.isdecimal() else column


def is_regular_file(path: str) -> bool:
    """Whether a path, or ``-`` for standard input, is a regular file rather than a pipe or a terminal."""
    try:
        return stat.S_ISREG((os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)).st_mode)
    except (AttributeError, OSError, ValueError):  # a pattern; standard input is closed or has no descriptor
        return False


def read_standard_input(encoding: str, errors: str) -> str:
    """Return all of standard input as one text, without the last line's end.

    Raises
    ------
    CorpusError
        If it is closed or cannot be decoded; with the line.
    """
    with deferred_interrupts():
        from textperceptron.corpus.byte_blocks import STANDARD_INPUT, standard_input, stream_blocks
        from textperceptron.corpus.errors import CorpusError
        from textperceptron.corpus.lines import UndecodableError, decode_document
        from textperceptron.corpus.options import ReadOptions
        from textperceptron.corpus.streams import Stream

    options = ReadOptions(encoding=encoding, errors=errors)
    stream = Stream(STANDARD_INPUT, stream_blocks(standard_input()), options).as_text()
    try:
        return decode_document(stream.read_all(), stream, options).removesuffix("\n")
    except UndecodableError as problem:  # its own remedy is for corpora
        remedy = "Name the text's encoding (--encoding), or replace such bytes (--errors replace)."
        raise CorpusError(problem.reason, problem.location, remedy) from None


def report_skipped(skipped: SkippedRows) -> None:
    """Print to standard error which rows were skipped, if any."""
    if len(skipped):
        print_message(str(skipped))
