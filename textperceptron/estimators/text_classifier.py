"""Text in, label out: the sklearn door to :class:`textperceptron.TextModel`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from textperceptron.estimators._atomic import at_one_moment, atomic
from textperceptron.estimators._input import labels_of
from textperceptron.estimators._parameters import RENAMED, WITHIN, as_parameters, as_settings
from textperceptron.estimators.log_count_ratio import LogCountRatio
from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.learn import Callback
from textperceptron.model import Epoch, TextModel
from textperceptron.settings import DEFAULT_RECIPE, Settings, recipe, setting_fields

FROM_RECIPE: Final = "recipe"
"""The value of a parameter that is left to the recipe."""


def _calibrates(classifier: TextClassifier) -> bool:
    return classifier.settings().learner.calibrate


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Texts → labels: words, columns, weights and classes in one estimator that can be kept in one file.

    Use it where you would put ``BagOfWords`` and a learner into a pipeline: the result is the same to the bit, one text
    takes microseconds (:meth:`predict_one`), and :meth:`save` writes a file without pickle that the command line reads
    too. Parameters that are left at ``"recipe"`` have the value that the recipe gives them.

    Parameters
    ----------
    recipe : {"best", "mira", "averaged", "perceptron"}, default="best"
        ``"best"`` is what did best on many corpora, see ``docs/accuracy.md``; the others take presence of words and
        pairs of neighbours, and the learner of that name, 10 epochs; MIRA with C = 0.01.
    learner : {"perceptron", "averaged", "mira", "arow", "batch", "voted"}
        Another learner than the recipe's.
    multiclass : {"native", "one-vs-all", "one-vs-one", "auto"}
        What is done with more than two classes; ``"auto"`` is one-vs-all, unless there are more than 2**26 weights.
    encoding : str
        Encoding of texts that are bytes.
    decode_error : {"strict", "ignore", "replace"}
        What to do with bytes that do not decode.
    strip_accents : {"ascii", "unicode"} or None
        Remove accents.
    lowercase : bool
        Lower the text.
    stop_words : "english", collection of str or None
        Words to leave out; ``"english"`` is scikit-learn's list.
    token_pattern : str
        What a token is; :class:`BagOfWords` lists the patterns that are compiled. Functions are not taken anywhere,
        since no file can keep them.
    ngram_range : tuple of two ints
        Shortest and longest n-grams.
    analyzer : {"word", "char", "char_wb"}
        Terms are n-grams of words, of characters, or of characters within words.
    max_df : float in [0, 1] or int
        Leave out terms in more texts than this share of them, or this number.
    min_df : float in [0, 1] or int
        Leave out terms in fewer texts than this share of them, or this number.
    max_features : int or None
        Keep only so many terms, the most frequent.
    binary : bool
        Values are 1 instead of counts.
    norm : {"l2"} or None
        Divide each row by its length.
    dtype : numpy.float32 or numpy.float64
        Type of values and weights.
    order : {"frequency", "alphabet"}
        Order of the columns.
    negation : bool
        Give words after a negator the prefix ``NOT_``.
    conjunctions : WordPairs or None
        Join words that stand near each other.
    prefixes : int
        Words of more characters give their first ones as a further term; 0 for none.
    n_features : int or None
        Columns by a hash, so many, as in :class:`HashedBagOfWords`; None for a vocabulary.
    alternate_sign : bool
        Whether the hash gives signs too.
    eta0 : float
        Length of a step (perceptrons).
    margin : float
        A row counts as a mistake unless its score, times its label, is above this (perceptrons).
    C : float
        The longest step (MIRA).
    variant : {"pa", "pa1", "pa2"}
        Which of the passive-aggressive rules (MIRA).
    average : bool
        Whether the model is the mean of the weights (MIRA).
    r : float
        How slowly variances shrink (AROW).
    alpha : float
        Length of a step (batch perceptron).
    normalize : bool
        Whether a step is the mean of the mistakes, or their sum (batch perceptron).
    kernel : {"linear", "poly"}
        Of the voted perceptron.
    degree : int
        Of the polynomial (voted perceptron).
    coef0 : float
        Constant of the polynomial (voted perceptron).
    fit_intercept : bool
        Whether there is an intercept.
    max_iter : int
        Epochs at most.
    shuffle : bool or "once"
        Permute the texts every epoch, never, or once.
    tol : float or None
        Stop when the weights change less in an epoch, relative to their length.
    early_stopping : bool
        Hold out texts, and stop when they are no longer got better.
    validation_fraction : float
        Share of the texts that ``early_stopping`` and ``calibrate`` hold out.
    n_iter_no_change : int
        Epochs without improvement that ``early_stopping`` waits for.
    class_weight : dict, "balanced" or None
        How much each class counts.
    column_weight : "log_count_ratio", LogCountRatio, "auto" or None
        Weights of the columns, as in the learners; ``"auto"`` takes ratios unless there are two classes and one has
        more than three times the texts of the other.
    interpolation : float or None
        How much of the model is what was learnt; the rest is the column weights alone.
    calibrate : bool
        Hold out texts to learn probabilities from.
    hash_bits : int or None
        Keep the weights of many classes in a table of ``2**hash_bits``.
    pair_bits : int or None
        Form all pairs of a text's columns on the fly, on ``2**pair_bits`` weights that they share, as in the learners.
    random_state : int, default=0
        Seed of the order of the texts.
    n_jobs : int, default=None
        Threads; -1 for all processors. The result is the same for any number.
    callback : callable, default=None
        Called with a ``Progress`` while it learns.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    model_ : TextModel
    history_ : list of Epoch
    n_iter_, n_updates_ : int
    stopped_by_ : str

    Examples
    --------
    >>> from textperceptron import TextClassifier
    >>> texts = ["a fine film", "fine acting", "a dull film", "dull and long"]
    >>> classifier = TextClassifier(max_iter=5).fit(texts, ["pos", "pos", "neg", "neg"])
    >>> classifier.predict(["fine", "so dull"]).tolist(), classifier.predict_one("a fine cast")
    (['pos', 'neg'], 'pos')
    """

    classes_: npt.NDArray[Any]
    model_: TextModel

    def __init__(
        self,
        recipe: str = DEFAULT_RECIPE,
        *,
        learner: str = FROM_RECIPE,
        multiclass: str = FROM_RECIPE,
        encoding: str = FROM_RECIPE,
        decode_error: str = FROM_RECIPE,
        strip_accents: str | None = FROM_RECIPE,
        lowercase: bool | Literal["recipe"] = FROM_RECIPE,
        stop_words: str | Collection[str] | None = FROM_RECIPE,
        token_pattern: str = FROM_RECIPE,
        ngram_range: tuple[int, int] | Literal["recipe"] = FROM_RECIPE,
        analyzer: str = FROM_RECIPE,
        max_df: float | Literal["recipe"] = FROM_RECIPE,
        min_df: float | Literal["recipe"] = FROM_RECIPE,
        max_features: int | Literal["recipe"] | None = FROM_RECIPE,
        binary: bool | Literal["recipe"] = FROM_RECIPE,
        norm: str | None = FROM_RECIPE,
        dtype: npt.DTypeLike = FROM_RECIPE,
        order: str = FROM_RECIPE,
        negation: bool | Literal["recipe"] = FROM_RECIPE,
        conjunctions: WordPairs | Literal["recipe"] | None = FROM_RECIPE,
        prefixes: int | Literal["recipe"] = FROM_RECIPE,
        n_features: int | Literal["recipe"] | None = FROM_RECIPE,
        alternate_sign: bool | Literal["recipe"] = FROM_RECIPE,
        eta0: float | Literal["recipe"] = FROM_RECIPE,
        margin: float | Literal["recipe"] = FROM_RECIPE,
        C: float | Literal["recipe"] = FROM_RECIPE,
        variant: str = FROM_RECIPE,
        average: bool | Literal["recipe"] = FROM_RECIPE,
        r: float | Literal["recipe"] = FROM_RECIPE,
        alpha: float | Literal["recipe"] = FROM_RECIPE,
        normalize: bool | Literal["recipe"] = FROM_RECIPE,
        kernel: str = FROM_RECIPE,
        degree: int | Literal["recipe"] = FROM_RECIPE,
        coef0: float | Literal["recipe"] = FROM_RECIPE,
        fit_intercept: bool | Literal["recipe"] = FROM_RECIPE,
        max_iter: int | Literal["recipe"] = FROM_RECIPE,
        shuffle: bool | str = FROM_RECIPE,
        tol: float | Literal["recipe"] | None = FROM_RECIPE,
        early_stopping: bool | Literal["recipe"] = FROM_RECIPE,
        validation_fraction: float | Literal["recipe"] = FROM_RECIPE,
        n_iter_no_change: int | Literal["recipe"] = FROM_RECIPE,
        class_weight: Mapping[Any, float] | str | None = FROM_RECIPE,
        column_weight: LogCountRatio | str | None = FROM_RECIPE,
        interpolation: float | Literal["recipe"] | None = FROM_RECIPE,
        calibrate: bool | Literal["recipe"] = FROM_RECIPE,
        hash_bits: int | Literal["recipe"] | None = FROM_RECIPE,
        pair_bits: int | Literal["recipe"] | None = FROM_RECIPE,
        random_state: int = 0,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.recipe = recipe
        self.learner = learner
        self.multiclass = multiclass
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.binary = binary
        self.norm = norm
        self.dtype = dtype
        self.order = order
        self.negation = negation
        self.conjunctions = conjunctions
        self.prefixes = prefixes
        self.n_features = n_features
        self.alternate_sign = alternate_sign
        self.eta0 = eta0
        self.margin = margin
        self.C = C
        self.variant = variant
        self.average = average
        self.r = r
        self.alpha = alpha
        self.normalize = normalize
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.column_weight = column_weight
        self.interpolation = interpolation
        self.calibrate = calibrate
        self.hash_bits = hash_bits
        self.pair_bits = pair_bits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def settings(self) -> Settings:
        """Return the settings that the parameters make.

        Raises
        ------
        ValueError
            If they make no sense.
        """
        names = [name for name in setting_fields() if name not in WITHIN]
        given = {
            name: getattr(self, RENAMED.get(name, name)) for name in names if hasattr(self, RENAMED.get(name, name))
        }
        changes: dict[str, Any] = {}
        for name, value in given.items():
            if not (isinstance(value, str) and value == FROM_RECIPE):
                changes |= as_settings(name, value)
        return recipe(self.recipe).replace(**changes)

    @atomic("model_")
    def fit(self, X: Iterable[Any], y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from texts and their labels.

        Parameters
        ----------
        X : iterable of str or bytes
        y : array-like of labels: all str, all int or all bool
        sample_weight : array-like, optional

        Returns
        -------
        self
        """
        labels = labels_of(y)
        model = TextModel.train(
            X, labels, self.settings(), sample_weight=sample_weight, n_jobs=self.n_jobs, callback=self.callback
        )
        return self._adopt(model)

    def partial_fit(
        self,
        X: Iterable[Any],
        y: Any,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Go over texts once, on from where the last call stopped.

        The vocabulary is that of the first call, unless columns are hashed (``n_features``).

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.
        classes : array-like of labels, optional
            Labels that later calls will bring. One that no call has named adds a class, which begins at zero.

        Returns
        -------
        self
        """
        labels = labels_of(y)
        named = () if classes is None else labels_of(classes)
        if hasattr(self, "model_"):
            self.model_.update(
                X, labels, classes=named, sample_weight=sample_weight, n_jobs=self.n_jobs, callback=self.callback
            )
            return self._adopt(self.model_)
        model = TextModel.train(
            X, labels, self.settings().replace(max_iter=1),
            classes=named, sample_weight=sample_weight, n_jobs=self.n_jobs, callback=self.callback,
        )  # fmt: skip
        return self._adopt(model)

    def _adopt(self, model: TextModel) -> Self:
        self.model_ = model
        self.classes_ = np.array(model.classes)
        return self

    @at_one_moment
    def predict(self, X: Iterable[Any]) -> npt.NDArray[Any]:
        """Return the label of each text."""
        check_is_fitted(self)
        labels: npt.NDArray[Any] = self.classes_[self.model_.codes(X, self.n_jobs)]
        return labels

    def predict_one(self, text: str) -> Any:
        """Return the label of one text, in microseconds."""
        check_is_fitted(self)
        return self.model_.predict_one(text)

    def decision_function(self, X: Iterable[Any]) -> npt.NDArray[np.float64]:
        """Return a score a text, above 0 for ``classes_[1]``; for more than two classes a score for each."""
        check_is_fitted(self)
        return self.model_.scores(X, self.n_jobs)

    @available_if(_calibrates)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Iterable[Any]) -> npt.NDArray[np.float64]:
        """Return the probability of every class, of shape (n_texts, n_classes); only with ``calibrate=True``."""
        check_is_fitted(self)
        return self.model_.probabilities(X, self.n_jobs)

    def save(self, path: str | os.PathLike[str], *, trainable: bool = False) -> int:
        """Write the model to a file; return its size in bytes. See :meth:`TextModel.save`."""
        check_is_fitted(self)
        return self.model_.save(path, trainable=trainable)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextClassifier:
        """Open a model file, whichever door wrote it; the parameters are those that it was trained with.

        Raises
        ------
        ValueError
            If it is no model file, a damaged one, or one of a newer format.
        OSError
            If it cannot be read.
        """
        model = TextModel.load(path)
        return cls(**as_parameters(model.settings))._adopt(model)

    @property
    def history_(self) -> list[Epoch]:
        """A record of each epoch."""
        check_is_fitted(self)
        return list(self.model_.history)

    @property
    def n_iter_(self) -> int:
        """Epochs; 0 for classes that were trained one after the other."""
        return len(self.history_)

    @property
    def n_updates_(self) -> int:
        """Updates in all."""
        check_is_fitted(self)
        return self.model_.n_updates

    @property
    def stopped_by_(self) -> str:
        """Why training ended."""
        check_is_fitted(self)
        return self.model_.stopped_by

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
