"""Text in, label out: a corpus becomes a model that can be kept, with neither scikit-learn nor scipy.

What a model needs to answer is imported at once; what explains, trains or shrinks it when that is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from textperceptron.pipeline.history import Epoch
from textperceptron.pipeline.inspect import Inspection, inspect
from textperceptron.pipeline.storage import Description
from textperceptron.pipeline.summary import Summary
from textperceptron.pipeline.text_model import TextModel

if TYPE_CHECKING:
    from textperceptron.pipeline.explain import Explanation, Term
    from textperceptron.pipeline.pair_report import HeavyPair, PairReport
    from textperceptron.pipeline.shrink import Comparison

_LATER = {
    "Comparison": "shrink",
    "Explanation": "explain",
    "HeavyPair": "pair_report",
    "PairReport": "pair_report",
    "Term": "explain",
}

__all__ = [
    "Comparison",
    "Description",
    "Epoch",
    "Explanation",
    "HeavyPair",
    "Inspection",
    "PairReport",
    "Summary",
    "Term",
    "TextModel",
    "inspect",
]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
