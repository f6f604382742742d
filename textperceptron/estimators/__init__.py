"""The scikit-learn door: estimators that hold parameters and leave the work to the engine."""

from textperceptron.estimators.arow import AROW
from textperceptron.estimators.averaged_perceptron import AveragedPerceptron
from textperceptron.estimators.batch_perceptron import BatchPerceptron
from textperceptron.estimators.mira import MIRA
from textperceptron.estimators.perceptron import Perceptron
from textperceptron.estimators.voted_perceptron import VotedPerceptron

__all__ = ["AROW", "MIRA", "AveragedPerceptron", "BatchPerceptron", "Perceptron", "VotedPerceptron"]
