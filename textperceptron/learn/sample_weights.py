"""How much each row counts: sample weight times class weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from textperceptron.learn.state import EMPTY

ClassWeight = Mapping[Any, float] | Literal["balanced"] | None


def row_weights(
    sample_weight: npt.ArrayLike | None,
    class_weight: ClassWeight,
    classes: npt.NDArray[Any],
    labels: npt.NDArray[np.intp],
) -> npt.NDArray[np.float64]:
    """Return a weight for each row, or an empty array if all are 1.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,) or a number, or None
        Not negative; a row of weight 0 is left out entirely.
    class_weight : dict from label to weight, "balanced" or None
        ``"balanced"``: n_rows / (n_classes · rows of the class), as scikit-learn has it.
    classes : array
        The labels.
    labels : array
        For each row the position of its label in ``classes``.
    """
    weight = EMPTY
    if sample_weight is not None:
        weight = _checked(sample_weight, len(labels))
    if class_weight is not None:
        per_class = _class_weights(class_weight, classes, labels)[labels]
        weight = per_class * weight if len(weight) else per_class
    if len(weight) and not weight.any():
        raise ValueError("every row has weight zero, so there is nothing to learn from.")
    return weight


def _checked(sample_weight: npt.ArrayLike, n_rows: int) -> npt.NDArray[np.float64]:
    weight = np.asarray(sample_weight)
    if weight.dtype.kind not in "fiub":
        raise ValueError(f"sample_weight has type {weight.dtype}: use numbers.")
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}: one number a row.")
    weight = np.ascontiguousarray(weight, np.float64)
    bad = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if len(bad):
        raise ValueError(
            f"sample_weight[{bad[0]}] is {weight[bad[0]]}: use finite numbers that are not negative "
            f"({len(bad)} of {n_rows} are not)."
        )
    return weight


def _class_weights(
    class_weight: ClassWeight, classes: npt.NDArray[Any], labels: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(labels, minlength=len(classes))
        return len(labels) / (len(classes) * np.maximum(counts, 1))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight={class_weight!r}: use 'balanced', a dict from label to weight, or None.")
    known = classes.tolist()
    if unknown := [label for label in class_weight if label not in known]:
        raise ValueError(f"class_weight names the label {unknown[0]!r}, which is not among {known}.")
    weights = np.array([class_weight.get(label, 1.0) for label in known], np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"class_weight={dict(class_weight)!r}: use finite numbers that are not negative.")
    return weights
