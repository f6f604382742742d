"""What training leaves: weights, or votes, that rows are scored with. Arrays in, scores out."""

from textperceptron.learn.models.base import Model
from textperceptron.learn.models.binary import BinaryModel
from textperceptron.learn.models.classes import ClassModel
from textperceptron.learn.models.pairs import PairsModel
from textperceptron.learn.models.votes import VotesModel

__all__ = ["BinaryModel", "ClassModel", "Model", "PairsModel", "VotesModel"]
