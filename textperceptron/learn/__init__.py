"""The engine: checked arrays in, a trained state out. One loop for every learner."""

from textperceptron.learn.labels import LabelSets
from textperceptron.learn.layout import ClassLayout, choose_layout
from textperceptron.learn.loop import Best, Callback, Course, EpochRecord, OverflowedError, Progress, Run, train
from textperceptron.learn.plan import Plan, Shuffle, StoppedBy
from textperceptron.learn.problem import Problem
from textperceptron.learn.rows import Rows, check_rows
from textperceptron.learn.state import NOTHING, State

__all__ = [
    "NOTHING",
    "Best",
    "Callback",
    "ClassLayout",
    "Course",
    "EpochRecord",
    "LabelSets",
    "OverflowedError",
    "Plan",
    "Problem",
    "Progress",
    "Rows",
    "Run",
    "Shuffle",
    "State",
    "StoppedBy",
    "check_rows",
    "choose_layout",
    "train",
]
