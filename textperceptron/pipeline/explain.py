"""Why a text got its label: what each of its terms added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.pipeline.labels import Label


@dataclass(frozen=True)
class Term:
    """A word, an n-gram or a pair of words that a text holds.

    Attributes
    ----------
    name : str
    value : float
        Its value in the row: how often it is there, or 1.
    contributions : tuple of float
        What it adds to the score of each class; for two classes one number, for the second.
    """

    name: str
    value: float
    contributions: tuple[float, ...]


@dataclass(frozen=True)
class Explanation:
    """A text's label and where its scores come from.

    Attributes
    ----------
    label : str, int or bool
    classes : tuple of labels
        Whose scores are explained, in this order: for two classes the second alone.
    scores : tuple of float
        ``intercepts`` and all contributions, added up (of one-vs-one: the sums of scores that decide between equal
        votes).
    intercepts : tuple of float
    terms : tuple of Term
        The heaviest first.
    """

    label: Label
    classes: tuple[Label, ...]
    scores: tuple[float, ...]
    intercepts: tuple[float, ...]
    terms: tuple[Term, ...]


def explained(
    label: Label,
    classes: tuple[Label, ...],
    names: list[str],
    values: npt.NDArray[np.float64],
    contributions: npt.NDArray[np.float64],
    intercepts: npt.NDArray[np.float64],
) -> Explanation:
    """Put the parts of an explanation together, the terms that move scores most first."""
    order = np.argsort(-np.abs(contributions).max(axis=1, initial=0), kind="stable")
    terms = tuple(Term(names[k], float(values[k]), tuple(contributions[k].tolist())) for k in order)
    scores = intercepts + contributions.sum(axis=0)
    return Explanation(label, classes, tuple(scores.tolist()), tuple(intercepts.tolist()), terms)


def largest(weights: npt.NDArray[Any], n: int) -> list[int]:
    """Return the places of the largest weights, the largest first, of equals the first.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.pipeline.explain import largest
    >>> largest(np.array([1.0, 3.0, 2.0, 3.0]), 3)
    [1, 3, 2]
    """
    n = min(n, len(weights))
    if n <= 0:
        return []
    limit = np.partition(weights, len(weights) - n)[len(weights) - n]
    able = np.flatnonzero(weights >= limit)
    order: list[int] = able[np.argsort(-weights[able], kind="stable")][:n].tolist()
    return order
