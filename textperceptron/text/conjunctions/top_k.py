"""The strongest conjunctions, within the memory that there is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._memory import check_memory, memory_budget

Array = npt.NDArray[Any]

SPARE = 1 << 20  # conjunctions above the limit that may wait for being dropped together

REMEDY = (
    "Use a larger min_df, max_features, or pivots; or form the pairs on the fly, inside the learner, where they "
    "are never stored."
)


class Found(NamedTuple):
    """Conjunctions of one degree, in their order.

    Attributes
    ----------
    words : int32 array of shape (degree, n)
    frequency : int32 array
        In how many rows each of them is.
    scores : float64 array
        Their log-likelihood ratios; empty if nobody asked.
    """

    words: Array
    frequency: Array
    scores: Array

    @property
    def degree(self) -> int:
        """How many words each of them has."""
        return len(self.words)

    @property
    def nbytes(self) -> int:
        """Memory that they take."""
        return sum(array.nbytes for array in self)

    def take(self, kept: Array) -> Found:
        """Return some of them."""
        return Found(
            self.words.compress(kept, axis=1),
            self.frequency[kept],
            self.scores[kept] if len(self.scores) else self.scores,
        )


class Selection:
    """Conjunctions chosen so far, and what the next have to exceed.

    Attributes
    ----------
    low, high : int
        In how many rows at least and at most a conjunction must be to be worth offering.
    above : float
        What its score has to exceed.
    """

    def __init__(self, limits: tuple[int, int], limit: int | None, *, scored: bool, memory_limit: int | None) -> None:
        self.low, self.high = limits
        self.above = -np.inf
        self._limit = limit
        self._scored = scored
        self._memory_limit = memory_limit
        self._room = memory_budget(memory_limit)
        self._found: list[Found] = []
        self._n = self._n_bytes = 0

    def add(self, found: Found, *, done: float) -> None:
        """Take more conjunctions, which come behind all earlier ones; ``done`` is the share of the work that is.

        Raises
        ------
        MemoryError
            If what is chosen, which is held twice when it is put together, exceeds the memory.
        """
        self._found.append(found)
        self._n += len(found.frequency)
        self._n_bytes += found.nbytes
        room = np.inf if self._room is None else self._room / 2
        if self._limit is not None and self._n > self._limit:
            many = self._n > self._limit + max(self._limit, SPARE)
            if many or self._n_bytes > room:
                self._drop_weakest(self._limit)
        if self._n_bytes > room:
            what = f"About {self._n / done:,.0f} conjunctions of words in at least {self.low} rows"
            check_memory(2 * self._n_bytes / done, self._memory_limit, what, REMEDY)

    def finish(self) -> list[Found]:
        """Return what is chosen, pairs and then triples, in their order; the selection gives it up.

        Raises
        ------
        ValueError
            If nothing is.
        """
        if self._n == 0:
            raise ValueError(
                "After pruning, no conjunctions remain: no two words that may be joined stand together in "
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
        # Among equals the earlier stay, so whatever comes now must be stronger than the weakest of these.
        weakest = strength[kept].min()
        if self._scored:
            self.above = float(weakest)
        else:
            self.low = max(self.low, int(weakest) + 1)


def _joined(found: list[Found]) -> Found:
    return Found(*(np.concatenate(arrays, axis=-1) for arrays in zip(*found, strict=True)))


def strongest(strength: Array, limit: int) -> Array:
    """Return which are among the ``limit`` strongest, as a mask; among equals the first are.

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
