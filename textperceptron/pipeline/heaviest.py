"""What a model learnt, in words: the terms with the largest weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from textperceptron.pipeline.parts import Parts

_BLOCK = 1 << 9  # weights of which the largest is found first: comparing costs a hundredth of what dividing all would


def heaviest_terms(parts: Parts, code: int, n: int) -> list[tuple[str, float]]:
    """Return the terms with the largest weights for a class, the heaviest first; no pairs that have no column.

    Raises
    ------
    ValueError
        If columns have no names or no weights.
    """
    weights, vocabulary = parts.model.weights_of(code), parts.features.vocabulary
    if vocabulary is None:
        raise ValueError("hashed columns have no names. Train without n_features, or explain a text.")
    return [(vocabulary.name(column), float(weights[column])) for column in largest(weights[: len(vocabulary)], n)]


def speaking_for(terms: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return those of the heaviest terms that speak for a class: where terms are few, others are among them.

    Examples
    --------
    >>> from textperceptron.pipeline.heaviest import speaking_for
    >>> speaking_for([("good", 0.5), ("the", 0.0), ("poor", -0.2)])
    [('good', 0.5)]
    """
    return [(term, weight) for term, weight in terms if weight > 0]


def largest(weights: npt.NDArray[Any], n: int) -> list[int]:
    """Return the places of the largest weights, the largest first, of equals the first.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.pipeline.heaviest import largest
    >>> largest(np.array([1.0, 3.0, 2.0, 3.0]), 3)
    [1, 3, 2]
    """
    n = min(n, len(weights))
    if n <= 0:
        return []
    some, n_blocks = weights, len(weights) // _BLOCK
    if n_blocks > n:  # the largest of n blocks are n weights that none of the n largest is below
        some = weights[: n_blocks * _BLOCK].reshape(n_blocks, _BLOCK).max(axis=1)
    able = np.flatnonzero(weights >= np.partition(some, len(some) - n)[len(some) - n])
    order: list[int] = able[np.argsort(-weights[able], kind="stable")][:n].tolist()
    return order
