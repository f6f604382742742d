"""Parquet, read by pyarrow in batches of rows."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

from textperceptron.corpus.blocks import UnpackLimit
from textperceptron.corpus.errors import CorpusError, Place, optional_module
from textperceptron.corpus.lines import Report, Rows
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.records import pick_keys, take
from textperceptron.corpus.streams import Stream

BATCH = 1024  # rows


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[Rows]:
    """Yield the rows of a Parquet file; one that is no plain file on disk is read into memory first."""
    pyarrow = optional_module("pyarrow", "parquet", f"{stream.name}: Parquet")
    parquet = optional_module("pyarrow.parquet", "parquet", f"{stream.name}: Parquet")
    try:
        source, n_bytes = _seekable(stream)
        with parquet.ParquetFile(source) as table:
            names = table.schema_arrow.names
            text, label = keys = pick_keys(names, options, Place(stream.name))
            wanted = [text] if label is None else [text, label]
            number = 1
            limit = UnpackLimit("Parquet", n_bytes)
            for batch in table.iter_batches(BATCH, columns=wanted):
                limit.add(batch.nbytes, stream.name)
                yield take(enumerate(batch.to_pylist(), number), keys, stream.name, "row", report)
                number += len(batch)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        why = str(error).splitlines()[0].rstrip(".")
        raise CorpusError(
            f"the file is not Parquet, or damaged ({why})", Place(stream.name),
            "Name another format (--format), or fetch or write it again.",
        ) from None  # fmt: skip


def _seekable(stream: Stream) -> tuple[str | io.BytesIO, int]:
    """Return what pyarrow can read, and how many bytes it has."""
    if stream.path is not None:
        with open(stream.path, "rb") as file:
            if file.read(4) == b"PAR1":  # else it is compressed as a whole
                return stream.path, file.seek(0, os.SEEK_END)
    raw = stream.read_all()
    return io.BytesIO(raw), len(raw)
