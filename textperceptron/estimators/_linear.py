"""What the classifiers with weights share: weights, scores and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from textperceptron.estimators._online import OnlineClassifier
from textperceptron.learn.column_pairs import PairedRows, pair_slots
from textperceptron.learn.models import BinaryModel, MulticlassModel
from textperceptron.model.pair_report import PairReport, check_pairs, pair_report


class LinearClassifier(OnlineClassifier):
    """An online classifier whose model is one weight a column and an intercept, for more classes than two each."""

    @property
    def coef_(self) -> npt.NDArray[Any]:
        """Weights, of shape (1, n_columns), above 0 for ``classes_[1]``; or of shape (n_classes, n_columns)."""
        check_is_fitted(self)
        return self._weights_of_columns(slice(0, self.n_features_in_))

    def pair_weights(self, pairs: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the weights of pairs that were formed on the fly (``pair_bits``).

        A pair shares its weight with those that are hashed to the same place, and a pair that no row had may have one:
        :meth:`pair_report` tells.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2)
            Numbers of two columns each, in either order, such as ``Conjunctions.pairs_``.

        Returns
        -------
        array of shape (1, n_pairs) or, for more than two classes, (n_classes, n_pairs)
        """
        bits = self._fitted_bits()
        columns = check_pairs(pairs, self.n_features_in_)
        return self._weights_of_columns(self.n_features_in_ + pair_slots(columns, self.n_features_in_, bits))

    def pair_report(self, X: Any, feature_names: Sequence[str] | None = None, *, top: int = 20) -> PairReport:
        """Report the pairs that were formed on the fly (``pair_bits``), how many collide, and the heaviest by name.

        The names come from the rows: these are walked through once more, a column at a time, without a table of pairs.

        Parameters
        ----------
        X : CSR matrix or array of shape (n_rows, n_columns)
            The rows that were learnt from. Of others, only pairs in them can be named.
        feature_names : sequence of str, optional
            Names of the columns, such as a vectoriser's ``get_feature_names_out()``; by default those of a data frame
            that was fitted, or ``x0``, ``x1`` and so on.
        top : int, default=20
            How many pairs to name, those whose weights are furthest from 0.

        Returns
        -------
        PairReport
            With ``n_occurrences``, ``n_pairs``, ``n_weights``, ``n_colliding`` and ``top_pairs``; printed, a table.
        """
        self._fitted_bits()
        names = [str(name) for name in _check_feature_names_in(self, feature_names)]
        rows = self._rows(X, self._fitted)
        assert isinstance(rows, PairedRows)
        return pair_report(rows, self._weights_of_columns, self.classes_, names, top)

    def _fitted_bits(self) -> int:
        check_is_fitted(self)
        bits = self._fitted.settings.pair_bits
        if bits is None:
            raise ValueError(
                f"this {type(self).__name__} was fitted without pair_bits and has no weights of pairs. Fit it with "
                "pair_bits=22, or use Conjunctions, whose pairs are columns with names of their own."
            )
        return bits

    def _weights_of_columns(self, columns: slice | npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """Return the weights of some columns, those of pairs behind the others; one row per class."""
        model = self._fitted.model
        if isinstance(model, MulticlassModel):
            return model.table.by_class(model.weights, columns)[0]
        assert isinstance(model, BinaryModel)
        return model.weights[np.newaxis, :-1][:, columns]

    @property
    def intercept_(self) -> npt.NDArray[Any]:
        """The intercepts, of shape (1,) or (n_classes,)."""
        check_is_fitted(self)
        model = self._fitted.model
        if isinstance(model, MulticlassModel):
            return model.weights[model.table.intercept_offset : model.table.intercept_offset + model.n_classes].copy()
        assert isinstance(model, BinaryModel)
        return model.weights[-1:]
