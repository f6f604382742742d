"""Parquet, read with pyarrow in batches of rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

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
        source = stream.as_file(b"PAR1")
        n_bytes = os.stat(source).st_size if isinstance(source, str) else len(source.getbuffer())
        with parquet.ParquetFile(source) as table:
            names = table.schema_arrow.names
            keys = pick_keys(names, options, Location(stream.name))
            wanted = dict.fromkeys([*keys.text, *([] if keys.label is None else [keys.label]), *keys.kept])
            number = 1
            limit = UnpackLimit("Parquet", n_bytes)
            yield ParsedRows([], [], [], "row", keys.choice)  # an empty table has columns, too
            for batch in table.iter_batches(BATCH_ROWS, columns=list(wanted)):
                limit.add(batch.nbytes, stream.name)
                rows = select(enumerate(batch.to_pylist(), number), keys, options, stream.name, "row", report)
                if rows.records is not None:
                    schema = pyarrow.schema([batch.schema.field(name) for name in keys.kept])
                    rows = rows._replace(records=replace(rows.records, schema=schema))
                yield rows
                number += len(batch)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        why = str(error).splitlines()[0].rstrip(".")
        raise CorpusError(
            f"the file is not Parquet, or damaged ({why})", Location(stream.name),
            "Name another format (--format), or fetch or write it again.",
        ) from None  # fmt: skip
