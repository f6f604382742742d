"""Conjunctions of columns: the scikit-learn interface of :mod:`textperceptron.text.conjunctions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from textperceptron._kernels import rows_ascend
from textperceptron.estimators._atomic import atomic, on_snapshot
from textperceptron.estimators._docs import documented
from textperceptron.estimators._validation import labels_of, rows_of
from textperceptron.estimators.bag_of_words import as_csr
from textperceptron.learn import Rows
from textperceptron.text.conjunctions.apply import conjoin
from textperceptron.text.conjunctions.names import columns_by_name, conjunction_names, find_conjunction, pivot_columns
from textperceptron.text.conjunctions.settings import ConjunctionSettings
from textperceptron.text.conjunctions.table import ConjunctionTable, learn_conjunctions
from textperceptron.text.csr import CountMatrix


@documented({})
class Conjunctions(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Add conjunctions to columns: pairs and triples of columns in the same row, named ``excellent-and-not``.

    Use it where single words mislead: *not* and *excellent* together mean the opposite of *excellent*, which a linear
    learner cannot express without a column for both. The value of a conjunction is the product of its columns' values.

    D words have D²/2 pairs. On reviews, all of them cost 1 to 2 points of accuracy with values of 1, and gain nothing
    with smaller values (``docs/conjunctions.md``). So select few: those in at least ``min_df`` rows, those with
    ``pivots`` such as *not*, or the best ``max_features``. For words near each other in a text, see
    ``BagOfWords(conjunctions=...)``.

    Parameters
    ----------
    degree : {2, 3}, default=2
        Pairs, or pairs and triples. Triples are for a vocabulary of hundreds of words, or pivots.
    min_df : int, or float from 0 to 1, default=1
        Drop conjunctions in fewer rows: a number or a fraction. Words in fewer rows form no conjunctions.
    max_df : int, or float from 0 to 1, default=1.0
        Drop conjunctions in more rows: a number or a fraction.
    max_features : int or None, default=None
        Keep at most this number of conjunctions, the best by ``select_by``; ties go to the first.
    select_by : {"document_frequency", "log_likelihood"}, default="document_frequency"
        Criterion of ``max_features``: the number of rows with the conjunction, or the log-likelihood ratio
        ``G² = 2·Σ O·log(O/E)`` of its presence and the class, which needs ``y``.
    pivots : sequence of int or str, or None, default=None
        Keep only conjunctions with at least one of these columns, given by number or by name.
    feature_names : sequence of str or None, default=None
        Names of the input columns, for ``pivots`` and :meth:`column_of`, unless the input is a data frame.
    keep_words : bool, default=True
        Append the conjunctions to the input columns; False for the conjunctions alone.
    memory_limit : int or None, default=None
        Maximum number of bytes of the conjunctions and of the result; above it, an error is raised. By default the free
        memory.
    {parameters}

    Attributes
    ----------
    pairs_ : array of shape (n_pairs, 2)
        Input columns of each pair, sorted. With ``pivots``, the first column is a pivot, of two pivots the smaller one.
    triples_ : array of shape (n_triples, 3)
        Input columns of each triple, likewise; triples come after pairs.
    document_frequency_ : array of shape (n_conjunctions,)
        Number of rows with each conjunction.
    scores_ : array of shape (n_conjunctions,)
        Values of the criterion ``select_by``.
    n_features_in_ : int
        Number of input columns.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the input columns, if the input is a data frame.

    See Also
    --------
    BagOfWords : Its parameter ``conjunctions`` counts pairs of words near each other.
    VotedPerceptron : ``kernel="poly"`` learns from all pairs without storing them.

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
        """Count and select conjunctions.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            Classes, only for ``select_by="log_likelihood"``.

        Returns
        -------
        self
        """
        self._learn(X, y)
        return self

    @atomic("_table")
    def fit_transform(self, X: Any, y: Any = None) -> sparse.csr_matrix:
        """Select conjunctions and add them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            Classes, only for ``select_by="log_likelihood"``.

        Returns
        -------
        scipy sparse matrix of shape (n_samples, n_features + n_conjunctions), in CSR with ascending columns
        """
        return self._conjoined(self._learn(X, y))

    @on_snapshot
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
        """Return the names of the columns; those of a conjunction are in alphabetical order.

        Parameters
        ----------
        input_features : sequence of str, default=None
            Names of the input columns; a pipeline passes those of the previous step. By default the known names, or
            ``x0``, ``x1`` and so on.

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
        """Return the column of a conjunction or a word by its name, with the words in any order.

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
        """Number of rows with each conjunction."""
        return self.table_.frequency

    @property
    def scores_(self) -> npt.NDArray[Any]:
        """Values of the criterion ``select_by``."""
        table = self.table_
        return table.scores if len(table.scores) else table.frequency

    @property
    def table_(self) -> ConjunctionTable:
        """The selected conjunctions, as arrays."""
        check_is_fitted(self)
        return self._table

    def _learn(self, X: Any, y: Any) -> CountMatrix:
        rows = rows_of(self, X, reset=True)
        if rows.n_columns < 2:
            raise ValueError(
                f"Found array with {rows.n_columns} feature(s) (shape=({rows.n_rows}, {rows.n_columns})) while a "
                "minimum of 2 is required by Conjunctions."
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
                f"{len(labels)} labels. Give one label per row."
            )
        return np.unique(labels, return_inverse=True)[1]

    def _conjoined(self, matrix: CountMatrix) -> sparse.csr_matrix:
        return as_csr(
            conjoin(matrix, self._table, keep_words=self.keep_words, n_jobs=self.n_jobs, memory_limit=self.memory_limit)
        )

    def _names_in(self, input_features: Any = None) -> list[str]:
        """Return the names of the input columns: passed, given as a parameter, of X, or x0, x1 and so on."""
        if input_features is None and (given := self._given_names()) is not None:
            return given
        return [str(name) for name in _check_feature_names_in(self, input_features)]

    def _given_names(self) -> list[str] | None:
        if self.feature_names is None:
            return None
        names = [str(name) for name in self.feature_names]
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"feature_names has {len(names)} names, but X has {self.n_features_in_} columns: give one per column."
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
    """Return rows with ascending columns; they are copied only if they have to be sorted."""
    if rows_ascend(rows.indices, rows.indptr):
        return CountMatrix(rows.data, rows.indices, rows.indptr, rows.n_columns)
    shape = (rows.n_rows, rows.n_columns)
    ordered = sparse.csr_array((rows.values, rows.indices, rows.indptr), shape=shape).sorted_indices()
    data = ordered.data if len(rows.data) else rows.data
    return CountMatrix(data, ordered.indices, ordered.indptr, rows.n_columns)
