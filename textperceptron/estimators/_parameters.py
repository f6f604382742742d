"""Parameters of estimators ↔ settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from textperceptron._validation import one_of
from textperceptron.estimators.log_count_ratio import LogCountRatio
from textperceptron.estimators.word_pairs import WordPairs
from textperceptron.settings import DEFAULT_RECIPE, RECIPES, Settings, TextSettings, WindowSettings, recipe
from textperceptron.settings.fields import COLUMNS, TERMS, or_callable, setting
from textperceptron.settings.text import AUTO

ColumnWeight = LogCountRatio | Literal["log_count_ratio"] | npt.ArrayLike | None

# Settings that have another name as a parameter, as in scikit-learn, or are part of ``column_weight``.
RENAMED = {"seed": "random_state"}
RATIO_SETTINGS = ("ratio_alpha", "ratio_binary", "ratio_balanced")


@dataclass(frozen=True, kw_only=True)
class VectorizerSettings(TextSettings):
    """Text settings of the vectorizers: also Python functions, and all numpy types."""

    input: Literal["content", "filename", "file"] = setting(  # type: ignore[misc]
        "content", "Whether documents are texts, names of files or open files.", group=TERMS,
        check=partial(one_of, allowed=("content", "filename", "file")),
    )  # fmt: skip
    preprocessor: Callable[[Any], str] | None = setting(  # type: ignore[misc]
        None, "Function from document to text, instead of ``strip_accents`` and ``lowercase``.", group=TERMS
    )
    tokenizer: Callable[[str], Iterable[str]] | None = setting(  # type: ignore[misc]
        None, "Function from text to tokens, instead of ``token_pattern``.",
        details="Slower than the compiled patterns.", group=TERMS,
    )  # fmt: skip
    strip_accents: Any = or_callable(TextSettings, "strip_accents", "A function takes and returns a text.")
    analyzer: Any = or_callable(TextSettings, "analyzer", "A function from document to terms replaces all other steps.")
    dtype: Any = setting(np.float32, "Type of the values.", group=COLUMNS)

    def _check_combinations(self) -> None:
        super()._check_combinations()
        fractions = {"norm": self.norm, "sublinear_tf": self.sublinear_tf, "characters": self.characters}
        makes_fractions = next((name for name, value in fractions.items() if value), None)
        if makes_fractions and np.dtype(self.dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise ValueError(
                f"{makes_fractions}={fractions[makes_fractions]!r} makes fractions, which dtype="
                f"{np.dtype(self.dtype).name} cannot hold. Use float32 or float64."
            )
        for name in ("binary", "prefixes", "characters", "language"):
            if getattr(self, name) == AUTO:
                raise ValueError(f"{name}='auto' needs texts with labels: use TextClassifier, or give a value.")

    def tokens_only(self) -> VectorizerSettings:
        """Return settings under which the terms of a text are all of its tokens and nothing else."""
        return replace(super().tokens_only(), input="content")


def text_settings(vectorizer: Any, **changes: Any) -> VectorizerSettings:
    """Return the parameters of a vectorizer as settings, some of them changed.

    Raises
    ------
    ValueError
        If a value is invalid.
    """
    names = [each.name for each in fields(VectorizerSettings)]
    values = {name: getattr(vectorizer, name) for name in names if hasattr(vectorizer, name)}
    pairs = values["conjunctions"]
    if pairs is not None:
        if not isinstance(pairs, WordPairs):
            raise TypeError(f"conjunctions={pairs!r}: use WordPairs(pivots=..., window=...), or None.")
        values["conjunctions"] = pairs.settings()
    return VectorizerSettings(**values | changes)


def split_column_weight(column_weight: ColumnWeight) -> tuple[dict[str, Any], npt.NDArray[np.float64] | None]:
    """Return the settings of log-count ratios, or the given column weights."""
    if column_weight is None:
        return {}, None
    if isinstance(column_weight, str):
        if column_weight != "log_count_ratio":
            raise ValueError(
                f"column_weight={column_weight!r}: use 'log_count_ratio', LogCountRatio(alpha=…), one number per "
                "column, or None."
            )
        return {"column_weight": "log_count_ratio"}, None
    if isinstance(column_weight, LogCountRatio):
        return _ratio_settings(column_weight), None
    return {}, np.asarray(column_weight, np.float64)


def _ratio_settings(ratio: LogCountRatio) -> dict[str, Any]:
    ratio.check_alpha()
    return {
        "column_weight": "log_count_ratio", "ratio_alpha": float(ratio.alpha),
        "ratio_binary": bool(ratio.binary), "ratio_balanced": bool(ratio.balanced),
    }  # fmt: skip


def as_settings(name: str, value: Any) -> dict[str, Any]:
    """Return the settings that a parameter of ``TextClassifier`` stands for."""
    if name == "conjunctions" and isinstance(value, WordPairs):
        return {name: value.settings()}
    if name == "column_weight" and isinstance(value, LogCountRatio):
        return _ratio_settings(value)
    if name == "class_weight" and isinstance(value, Mapping):
        return {name: tuple(value.items())}
    if name == "dtype":
        return {name: np.dtype(value).name}
    return {name: value}


def as_parameters(settings: Settings) -> dict[str, Any]:
    """Return the parameters of ``TextClassifier`` for settings: the nearest recipe, and what differs from it."""
    nearest = min(RECIPES, key=lambda name: len(settings.differences(recipe(name))))
    parameters: dict[str, Any] = {} if nearest == DEFAULT_RECIPE else {"recipe": nearest}
    changed = settings.differences(recipe(nearest))
    parameters |= {RENAMED.get(name, name): value for name, value in changed.items()}
    pairs = parameters.get("conjunctions")
    if isinstance(pairs, WindowSettings):
        parameters["conjunctions"] = WordPairs(pivots=pairs.pivots, window=pairs.window)
    ratios = [parameters.pop(name) for name in RATIO_SETTINGS if name in parameters]
    if ratios and settings.learner.column_weight is not None:
        learner = settings.learner
        parameters["column_weight"] = LogCountRatio(
            alpha=learner.ratio_alpha, binary=learner.ratio_binary, balanced=learner.ratio_balanced
        )
    if isinstance(parameters.get("class_weight"), tuple):
        parameters["class_weight"] = dict(parameters["class_weight"])
    return parameters
