"""Parameters of ``TextClassifier`` ↔ settings of a text model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from textperceptron.estimators.log_count_ratio import LogCountRatio
from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.settings import DEFAULT_RECIPE, RECIPES, Settings, recipe
from textperceptron.text.conjunctions.windows import WindowSettings

# Settings that have another name as a parameter, as scikit-learn has it, or are part of another.
RENAMED = {"seed": "random_state"}
WITHIN = dict.fromkeys(("ratio_alpha", "ratio_binary", "ratio_balanced"), "column_weight")


def as_settings(name: str, value: Any) -> dict[str, Any]:
    """Return what a parameter's value is among the settings."""
    if name == "stop_words" and value is not None:
        return {name: value if isinstance(value, str) else tuple(sorted(value))}
    if name == "conjunctions" and isinstance(value, WordPairs):
        return {name: value.settings()}
    if name == "column_weight" and isinstance(value, LogCountRatio):
        value.check_alpha()
        ratios = {"ratio_binary": bool(value.binary), "ratio_balanced": bool(value.balanced)}
        return {name: "log_count_ratio", "ratio_alpha": float(value.alpha), **ratios}
    if name == "class_weight" and isinstance(value, Mapping):
        return {name: tuple(value.items())}
    if name == "dtype":
        return {name: np.dtype(value).name}
    if name == "ngram_range" and isinstance(value, list):
        return {name: tuple(value)}
    return {name: value}


def as_parameters(settings: Settings) -> dict[str, Any]:
    """Return the parameters that make some settings: the recipe that is nearest to them, and what differs from it."""
    nearest = min(RECIPES, key=lambda name: len(settings.differences(recipe(name))))
    parameters: dict[str, Any] = {} if nearest == DEFAULT_RECIPE else {"recipe": nearest}
    changed = settings.differences(recipe(nearest))
    parameters |= {RENAMED.get(name, name): value for name, value in changed.items()}
    if isinstance(parameters.get("conjunctions"), WindowSettings):
        chosen = parameters["conjunctions"]
        parameters["conjunctions"] = WordPairs(pivots=chosen.pivots, window=chosen.window)
    ratios = [parameters.pop(name) for name in WITHIN if name in parameters]
    if ratios and settings.learner.column_weight is not None:
        learner = settings.learner
        parameters["column_weight"] = LogCountRatio(
            alpha=learner.ratio_alpha, binary=learner.ratio_binary, balanced=learner.ratio_balanced
        )
    if isinstance(parameters.get("class_weight"), tuple):
        parameters["class_weight"] = dict(parameters["class_weight"])
    return parameters
