"""Predictions beside the rows that they belong to: CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from typing import Any

from textperceptron.cli.console import print_message
from textperceptron.cli.escaping import escaped_field, json_line, label_text
from textperceptron.cli.output import open_binary_results, open_results
from textperceptron.cli.prediction_format import PredictionFormatter
from textperceptron.corpus import Batch, Batches, ColumnChoice, CorpusError, Location
from textperceptron.corpus.errors import import_optional

ADDED = ("label", "score", "probability")
ADDED_SETS = ("labels", "scores", "probabilities")
MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"  # the byte order mark, without which Excel does not take CSV for UTF-8
GROUP_ROWS = 1 << 14  # of a row group in Parquet
FEWER_COLUMNS = "Choose columns that fit (--columns), or write JSON lines (--output FILE.jsonl)."
Row = dict[str, Any]


class PredictionTable:
    """The columns of the input and, after them, ``label``, ``score`` and, if the model has it, ``probability``.

    If the input has a column of one of these names, the new ones are called ``predicted_label`` and so on.

    Parameters
    ----------
    kind : str
        ``csv``, ``tsv``, ``jsonl`` or ``parquet``.
    formatter : PredictionFormatter
        Classifies the texts.
    batches : Batches
        The input, read with ``keep_columns``.
    """

    def __init__(self, kind: str, formatter: PredictionFormatter, batches: Batches) -> None:
        self._kind, self._formatter, self._batches = kind, formatter, batches
        self._names: tuple[str, ...] | None = None
        self._schema: Any = None
        has_probability = formatter.model.parts.calibration is not None
        self._has_sets = formatter.model.multilabel
        added = ADDED_SETS if self._has_sets else ADDED
        self._added: tuple[str, ...] = added if has_probability else added[:2]

    def batches(self) -> Iterator[Batch]:
        """Yield the batches of the input, each after the check that its columns are those of the first.

        Raises
        ------
        CorpusError
            If a later file has other columns; JSON lines may have any.
        """
        for batch in self._batches:
            assert batch.records is not None
            if self._names is None:
                self._schema = batch.records.schema
                self._set_names(batch.records.names, batch.locations[0].file)
            elif self._kind != "jsonl" and batch.records.names != self._names:
                raise CorpusError(
                    f"its columns ({', '.join(batch.records.names)}) are not those of the first file "
                    f"({', '.join(self._names)})", Location(batch.locations[0].file),
                    "Classify the files one by one, or choose columns that all have: --columns.",
                )  # fmt: skip
            yield batch

    def _set_names(self, names: Sequence[str], file: str) -> None:
        self._names = tuple(names)
        prefixes = chain(("", "predicted_"), (f"predicted_{n}_" for n in count(2)))
        prefix = next(prefix for prefix in prefixes if not {prefix + name for name in self._added} & set(names))
        if prefix:
            taken = next(name for name in names if name in self._added)
            self._added = tuple(prefix + name for name in self._added)
            print_message(f"{file}: it has a column {taken!r}, so the predictions are in {', '.join(self._added)}")

    def format(self, batch: Batch, n_jobs: int = 1) -> str | list[Row]:
        """Return the rows of a batch: as text, or for Parquet as they are."""
        assert batch.records is not None
        rows = []
        if self._has_sets:
            return self._format_sets(batch, n_jobs)
        best = self._formatter.best(batch.texts, n_jobs)
        for k, (record, (label, *numbers)) in enumerate(zip(batch.records.rows, best, strict=True)):
            self._check_names(record, batch.locations[k])
            values = [f"{number:.6g}" for number in numbers if number is not None] if self._rounds else numbers
            rows.append({**record, **dict(zip(self._added, (label, *values), strict=False))})
        return rows if self._kind == "parquet" else self._text(rows)

    def _format_sets(self, batch: Batch, n_jobs: int) -> str | list[Row]:
        """Return the rows of a batch: lists of labels and numbers, joined in CSV and TSV."""
        assert batch.records is not None
        rows = []
        found = self._formatter.best_sets(batch.texts, n_jobs)
        for k, (record, (labels, *numbers)) in enumerate(zip(batch.records.rows, found, strict=True)):
            self._check_names(record, batch.locations[k])
            values: list[Any] = [labels, *numbers]
            if self._rounds:
                shown = [[f"{number:.6g}" for number in each] for each in numbers]
                values = [self._formatter.join(each) for each in (labels, *shown)]
            rows.append({**record, **dict(zip(self._added, values, strict=True))})
        return rows if self._kind == "parquet" else self._text(rows)

    @property
    def _rounds(self) -> bool:
        """Whether scores and probabilities are texts, with six digits as in ``--scores``."""
        return self._kind in ("csv", "tsv")

    def _check_names(self, record: Mapping[str, Any], location: Location) -> None:
        """Raise CorpusError for names of a JSON line that the table has no column for."""
        names = self._names or ()
        extra = [name for name in record if name not in names]
        if extra and (self._kind != "jsonl" or extra[0] in self._added):
            raise CorpusError(
                f"{extra[0]!r} is not among the names of the first line ({', '.join(names)})", location, FEWER_COLUMNS
            )

    def _text(self, rows: Sequence[Row]) -> str:
        if self._kind == "jsonl":
            return "".join(json_line({name: _json_value(value) for name, value in row.items()}) + "\n" for row in rows)
        columns = (*(self._names or ()), *self._added)
        return self._lines([[_cell(row.get(name)) for name in columns] for row in rows])

    def _lines(self, rows: Sequence[Sequence[str]]) -> str:
        if self._kind == "tsv":
            return "".join("\t".join(map(escaped_field, row)) + "\n" for row in rows)
        out = io.StringIO(newline="")
        choice = self._choice
        delimiter = "," if choice is None or choice.delimiter is None else choice.delimiter
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
        return out.getvalue()

    @property
    def _choice(self) -> ColumnChoice | None:
        """The columns of the first file."""
        return self._batches.files[0].choice if self._batches.files else None

    @contextmanager
    def open(self, path: str) -> Iterator[Callable[[Any], None]]:
        """Open the output; yield the function that writes formatted rows to it, after the names of the columns."""
        with self._open_parquet(path) if self._kind == "parquet" else self._open_text(path) as write:
            yield write

    @contextmanager
    def _open_text(self, path: str) -> Iterator[Callable[[str], None]]:
        has_header = False
        with open_results(path) as stream:

            def write(lines: str) -> None:
                nonlocal has_header
                if not has_header and self._kind != "jsonl":
                    choice = self._choice
                    mark = MARK if self._kind == "csv" and choice is not None and choice.has_mark else ""
                    stream.write(mark + self._lines([(*self._header(), *self._added)]))
                has_header = True
                stream.write(lines)
                stream.flush()

            yield write
            if not has_header:
                write("")

    def _header(self) -> tuple[str, ...]:
        """Return the names of the input's columns; of an input without documents, those that its file names."""
        if self._names is None:
            names = ("text",) if self._choice is None else self._choice.names
            kept = self._batches.options.keep_columns
            file = self._batches.files[0].file if self._batches.files else "the input"
            self._set_names(names if isinstance(kept, bool) else tuple(map(str, kept)), file)
        return self._names or ()

    @contextmanager
    def _open_parquet(self, path: str) -> Iterator[Callable[[list[Row]], None]]:
        pyarrow = import_optional("pyarrow", "parquet", f"{path}: Parquet")
        parquet = import_optional("pyarrow.parquet", "parquet", f"{path}: Parquet")
        pending: list[Row] = []
        writer: Any = None

        def write(rows: list[Row], *, at_end: bool = False) -> None:
            nonlocal writer
            pending.extend(rows)
            if len(pending) < GROUP_ROWS and not at_end:
                return
            try:
                if writer is None:
                    writer = parquet.ParquetWriter(file, self._arrow_schema(pyarrow, pending))
                if pending:
                    writer.write_table(pyarrow.Table.from_pylist(pending, schema=writer.schema))
                if at_end:
                    writer.close()
            except (pyarrow.ArrowException, OverflowError, ValueError, TypeError) as error:
                why = str(error).splitlines()[0].rstrip(".")
                raise CorpusError(
                    f"a value does not have the type of its column ({why})", Location(path), FEWER_COLUMNS
                ) from None
            pending.clear()

        with open_binary_results(path) as file:
            yield write
            write([], at_end=True)

    def _arrow_schema(self, pyarrow: Any, rows: Sequence[Row]) -> Any:
        """Return the types of the columns: those of a Parquet input, else those of the first rows."""
        names = self._header()
        found = self._schema
        if found is None:
            inferred = pyarrow.Table.from_pylist([{name: row.get(name) for name in names} for row in rows]).schema
            found = pyarrow.schema([
                (name, pyarrow.string() if not rows or inferred.field(name).type == pyarrow.null() else
                 inferred.field(name).type)
                for name in names
            ])  # fmt: skip
        types = {"str": pyarrow.string(), "int": pyarrow.int64(), "bool": pyarrow.bool_()}
        label, *numbers = self._added
        kinds = [types[self._formatter.model.parts.classes.kind], pyarrow.float64()]
        if self._has_sets:
            kinds = list(map(pyarrow.list_, kinds))
        fields = [(label, kinds[0]), *((name, kinds[1]) for name in numbers)]
        return pyarrow.schema([*found, *pyarrow.schema(fields)])


def _cell(value: Any) -> str:
    """Return a value as the text of a cell: numbers, truth values, lists and objects as in JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, bool | int | float):
        return label_text(value)
    found = _json_value(value)
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _json_value(value: Any) -> Any:
    """Return a value that JSON can hold: dates and other values of Parquet as texts."""
    if isinstance(value, Mapping):
        return {str(name): _json_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)
