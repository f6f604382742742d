"""How a model came about."""

from __future__ import annotations

from dataclasses import dataclass

from textperceptron.learn import StoppedBy
from textperceptron.model.history import Epoch

MOST_COUNTED = 1 << 53
"""What no count of a file reaches: sums of counts stay within 64 bits, and whole numbers as floating-point ones."""


@dataclass(frozen=True)
class Summary:
    """What a model tells about its training.

    Attributes
    ----------
    rows_of_class : tuple of int
        Texts of each class that it learnt from, in the order of the classes.
    history : tuple of Epoch
        Empty for classes that were trained one after the other.
    n_updates : int
        Updates in all.
    stopped_by : str
        ``converged``, ``validation``, ``small_change``, ``budget`` or ``interrupted``.
    """

    rows_of_class: tuple[int, ...]
    history: tuple[Epoch, ...]
    n_updates: int
    stopped_by: StoppedBy

    @property
    def n_rows(self) -> int:
        """Texts that it learnt from."""
        return sum(self.rows_of_class)
