"""AROW, adaptive regularisation of weights."""

from __future__ import annotations

import numpy as np

from textperceptron.estimators._linear import LinearClassifier
from textperceptron.estimators._parameters import ColumnWeight
from textperceptron.learn import Callback
from textperceptron.learn.training_data import ClassWeight
from textperceptron.settings import Shuffle


class AROW(LinearClassifier):
    """AROW: each column has a variance, so that rare words get larger steps than frequent ones.

    The most accurate learner on presence of uni+bigrams (10 folds): 78.0 % on RT-s, 91.2 % on Subj and 88.2 % on
    RT-2k; ``MIRA(C=0.01)`` has 77.3, 90.6 and 87.6 % (``benchmarks/folds.py``).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {weights}
    {attributes}

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from textperceptron import AROW
    >>> X = sp.csr_array(np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]], dtype=np.float32))
    >>> y = ["good", "good", "bad", "bad"]
    >>> learner = AROW().fit(X, y)
    >>> learner.predict(X).tolist()
    ['good', 'good', 'bad', 'bad']
    """

    _learner = "arow"
    _takes_many_classes = True

    def __init__(
        self,
        *,
        r: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 10,
        shuffle: Shuffle = True,
        tol: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: ClassWeight = None,
        column_weight: ColumnWeight = None,
        interpolation: float | None = None,
        pair_bits: int | None = None,
        calibrate: bool = False,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = 0,
        hash_bits: int | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.r = r
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
        self.pair_bits = pair_bits
        self.calibrate = calibrate
        self.warm_start = warm_start
        self.random_state = random_state
        self.hash_bits = hash_bits
        self.n_jobs = n_jobs
        self.callback = callback
