"""The chosen conjunctions, learnt from rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import count_jobs
from textperceptron.text.conjunctions.counting import RowClasses, find_pairs, find_triples
from textperceptron.text.conjunctions.settings import ConjunctionSettings
from textperceptron.text.conjunctions.top_k import Found, TopK
from textperceptron.text.conjunctions.word_rows import without_zeros, word_rows
from textperceptron.text.csr import CountMatrix
from textperceptron.text.tokenize import offsets_from_lengths

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class ConjunctionTable:
    """Conjunctions of words, pairs before triples, both sorted by first, second and third word.

    Words are sorted by column, pivots first.

    Attributes
    ----------
    n_columns : int
        Number of columns of the training rows.
    columns : int32 array
        Column of each word.
    n_pivots : int
        Number of pivots, which are the first words; 0 if any word can be the first.
    pair_starts, partners : int64 and int32 arrays
        The pairs with first word i have the second words ``partners[pair_starts[i]:pair_starts[i + 1]]``.
    triples : int32 array of shape (n, 3)
        The words of each triple.
    frequency : int32 array
        Document frequency of each conjunction.
    scores : float64 array
        Log-likelihood ratio of each conjunction; empty if they were chosen by document frequency.
    """

    n_columns: int
    columns: Array
    n_pivots: int
    pair_starts: Array
    partners: Array
    triples: Array
    frequency: Array
    scores: Array

    @property
    def n_conjunctions(self) -> int:
        """Number of conjunctions."""
        return len(self.partners) + len(self.triples)

    @property
    def pairs(self) -> Array:
        """The words of each pair."""
        firsts = np.repeat(np.arange(len(self.pair_starts) - 1, dtype=np.int32), np.diff(self.pair_starts))
        return np.stack([firsts, self.partners], axis=1)


def learn_conjunctions(
    matrix: CountMatrix, settings: ConjunctionSettings, codes: Array | None = None, *, n_jobs: int | None = None
) -> ConjunctionTable:
    """Count the conjunctions of columns in two passes, and choose among them.

    The first pass counts words: a conjunction is in no more rows than its rarest word, so words below ``min_df`` are
    ruled out. The result is the same for any number of threads.

    Parameters
    ----------
    matrix : CountMatrix
        Rows with ascending columns; an empty ``data`` means that all values are 1.
    settings : ConjunctionSettings
    codes : int array, optional
        Class code of each row; needed for ``select_by="log_likelihood"``.
    n_jobs : int, optional
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.conjunctions.settings import ConjunctionSettings
    >>> from textperceptron.text.conjunctions.table import learn_conjunctions
    >>> from textperceptron.text.csr import CountMatrix
    >>> columns, starts = np.array([0, 1, 2, 0, 2]), np.array([0, 3, 5])
    >>> table = learn_conjunctions(CountMatrix(np.empty(0), columns, starts, 3), ConjunctionSettings(min_df=2))
    >>> table.columns[table.pairs].tolist(), table.frequency.tolist()
    ([[0, 2]], [2])
    """
    jobs = count_jobs(n_jobs)
    matrix = without_zeros(matrix)
    n_rows = len(matrix.indptr) - 1
    limits = settings.row_limits(n_rows)
    columns = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.n_columns) >= limits[0])
    n_pivots = 0
    if settings.pivots is not None:
        is_pivot = np.isin(columns, settings.pivots)
        n_pivots = int(is_pivot.sum())
        columns = np.r_[columns[is_pivot], columns[~is_pivot]]
    n_first = len(columns) if settings.pivots is None else n_pivots
    top = TopK(limits, settings.max_features, scored=settings.scored, memory_limit=settings.memory_limit)
    if n_first:
        rows = word_rows(matrix, columns, n_pivots)
        classes = RowClasses.of(codes) if settings.scored and codes is not None else RowClasses.none(n_rows)
        find_pairs(rows, n_first, classes, top, jobs)
        if settings.degree == 3:
            find_triples(rows, n_first, classes, top, jobs)
    return _table(top.finish(), columns, n_pivots, matrix.n_columns)


def _table(found: list[Found], columns: Array, n_pivots: int, n_columns: int) -> ConjunctionTable:
    """Create a table and renumber the words that occur in it."""
    used = np.zeros(len(columns), bool)
    for one in found:
        for words in one.words:
            used[words] = True
    number = (np.cumsum(used) - 1).astype(np.int32)
    words_of = {one.degree: one.words if used.all() else number[one.words] for one in found}
    firsts, partners = words_of.get(2, np.empty((2, 0), np.int32))
    return ConjunctionTable(
        n_columns=n_columns,
        columns=columns[used].astype(np.int32),
        n_pivots=int(used[:n_pivots].sum()),
        pair_starts=offsets_from_lengths(np.bincount(firsts)),
        partners=partners.copy(),
        triples=np.ascontiguousarray(words_of.get(3, np.empty((3, 0), np.int32)).T),
        frequency=found[0].frequency if len(found) == 1 else np.concatenate([one.frequency for one in found]),
        scores=found[0].scores if len(found) == 1 else np.concatenate([one.scores for one in found]),
    )
