"""From an estimator's parameters to the settings of :mod:`textperceptron.text`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.text.settings import TermSettings


def text_settings(estimator: Any) -> TermSettings:
    """Return the settings that an estimator's parameters of the same names make."""
    values = {field.name: getattr(estimator, field.name) for field in fields(TermSettings)}
    pairs = values["conjunctions"]
    if pairs is not None:
        if not isinstance(pairs, WordPairs):
            raise TypeError(f"conjunctions={pairs!r}: use WordPairs(pivots=..., window=...), or None.")
        values["conjunctions"] = pairs.settings()
    return TermSettings(**values)
