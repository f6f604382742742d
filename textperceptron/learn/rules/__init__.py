"""The learners: one file each, driven by the same loop. Importing this package registers them."""

from textperceptron.learn.rules.arow import ArowRule
from textperceptron.learn.rules.base import MulticlassRule, Rule
from textperceptron.learn.rules.batch import BatchRule
from textperceptron.learn.rules.mira import MiraRule
from textperceptron.learn.rules.perceptron import PerceptronRule
from textperceptron.learn.rules.voted import VotedRule

__all__ = ["ArowRule", "BatchRule", "MiraRule", "MulticlassRule", "PerceptronRule", "Rule", "VotedRule"]
