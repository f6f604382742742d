"""Text models: text in, label out, without scikit-learn or scipy.

Prediction is imported at once; training, files, explanations, reports and shrinking on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach
from textperceptron.model.parts import STORED_TOP_TERMS, Epoch, Prediction, Summary
from textperceptron.model.provenance import Measured, TrainingTexts
from textperceptron.model.text_model import TextModel

if TYPE_CHECKING:
    from textperceptron.model.checkpoint import CheckpointWarning
    from textperceptron.model.explanation import Explanation, Flip, Term, Word
    from textperceptron.model.pair_report import ColumnPair, PairReport
    from textperceptron.model.serialize import Description, Inspection, SlowPatternWarning, inspect
    from textperceptron.model.shrink import Comparison
    from textperceptron.model.text_digest import training_digest
    from textperceptron.model.update import UpdateWarning

__all__ = [
    "STORED_TOP_TERMS",
    "CheckpointWarning",
    "ColumnPair",
    "Comparison",
    "Description",
    "Epoch",
    "Explanation",
    "Flip",
    "Inspection",
    "Measured",
    "PairReport",
    "Prediction",
    "SlowPatternWarning",
    "Summary",
    "Term",
    "TextModel",
    "TrainingTexts",
    "UpdateWarning",
    "Word",
    "inspect",
    "training_digest",
]

__getattr__ = attach(
    __name__,
    {
        "checkpoint": ("CheckpointWarning",),
        "explanation": ("Explanation", "Flip", "Term", "Word"),
        "pair_report": ("ColumnPair", "PairReport"),
        "serialize": ("Description", "Inspection", "SlowPatternWarning", "inspect"),
        "shrink": ("Comparison",),
        "text_digest": ("training_digest",),
        "update": ("UpdateWarning",),
    },
)
