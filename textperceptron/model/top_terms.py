"""The terms with the largest weights per class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models import BinaryModel

if TYPE_CHECKING:
    from textperceptron.model.parts import ModelParts

_BLOCK = 1 << 9  # weights per block: the maxima of blocks cost a hundredth of a partition of all weights


def top_terms(parts: ModelParts, code: int, n: int) -> list[tuple[str, float]]:
    """Return the terms with the largest weights for a class, largest first.

    Column pairs and n-grams of characters of words are left out.

    Raises
    ------
    ValueError
        If columns have no names or no weights.
    """
    model, vocabulary, sign = parts.model, parts.features.vocabulary, 1
    if isinstance(model, BinaryModel):  # class 0 has the weights of class 1, negated: no copy needed
        code, sign = 1, 1 if code else -1
    weights = model.weights_of(code)
    if vocabulary is None:
        raise ValueError("hashed columns have no names. Train without n_features, or explain a text.")
    columns = argtop(weights[: parts.features.n_words], n, sign)
    return [(vocabulary.name(column), sign * float(weights[column])) for column in columns]


def positive_terms(terms: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return the terms with positive weights, which favour the class.

    Examples
    --------
    >>> from textperceptron.model.top_terms import positive_terms
    >>> positive_terms([("good", 0.5), ("the", 0.0), ("poor", -0.2)])
    [('good', 0.5)]
    """
    return [(term, weight) for term, weight in terms if weight > 0]


def argtop(weights: npt.NDArray[Any], n: int, sign: int = 1) -> list[int]:
    """Return the indices of the ``n`` largest weights, or smallest with ``sign=-1``; ties in index order.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.model.top_terms import argtop
    >>> argtop(np.array([1.0, 3.0, 2.0, 3.0]), 3)
    [1, 3, 2]
    """
    n = min(n, len(weights))
    if n <= 0:
        return []
    candidates, n_blocks = weights, len(weights) // _BLOCK
    if n_blocks > n:  # at least n weights reach the n-th largest block maximum, so it bounds the result from below
        blocks = weights[: n_blocks * _BLOCK].reshape(n_blocks, _BLOCK)
        candidates = blocks.max(axis=1) if sign > 0 else blocks.min(axis=1)
    bound = sign * np.partition(sign * candidates, len(candidates) - n)[len(candidates) - n]
    reaching = np.flatnonzero(weights >= bound if sign > 0 else weights <= bound)
    order: list[int] = reaching[np.argsort(-sign * weights[reaching], kind="stable")][:n].tolist()
    return order
