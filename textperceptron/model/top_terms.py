"""What a model learnt, in words: the terms with the largest weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models import BinaryModel

if TYPE_CHECKING:
    from textperceptron.model.parts import Parts

_BLOCK = 1 << 9  # weights of which the largest is found first: comparing costs a hundredth of what dividing all would


def top_terms(parts: Parts, code: int, n: int) -> list[tuple[str, float]]:
    """Return the terms with the largest weights for a class, the heaviest first; no pairs that have no column.

    Raises
    ------
    ValueError
        If columns have no names or no weights.
    """
    model, vocabulary, sign = parts.model, parts.features.vocabulary, 1
    if isinstance(model, BinaryModel):  # the weights of its first class are those of the second, turned: no copy of all
        code, sign = 1, 1 if code else -1
    weights = model.weights_of(code)
    if vocabulary is None:
        raise ValueError("hashed columns have no names. Train without n_features, or explain a text.")
    found = argtop(weights[: len(vocabulary)], n, sign)
    return [(vocabulary.name(column), sign * float(weights[column])) for column in found]


def positive_terms(terms: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return the terms that speak for a class: those of positive weight.

    Examples
    --------
    >>> from textperceptron.model.top_terms import positive_terms
    >>> positive_terms([("good", 0.5), ("the", 0.0), ("poor", -0.2)])
    [('good', 0.5)]
    """
    return [(term, weight) for term, weight in terms if weight > 0]


def argtop(weights: npt.NDArray[Any], n: int, sign: int = 1) -> list[int]:
    """Return the places of the largest weights, or of the smallest with a sign of -1; of equals the first comes first.

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
    some, n_blocks = weights, len(weights) // _BLOCK
    if n_blocks > n:  # the largest of n blocks are n weights that none of the n largest is below
        blocks = weights[: n_blocks * _BLOCK].reshape(n_blocks, _BLOCK)
        some = blocks.max(axis=1) if sign > 0 else blocks.min(axis=1)
    limit = sign * np.partition(sign * some, len(some) - n)[len(some) - n]
    able = np.flatnonzero(weights >= limit if sign > 0 else weights <= limit)
    order: list[int] = able[np.argsort(-sign * weights[able], kind="stable")][:n].tolist()
    return order
