"""Text in, label out: a corpus becomes a model that can be kept, with neither scikit-learn nor scipy.

What a model needs to answer is imported at once; what explains, trains or shrinks it when that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach
from textperceptron.model.inspect import Inspection, inspect
from textperceptron.model.serialize import Description, SlowPatternWarning
from textperceptron.model.text_model import TextModel
from textperceptron.model.training_summary import Epoch, Summary

if TYPE_CHECKING:
    from textperceptron.model.checkpoint import CheckpointWarning
    from textperceptron.model.explain import Explanation, Term
    from textperceptron.model.pair_report import HeavyPair, PairReport
    from textperceptron.model.shrink import Comparison

__all__ = [
    "CheckpointWarning",
    "Comparison",
    "Description",
    "Epoch",
    "Explanation",
    "HeavyPair",
    "Inspection",
    "PairReport",
    "SlowPatternWarning",
    "Summary",
    "Term",
    "TextModel",
    "inspect",
]

__getattr__ = attach(
    __name__,
    {
        "checkpoint": ("CheckpointWarning",),
        "explain": ("Explanation", "Term"),
        "pair_report": ("HeavyPair", "PairReport"),
        "shrink": ("Comparison",),
    },
)
