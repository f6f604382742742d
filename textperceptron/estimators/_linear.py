"""What the classifiers with weights share: weights, scores and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from textperceptron.estimators._online import OnlineClassifier
from textperceptron.learn import Rows


class LinearClassifier(OnlineClassifier):
    """An online classifier whose model is one weight a column and an intercept, for more classes than two each."""

    @property
    def coef_(self) -> npt.NDArray[Any]:
        """Weights, of shape (1, n_columns), above 0 for ``classes_[1]``; or of shape (n_classes, n_columns)."""
        check_is_fitted(self)
        layout = self._training.state.layout
        if layout is None:
            return self._final_weights()[np.newaxis, :-1]
        return layout.by_class(self._final_weights())[0]

    @property
    def intercept_(self) -> npt.NDArray[Any]:
        """The intercepts, of shape (1,) or (n_classes,)."""
        check_is_fitted(self)
        layout = self._training.state.layout
        if layout is None:
            return self._final_weights()[-1:]
        return self._final_weights()[layout.table : layout.table + layout.n_classes].copy()

    def _scores(self, rows: Rows, which: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.float64]:
        layout = self._training.state.layout
        weights = self._final_weights()
        if layout is None:
            return rows.scores(weights, pad=1.0, which=which, n_jobs=self.n_jobs)
        return rows.class_scores(weights, layout, pad=1.0, which=which, n_jobs=self.n_jobs)

    def _final_weights(self) -> npt.NDArray[Any]:
        """Return the model's weights, intercept last; made when first asked for, so that fitting is cheap.

        A copy where the state's own weights are the model: those change in place with further training, and
        a user may have kept what ``coef_`` was before.
        """
        training = self._training
        if training.model is None:
            training.model = training.rule.final_weights(training.state)
            if training.model is training.state.weights:
                training.model = training.model.copy()
        return training.model
