"""The strongest conjunctions, within a memory budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._memory import check_memory, memory_budget

Array = npt.NDArray[Any]

SPARE = 1 << 20  # conjunctions above the limit that trigger dropping the weakest

REMEDY = (
    "Use a larger min_df, max_features or pivots; or let the learner form pairs on the fly (pair_bits), which stores "
    "none."
)


@dataclass(frozen=True, slots=True)
class Found:
    """Conjunctions of one degree, in order.

    Attributes
    ----------
    words : int32 array of shape (degree, n)
    frequency : int32 array
        Document frequency of each conjunction.
    scores : float64 array
        Log-likelihood ratio of each conjunction; empty if not needed.
    """

    words: Array
    frequency: Array
    scores: Array

    @property
    def degree(self) -> int:
        """Number of words per conjunction."""
        return len(self.words)

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes."""
        return self.words.nbytes + self.frequency.nbytes + self.scores.nbytes

    def take(self, kept: Array) -> Found:
        """Return the conjunctions of a mask."""
        return Found(
            self.words.compress(kept, axis=1),
            self.frequency[kept],
            self.scores[kept] if len(self.scores) else self.scores,
        )


class TopK:
    """The strongest conjunctions so far, and the thresholds for further ones.

    Attributes
    ----------
    low, high : int
        Bounds of the document frequency.
    above : float
        Exclusive lower bound of the score.
    """

    def __init__(self, limits: tuple[int, int], limit: int | None, *, scored: bool, memory_limit: int | None) -> None:
        self.low, self.high = limits
        self.above = -np.inf
        self._limit = limit
        self._scored = scored
        self._memory_limit = memory_limit
        self._budget = memory_budget(memory_limit)
        self._found: list[Found] = []
        self._n = self._n_bytes = 0

    def add(self, found: Found, *, done: float) -> None:
        """Add conjunctions, which sort after all earlier ones; ``done`` is the fraction of the work done.

        Raises
        ------
        MemoryError
            If the conjunctions exceed the budget.
        """
        self._found.append(found)
        self._n += len(found.frequency)
        self._n_bytes += found.nbytes
        budget = np.inf if self._budget is None else self._budget / 2  # concatenation copies all of them
        if self._limit is not None and self._n > self._limit:
            many = self._n > self._limit + max(self._limit, SPARE)
            if many or self._n_bytes > budget:
                self._drop_weakest(self._limit)
        if self._n_bytes > budget:
            what = f"About {self._n / done:,.0f} conjunctions of words in at least {self.low} rows"
            check_memory(2 * self._n_bytes / done, self._memory_limit, what, REMEDY)

    def finish(self) -> list[Found]:
        """Return the chosen conjunctions, pairs before triples, and release them.

        Raises
        ------
        ValueError
            If there are none.
        """
        if self._n == 0:
            raise ValueError(
                "After pruning, no conjunctions remain: no two words that may be joined occur together in "
                f"{self.low} to {self.high} rows. Try a lower min_df, a higher max_df, or other pivots."
            )
        if self._limit is not None and self._n > self._limit:
            self._drop_weakest(self._limit)
        found, self._found = self._found, []
        degrees = sorted({one.degree for one in found})
        return [_joined([one for one in found if one.degree == degree]) for degree in degrees]

    def _drop_weakest(self, limit: int) -> None:
        strength = np.concatenate([one.scores if self._scored else one.frequency for one in self._found])
        kept = strongest(strength, limit)
        ends = np.cumsum([len(one.frequency) for one in self._found])
        self._found = [
            one.take(mine) for one, mine in zip(self._found, np.split(kept, ends[:-1]), strict=True) if mine.any()
        ]
        self._n, self._n_bytes = limit, sum(one.nbytes for one in self._found)
        # Of ties the first are kept, so all later ones must be stronger than the weakest of these.
        weakest = strength[kept].min()
        if self._scored:
            self.above = float(weakest)
        else:
            self.low = max(self.low, int(weakest) + 1)


def _joined(found: list[Found]) -> Found:
    return Found(
        np.concatenate([one.words for one in found], axis=-1),
        np.concatenate([one.frequency for one in found]),
        np.concatenate([one.scores for one in found]),
    )


def strongest(strength: Array, limit: int) -> Array:
    """Return a mask of the ``limit`` strongest; of ties, the first.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.conjunctions.top_k import strongest
    >>> strongest(np.array([3, 9, 3, 3]), 3)
    array([ True,  True,  True, False])
    """
    if len(strength) <= limit:
        return np.ones(len(strength), bool)
    weakest = np.partition(strength, len(strength) - limit)[len(strength) - limit]
    kept: Array = strength > weakest
    kept[np.flatnonzero(strength == weakest)[: limit - int(kept.sum())]] = True
    return kept
