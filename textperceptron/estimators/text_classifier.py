"""Text in, label out: the scikit-learn interface of :class:`textperceptron.TextModel`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textperceptron.estimators._atomic import atomic, on_snapshot
from textperceptron.estimators._docs import FROM_RECIPE, documented
from textperceptron.estimators._label_sets import exact_matches, read_label_sets
from textperceptron.estimators._parameters import RATIO_SETTINGS, RENAMED, as_parameters, as_settings
from textperceptron.estimators._validation import check_calibrated, labels_of
from textperceptron.estimators.log_count_ratio import LogCountRatio
from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.learn import Callback
from textperceptron.model import Epoch, Prediction, TextModel
from textperceptron.model.targets import plain_label_sets
from textperceptron.settings import DEFAULT_RECIPE, Settings, recipe, setting_fields


@documented(
    setting_fields(),
    analyzer='{"word", "char", "char_wb"}',
    column_weight='"log_count_ratio", LogCountRatio, "auto" or None',
    dtype="numpy.float32 or numpy.float64",
    random_state="int",
    strip_accents='{"ascii", "unicode"} or None',
)
class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Texts → labels: vectorizer, learner and classes in one estimator, which one file can store.

    Use it in place of a pipeline of ``BagOfWords`` and a learner: the result has the same bits, one text takes
    microseconds (:meth:`predict_one`), and :meth:`save` writes a file without pickle that the command line reads too.
    Parameters whose value is ``"recipe"``, the default of most, have the value of the recipe.

    Parameters
    ----------
    recipe : {"best", "fast", "mira", "averaged", "perceptron"}, default="best"
        Settings to start from. ``"best"`` is the most accurate on many corpora (``docs/accuracy.md``); the others use
        presence of uni+bigrams and the learner of that name.
    {parameters}

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    model_ : TextModel
        The trained model.
    multilabel_ : bool
        Whether texts have several labels.
    history_ : list of Epoch
        One record per epoch.
    n_iter_, n_updates_ : int
        Number of epochs and of updates.
    stopped_by_ : str
        Why training stopped.

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
    multilabel_: bool
    _as_indicator: bool

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
        binary: bool | Literal["auto", "recipe"] = FROM_RECIPE,
        sublinear_tf: bool | Literal["recipe"] = FROM_RECIPE,
        norm: str | None = FROM_RECIPE,
        dtype: npt.DTypeLike = FROM_RECIPE,
        order: str = FROM_RECIPE,
        negation: bool | Literal["recipe"] = FROM_RECIPE,
        language: str | None = FROM_RECIPE,
        conjunctions: WordPairs | Literal["recipe"] | None = FROM_RECIPE,
        prefixes: int | Literal["auto", "recipe"] = FROM_RECIPE,
        characters: int | Literal["auto", "recipe"] = FROM_RECIPE,
        character_weight: float | Literal["recipe"] = FROM_RECIPE,
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
        threshold: str | None = FROM_RECIPE,
        logit_adjustment: float | Literal["auto", "recipe"] = FROM_RECIPE,
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
        self.threshold = threshold
        self.logit_adjustment = logit_adjustment
        self.hash_bits = hash_bits
        self.pair_bits = pair_bits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def settings(self) -> Settings:
        """Return the parameters as settings.

        Raises
        ------
        ValueError
            If a value is invalid.
        """
        names = [name for name in setting_fields() if name not in RATIO_SETTINGS]
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
        y : array-like of labels: all str, all int or all bool; list of label sets, or indicator matrix
            With several labels per text, ``threshold="f1"`` is the default, see :class:`TextModel`.
        sample_weight : array-like, optional

        Returns
        -------
        self
        """
        sets = read_label_sets(y)
        if sets is None and isinstance(y, list | tuple):
            plain_label_sets(y)  # raises ValueError for labels among lists
        labels: Any = labels_of(y) if sets is None else sets.as_lists()
        classes = () if sets is None else sets.classes
        model = TextModel.train(
            X, labels, self.settings(),
            classes=classes, sample_weight=sample_weight, n_jobs=self.n_jobs, callback=self.callback,
        )  # fmt: skip
        return self._adopt(model, as_indicator=sets is not None and sets.as_indicator)

    def partial_fit(
        self,
        X: Iterable[Any],
        y: Any,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Continue with one epoch over these texts.

        New terms get columns, and log-count ratios are computed again from all texts so far. Hashed columns
        (``n_features``) stay as they are.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.
        classes : array-like of labels, optional
            Labels of later calls. A new label adds a class with weights of 0.

        Returns
        -------
        self
        """
        if read_label_sets(y) is not None or getattr(self, "multilabel_", False):
            raise ValueError("partial_fit needs one label per text: use fit, on all texts, for several.")
        labels = labels_of(y)
        named = () if classes is None else labels_of(classes)
        if hasattr(self, "model_"):
            self.model_.update(
                X, labels, epochs=1, classes=named, sample_weight=sample_weight,
                n_jobs=self.n_jobs, callback=self.callback,
            )  # fmt: skip
            return self._adopt(self.model_)
        model = TextModel.train(
            X, labels, self.settings().replace(max_iter=1),
            classes=named, sample_weight=sample_weight, n_jobs=self.n_jobs, callback=self.callback,
        )  # fmt: skip
        return self._adopt(model)

    def _adopt(self, model: TextModel, *, as_indicator: bool = False) -> Self:
        self.model_ = model
        self.classes_ = np.array(model.classes)
        self.multilabel_ = model.multilabel
        self._as_indicator = as_indicator
        return self

    @on_snapshot
    def predict(self, X: Iterable[Any]) -> Any:
        """Return the label of each text; with several labels per text, in the form of ``y`` in ``fit``."""
        check_is_fitted(self)
        if self.multilabel_ and self._as_indicator:
            return (self.model_.scores(X, self.n_jobs) > 0).astype(np.int64)
        if self.multilabel_:
            return list(map(set, self.model_.predict(X, self.n_jobs)))
        labels: npt.NDArray[Any] = self.classes_[self.model_.codes(X, self.n_jobs)]
        return labels

    def score(self, X: Iterable[Any], y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the accuracy; with several labels per text, all of them must be right."""
        check_is_fitted(self)
        if not self.multilabel_ or self._as_indicator:
            return float(super().score(X, y, sample_weight))
        return exact_matches(self.predict(X), y, sample_weight)

    def predict_one(self, text: str) -> Any:
        """Return the label of one text, in microseconds; a tuple if texts have several labels."""
        check_is_fitted(self)
        return self.model_.predict_one(text)

    def score_one(self, text: str) -> Prediction:
        """Return the label of one text with its score and probability, see :meth:`TextModel.score_one`."""
        check_is_fitted(self)
        return self.model_.score_one(text)

    def top_labels(self, text: str, n: int = 3) -> list[Prediction]:
        """Return the labels of one text with the highest scores, see :meth:`TextModel.top_labels`."""
        check_is_fitted(self)
        return self.model_.top_labels(text, n)

    def decision_function(self, X: Iterable[Any]) -> npt.NDArray[np.float64]:
        """Return one score per text, above 0 for ``classes_[1]``; one per text and class for more than two."""
        check_is_fitted(self)
        return self.model_.scores(X, self.n_jobs)

    @property
    def predict_proba(self) -> Callable[[Iterable[Any]], npt.NDArray[np.float64]]:
        """Function from texts to probabilities of shape (n_texts, n_classes); only with ``calibrate=True``."""
        check_calibrated(self, self.settings().learner.calibrate, "texts")
        return self._probabilities

    def _probabilities(self, X: Iterable[Any]) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        return self.model_.probabilities(X, self.n_jobs)

    def save(self, path: str | os.PathLike[str], *, trainable: bool = False) -> int:
        """Write the model to a file; return its size in bytes. See :meth:`TextModel.save`."""
        check_is_fitted(self)
        return self.model_.save(path, trainable=trainable)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextClassifier:
        """Open a model file; the parameters are those of its training.

        With several labels per text, predictions are an indicator matrix if the labels are 0 to n − 1, else sets.

        Raises
        ------
        ValueError
            If the file is not a model, is damaged, or has a newer format.
        OSError
            If it cannot be read.
        """
        model = TextModel.load(path)
        is_indicator = model.multilabel and model.classes == tuple(range(len(model.classes)))
        return cls(**as_parameters(model.settings))._adopt(model, as_indicator=is_indicator)

    @property
    def history_(self) -> list[Epoch]:
        """One record per epoch."""
        check_is_fitted(self)
        return list(self.model_.history)

    @property
    def n_iter_(self) -> int:
        """Number of epochs; 0 if classes were trained one by one."""
        return len(self.history_)

    @property
    def n_updates_(self) -> int:
        """Number of updates."""
        check_is_fitted(self)
        return self.model_.n_updates

    @property
    def stopped_by_(self) -> str:
        """Why training stopped."""
        check_is_fitted(self)
        return self.model_.stopped_by

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.classifier_tags.multi_label = True
        return tags
