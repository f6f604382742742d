"""scikit-learn estimators; the work is done in ``text``, ``learn`` and ``model``."""

from textperceptron.estimators.arow import AROW
from textperceptron.estimators.averaged_perceptron import AveragedPerceptron
from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.estimators.batch_perceptron import BatchPerceptron
from textperceptron.estimators.conjunctions import Conjunctions
from textperceptron.estimators.hashed_bag_of_words import HashedBagOfWords
from textperceptron.estimators.log_count_ratio import LogCountRatio
from textperceptron.estimators.mira import MIRA
from textperceptron.estimators.one_vs_all import OneVsAll
from textperceptron.estimators.one_vs_one import OneVsOne
from textperceptron.estimators.perceptron import Perceptron
from textperceptron.estimators.text_classifier import TextClassifier
from textperceptron.estimators.voted_perceptron import VotedPerceptron
from textperceptron.estimators.word_pairs import WordPairs

__all__ = [
    "AROW",
    "MIRA",
    "AveragedPerceptron",
    "BagOfWords",
    "BatchPerceptron",
    "Conjunctions",
    "HashedBagOfWords",
    "LogCountRatio",
    "OneVsAll",
    "OneVsOne",
    "Perceptron",
    "TextClassifier",
    "VotedPerceptron",
    "WordPairs",
]
