"""Sparse, linear, online text classification.

Names are resolved when they are first used, so that ``import textperceptron`` costs no more than it needs:
scikit-learn is imported with the first estimator, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textperceptron import margins
    from textperceptron.corpus import load_corpus, read_corpus
    from textperceptron.estimators import (
        AROW,
        MIRA,
        AveragedPerceptron,
        BagOfWords,
        BatchPerceptron,
        Conjunctions,
        HashedBagOfWords,
        LogCountRatio,
        OneVsAll,
        OneVsOne,
        Perceptron,
        TextClassifier,
        VotedPerceptron,
        WordPairs,
    )
    from textperceptron.estimators._explain import explain
    from textperceptron.model import TextModel
    from textperceptron.tuning import tune

__version__ = "0.1.0"

_ESTIMATORS = dict.fromkeys(
    (
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
    ),
    "textperceptron.estimators",
)
_HOME = (
    _ESTIMATORS
    | dict.fromkeys(("load_corpus", "read_corpus"), "textperceptron.corpus")
    | {"explain": "textperceptron.estimators._explain"}
    | dict.fromkeys(("TextModel",), "textperceptron.model")
    | dict.fromkeys(("tune",), "textperceptron.tuning")
)
_MODULES = ("margins",)

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
    "TextModel",
    "VotedPerceptron",
    "WordPairs",
    "explain",
    "load_corpus",
    "margins",
    "read_corpus",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
