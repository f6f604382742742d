"""What training hands over."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import State, StoppedBy
from textperceptron.learn.models.base import Model
from textperceptron.learn.rules.base import Rule
from textperceptron.model.history import Epoch

if TYPE_CHECKING:
    from textperceptron.learn.calibration import Calibration

_AS_IT_IS = np.empty(0, np.int32)
_UNFOLDING = Lock()  # of all, as they take no time: two threads must not get two states, which would each move on


class Training:
    """What going on needs: a rule and the state that it left.

    Parameters
    ----------
    rule : Rule
    state : State
    places : int array
        Where each column of the model is in the state; empty if it is there already. The state gets a weight for each
        when it is asked for, which most never do.
    """

    __slots__ = ("_places", "_state", "rule")

    def __init__(self, rule: Rule, state: State, places: npt.NDArray[np.integer[Any]] = _AS_IT_IS) -> None:
        self.rule, self._state, self._places = rule, state, places

    @property
    def state(self) -> State:
        """The state, with the columns of the model."""
        with _UNFOLDING:
            if len(self._places):
                self._state, self._places = self._state.in_order(self._places), _AS_IT_IS
            return self._state


@dataclass(slots=True)
class Outcome:
    """A model, how it came about, and what could interrupt it.

    ``training`` is None where nothing can go on from it (one-vs-one, problems trained one by one). ``error`` is what
    interrupted training: Ctrl-C, or what the callback raised; the model is then that of the last finished slice.
    """

    model: Model
    history: list[Epoch] = field(default_factory=list)
    stopped_by: StoppedBy = "budget"
    n_updates: int = 0
    training: Training | None = None
    calibration: Calibration | None = None
    error: BaseException | None = None
