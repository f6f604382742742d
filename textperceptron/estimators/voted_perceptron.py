"""The voted perceptron."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from textperceptron.estimators._online import OnlineClassifier
from textperceptron.learn import Callback
from textperceptron.learn.fitted import SingleFit
from textperceptron.learn.models.voted import VotedMistakes
from textperceptron.learn.rules.voted import VotedState
from textperceptron.learn.training_data import ClassWeight
from textperceptron.settings import Shuffle


class VotedPerceptron(OnlineClassifier):
    """Voted perceptron: all weight vectors of the training vote, each as often as it survived an example.

    The model is the ordered list of mistakes, so a polynomial kernel takes no more memory than the linear one; degree 2
    sees every pair of words. Prediction compares a row with every mistaken row: :class:`AveragedPerceptron` is much
    faster, and nearly as accurate as the linear kernel.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    support_vectors_ : CSR array of shape (n_support, n_columns)
        The rows mistaken at least once, per call that trained on them.
    mistakes_ : array of shape (n_mistakes,)
        Row of ``support_vectors_`` that each update added, in order.
    survived_ : array of shape (n_mistakes,)
        Votes of each update: the number of examples for which its vector was current.
    {attributes}

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from textperceptron import VotedPerceptron
    >>> X = sp.csr_array(np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]], dtype=np.float32))
    >>> y = ["good", "good", "bad", "bad"]
    >>> learner = VotedPerceptron().fit(X, y)
    >>> learner.predict(X).tolist()
    ['good', 'good', 'bad', 'bad']
    >>> xor = sp.csr_array(np.array([[0, 0], [1, 1], [0, 1], [1, 0]], dtype=np.float32))
    >>> VotedPerceptron(kernel="poly", max_iter=50).fit(xor, [0, 0, 1, 1]).predict(xor).tolist()
    [0, 0, 1, 1]
    """

    _learner = "voted"

    def __init__(
        self,
        *,
        kernel: Literal["linear", "poly"] = "linear",
        degree: int = 2,
        coef0: float = 1.0,
        eta0: float = 1.0,
        margin: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 10,
        shuffle: Shuffle = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: ClassWeight = None,
        calibrate: bool = False,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = 0,
        callback: Callback | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.eta0 = eta0
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.warm_start = warm_start
        self.random_state = random_state
        self.callback = callback

    @property
    def _state(self) -> VotedState:
        assert isinstance(self._fitted, SingleFit)
        assert isinstance(self._fitted.state, VotedState)
        return self._fitted.state

    @property
    def _mistakes(self) -> VotedMistakes:
        check_is_fitted(self)
        return self._state.past

    @property
    def support_vectors_(self) -> Any:
        """The rows mistaken at least once."""
        rows = self._mistakes.support
        return sp.csr_array((rows.values, rows.indices, rows.indptr), shape=(rows.n_rows, rows.n_columns))

    @property
    def mistakes_(self) -> npt.NDArray[np.int32]:
        """Row of ``support_vectors_`` that each update added."""
        return self._mistakes.mistaken

    @property
    def survived_(self) -> npt.NDArray[np.int64]:
        """Number of examples for which the vector of each update was current."""
        return self._mistakes.survived(self._state.seen)
