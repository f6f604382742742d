"""svmlight files → CSR arrays: ``label column:value column:value … # comment``, one row per line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.corpus.errors import CorpusError, Location, excerpt
from textperceptron.corpus.lines import text_lines
from textperceptron.corpus.options import ReadOptions
from textperceptron.corpus.sources import Source, find_files, source_name

_NUMBER = r"[-+]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+"
_ROW = re.compile(rf"\s*+({_NUMBER})(?:\s++qid:\d++)?+((?:\s++\d++:{_NUMBER})*+)\s*+", re.ASCII)


@dataclass(frozen=True, slots=True)
class SvmlightRows:
    """Rows of numbers with labels.

    Attributes
    ----------
    data, indices, indptr : ndarray
        The arrays of a CSR matrix, columns ascending, counted from 0.
    labels : ndarray
        int64 if all labels are integers, else float64.
    n_columns : int
        The number of columns of the matrix.
    """

    data: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    indptr: npt.NDArray[Any]
    labels: npt.NDArray[Any]
    n_columns: int


def read_svmlight(
    source: Source, *, n_columns: int | None = None, zero_based: bool | None = None, dtype: npt.DTypeLike = np.float64
) -> SvmlightRows:
    r"""Read svmlight files, plain or compressed, into the arrays of a CSR matrix.

    Parameters
    ----------
    source : path, list of paths, or binary stream
        As in :func:`~textperceptron.corpus.read_corpus`.
    n_columns : int, optional
        The number of columns; by default the largest one found.
    zero_based : bool, optional
        Whether columns are counted from 0. By default they are if a column 0 occurs, else they are counted from 1.
    dtype : dtype, default=numpy.float64
        Type of the values.

    Returns
    -------
    SvmlightRows

    Raises
    ------
    CorpusError
        If a row cannot be read, has several labels, or its columns do not ascend.

    Examples
    --------
    >>> import io
    >>> rows = read_svmlight(io.BytesIO(b"+1 1:0.5 3:2  # a comment\n-1 2:1\n"))
    >>> rows.data.tolist(), rows.indices.tolist(), rows.indptr.tolist(), rows.labels.tolist()
    ([0.5, 2.0, 1.0], [0, 2, 1], [0, 2, 3], [1, -1])
    """
    options = ReadOptions(format="text")
    blocks = [(np.zeros(0), np.zeros(0, np.int64), np.zeros(0))]
    for file in find_files(source, options):
        with file.source.open(options) as stream:
            blocks += [_parse(lines, numbers, stream.name) for lines, numbers in text_lines(stream, options, _raise)]
    y, counts, entries = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    columns, values = entries[::2], entries[1::2]
    if not len(y):
        raise CorpusError("it contains no rows", Location(source_name(source)))
    first = 0 if zero_based or (zero_based is None and not columns.all()) else 1
    width = int(columns.max(initial=first - 1)) + 1 - first
    if (first and not columns.all()) or (n_columns is not None and n_columns < width):
        raise CorpusError(
            f"columns go from {int(columns.min())} to {int(columns.max())}, beyond what zero_based={zero_based} and "
            f"n_columns={n_columns} allow", Location(source_name(source)), "Leave these arguments out to detect them.",
        )  # fmt: skip
    width = width if n_columns is None else n_columns
    index = np.int32 if max(width, len(values)) <= np.iinfo(np.int32).max else np.int64
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(index)
    as_integers = y.astype(np.int64)
    return SvmlightRows(
        values.astype(dtype),
        (columns - first).astype(index),
        indptr,
        as_integers if (as_integers == y).all() else y,
        width,
    )


def _raise(error: CorpusError) -> None:
    raise error


def _parse(
    lines: list[str], numbers: Sequence[int], file: str
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the labels, the number of entries per row, and all entries (column and value in turn)."""
    rows = [line.partition("#")[0] for line in lines]
    kept = [k for k, row in enumerate(rows) if row.strip()]
    found = [_ROW.fullmatch(rows[k]) for k in kept]
    for k, match in zip(kept, found, strict=True):
        if match is None:
            raise _bad_row(rows[k], Location(file, numbers[k]))
    matches = [match for match in found if match is not None]
    counts = np.array([match[2].count(":") for match in matches], np.int64)
    # One call for all numbers, which the pattern has validated.
    entries = np.fromstring("".join(match[2] for match in matches).replace(":", " "), sep=" ")
    columns, ends = entries[::2], np.cumsum(counts)
    falls = np.flatnonzero(columns[1:] <= columns[:-1]) + 1
    falls = falls[~np.isin(falls, ends)]  # columns restart in every row
    if len(falls):
        k = kept[int(np.searchsorted(ends, falls[0], side="right"))]
        raise CorpusError(
            f"columns do not ascend: {int(columns[falls[0]])} follows {int(columns[falls[0] - 1])}",
            Location(file, numbers[k]), "Sort them, each once.",
        )  # fmt: skip
    return np.array([match[1] for match in matches], np.float64), counts, entries


def _bad_row(row: str, location: Location) -> CorpusError:
    if re.match(r"\s*[^\s:]+,", row):
        return CorpusError(
            f"the row has several labels ({excerpt(row.split()[0])})", location,
            "Write it once per label, or train one classifier per label.",
        )  # fmt: skip
    return CorpusError(
        f"the row is not svmlight: LABEL COLUMN:VALUE … ({excerpt(row)})", location, "Values are finite numbers."
    )
