"""Text in, label out: a corpus becomes a model that can be kept, with neither scikit-learn nor scipy.

What a model needs to answer is imported at once; what explains, trains or shrinks it when that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron.later import finder
from textperceptron.pipeline.history import Epoch
from textperceptron.pipeline.inspect import Inspection, inspect
from textperceptron.pipeline.slow_pattern import SlowPatternWarning
from textperceptron.pipeline.storage import Description
from textperceptron.pipeline.summary import Summary
from textperceptron.pipeline.text_model import TextModel

if TYPE_CHECKING:
    from textperceptron.pipeline.checkpoint import CheckpointWarning
    from textperceptron.pipeline.explain import Explanation, Term
    from textperceptron.pipeline.pair_report import HeavyPair, PairReport
    from textperceptron.pipeline.shrink import Comparison

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

__getattr__ = finder(
    __name__,
    {
        "checkpoint": ("CheckpointWarning",),
        "explain": ("Explanation", "Term"),
        "pair_report": ("HeavyPair", "PairReport"),
        "shrink": ("Comparison",),
    },
)
