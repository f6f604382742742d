"""Counts of words and n-grams: the scikit-learn interface of :mod:`textperceptron.text.vectorize`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array

from textperceptron.estimators._docs import documented
from textperceptron.estimators._parameters import VectorizerSettings
from textperceptron.estimators._vectorizer import Vectorizer
from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.settings.fields import declared_fields
from textperceptron.settings.text import DEFAULT_PATTERN, Norm
from textperceptron.text.csr import CountMatrix, scale_rows, with_ones
from textperceptron.text.vectorize import fit_transform, transform
from textperceptron.text.vocabulary import Vocabulary


@documented(declared_fields(VectorizerSettings))
class BagOfWords(Vectorizer):
    """Documents → counts of words and n-grams: a compiled ``CountVectorizer``.

    Use it in place of scikit-learn's ``CountVectorizer``: parameters of the same name have the same meaning, and the
    same terms get the same counts. On IMDB (25,000 reviews, uni+bigrams) it takes a thirtieth of the time on one
    thread. Columns are in order of document frequency, so that the weights of frequent terms are adjacent in memory;
    ``order="alphabet"`` gives scikit-learn's order.

    Parameters
    ----------
    vocabulary : mapping from terms to columns, iterable of terms or None, default=None
        The terms to count. By default ``fit`` learns them.
    {parameters}

    Attributes
    ----------
    vocabulary_ : Vocabulary
        Mapping from terms to columns; ``dict(vocabulary_)`` is a dictionary.
    fixed_vocabulary_ : bool
        Whether the vocabulary is a parameter.

    See Also
    --------
    HashedBagOfWords : Counts by hash, without a vocabulary.

    Examples
    --------
    >>> from textperceptron.estimators.bag_of_words import BagOfWords
    >>> bag = BagOfWords(ngram_range=(1, 2))
    >>> X = bag.fit_transform(["A good film.", "Not a good film!"])
    >>> bag.get_feature_names_out()
    array(['good', 'film', 'good film', 'not', 'not good'], dtype=object)
    >>> X.toarray()
    array([[1., 1., 1., 0., 0.],
           [1., 1., 1., 1., 1.]], dtype=float32)
    >>> BagOfWords(negation=True).fit(["not a good film, but short"]).get_feature_names_out()
    array(['not', 'NOT_good', 'NOT_film', 'but', 'short'], dtype=object)
    >>> BagOfWords(prefixes=6).fit(["wonders", "wonderful"]).get_feature_names_out()
    array(['wonder*', 'wonders', 'wonderful'], dtype=object)
    """

    vocabulary_: Vocabulary

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
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        sublinear_tf: bool = False,
        norm: Norm | None = None,
        dtype: npt.DTypeLike = np.float32,
        order: str = "frequency",
        negation: bool = False,
        language: str | None = "en",
        conjunctions: WordPairs | None = None,
        prefixes: int = 0,
        characters: int = 0,
        character_weight: float = 0.6,
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
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.sublinear_tf = sublinear_tf
        self.norm = norm
        self.dtype = dtype
        self.order = order
        self.negation = negation
        self.language = language
        self.conjunctions = conjunctions
        self.prefixes = prefixes
        self.characters = characters
        self.character_weight = character_weight
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Iterable[Any], y: Any = None) -> BagOfWords:
        """Learn the vocabulary.

        Parameters
        ----------
        raw_documents : iterable of str or bytes
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(raw_documents, y)
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> sparse.csr_matrix:
        """Learn the vocabulary and count its terms, in one pass.

        Parameters
        ----------
        raw_documents : iterable of str or bytes
        y : ignored

        Returns
        -------
        scipy sparse matrix of shape (n_documents, n_terms), in CSR with ascending columns
        """
        settings = self._settings()
        self._warn(settings)
        if self.vocabulary is not None:
            if self.characters:
                raise ValueError("characters with a vocabulary: its columns must be learnt. Leave one of them out.")
            self._adopt_vocabulary()
            if self.lowercase and any(map(str.isupper, "".join(self.vocabulary_))):
                warnings.warn(
                    "Upper case characters found in vocabulary while 'lowercase' is True. "
                    "These entries will not be matched with any documents",
                    stacklevel=2,
                )
            return self.transform(raw_documents)
        vocabulary, counts = fit_transform(raw_documents, settings, n_jobs=self.n_jobs)
        self.vocabulary_ = vocabulary.result()
        self.fixed_vocabulary_ = False
        return as_csr(self._scaled(counts, settings))

    def transform(self, raw_documents: Iterable[Any]) -> sparse.csr_matrix:
        """Count the terms of the vocabulary.

        Parameters
        ----------
        raw_documents : iterable of str or bytes

        Returns
        -------
        scipy sparse matrix of shape (n_documents, n_terms), in CSR with ascending columns
        """
        self._check_vocabulary()
        settings = self._settings()
        counts = transform(raw_documents, settings, self.vocabulary_, n_jobs=self.n_jobs)
        return as_csr(self._scaled(counts, settings))

    def _scaled(self, counts: CountMatrix, settings: VectorizerSettings) -> CountMatrix:
        n_words = self.vocabulary_.n_words if self.characters else counts.n_columns
        return scale_rows(counts, settings, n_words)

    def inverse_transform(self, X: Any) -> list[npt.NDArray[Any]]:
        """Return the terms of each row, in the order of the columns.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_terms)

        Returns
        -------
        list of arrays of str
        """
        self._check_vocabulary()
        rows = sparse.csr_matrix(check_array(X, accept_sparse="csr"))
        names = np.array(self.vocabulary_.names())
        bounds = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return [names[rows.indices[a:b][rows.data[a:b] != 0]] for a, b in bounds]

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the term of each column.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        array of str objects
        """
        self._check_vocabulary()
        return np.asarray(self.vocabulary_.names(), dtype=object)

    def _check_vocabulary(self) -> None:
        if not hasattr(self, "vocabulary_"):
            if self.vocabulary is None:
                self.fixed_vocabulary_ = False
                raise NotFittedError("Vocabulary not fitted or provided. Call fit first.")
            self._adopt_vocabulary()
        if len(self.vocabulary_) == 0:
            raise ValueError("Vocabulary is empty")

    def _adopt_vocabulary(self) -> None:
        terms: Any = self.vocabulary
        if isinstance(terms, Vocabulary):
            self.vocabulary_ = terms
        elif isinstance(terms, Mapping):
            columns = set(terms.values())
            if len(columns) != len(terms):
                raise ValueError("Vocabulary contains repeated indices.")
            if missing := set(range(len(terms))) - columns:
                raise ValueError(f"Vocabulary of size {len(terms)} doesn't contain index {min(missing)}.")
            self.vocabulary_ = Vocabulary.from_names(sorted(terms, key=terms.__getitem__))
        else:
            self.vocabulary_ = Vocabulary.from_names(sorted(terms) if isinstance(terms, set) else terms)
        if len(self.vocabulary_) == 0:
            raise ValueError("empty vocabulary passed to fit")
        self.fixed_vocabulary_ = True


def as_csr(counts: CountMatrix) -> sparse.csr_matrix:
    """Wrap the arrays of a count matrix for scipy, without a copy."""
    counts = with_ones(counts)
    shape = (len(counts.indptr) - 1, counts.n_columns)
    matrix = sparse.csr_matrix((counts.data, counts.indices, counts.indptr), shape=shape, copy=False)
    matrix.has_canonical_format = True
    return matrix
