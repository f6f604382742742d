"""Conjunctions of columns: the sklearn door to :mod:`textperceptron.text.conjunctions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from textperceptron._kernels import rows_ascend
from textperceptron.estimators._atomic import at_one_moment, atomic
from textperceptron.estimators._input import labels_of, rows_of
from textperceptron.estimators.bag_of_words import as_csr
from textperceptron.learn import Rows
from textperceptron.text.conjunctions.apply import conjoin
from textperceptron.text.conjunctions.names import columns_by_name, conjunction_names, find_conjunction, pivot_columns
from textperceptron.text.conjunctions.settings import ConjunctionSettings
from textperceptron.text.conjunctions.table import ConjunctionTable, learn_conjunctions
from textperceptron.text.csr import CountMatrix


class Conjunctions(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns → columns and the pairs of them that rows have in common, named ``excellent-and-not``.

    Use it where single words mislead: *not* and *excellent* together say the opposite of *excellent*, which
    no linear learner can express without a column for both. The value of a conjunction is the product of its
    words' values, so it is there when all of them are.

    All pairs of D words are D²/2 columns. On reviews, added with values of 1 they cost 1 to 2 points of accuracy,
    scaled down they bring nothing (``docs/conjunctions.md`` has the figures). So ask for few: those in
    ``min_df`` rows at least, those of ``pivots`` such as *not*, or the ``max_features`` most telling. For
    words that stand near each other in a text, see ``BagOfWords(conjunctions=...)``.

    Parameters
    ----------
    degree : {2, 3}, default=2
        Pairs, or pairs and triples. Triples are for a vocabulary of hundreds of words, or pivots.
    min_df : float in [0, 1] or int, default=1
        Leave out conjunctions in fewer rows than this share of them, or this number. Words that are in fewer
        rows themselves are never counted together with others.
    max_df : float in [0, 1] or int, default=1.0
        Leave out conjunctions in more rows than this share of them, or this number.
    max_features : int, default=None
        Keep only so many conjunctions, the strongest by ``select_by``; among equals, the first in their order.
    select_by : {"document_frequency", "log_likelihood"}, default="document_frequency"
        What ``max_features`` goes by: the number of rows that hold a conjunction, or the log-likelihood ratio
        ``G² = 2·Σ O·log(O/E)`` of its presence and the class, over the table of present or absent × class.
        The second needs ``y``.
    pivots : sequence of int or str, default=None
        Keep only conjunctions with one of these columns, given by number or by name.
    feature_names : sequence of str, default=None
        Names of the input columns, where the input does not have them (a data frame has): for ``pivots``
        and look-ups by name.
    keep_words : bool, default=True
        Put the conjunctions behind the input's columns; False for the conjunctions alone.
    memory_limit : int, default=None
        Bytes that the conjunctions, and the result, may take before they are refused; None for what is free.
    n_jobs : int, default=None
        Threads; -1 for all processors. The result is the same for any number.

    Attributes
    ----------
    pairs_ : array of shape (n_pairs, 2)
        Input columns of each pair, ordered by first and then by second column. With ``pivots``, the first is
        a pivot; the pairs of two pivots come with the pivot of the smaller number.
    triples_ : array of shape (n_triples, 3)
        The same of the triples, which come behind the pairs.
    document_frequency_ : array of shape (n_conjunctions,)
        In how many rows each conjunction was.
    scores_ : array of shape (n_conjunctions,)
        What ``max_features`` goes by.
    n_features_in_ : int
    feature_names_in_ : array
        Only if the input has names of columns.

    See Also
    --------
    BagOfWords : its parameter ``conjunctions`` joins words of a text, near each other or with a pivot word.
    VotedPerceptron : ``kernel="poly"`` learns from all pairs without writing them out.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from textperceptron import BagOfWords, Conjunctions, Perceptron
    >>> reviews = ["excellent", "not excellent", "terrible", "not terrible"]
    >>> model = make_pipeline(BagOfWords(), Conjunctions(), Perceptron(max_iter=50))
    >>> model.fit(reviews, ["good", "bad", "bad", "good"]).predict(reviews).tolist()
    ['good', 'bad', 'bad', 'good']
    >>> model[:-1].get_feature_names_out().tolist()
    ['excellent', 'not', 'terrible', 'excellent-and-not', 'not-and-terrible']
    """

    def __init__(
        self,
        *,
        degree: int = 2,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        select_by: str = "document_frequency",
        pivots: Sequence[int | str] | None = None,
        feature_names: Sequence[str] | None = None,
        keep_words: bool = True,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.degree = degree
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.select_by = select_by
        self.pivots = pivots
        self.feature_names = feature_names
        self.keep_words = keep_words
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    @atomic("_table")
    def fit(self, X: Any, y: Any = None) -> Conjunctions:
        """Count the conjunctions and choose among them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            Classes; needed for ``select_by="log_likelihood"`` only.

        Returns
        -------
        self
        """
        self._learn(X, y)
        return self

    @atomic("_table")
    def fit_transform(self, X: Any, y: Any = None) -> sparse.csr_matrix:
        """Choose conjunctions and add them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            Classes; needed for ``select_by="log_likelihood"`` only.

        Returns
        -------
        scipy sparse matrix of shape (n_samples, n_features + n_conjunctions), in CSR with ascending columns
        """
        return self._conjoined(self._learn(X, y))

    @at_one_moment
    def transform(self, X: Any) -> sparse.csr_matrix:
        """Add the conjunctions.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scipy sparse matrix of shape (n_samples, n_features + n_conjunctions), in CSR with ascending columns
        """
        check_is_fitted(self)
        return self._conjoined(as_matrix(rows_of(self, X, reset=False)))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the name of each column: its words in alphabetical order, joined by ``-and-``.

        Parameters
        ----------
        input_features : sequence of str, default=None
            Names of the input columns; a pipeline passes those of the step before. None for those that are
            known, or ``x0``, ``x1`` and so on.

        Returns
        -------
        array of str objects
        """
        table = self.table_
        words = self._names_in(input_features)
        names = words if self.keep_words else []
        taking_part = [words[column] for column in table.columns]
        joined = [*conjunction_names(taking_part, table.pairs), *conjunction_names(taking_part, table.triples)]
        return np.array([*names, *joined], dtype=object)

    def column_of(self, name: str, input_features: Any = None) -> int:
        """Return the column of a conjunction, or of a word, by its name; the words may come in any order.

        Parameters
        ----------
        name : str
            Such as ``terrible-and-not``.
        input_features : sequence of str, default=None
            Names of the input columns, as in :meth:`get_feature_names_out`.

        Returns
        -------
        int

        Raises
        ------
        KeyError
            If there is no such column.
        """
        table = self.table_
        column = columns_by_name(self._names_in(input_features))
        if self.keep_words and name in column:
            return column[name]
        found = find_conjunction(name, column, table)
        return found + self.n_features_in_ if self.keep_words else found

    @property
    def pairs_(self) -> npt.NDArray[np.int32]:
        """Input columns of each pair."""
        table = self.table_
        return table.columns[table.pairs]

    @property
    def triples_(self) -> npt.NDArray[np.int32]:
        """Input columns of each triple."""
        table = self.table_
        return table.columns[table.triples]

    @property
    def document_frequency_(self) -> npt.NDArray[np.int32]:
        """In how many rows each conjunction was."""
        return self.table_.frequency

    @property
    def scores_(self) -> npt.NDArray[Any]:
        """What ``max_features`` goes by."""
        table = self.table_
        return table.scores if len(table.scores) else table.frequency

    @property
    def table_(self) -> ConjunctionTable:
        """What was learnt, as arrays."""
        check_is_fitted(self)
        return self._table

    def _learn(self, X: Any, y: Any) -> CountMatrix:
        rows = rows_of(self, X, reset=True)
        if rows.n_columns < 2:
            raise ValueError(
                f"Found array with {rows.n_columns} feature(s) (shape=({rows.n_rows}, {rows.n_columns})) while a "
                "minimum of 2 is required by Conjunctions: there is nothing to join."
            )
        names = self._given_names()
        if names is None and hasattr(self, "feature_names_in_"):
            names = list(self.feature_names_in_)
        pivots = None if self.pivots is None else pivot_columns(self.pivots, rows.n_columns, names)
        settings = ConjunctionSettings(
            degree=self.degree, min_df=self.min_df, max_df=self.max_df, max_features=self.max_features,
            select_by=self.select_by, pivots=pivots, memory_limit=self.memory_limit,
        )  # fmt: skip
        codes = self._codes(y, rows.n_rows) if settings.scored else None
        matrix = as_matrix(rows)
        self._table = learn_conjunctions(matrix, settings, codes, n_jobs=self.n_jobs)
        return matrix

    def _codes(self, y: Any, n_rows: int) -> npt.NDArray[np.intp]:
        if y is None:
            raise ValueError(
                "select_by='log_likelihood' requires y to be passed, but the target y is None: it compares classes. "
                "Use select_by='document_frequency' without classes."
            )
        labels = labels_of(y)
        if len(labels) != n_rows:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, but y has "
                f"{len(labels)} labels. Give one label a row."
            )
        return np.unique(labels, return_inverse=True)[1]

    def _conjoined(self, matrix: CountMatrix) -> sparse.csr_matrix:
        return as_csr(
            conjoin(matrix, self._table, keep_words=self.keep_words, n_jobs=self.n_jobs, memory_limit=self.memory_limit)
        )

    def _names_in(self, input_features: Any = None) -> list[str]:
        """Return the names of the input's columns: those passed, those given before, those of X, or x0, x1 …."""
        if input_features is None and (given := self._given_names()) is not None:
            return given
        return [str(name) for name in _check_feature_names_in(self, input_features)]

    def _given_names(self) -> list[str] | None:
        if self.feature_names is None:
            return None
        names = [str(name) for name in self.feature_names]
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"feature_names has {len(names)} names, but X has {self.n_features_in_} columns: give one a column."
            )
        return names

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_table")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.select_by == "log_likelihood"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def as_matrix(rows: Rows) -> CountMatrix:
    """Return checked rows with ascending columns; only rows that are not in order are copied."""
    if rows_ascend(rows.indices, rows.indptr):
        return CountMatrix(rows.data, rows.indices, rows.indptr, rows.n_columns)
    shape = (rows.n_rows, rows.n_columns)
    ordered = sparse.csr_array((rows.values, rows.indices, rows.indptr), shape=shape).sorted_indices()
    data = ordered.data if len(rows.data) else rows.data
    return CountMatrix(data, ordered.indices, ordered.indptr, rows.n_columns)
