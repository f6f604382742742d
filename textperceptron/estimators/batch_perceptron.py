"""The batch perceptron."""

from __future__ import annotations

import numpy as np

from textperceptron.estimators._linear import LinearClassifier
from textperceptron.estimators._parameters import ColumnWeight
from textperceptron.learn import Callback
from textperceptron.learn.training_data import ClassWeight


class BatchPerceptron(LinearClassifier):
    """Batch perceptron: one step per epoch, along the mean of the mistaken rows.

    A step is one of gradient descent on the perceptron loss, so the order of the rows does not matter. It needs many
    more epochs than the online learners: raise ``max_iter``. ``tol`` is compared with the length of a step before it is
    multiplied by ``alpha``, not with a relative change.

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
    >>> from textperceptron import BatchPerceptron
    >>> X = sp.csr_array(np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]], dtype=np.float32))
    >>> y = ["good", "good", "bad", "bad"]
    >>> learner = BatchPerceptron().fit(X, y)
    >>> learner.predict(X).tolist()
    ['good', 'good', 'bad', 'bad']
    """

    shuffle = False  # the sum of an epoch's mistakes does not depend on the order of the rows

    _learner = "batch"

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        normalize: bool = True,
        margin: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 10,
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
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.alpha = alpha
        self.normalize = normalize
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
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
        self.n_jobs = n_jobs
        self.callback = callback
