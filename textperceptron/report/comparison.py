"""McNemar's test: which of two classifiers is better on the same documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from textperceptron.report.evaluation import Label

# The binomial distribution is summed exactly up to this number of disagreements; beyond, the normal distribution is
# as good.
EXACT_UP_TO = 1000


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of McNemar's test, which counts the documents that exactly one of the classifiers gets right.

    Attributes
    ----------
    first_only : int
        Documents that only the first gets right.
    second_only : int
        Documents that only the second gets right.
    p_value : float
        Probability of a difference at least as large if both are equally good.
    method : {"exact", "chi2"}
        Whether the binomial distribution was summed exactly or approximated by χ² with continuity correction.
    """

    first_only: int
    second_only: int
    both: int
    neither: int
    p_value: float
    method: Literal["exact", "chi2"]

    @property
    def disagreements(self) -> int:
        """Number of documents that exactly one of them gets right."""
        return self.first_only + self.second_only

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "first_only": self.first_only,
            "second_only": self.second_only,
            "both": self.both,
            "neither": self.neither,
            "p_value": self.p_value,
            "method": self.method,
        }


def compare(labels: Sequence[Label], first: Sequence[Label], second: Sequence[Label]) -> Comparison:
    """Compare two sets of predictions for the same documents with McNemar's test.

    Parameters
    ----------
    labels : sequence of str, int or bool
        The true labels.
    first, second : sequence of str, int or bool
        The predictions of the two classifiers.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If the lengths differ.

    Examples
    --------
    >>> labels = ["pos"] * 10
    >>> found = compare(labels, labels, ["neg"] * 6 + ["pos"] * 4)
    >>> found.first_only, found.second_only, found.p_value, found.method
    (6, 0, 0.03125, 'exact')
    """
    if not len(labels) == len(first) == len(second):
        raise ValueError(
            f"there are {len(labels)} labels, {len(first)} first and {len(second)} second predictions: "
            "give one of each per document."
        )
    right = [(bool(label == a), bool(label == b)) for label, a, b in zip(labels, first, second, strict=True)]
    first_only, second_only = right.count((True, False)), right.count((False, True))
    exact = first_only + second_only <= EXACT_UP_TO
    p_value = (_exact if exact else _chi2)(first_only, second_only)
    both, neither = right.count((True, True)), right.count((False, False))
    return Comparison(first_only, second_only, both, neither, p_value, "exact" if exact else "chi2")


def _exact(first_only: int, second_only: int) -> float:
    """Return the two-sided p-value of a fair coin, in integers up to the last division."""
    n, fewer = first_only + second_only, min(first_only, second_only)
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    p_value: float = 2 * tail / 2**n
    return min(1.0, p_value)


def _chi2(first_only: int, second_only: int) -> float:
    gap = max(0, abs(first_only - second_only) - 1)
    # The square root of χ² with one degree of freedom is normal.
    return math.erfc(gap / math.sqrt(2 * (first_only + second_only)))
