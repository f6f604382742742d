"""Hashed bag of words: the sklearn door to :mod:`textperceptron.text.hashing`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from textperceptron.estimators._parameters import text_settings
from textperceptron.estimators.bag_of_words import as_csr
from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.settings.text import DEFAULT_PATTERN, Norm
from textperceptron.text.analyze import check_pivots, terms_of
from textperceptron.text.hashing import Collisions, count_hashed, find_collisions
from textperceptron.text.normalize import normalize
from textperceptron.text.vectorize import fit_transform


class HashedBagOfWords(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Documents → counts of hashed terms, with no vocabulary to learn or to store.

    Use it on a stream, or where n-grams are too many to name: the memory is that of one batch, and any two
    machines agree on the columns. Terms can collide, and columns have no names; :meth:`collisions` tells how
    many do. The columns and signs are those of scikit-learn's ``HashingVectorizer``, which has ``norm="l2"``
    unless told otherwise.

    Parameters
    ----------
    input : {"content", "filename", "file"}, default="content"
        Whether documents are texts, names of files or open files.
    encoding : str, default="utf-8"
        Encoding of documents that are bytes.
    decode_error : {"strict", "ignore", "replace"}, default="strict"
        What to do with bytes that do not decode.
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
        Remove accents.
    lowercase : bool, default=True
        Lower the text as ``str.lower`` does.
    preprocessor : callable, default=None
        From document to text, instead of stripping accents and lowering.
    tokenizer : callable, default=None
        From text to tokens.
    stop_words : "english", collection of str or None, default=None
        Words to leave out.
    token_pattern : str, default=r"(?u)\\b\\w\\w+\\b"
        What a token is; :class:`BagOfWords` lists the patterns that are compiled.
    ngram_range : tuple of two ints, default=(1, 1)
        Shortest and longest n-grams.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        What terms are made of.
    n_features : int, default=2**20
        Columns, a power of two.
    binary : bool, default=False
        Values are 1 instead of counts.
    alternate_sign : bool, default=True
        Count half of the terms (by their hash) negatively, so that collisions cancel rather than add up.
        Without effect if ``binary``.
    norm : {"l2"} or None, default=None
        Divide each row by its length, so that long documents and short ones weigh alike.
    dtype : numpy dtype, default=numpy.float32
        Type of the values.
    negation : bool, default=False
        Give words after a negator the prefix ``NOT_``, up to the next punctuation.
    conjunctions : WordPairs, default=None
        Join words that stand near each other, such as a negator and the words around it, to further terms.
    prefixes : int, default=0
        Words of more characters give their first ones as a further term, such as ``wonder*`` with 6; 0 for none. Forms
        of a word then have something in common, which helps where texts are short or few.
    n_jobs : int, default=None
        Threads; -1 for all processors. The result is the same for any number.

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
        alternate_sign: bool = True,
        norm: Norm | None = None,
        dtype: npt.DTypeLike = np.float32,
        negation: bool = False,
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
        self.alternate_sign = alternate_sign
        self.norm = norm
        self.dtype = dtype
        self.negation = negation
        self.conjunctions = conjunctions
        self.prefixes = prefixes
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Iterable[Any] | None = None, y: Any = None) -> HashedBagOfWords:
        """Check the parameters; there is nothing to learn, and the documents are not read.

        Parameters
        ----------
        raw_documents : ignored
        y : ignored

        Returns
        -------
        self
        """
        settings = text_settings(self)
        settings.warn_of_unused()
        check_pivots(settings)
        if isinstance(raw_documents, str):
            raise ValueError("Iterable over raw text documents expected, string object received.")
        return self

    def partial_fit(self, raw_documents: Iterable[Any] | None = None, y: Any = None) -> HashedBagOfWords:
        """Do what :meth:`fit` does.

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
        counts = count_hashed(raw_documents, text_settings(self), n_jobs=self.n_jobs)
        return as_csr(normalize(counts, self.norm))

    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> sparse.csr_matrix:
        """Check the parameters and count.

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
        """Report how many terms of these documents share a column, and which.

        Parameters
        ----------
        raw_documents : iterable of str or bytes
        limit : int, default=10
            Columns whose terms are listed, the fullest first.

        Returns
        -------
        Collisions
            ``n_terms``, ``n_columns``, ``n_colliding``, ``rate`` and ``shared``, a list of lists of terms.
        """
        settings = replace(text_settings(self), binary=True)
        vocabulary, _ = fit_transform(raw_documents, settings, n_jobs=self.n_jobs)
        return find_collisions(vocabulary.result(), self.n_features, limit)

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """Return the function from a document to the list of its terms, in their order.

        Returns
        -------
        callable
            Decodes, preprocesses, cuts and forms n-grams as :meth:`transform` does.
        """
        return partial(terms_of, settings=text_settings(self))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags
