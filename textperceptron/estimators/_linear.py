"""Base class of the classifiers with weights."""

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
    """An online classifier with one weight per column and an intercept, per class if there are more than two."""

    @property
    def coef_(self) -> npt.NDArray[Any]:
        """Weights of shape (1, n_columns), positive for ``classes_[1]``, or (n_classes, n_columns)."""
        check_is_fitted(self)
        return self._weights_of_columns(slice(0, self.n_features_in_))

    def pair_weights(self, pairs: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the weights of column pairs that were formed on the fly (``pair_bits``).

        Pairs with the same hash share a weight, so that even a pair that no row had may have one; see
        :meth:`pair_report`.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2)
            Two columns per pair, in either order, such as ``Conjunctions.pairs_``.

        Returns
        -------
        array of shape (1, n_pairs) or, for more than two classes, (n_classes, n_pairs)
        """
        bits = self._fitted_bits()
        columns = check_pairs(pairs, self.n_features_in_)
        return self._weights_of_columns(self.n_features_in_ + pair_slots(columns, self.n_features_in_, bits))

    def pair_report(self, X: Any, feature_names: Sequence[str] | None = None, *, top: int = 20) -> PairReport:
        """Report the pairs that were formed on the fly (``pair_bits``): their number, collisions and top pairs.

        Pairs are found in the rows again, column by column, without a table of pairs.

        Parameters
        ----------
        X : CSR matrix or array of shape (n_rows, n_columns)
            The training rows. Only pairs in these rows can be named.
        feature_names : sequence of str, optional
            Names of the columns, such as a vectorizer's ``get_feature_names_out()``. By default those of the data frame
            in ``fit``, or ``x0``, ``x1`` and so on.
        top : int, default=20
            Number of pairs to name, those with the largest absolute weights.

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
                "pair_bits=22, or use Conjunctions, whose pairs are columns with names."
            )
        return bits

    def _weights_of_columns(self, columns: slice | npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """Return the weights of some columns, one row per class; pairs come after the columns."""
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
