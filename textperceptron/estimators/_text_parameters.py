"""Parameters of ``TextClassifier`` ↔ settings of a text model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from textperceptron.estimators.log_count_ratio import LogCountRatio
from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.recipes import DEFAULT_RECIPE, Settings, recipe
from textperceptron.text.conjunctions.windows import WindowSettings

# Settings that have another name as a parameter, as scikit-learn has it, or are part of another.
RENAMED = {"seed": "random_state"}
WITHIN = {"ratio_alpha": "column_weight"}


def as_settings(name: str, value: Any) -> dict[str, Any]:
    """Return what a parameter's value is among the settings."""
    if name == "stop_words" and value is not None:
        if isinstance(value, str):
            if value != "english":
                raise ValueError(f"not a built-in stop list: {value}; use 'english' or a list of words")
            value = ENGLISH_STOP_WORDS
        return {name: tuple(sorted(value))}
    if name == "conjunctions" and isinstance(value, WordPairs):
        return {name: value.settings()}
    if name == "column_weight" and isinstance(value, LogCountRatio):
        value.check_alpha()
        return {name: "log_count_ratio", "ratio_alpha": float(value.alpha)}
    if name == "class_weight" and isinstance(value, Mapping):
        return {name: tuple(value.items())}
    if name == "dtype":
        return {name: np.dtype(value).name}
    if name == "ngram_range" and isinstance(value, list):
        return {name: tuple(value)}
    return {name: value}


def as_parameters(settings: Settings) -> dict[str, Any]:
    """Return the parameters that make some settings, as far as the default recipe does not."""
    base = recipe(DEFAULT_RECIPE)
    parameters: dict[str, Any] = {}
    for part, usual in ((settings.text, base.text), (settings.learner, base.learner)):
        for each in fields(part):
            value = getattr(part, each.name)
            if value != getattr(usual, each.name):
                parameters[RENAMED.get(each.name, each.name)] = value
    if isinstance(parameters.get("conjunctions"), WindowSettings):
        chosen = parameters["conjunctions"]
        parameters["conjunctions"] = WordPairs(pivots=chosen.pivots, window=chosen.window)
    if "ratio_alpha" in parameters:
        alpha = parameters.pop("ratio_alpha")
        if settings.learner.column_weight is not None:
            parameters["column_weight"] = LogCountRatio(alpha=alpha)
    if isinstance(parameters.get("class_weight"), tuple):
        parameters["class_weight"] = dict(parameters["class_weight"])
    return parameters
