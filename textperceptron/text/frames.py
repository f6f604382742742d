"""Data frames and columns of Arrow, polars and pandas → documents and labels.

No library of theirs is imported: a column of strings is read through Arrow's C interface, everything else through the
methods that such objects share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from textperceptron import _kernels

CHUNK = 4096  # documents taken from an iterable at a time
_CHUNK_BYTES = 1 << 20  # of a column: its strings are still in the cache when they are tokenised


class TextColumn:
    """A column of strings in Arrow's memory layout: an iterable of str that has no list of them.

    Missing strings are None, and those that are not UTF-8 are bytes, for the caller to decode or to reject.

    Examples
    --------
    >>> import pyarrow
    >>> from textperceptron.text.frames import documents_of
    >>> texts = documents_of(pyarrow.array(["A fine film", None]))
    >>> texts, list(texts), len(texts)
    (<TextColumn of 2 texts>, ['A fine film', None], 2)
    """

    def __init__(self, source: Any) -> None:
        self._source = source

    def chunks(self) -> Iterator[list[Any]]:
        """Yield the strings in short lists."""
        return _open(self._source)

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.chunks())

    def __len__(self) -> int:
        return len(self._source)

    def __repr__(self) -> str:
        return f"<TextColumn of {len(self)} texts>"


def documents_of(texts: Iterable[Any]) -> Iterable[Any]:
    """Return the documents in an iterable, a column or a table of one column.

    A column of Arrow strings (pyarrow, polars, pandas with pyarrow) becomes a :class:`TextColumn`; anything else that
    is not a table is returned as it is.

    Raises
    ------
    ValueError
        If a table does not have exactly one column.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.frames import documents_of
    >>> documents_of(["a film"]), documents_of(np.array([["a film"], ["a book"]], object)).tolist()
    (['a film'], ['a film', 'a book'])
    """
    if isinstance(texts, list | tuple | str | bytes | TextColumn):
        return texts
    column = _with_arrow_storage(only_column(texts, "texts"))
    if _is_pandas(column):  # would be converted first
        return column  # type: ignore[no-any-return]
    if hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__"):
        if _open(column).is_text():
            return TextColumn(column)
        if hasattr(column, "to_pylist"):  # whose own iterator yields scalars of Arrow
            return column.to_pylist()  # type: ignore[no-any-return]
    return column  # type: ignore[no-any-return]


def repeatable(texts: Iterable[Any]) -> Sequence[Any] | TextColumn:
    """Return the documents in an iterable, a column or a table of one column, to be read several times."""
    documents = documents_of(texts)
    return documents if isinstance(documents, TextColumn) else list(documents)


def values_of(data: Iterable[Any], what: str) -> list[Any]:
    """Return the values of an iterable, a column or a table of one column, as Python's own objects where it has them.

    Raises
    ------
    ValueError
        If a table does not have exactly one column; the message calls it ``what``.
    """
    column = only_column(data, what)
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    values = list(column)
    if any(hasattr(kind, "as_py") for kind in set(map(type, values))):
        values = list(map(python_value, values))
    return values


def only_column(data: Any, what: str) -> Any:
    """Return the column of a table of one column, and anything else as it is."""
    column: Any
    if isinstance(data, np.ndarray) and data.ndim == 2:
        names, column = list(range(data.shape[1])), data[:, :1].ravel()
    elif hasattr(data, "iloc") and data.ndim == 2:  # pandas
        names, column = list(data.columns), data.iloc[:, :1].squeeze(axis=1)
    elif hasattr(data, "get_columns"):  # polars
        names, column = data.columns, next(iter(data.get_columns()), None)
    elif hasattr(data, "column_names"):  # pyarrow
        names, column = data.column_names, data.column(0) if data.num_columns else None
    else:
        return data
    if len(names) == 1:
        return column
    shown = ", ".join(map(repr, names[:4])) + (", …" if len(names) > 4 else "")
    raise ValueError(f"{what} is a table of {len(names)} columns ({shown}). Pass the one column with the {what}.")


def python_value(value: Any) -> Any:
    """Return the Python object of a scalar of pyarrow, and anything else as it is."""
    return value.as_py() if hasattr(value, "as_py") else value


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, or the NA or NaT of pandas."""
    return (
        value is None
        or (isinstance(value, float | np.floating) and bool(value != value))
        or type(value).__name__ in ("NAType", "NaTType")
    )


def _open(column: Any) -> _kernels.ArrowTexts:
    if hasattr(column, "__arrow_c_stream__"):
        return _kernels.ArrowTexts(column.__arrow_c_stream__(), None, CHUNK, _CHUNK_BYTES)
    schema, array = column.__arrow_c_array__()
    return _kernels.ArrowTexts(array, schema, CHUNK, _CHUNK_BYTES)


def _is_pandas(column: Any) -> bool:
    return type(column).__module__.partition(".")[0] == "pandas"


def _with_arrow_storage(column: Any) -> Any:
    """Return the Arrow array of a column of pandas that stores one, and anything else as it is."""
    dtype = getattr(column, "dtype", None)
    if _is_pandas(column) and (getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype")):
        return getattr(column, "array", column).__arrow_array__()
    return column
