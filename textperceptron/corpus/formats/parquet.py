"""Parquet, read with pyarrow in batches of rows."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

from textperceptron.corpus.byte_blocks import UnpackLimit
from textperceptron.corpus.errors import CorpusError, Location, import_optional
from textperceptron.corpus.lines import ParsedRows, Report
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.record_fields import pick_keys, select
from textperceptron.corpus.streams import Stream

BATCH_ROWS = 1024


def read(stream: Stream, options: ReadOptions, report: Report) -> Iterator[ParsedRows]:
    """Yield the rows of a Parquet file; a stream or a compressed file is read into memory first."""
    pyarrow = import_optional("pyarrow", "parquet", f"{stream.name}: Parquet")
    parquet = import_optional("pyarrow.parquet", "parquet", f"{stream.name}: Parquet")
    try:
        source, n_bytes = _seekable(stream)
        with parquet.ParquetFile(source) as table:
            names = table.schema_arrow.names
            text, label = keys = pick_keys(names, options, Location(stream.name))
            wanted = [text] if label is None else [text, label]
            number = 1
            limit = UnpackLimit("Parquet", n_bytes)
            for batch in table.iter_batches(BATCH_ROWS, columns=wanted):
                limit.add(batch.nbytes, stream.name)
                yield select(enumerate(batch.to_pylist(), number), keys, stream.name, "row", report)
                number += len(batch)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        why = str(error).splitlines()[0].rstrip(".")
        raise CorpusError(
            f"the file is not Parquet, or damaged ({why})", Location(stream.name),
            "Name another format (--format), or fetch or write it again.",
        ) from None  # fmt: skip


def _seekable(stream: Stream) -> tuple[str | io.BytesIO, int]:
    """Return a path or buffer that pyarrow can read, and its size in bytes."""
    if stream.path is not None:
        with open(stream.path, "rb") as file:
            if file.read(4) == b"PAR1":  # else the file is compressed as a whole
                return stream.path, file.seek(0, os.SEEK_END)
    raw = stream.read_all()
    return io.BytesIO(raw), len(raw)
