"""Text in, label out: a corpus becomes a model that can be kept, with neither scikit-learn nor scipy."""

from textperceptron.pipeline.explain import Explanation, Term
from textperceptron.pipeline.history import Epoch
from textperceptron.pipeline.inspect import Inspection, inspect
from textperceptron.pipeline.shrink import Comparison
from textperceptron.pipeline.storage import Description
from textperceptron.pipeline.summary import Summary
from textperceptron.pipeline.text_model import TextModel

__all__ = ["Comparison", "Description", "Epoch", "Explanation", "Inspection", "Summary", "Term", "TextModel", "inspect"]
