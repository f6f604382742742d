"""Settings in words."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from textperceptron.cli.escaping import label_text
from textperceptron.settings import LearnerPart, Settings, TextPart
from textperceptron.settings.learner_part import PARAMETERS_OF
from textperceptron.text.settings import WORDS_AND_PUNCTUATION

_GRAMS = {(1, 1): "unigrams", (1, 2): "uni+bigrams", (2, 2): "bigrams", (1, 3): "1-3-grams"}
_VARIANTS = {"pa": "PA", "pa1": "PA-I", "pa2": "PA-II"}
_SAID = {
    "ngram_range", "analyzer", "binary", "n_features", "conjunctions", "norm", "learner", "max_iter", "seed",
    "column_weight", "ratio_alpha", "ratio_binary", "ratio_balanced", "interpolation", "prefixes",
}  # fmt: skip
_PATTERNS = {WORDS_AND_PUNCTUATION: "punctuation too", r"(?u)\b\w+\b": "words of one letter too"}


def in_words(settings: Settings) -> str:
    """Return what settings do, in one line; what is as usual is left out.

    Examples
    --------
    >>> from textperceptron.settings import recipe
    >>> in_words(recipe("mira"))
    'uni+bigrams, presence · averaged PA-I, C = 0.01 · 10 epochs · seed 0'
    >>> in_words(recipe("best").changed(seed=3))
    'uni+bigrams, presence, rows of length 1, prefixes of 6, punctuation too, negation · AROW, r = 0.7, log-count ratios
    (presence, balanced, unless classes are very uneven), interpolation 0.4, one-vs-all · 5 epochs · seed 3'
    >>> in_words(recipe("perceptron").changed(negation=True, max_iter=5))
    'uni+bigrams, presence, negation · perceptron · 5 epochs · seed 0'
    """
    text, learner = settings.text, settings.learner
    epochs = f"{learner.max_iter} epoch{'s' if learner.max_iter != 1 else ''}"
    parts = [", ".join(_text(text)), ", ".join(_learner(learner)), epochs, f"seed {learner.seed}"]
    return " · ".join(parts)


def _text(text: TextPart) -> list[str]:
    low, high = text.ngram_range
    grams = _GRAMS.get((low, high), f"{low}-{high}-grams")
    if text.analyzer != "word":
        grams = f"{low}-{high}-grams of characters" + (" within words" if text.analyzer == "char_wb" else "")
    said = [grams, "presence" if text.binary else "counts"]
    said += ["rows of length 1"] if text.norm else []
    if text.n_features is not None:
        said.append(f"hashed to {text.n_features} columns")
    if text.conjunctions is not None:
        near, pivots = text.conjunctions.window, text.conjunctions.pivots
        said.append(
            "pairs of words" + (f" up to {near} apart" if near else "") + (" with pivots" if pivots is not None else "")
        )
    said += [f"prefixes of {text.prefixes}"] if text.prefixes else []
    return said + _unusual(text, TextPart(), _SAID)


def _learner(learner: LearnerPart) -> list[str]:
    name = learner.learner
    if name == "mira":
        said = [("averaged " if learner.average else "") + _VARIANTS[learner.variant]]
        said += [f"C = {learner.C:g}"] if learner.variant != "pa" else []
    elif name == "arow":
        said = [f"AROW, r = {learner.r:g}"]
    else:
        said = [name if name == "perceptron" else f"{name} perceptron"]
        said += _unusual(learner, LearnerPart(), set(), only=set(PARAMETERS_OF[name]))
    without_effect = {setting for names in PARAMETERS_OF.values() for setting in names}
    return said + _ratios(learner) + _unusual(learner, LearnerPart(), _SAID | without_effect)


def _ratios(learner: LearnerPart) -> list[str]:
    if learner.column_weight is None:
        return []
    how = [f"alpha = {learner.ratio_alpha:g}"] if learner.ratio_alpha != 1 else []
    how += ["presence"] if learner.ratio_binary else []
    how += ["balanced"] if learner.ratio_balanced else []
    how += ["unless classes are very uneven"] if learner.column_weight == "auto" else []
    said = "log-count ratios" + (f" ({', '.join(how)})" if how else "")
    return [said, *([f"interpolation {learner.interpolation:g}"] if learner.interpolation is not None else [])]


def _unusual(part: Any, usual: Any, but: set[str], only: set[str] | None = None) -> list[str]:
    """Name the settings that differ from the usual ones."""
    found = []
    for each in fields(part):
        value = getattr(part, each.name)
        if each.name in but or (only is not None and each.name not in only) or value == getattr(usual, each.name):
            continue
        name = each.name.replace("_", " ")
        if each.name == "stop_words":
            found.append(f"{len(value)} stop words")
        elif each.name == "class_weight" and isinstance(value, tuple):
            found.append("class weight " + ",".join(f"{label_text(label)}={weight:g}" for label, weight in value))
        elif each.name == "multiclass":
            found.append("one-vs-all" if value == "auto" else value)
        elif each.name == "token_pattern" and value in _PATTERNS:
            found.append(_PATTERNS[value])
        elif isinstance(value, bool):
            found.append(name if value else f"no {name}")
        else:
            found.append(f"{name} = {value}")
    return found
