"""The engine: checked arrays in, a trained state out. One loop for every learner."""

from textperceptron.learn.label_sets import LabelSets
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
from textperceptron.learn.training_data import Problem
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
    "Problem",
    "Progress",
    "Rows",
    "Run",
    "RunProgress",
    "Shuffle",
    "State",
    "StoppedBy",
    "check_rows",
    "choose_table",
    "train",
]
