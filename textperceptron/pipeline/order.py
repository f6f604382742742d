"""Columns in the order in which their terms were met, for learning; by name in the finished model.

The alphabet is only known when all names are sorted, which can be done while the learner learns. And columns of the
same frequency that stand as they were met are faster to learn from: those of a text are neighbours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models import BinaryModel, Model
from textperceptron.learn.state import columns_in_order
from textperceptron.pipeline.outcome import Outcome, Training
from textperceptron.recipes import Settings


def takes_any_order(settings: Settings, n_classes: int) -> bool:
    """Whether learning gives the same weights in whatever order columns are.

    Scores are added up in double: of float32 weights they come out the same but for a rare last bit, which rounding to
    float32 then hides; of float64 weights they would not. Nor do they where a column's number is hashed. The voted
    perceptron keeps rows, and more classes have tables of weights, which are not brought into another order.
    """
    learner = settings.learner
    return (
        n_classes == 2
        and learner.pair_bits is None
        and learner.learner != "voted"
        and np.dtype(settings.text.dtype) == np.float32
    )


def can_be_folded(settings: Settings) -> bool:
    """Whether the columns that one text alone has may be learnt as one, if columns may be in any order.

    That is so for all learners, as their weights are the same at any time; but sums over all columns, such as those of
    log-count ratios or of the change of an epoch, would have to count them, and only these learners' kernels do.
    """
    learner = settings.learner
    return (
        learner.learner in ("perceptron", "averaged", "mira")
        and settings.text.norm is None
        and learner.column_weight is None
        and learner.tol is None
        and not learner.calibrate
    )


def in_order(outcome: Outcome, order: npt.NDArray[np.integer[Any]]) -> tuple[Model, Training | None]:
    """Return the model and the state of training with their columns in another order; empty: as they are."""
    model, training = outcome.model, outcome.training
    if not len(order):
        return model, training
    assert isinstance(model, BinaryModel)
    if training is not None:
        training = Training(training.rule, training.state, order)
    return BinaryModel(columns_in_order(model.weights, order, model.n_columns)), training
