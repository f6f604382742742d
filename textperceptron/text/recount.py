"""Documents that are counted once, and then become rows of columns that some of them have chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import balanced_chunks
from textperceptron.text.columns import ColumnSettings, chosen_terms, columns_of, places_of
from textperceptron.text.count import count_and_learn
from textperceptron.text.numbering import summed_type
from textperceptron.text.pieces import SLACK, Scratch, spans, starts_of
from textperceptron.text.rows import CountMatrix, Occurrences, Renumbering, Rows, count_occurrences, gather
from textperceptron.text.settings import TextSettings

Array = npt.NDArray[Any]
Places = npt.NDArray[np.int64]

_PART = 1 << 20  # terms whose rows are made at a time


class CountedDocuments:
    """All terms of documents, in alphabetical order, and how often each document has them.

    Columns that are chosen from some documents, and rows of these columns, are exactly those that
    :func:`~textperceptron.text.count.count_and_learn` and :func:`~textperceptron.text.count.count_known` give for the
    same documents; but the text is not cut again. Cross-validation needs them for every fold.

    Parameters
    ----------
    raw_documents : iterable of str or bytes
    settings : TextSettings
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.columns import ColumnSettings
    >>> from textperceptron.text.recount import CountedDocuments
    >>> from textperceptron.text.settings import TextSettings
    >>> counted = CountedDocuments(["A fine film", "fine, fine!", "a new film"], TextSettings())
    >>> columns = counted.choose(np.array([0, 1]), ColumnSettings())  # film, fine, new
    >>> columns.tolist()
    [1, 0, -1]
    >>> rows = counted.rows(np.array([1, 2]), columns)
    >>> rows.indices.tolist(), rows.data.tolist(), rows.indptr.tolist()
    ([0, 1], [2.0, 1.0], [0, 1, 2])
    """

    def __init__(self, raw_documents: Iterable[Any], settings: TextSettings, n_jobs: int | None = None) -> None:
        alphabet = ColumnSettings(order="alphabet")
        _, self._counts = count_and_learn(raw_documents, settings, alphabet, dtype=np.int32, n_jobs=n_jobs)

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(self._counts.indptr) - 1

    def choose(
        self, which: Places, settings: ColumnSettings, *, binary: bool = False, dtype: npt.DTypeLike = np.float32
    ) -> Array:
        """Return the column of each term, or -1, as the documents ``which`` alone choose them.

        Raises
        ------
        ValueError
            If no term is left.
        """
        settings.check()
        n_terms = self._counts.n_columns
        entries = self._entries(which)
        frequency = np.bincount(self._counts.indices[entries], minlength=n_terms).astype(np.int32)

        def totals() -> Array:
            if binary:
                return summed_type(frequency.astype(np.int64), dtype)
            sums = np.bincount(self._counts.indices[entries], self._counts.data[entries], n_terms)
            return summed_type(sums.astype(np.int64), dtype)

        return columns_of(chosen_terms(frequency, len(which), settings, places_of, totals), n_terms)

    def rows(
        self, which: Places, columns: Array, *, binary: bool = False, dtype: npt.DTypeLike = np.float32
    ) -> CountMatrix:
        """Return the rows of the documents ``which``, with the columns that :meth:`choose` gave."""
        numbering = Renumbering(columns, len(columns), int(columns.max(initial=-1)) + 1)
        return gather(self._parts(which, numbering, binary, dtype), numbering.n_columns, dtype)

    def _parts(self, which: Places, numbering: Renumbering, binary: bool, dtype: npt.DTypeLike) -> Iterator[Rows]:
        scratch = Scratch()
        sizes = np.diff(self._counts.indptr)[which]
        for start, stop in balanced_chunks(sizes, _PART, 1):
            entries = self._entries(which[start:stop])
            row_of = np.repeat(np.arange(stop - start), sizes[start:stop])
            items = self._counts.indices[entries]
            if not binary:  # as the text has them: a number for every occurrence
                times = self._counts.data[entries]
                items, row_of = np.repeat(items, times), np.repeat(row_of, times)
            room = scratch.get("items", len(items) + SLACK, np.int32)
            room[: len(items)] = items
            block = Occurrences(room, starts_of(np.bincount(row_of, minlength=stop - start)))
            yield count_occurrences(block, numbering, scratch, binary=binary, dtype=dtype)

    def _entries(self, which: Places) -> Array:
        starts = self._counts.indptr[which].astype(np.int64)
        return spans(starts, np.diff(self._counts.indptr)[which])
