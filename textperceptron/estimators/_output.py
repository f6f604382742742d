"""From the engine's scores to what users get."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def label_of(classes: npt.NDArray[Any], scores: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return the label of each row: by the sign of its score, or that of the highest of its scores."""
    codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
    codes = np.minimum(codes, len(classes) - 1)  # partial_fit may have seen one class only
    labels: npt.NDArray[Any] = classes[codes]
    return labels


def refuse_without_calibration(estimator: Any) -> None:
    """Raise AttributeError, as for a method that does not exist, unless an estimator learns probabilities."""
    if not estimator.calibrate:
        raise AttributeError(
            f"{type(estimator).__name__} has scores, not probabilities: use decision_function, or set calibrate=True, "
            "which holds out validation_fraction of the rows to learn probabilities from."
        )
