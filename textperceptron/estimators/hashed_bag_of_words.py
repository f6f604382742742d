"""Counts of hashed terms: the scikit-learn interface of :mod:`textperceptron.text.hashing`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from textperceptron.estimators._docs import documented
from textperceptron.estimators._parameters import VectorizerSettings
from textperceptron.estimators._vectorizer import Vectorizer
from textperceptron.estimators.bag_of_words import as_csr
from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.settings.fields import declared_fields
from textperceptron.settings.text import DEFAULT_PATTERN, Norm
from textperceptron.text.csr import scale_rows
from textperceptron.text.hashing import Collisions, count_hashed, find_collisions
from textperceptron.text.vectorize import fit_transform


@documented(declared_fields(VectorizerSettings), n_features="int")
class HashedBagOfWords(Vectorizer):
    """Documents → counts of hashed terms, without a vocabulary.

    Use it for streams, or if a vocabulary of all n-grams is too large: it needs no ``fit`` and the memory of one batch.
    Columns have no names, and terms can collide; see :meth:`collisions`. Columns and signs are those of scikit-learn's
    ``HashingVectorizer``, whose default is ``norm="l2"``.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> from textperceptron.estimators.hashed_bag_of_words import HashedBagOfWords
    >>> bag = HashedBagOfWords(n_features=8)
    >>> bag.transform(["a bad film", "very bad"]).toarray()
    array([[ 0., -1.,  0.,  1.,  0.,  0.,  0.,  0.],
           [ 0.,  0.,  0.,  1.,  0.,  0., -1.,  0.]], dtype=float32)
    >>> bag.collisions(["a very good film", "a very bad film"]).shared
    [['film', 'good']]
    """

    def __init__(
        self,
        *,
        input: str = "content",  # noqa: A002 (scikit-learn's name)
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: str | Callable[[str], str] | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[Any], str] | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        stop_words: str | Collection[str] | None = None,
        token_pattern: str | None = DEFAULT_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str | Callable[[Any], Iterable[str]] = "word",
        n_features: int = 2**20,
        binary: bool = False,
        sublinear_tf: bool = False,
        alternate_sign: bool = True,
        norm: Norm | None = None,
        dtype: npt.DTypeLike = np.float32,
        negation: bool = False,
        language: str | None = "en",
        conjunctions: WordPairs | None = None,
        prefixes: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.n_features = n_features
        self.binary = binary
        self.sublinear_tf = sublinear_tf
        self.alternate_sign = alternate_sign
        self.norm = norm
        self.dtype = dtype
        self.negation = negation
        self.language = language
        self.conjunctions = conjunctions
        self.prefixes = prefixes
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Iterable[Any] | None = None, y: Any = None) -> HashedBagOfWords:
        """Validate the parameters; the documents are not read.

        Parameters
        ----------
        raw_documents : ignored
        y : ignored

        Returns
        -------
        self
        """
        self._warn(self._settings())
        if isinstance(raw_documents, str):
            raise ValueError("Iterable over raw text documents expected, string object received.")
        return self

    def partial_fit(self, raw_documents: Iterable[Any] | None = None, y: Any = None) -> HashedBagOfWords:
        """Validate the parameters, as :meth:`fit` does.

        Parameters
        ----------
        raw_documents : ignored
        y : ignored

        Returns
        -------
        self
        """
        return self.fit(raw_documents, y)

    def transform(self, raw_documents: Iterable[Any]) -> sparse.csr_matrix:
        """Count the terms of documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes

        Returns
        -------
        scipy sparse matrix of shape (n_documents, n_features), in CSR with ascending columns
        """
        settings = self._settings()
        counts = count_hashed(raw_documents, settings, n_jobs=self.n_jobs)
        return as_csr(scale_rows(counts, settings, counts.n_columns))

    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> sparse.csr_matrix:
        """Validate the parameters and count.

        Parameters
        ----------
        raw_documents : iterable of str or bytes
        y : ignored

        Returns
        -------
        scipy sparse matrix of shape (n_documents, n_features)
        """
        return self.fit(None, y).transform(raw_documents)

    def collisions(self, raw_documents: Iterable[Any], *, limit: int = 10) -> Collisions:
        """Report which terms of these documents share a column.

        Parameters
        ----------
        raw_documents : iterable of str or bytes
        limit : int, default=10
            Maximum number of columns to list, those with most terms first.

        Returns
        -------
        Collisions
            ``n_terms``, ``n_columns``, ``n_colliding``, ``rate`` and ``shared``, a list of lists of terms.
        """
        settings = replace(self._settings(), binary=True)
        vocabulary, _ = fit_transform(raw_documents, settings, n_jobs=self.n_jobs)
        return find_collisions(vocabulary.result(), self.n_features, limit)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
