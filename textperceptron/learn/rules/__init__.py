"""The learners: one file each, all driven by the same loop. Each is imported when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach

if TYPE_CHECKING:
    from textperceptron.learn.rules.arow import ArowRule
    from textperceptron.learn.rules.base import Rule
    from textperceptron.learn.rules.batch import BatchRule
    from textperceptron.learn.rules.mira import MiraRule
    from textperceptron.learn.rules.multiclass import MulticlassRule
    from textperceptron.learn.rules.native import NativeRule
    from textperceptron.learn.rules.one_vs_all import OneVsAllRule, OneVsAllState
    from textperceptron.learn.rules.one_vs_one_tile import OneVsOneTileRule
    from textperceptron.learn.rules.perceptron import PerceptronRule
    from textperceptron.learn.rules.voted import VotedRule

__all__ = [
    "ArowRule",
    "BatchRule",
    "MiraRule",
    "MulticlassRule",
    "NativeRule",
    "OneVsAllRule",
    "OneVsAllState",
    "OneVsOneTileRule",
    "PerceptronRule",
    "Rule",
    "VotedRule",
]

__getattr__ = attach(
    __name__,
    {
        "arow": ("ArowRule",),
        "base": ("Rule",),
        "batch": ("BatchRule",),
        "multiclass": ("MulticlassRule",),
        "mira": ("MiraRule",),
        "native": ("NativeRule",),
        "one_vs_all": ("OneVsAllRule", "OneVsAllState"),
        "one_vs_one_tile": ("OneVsOneTileRule",),
        "perceptron": ("PerceptronRule",),
        "voted": ("VotedRule",),
    },
)
