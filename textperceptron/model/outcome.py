"""What training hands over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textperceptron.learn import State, StoppedBy
from textperceptron.learn.models.base import Model
from textperceptron.learn.rules.base import Rule
from textperceptron.model.training_summary import Epoch

if TYPE_CHECKING:
    from textperceptron.learn.calibration import Calibration


@dataclass(slots=True)
class Training:
    """What going on needs: a rule and the state that it left."""

    rule: Rule
    state: State


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
