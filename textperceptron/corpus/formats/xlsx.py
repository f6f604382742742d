"""Excel workbooks, read with openpyxl row by row: the first sheet with data, its first row naming the columns."""

from __future__ import annotations

import datetime
import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO

from textperceptron.corpus.byte_blocks import UnpackLimit
from textperceptron.corpus.columns import Columns, pick_columns
from textperceptron.corpus.detect import ZIP_MAGIC
from textperceptron.corpus.errors import CorpusError, Location, import_optional
from textperceptron.corpus.lines import ParsedRows, Report
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.streams import Stream

BATCH_ROWS = 1024
MAX_ROWS = 1_048_576  # of a sheet
_ERRORS = frozenset({"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"})
_MIDNIGHT = datetime.time()
NumberedRow = tuple[int, list[str]]


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a workbook's sheet; formulas have the values that Excel stored."""
    openpyxl = import_optional("openpyxl", "excel", f"{stream.name}: an Excel workbook")
    file = stream.as_file(ZIP_MAGIC)
    with closing(open(file, "rb") if isinstance(file, str) else file) as source:
        _check_size(source, stream.name)
        book = _guarded(stream.name, openpyxl.load_workbook, source, read_only=True, data_only=True, keep_links=False)
        with closing(book):
            yield from _read_sheet(book, stream, options, report)


def _read_sheet(book: Any, stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    sheet, rows = _choose_sheet(book, stream.name, options)
    columns: Columns | None = None
    while chunk := _guarded(stream.name, lambda: list(islice(rows, BATCH_ROWS))):
        if columns is None:
            number, first = chunk[0]
            columns = _columns(first, [row for _, row in chunk], options, Location(stream.name, number, "row"))
            title = sheet if len(book.worksheets) > 1 else None
            columns = replace(columns, choice=replace(columns.choice, sheet=title, has_mark=True))
            if columns.has_header:
                chunk = chunk[1:]
        width = len(columns.names)
        cells = [(row + [""] * (width - len(row)))[:width] for _, row in chunk]
        yield columns.select(cells, [number for number, _ in chunk], stream.name, report, "row")


def _columns(
    first: list[str], rows: Sequence[list[str]], options: ReadOptions, location: Location
) -> Columns:  # fmt: skip
    """Return the columns; the first row is a header unless the caller says otherwise."""
    while first and not first[-1]:
        first = first[:-1]
    has_header = options.header is not False
    return pick_columns(first, replace(options, header=has_header), location, rows, by_position=not has_header)


def _choose_sheet(book: Any, name: str, options: ReadOptions) -> tuple[str, Iterator[NumberedRow]]:
    """Return the title and the rows of the sheet that the caller names, or of the first visible one with data."""
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if options.sheet is not None:
        if options.sheet not in sheets:
            raise CorpusError(
                f"there is no sheet {options.sheet!r} among {', '.join(map(repr, sheets))}", Location(name),
                "Name another: --sheet.",
            )  # fmt: skip
        return options.sheet, _numbered_rows(sheets[options.sheet], name)
    visible = [sheet for sheet in sheets.values() if sheet.sheet_state == "visible"]
    for sheet in visible or sheets.values():
        rows = _numbered_rows(sheet, name)
        first = _guarded(name, lambda rows=rows: next(rows, None))
        if first is not None:
            return sheet.title, _chain(first, rows)
    return "", iter(())


def _chain(first: NumberedRow, rest: Iterator[NumberedRow]) -> Iterator[NumberedRow]:
    yield first
    yield from rest


def _numbered_rows(sheet: Any, name: str) -> Iterator[NumberedRow]:
    """Yield the rows that are not empty, as texts, with their numbers."""
    sheet.reset_dimensions()  # what a file says about its size need not be true
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > MAX_ROWS:
            raise CorpusError(
                f"the sheet {sheet.title!r} has a row beyond {MAX_ROWS:,}, the last of Excel", Location(name),
                "Write the file again, or save it as CSV.",
            )  # fmt: skip
        cells = [_cell_text(value) for value in row]
        if any(cells):
            yield number, cells


def _cell_text(value: Any) -> str:
    """Return the value of a cell as text: whole numbers without a point, dates as in ISO 8601, errors as nothing."""
    if isinstance(value, str):
        return "" if value in _ERRORS else value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"  # as in JSON
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == _MIDNIGHT else value.isoformat(" ")
    return str(value)


def _check_size(source: BinaryIO, name: str) -> None:
    """Raise CorpusError for a decompression bomb: openpyxl holds all texts of a workbook in memory."""
    members = _guarded(name, lambda: zipfile.ZipFile(source).infolist())
    packed = source.seek(0, io.SEEK_END)
    UnpackLimit("Excel", packed).add(sum(member.file_size for member in members), name)
    source.seek(0)


def _guarded(name: str, call: Any, *arguments: Any, **options: Any) -> Any:
    """Call openpyxl without its warnings; any error means a damaged file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*arguments, **options)
    except (CorpusError, MemoryError):
        raise
    except Exception as error:  # of openpyxl, zipfile, the XML parser and their conversions
        why = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise CorpusError(
            f"the Excel workbook cannot be read ({why})", Location(name),
            "Save it again in Excel without a password, or as CSV.",
        ) from None  # fmt: skip
