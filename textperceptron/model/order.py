"""Which rows are learnt from fastest: columns as their terms are met, and one for all that one text alone has."""

from __future__ import annotations

import numpy as np

from textperceptron.learn import Rows
from textperceptron.learn.folded import FoldedRows
from textperceptron.learn.models import BinaryModel, Model
from textperceptron.learn.state import columns_in_order
from textperceptron.model.outcome import Outcome, Training
from textperceptron.settings import Settings


def takes_any_order(settings: Settings, n_classes: int) -> bool:
    """Whether columns of the same frequency may be in any order.

    Scores are added up in double: of float32 weights they come out the same but for a rare last bit, which rounding to
    float32 then hides; of float64 weights they would not. Nor would weights that share places by a column's number.
    So that is for two classes of float32 weights, and not for the voted perceptron, which keeps rows.
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


def unfolded(outcome: Outcome, rows: Rows) -> tuple[Model, Training | None]:
    """Return the model and the state of training with a weight for each column, whatever the rows were."""
    model, training = outcome.model, outcome.training
    if not isinstance(rows, FoldedRows):
        return model, training
    assert isinstance(model, BinaryModel)
    if training is not None:
        training = Training(training.rule, training.state, rows.places)
    return BinaryModel(columns_in_order(model.weights, rows.places, model.n_columns)), training
