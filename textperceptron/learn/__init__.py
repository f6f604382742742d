"""Training and models on arrays: checked rows in, a trained state out. All learners share one loop."""

from textperceptron.learn.loop import (
    BestState,
    Callback,
    EpochRecord,
    OverflowedError,
    Progress,
    Run,
    RunProgress,
    train,
)
from textperceptron.learn.plan import Plan, Shuffle, StoppedBy
from textperceptron.learn.rows import Rows, check_rows
from textperceptron.learn.state import EMPTY, State
from textperceptron.learn.training_data import LabelSets, TrainingData
from textperceptron.learn.weight_tables import ClassTable, choose_table

__all__ = [
    "EMPTY",
    "BestState",
    "Callback",
    "ClassTable",
    "EpochRecord",
    "LabelSets",
    "OverflowedError",
    "Plan",
    "Progress",
    "Rows",
    "Run",
    "RunProgress",
    "Shuffle",
    "State",
    "StoppedBy",
    "TrainingData",
    "check_rows",
    "choose_table",
    "train",
]
