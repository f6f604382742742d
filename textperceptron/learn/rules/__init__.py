"""The learners: one file each, all driven by the same loop."""

from textperceptron.learn.rules.arow import ArowRule
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.rules.batch import BatchRule
from textperceptron.learn.rules.classwise import Classwise, OneVsAllState
from textperceptron.learn.rules.mira import MiraRule
from textperceptron.learn.rules.native import NativeRule
from textperceptron.learn.rules.one_vs_all import OneVsAllRule
from textperceptron.learn.rules.pair_tile import PairTileRule
from textperceptron.learn.rules.perceptron import PerceptronRule
from textperceptron.learn.rules.voted import VotedRule

__all__ = [
    "ArowRule",
    "BatchRule",
    "Classwise",
    "MiraRule",
    "NativeRule",
    "OneVsAllRule",
    "OneVsAllState",
    "PairTileRule",
    "PerceptronRule",
    "Rule",
    "VotedRule",
]
