"""One-vs-one: up to 16 pairs of few classes, in one walk over their rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rules.one_vs_all import OneVsAllRule, OneVsAllState
from textperceptron.learn.state import State
from textperceptron.learn.training_data import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class OneVsOneTileRule(OneVsAllRule):
    """A rule for some pairs of classes, a lane of the layout each: rows of the second are positive, others absent."""

    pairs: tuple[tuple[int, int], ...]
    n_classes: int

    def signs(self, state: OneVsAllState) -> npt.NDArray[np.float32]:
        """Return the sign of every class's rows for the model of each pair that still learns, else 0."""
        signs = np.zeros((self.n_classes, self.layout.stride), np.float32)
        for lane, (lower, upper) in enumerate(self.pairs):
            if state.active[lane]:
                signs[lower, lane], signs[upper, lane] = -1, 1
        return signs

    def learning(self, state: OneVsAllState) -> npt.NDArray[np.bool_]:
        """Return for every class whether a pair of it still learns."""
        return np.asarray(self.signs(state).any(axis=1))

    def bind(self, problem: Problem, state: State) -> None:
        """Leave the state as it is: a tile is trained once, from the start."""

    def begin_epoch(self, problem: Problem, state: State) -> None:
        """Set the updates of each pair to 0, and tell the pairs that still learn which rows are theirs."""
        OneVsAllRule.begin_epoch(self, problem, state)
        assert isinstance(state, OneVsAllState)
        state.label_signs = self.signs(state)
